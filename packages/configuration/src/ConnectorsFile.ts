/** The field `connectors` of the configuration file: the programs of connectors that do not come with the server. */
import { Predicate, Result, Schema } from "effect"
import { type Decoded, decode } from "./DecodeFile.ts"
import { resolveReferences } from "./EnvironmentReferences.ts"

const expected = 'the path of a file that begins with "./", "../" or "/", or the name of an installed package'

export const isConnectorPath = (entry: string): boolean => /^(?:\.{1,2}[/\\]|[/\\]|[A-Za-z]:[/\\])/u.test(entry)

const Entry = Schema.String.annotate({ message: `expected ${expected}` }).check(
  Schema.makeFilter(
    (entry: string) => isConnectorPath(entry) || /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*(?:\/[\w.~-]+)*$/u.test(entry),
    { expected }
  )
)

/** Of each server, and not a part of a generation: it is not stored in the database. */
export const ConnectorsFile = Schema.Array(Entry).check(
  Schema.makeFilter((entries: ReadonlyArray<string>) => new Set(entries).size === entries.length, {
    expected: "a list without duplicates"
  })
)

/** The field alone, because the rest of the file is checked with the connectors that it names. */
export const understandConnectors = (
  json: unknown,
  environment: Readonly<Record<string, string | undefined>>
): Decoded<ReadonlyArray<string>> => {
  const given = Predicate.isObject(json) ? json["connectors"] : undefined
  if (given === undefined) return Result.succeed([])
  const resolved = resolveReferences(given, environment)
  const understood: Decoded<ReadonlyArray<string>> =
    resolved.mistakes.length > 0 ? Result.fail(resolved.mistakes) : decode(ConnectorsFile)(resolved.json)
  return Result.mapError(understood, (mistakes) =>
    mistakes.map(({ message, path }) => ({ path: ["connectors", ...path], message }))
  )
}
