/** Every command of `pointsman` with its arguments, flags and examples, as its own help has them. */
import { type Command, Completions } from "effect/cli"
import { pointsmanCommand } from "../../packages/server/src/commands/AllCommands.ts"

interface Leaf {
  readonly path: string
  readonly command: Command.Command.Any
  readonly described: Completions.CommandDescriptor
}

/** In the order of the help. */
const leavesOf = (
  command: Command.Command.Any,
  described: Completions.CommandDescriptor,
  path: string
): ReadonlyArray<Leaf> => {
  const subs = command.subcommands.flatMap(({ commands }) => commands)
  if (subs.length === 0) return [{ path, command, described }]
  return subs.flatMap((sub) => {
    const found = described.subcommands.find(({ name }) => name === sub.name)
    return found === undefined ? [] : leavesOf(sub, found, `${path} ${sub.name}`)
  })
}

export const allCommands = (): ReadonlyArray<Leaf> => {
  const command = pointsmanCommand({})
  return leavesOf(command, Completions.fromCommand(command), command.name)
}

/** A table of all commands. */
export const commandsTable = (): string =>
  [
    "| Command | |",
    "|---|---|",
    ...allCommands().map(({ command, path }) => `| [\`${path}\`](#${anchorOf(path)}) | ${cell(shortOf(command))} |`)
  ].join("\n")

export const commandsInFull = (): string =>
  allCommands()
    .map(({ command, described, path }) =>
      [
        `### ${path}`,
        plain(command.description ?? ""),
        described.arguments.length + described.flags.length === 0
          ? ""
          : [
              "| | |",
              "|---|---|",
              ...described.arguments.map((one) => row(`<${one.name}>`, one.description, one.type)),
              ...described.flags.map((one) => row(`--${one.name}${placeOf(one.type)}`, one.description, one.type))
            ].join("\n"),
        command.examples.length === 0
          ? ""
          : [
              "```sh",
              ...command.examples.flatMap(({ command, description }) => [`# ${description}`, command]),
              "```"
            ].join("\n")
      ]
        .filter((part) => part !== "")
        .join("\n\n")
    )
    .join("\n\n")

const shortOf = ({ description, shortDescription }: Command.Command.Any): string =>
  shortDescription ?? description ?? ""

type Type = Completions.FlagType | Completions.ArgumentType

const placeOf = (type: Type): string => (type._tag === "Boolean" ? "" : " …")

/** As many choices as can still be read in a table. */
const choicesAtMost = 15

const row = (name: string, description: string | undefined, type: Type): string => {
  const choices =
    type._tag === "Choice" && type.values.length <= choicesAtMost
      ? ` One of ${type.values.map((value) => `\`${value}\``).join(", ")}.`
      : ""
  return `| \`${name}\` | ${cell(description ?? "")}${choices === "" ? "" : `.${choices}`} |`
}

/** Angle brackets would be taken for HTML. */
const plain = (text: string): string => text.replaceAll("<", "\\<")
const cell = (text: string): string => plain(text).replaceAll("|", "\\|")

/** As GitHub makes it of the heading. */
const anchorOf = (path: string): string => path.replaceAll(" ", "-")
