/** What a command line lacks. Effect's parser stops at the first of it; the help of the command knows the rest. */
import { CliError, type HelpDoc } from "effect/cli"

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
