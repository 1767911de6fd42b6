/** From the configuration file's path to a configuration without a mistake, or to all of its mistakes. */
import { Effect, FileSystem, Result } from "effect"
import { type CheckOptions, checkConfiguration } from "./CheckConfiguration.ts"
import { type ConfigurationFile, decodeConfigurationFile } from "./ConfigurationFile.ts"
import { resolveReferences } from "./EnvironmentReferences.ts"
import { formatMistake, type Mistake } from "./Mistake.ts"
import { StartFailure } from "./StartFailure.ts"

export interface ReadConfigurationOptions extends CheckOptions {
  readonly environment: Readonly<Record<string, string | undefined>>
}

export const readConfiguration = Effect.fnUntraced(function* (path: string, options: ReadConfigurationOptions) {
  const configuration = yield* readConfigurationFile(path, options)
  if (Result.isSuccess(configuration)) return configuration.success
  return yield* mistaken(path, configuration.failure)
})

/** Fails where there is no JSON to look for mistakes in. */
export const readConfigurationFile = Effect.fnUntraced(function* (path: string, options: ReadConfigurationOptions) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    files.readFileString(path),
    (error) => new StartFailure({ message: `The configuration file ${path} cannot be read (${error.reason._tag}).` })
  )
  const json = yield* Effect.mapError(
    Effect.fromResult(parseJson(text)),
    (where) => new StartFailure({ message: `The configuration file ${path} is not valid JSON${where}.` })
  )
  return understandConfiguration(json, options)
})

/** Pure: the JSON of a configuration file, checked whole. */
export const understandConfiguration = (
  json: unknown,
  options: ReadConfigurationOptions
): Result.Result<ConfigurationFile, ReadonlyArray<Mistake>> => {
  const resolved = resolveReferences(json, options.environment)
  const decoded = decodeConfigurationFile(resolved.json)
  if (Result.isFailure(decoded)) {
    // A field whose reference cannot be resolved is wrong for that alone.
    const unresolved = new Set(resolved.mistakes.map((mistake) => JSON.stringify(mistake.path)))
    const others = decoded.failure.filter((mistake) => !unresolved.has(JSON.stringify(mistake.path)))
    return Result.fail([...resolved.mistakes, ...others])
  }
  if (resolved.mistakes.length > 0) return Result.fail(resolved.mistakes)
  const mistakes = checkConfiguration(decoded.success, options)
  return mistakes.length > 0 ? Result.fail(mistakes) : Result.succeed(decoded.success)
}

export const mistaken = (path: string, mistakes: ReadonlyArray<Mistake>): StartFailure =>
  new StartFailure({
    message: [
      `The configuration file ${path} is wrong; nothing of it was applied:`,
      ...mistakes.map(formatMistake)
    ].join("\n  ")
  })

/** Fails with the place alone: the parser's own message quotes the file, and with it perhaps a secret. */
const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: () => JSON.parse(text.replace(/^\ufeff/u, "")) as unknown,
    catch: (cause) => {
      const position = /at position (\d+)/u.exec(String(cause))?.[1]
      if (position === undefined) return text.trim() === "" ? ": it is empty" : ""
      const before = text.slice(0, Number(position)).split("\n")
      return `, near line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`
    }
  })
