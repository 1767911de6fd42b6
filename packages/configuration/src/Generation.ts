/**
 * Whether a configuration is newer than the one that is served. A process that restarts with an old file must not
 * overrule a newer one: keys that were removed would work again.
 */
import { type AppliedConfiguration, Secrets } from "@pointsman/core/ports"
import { Effect, Predicate } from "effect"
import type { ConfigurationFile } from "./ConfigurationFile.ts"

export type Standing =
  /** Newer than the one that is served; applied, it is this generation. */
  | { readonly _tag: "New"; readonly generation: number }
  | { readonly _tag: "Served"; readonly generation: number }
  | {
      readonly _tag: "Older"
      /** The generation that is served. */
      readonly served: number
      /** Its number in the file, or the last generation as which its content was applied. */
      readonly generation: number
    }
  /** The number belongs to other content. */
  | { readonly _tag: "NumberTaken"; readonly generation: number; readonly newest: number }

/** `hash`: that of `contentHash`. `configurations`: by generation, the newest last. */
export const standingOf = (
  number: number | undefined,
  hash: string,
  configurations: ReadonlyArray<AppliedConfiguration>
): Standing => {
  const newest = configurations.at(-1)
  if (newest === undefined) return { _tag: "New", generation: number ?? 1 }
  const served = newest.generation
  const holder = configurations.find(({ generation }) => generation === number)
  if (holder !== undefined && holder.hash !== hash) {
    return { _tag: "NumberTaken", generation: holder.generation, newest: served }
  }
  // A greater number says that it is newer, whatever was applied before.
  if (number !== undefined && number > served) return { _tag: "New", generation: number }
  if (newest.hash === hash) return { _tag: "Served", generation: served }
  const before = configurations.findLast((one) => one.hash === hash)
  if (number === undefined && before === undefined) return { _tag: "New", generation: served + 1 }
  return { _tag: "Older", served, generation: number ?? before?.generation ?? served }
}

/**
 * Keyed, so that an attacker cannot try short secrets against it; the same for every order of the names of an object.
 */
export const contentHash = Effect.fnUntraced(function* ({ workspaces }: ConfigurationFile) {
  const secrets = yield* Secrets
  return yield* secrets.fingerprint(`configuration\n${JSON.stringify(sorted({ workspaces }))}`)
})

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!Predicate.isObject(value)) return value
  const fields = Object.entries(value).map(([name, item]) => [name, sorted(item)] as const)
  return Object.fromEntries(fields.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
