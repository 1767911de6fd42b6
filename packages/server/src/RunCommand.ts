/** Effect's command line over every command of `pointsman`. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Layer, Option } from "effect"
import { CliError, CliOutput, Command, type HelpDoc } from "effect/cli"
import { pointsmanCommand } from "./commands/AllCommands.ts"
import { commandName } from "./commands/Words.ts"
import { version } from "./Version.ts"

type Environment = Readonly<Record<string, string | undefined>>

export const runCommand = (environment: Environment, words: ReadonlyArray<string>) =>
  Command.runWith(pointsmanCommand(environment), { version })(words).pipe(
    Effect.provide(Layer.merge(NodeServices.layer, CliOutput.layerPresenter(presenter(environment, words))))
  )

/** One line for each error, and where the help is. All go to standard error: a program that reads the result finds it empty. */
const presenter = (environment: Environment, words: ReadonlyArray<string>): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    if (event._tag !== "InvalidInvocation") return yield* CliOutput.defaultPresenter.present(event)
    const { commandPath = [], flags } = event.helpDoc
    for (const error of withAllMissing(event.errors, event.helpDoc, words)) {
      const missing = error._tag === "MissingOption" ? flags.find(({ name }) => name === error.option) : undefined
      const meaning = Option.fromUndefinedOr(missing).pipe(Option.flatMap(({ description }) => description))
      yield* Console.error(`${error.message}${Option.match(meaning, { onNone: () => "", onSome: (is) => ` (${is})` })}`)
    }
    const command = [commandName(environment), ...commandPath.slice(1)].join(" ")
    yield* Console.error(`Its arguments and flags: ${command} --help`)
  })
})

// What a command line lacks. Effect's parser stops at the first of it; the help of the command knows the rest.

/** Of a misspelled flag it is not known whether it was meant as one of those that are missing. */
const stopsEarly: ReadonlySet<string> = new Set(["MissingOption", "MissingArgument", "InvalidValue"])

/**
 * The errors of a command line, and every other argument and flag that it lacks. An argument is looked for where the
 * parser found one missing: a command names its arguments before its flags.
 */
export const withAllMissing = (
  errors: ReadonlyArray<CliError.NonShowHelpErrors>,
  { args = [], flags }: HelpDoc.HelpDoc,
  words: ReadonlyArray<string>
): ReadonlyArray<CliError.NonShowHelpErrors> => {
  if (!errors.every(({ _tag }) => stopsEarly.has(_tag))) return errors
  const missing = new Set(errors.map(({ message }) => message))
  const firstMissing = args.findIndex(({ name }) =>
    missing.has(new CliError.MissingArgument({ argument: name }).message)
  )
  const given = flagsIn(words)
  return [
    ...errors,
    ...(firstMissing < 0 ? [] : args.slice(firstMissing))
      .filter(({ required }) => required)
      .map(({ name }) => new CliError.MissingArgument({ argument: name })),
    ...flags
      .filter(({ aliases, name, required }) => required && ![`--${name}`, ...aliases].some((flag) => given.has(flag)))
      .map(({ name }) => new CliError.MissingOption({ option: name }))
  ].filter((error, at) => at < errors.length || !missing.has(error.message))
}

/** What follows `--` is no flag. */
const flagsIn = (words: ReadonlyArray<string>): ReadonlySet<string> => {
  const end = words.indexOf("--")
  return new Set(words.slice(0, end < 0 ? words.length : end).map((word) => word.split("=", 1)[0] ?? word))
}
