/** The configuration file's JSON, and how its mistakes are reported. */
import { formatMistake, type Mistake } from "@pointsman/configuration"
import { Effect, FileSystem, Result } from "effect"
import { StartFailure } from "./StartFailure.ts"

export const readConfigurationJson = Effect.fnUntraced(function* (path: string) {
  const files = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    files.readFileString(path),
    (error) => new StartFailure({ message: `The configuration file ${path} cannot be read (${error.reason._tag}).` })
  )
  return yield* Effect.mapError(
    Effect.fromResult(parseJson(text)),
    (where) => new StartFailure({ message: `The configuration file ${path} is not valid JSON${where}.` })
  )
})

export const mistaken = (path: string, mistakes: ReadonlyArray<Mistake>): StartFailure =>
  new StartFailure({
    message: [`The configuration file ${path} is invalid; nothing was applied:`, ...mistakes.map(formatMistake)].join(
      "\n  "
    )
  })

/** Fails with the place alone: the parser's own message quotes the file, and with it perhaps a secret. */
const parseJson = (text: string): Result.Result<unknown, string> =>
  Result.try({
    try: () => JSON.parse(text.replace(/^\ufeff/u, "")) as unknown,
    catch: (cause) => {
      const position = /at position (\d+)/u.exec(String(cause))?.[1]
      if (position === undefined) return text.trim() === "" ? ": it is empty" : ""
      const before = text.slice(0, Number(position)).split("\n")
      return `, line ${before.length}, column ${(before.at(-1) ?? "").length + 1}`
    }
  })
