/**
 * Every command of `pointsman` with its arguments, flags and examples, as its own help has them. What several commands
 * take is described once, and named by each.
 */
import { type Command, Completions } from "effect/cli"
import { pointsmanCommand } from "../../packages/server/src/commands/AllCommands.ts"
import { settingText } from "../../packages/server/src/commands/CommandHelp.ts"
import { expectedMoment } from "../../packages/server/src/commands/Moment.ts"
import { checkSettings, databaseSettings } from "../../packages/server/src/commands/OpenDatabase.ts"
import { type SettingName, settingNames, variables } from "../../packages/server/src/Settings.ts"
import { anchorOf, code } from "./Markdown.ts"

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

/** The links to all commands, by their first word. */
export const commandsList = (): string =>
  [...Map.groupBy(allCommands(), ({ path }) => path.split(" ")[1] ?? "")]
    .map(([word, leaves]) => {
      const links = leaves.map(({ path }) => `[${path.split(" ").at(-1)}](#${anchorOf(path)})`)
      return leaves.some(({ path }) => path.endsWith(` ${word}`))
        ? `- ${links.join("")}`
        : `- ${word}: ${links.join(", ")}`
    })
    .join("\n")

type Type = Completions.FlagType | Completions.ArgumentType

interface Option {
  /** `<payment>` or `--by …` */
  readonly name: string
  readonly text: string
  readonly setting: SettingName | undefined
}

const settingOf = (flag: string, description: string | undefined): SettingName | undefined =>
  settingNames.find((name) => variables[name].flag === flag && settingText(name) === description)

const optionsOf = ({ described }: Leaf): ReadonlyArray<Option> => [
  ...described.arguments.map((one) => ({
    name: `<${one.name}>`,
    text: textOf(one.description, one.type),
    setting: undefined
  })),
  ...described.flags.map((one) => ({
    name: `--${one.name}${one.type._tag === "Boolean" ? "" : " …"}`,
    text: textOf(one.description, one.type),
    setting: settingOf(one.name, one.description)
  }))
]

/** As many choices as can still be read in a list. */
const choicesAtMost = 15

const textOf = (description = "", type: Type): string => {
  const isListed =
    type._tag === "Choice" &&
    type.values.length <= choicesAtMost &&
    type.values.some((value) => !description.includes(value))
  const choices = isListed ? `. One of ${type.values.map(code).join(", ")}` : ""
  return `${description.replace(`: ${expectedMoment}`, " (a [time](#shared-options))")}${choices}`
}

/** How many commands take an option that is described once. */
const sharedBy = 3

/** The options that several commands take, by name; of those with one name, the most frequent. */
const sharedOptions = (): ReadonlyMap<string, Option> => {
  const same = [...Map.groupBy(allCommands().flatMap(optionsOf), ({ name, text }) => `${name} ${text}`).values()]
  return new Map(
    same
      .filter((all) => all.length >= sharedBy)
      .toSorted((a, b) => a.length - b.length)
      .flatMap(([one]) => (one === undefined || one.setting !== undefined ? [] : [[one.name, one]]))
  )
}

/** Settings that commands take together, with what stands for them. The first that a command has all of is named. */
const groups: ReadonlyArray<readonly [name: string, settings: ReadonlyArray<SettingName>, meaning: () => string]> = [
  ["all settings", settingNames, () => "the flags of all [settings](../reference/settings.md)"],
  ["checks", checkSettings, () => ["*database*", ...checkSettings.filter(isNoDatabase).map(flagOf)].join(", ")],
  ["database", databaseSettings, () => databaseSettings.map(flagOf).join(", ")]
]

const isNoDatabase = (name: SettingName): boolean => databaseSettings.every((one) => one !== name)

const flagOf = (name: SettingName): string => code(`--${variables[name].flag}`)

const settingsLine = (settings: ReadonlyArray<SettingName>): ReadonlyArray<string> => {
  const group = groups.find(([, names]) => names.every((name) => settings.includes(name)))
  const others = settings.filter((name) => group?.[1].includes(name) !== true)
  return [...(group === undefined ? [] : [`*${group[0]}*`]), ...others.map(flagOf)]
}

/** What several commands take. */
export const sharedOptionsTable = (): string =>
  [
    "| Option | |",
    "|---|---|",
    ...[...sharedOptions().values()].map(({ name, text }) => `| ${code(name)} | ${cell(text)} |`),
    ...groups.map(([name, , meaning]) => `| *${name}* | ${meaning()} |`)
  ].join("\n")

export const commandsInFull = (): string => {
  const shared = sharedOptions()
  const isShared = ({ name, text }: Option) => shared.get(name)?.text === text
  return allCommands()
    .map((leaf) => {
      const { command, path } = leaf
      const options = optionsOf(leaf)
      const also = [
        ...options.filter(isShared).map(({ name }) => code(name)),
        ...settingsLine(options.flatMap(({ setting }) => setting ?? []))
      ]
      const own = options.filter((option) => option.setting === undefined && !isShared(option))
      const examples = command.examples.filter(({ description }) => description !== "As JSON")
      return [
        `### ${path}`,
        plain(command.description ?? ""),
        own.map(({ name, text }) => `- ${code(name)}: ${plain(text)}`).join("\n"),
        also.length === 0 ? "" : `[Shared](#shared-options): ${also.join(", ")}`,
        examples.length === 0
          ? ""
          : ["```sh", ...examples.flatMap(({ command, description }) => [`# ${description}`, command]), "```"].join(
              "\n"
            )
      ]
        .filter((part) => part !== "")
        .join("\n\n")
    })
    .join("\n\n")
}

/** Angle brackets would be taken for HTML. */
const plain = (text: string): string => text.replaceAll("<", "\\<")
const cell = (text: string): string => plain(text).replaceAll("|", "\\|")
