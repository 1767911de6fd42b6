import * as Configuration from "@pointsman/configuration"
import { apiKeyIdOf } from "@pointsman/core/internal"
import { Effect } from "effect"
import { mistaken } from "./ReadJson.ts"

/** Core's step, in the operator's words. `path` is named in messages. */
export const applyConfiguration = (
  path: string,
  file: Configuration.ConfigurationFile,
  options?: Configuration.ApplyOptions
) =>
  Effect.catchTag(Configuration.applyConfiguration(file, options), "pointsman/ConfigurationConflict", ({ mistakes }) =>
    mistaken(path, mistakes)
  )

/** At a start: what an operator may not expect is logged, and the server serves all the same. */
export const applyAtStart = Effect.fnUntraced(function* (path: string, file: Configuration.ConfigurationFile) {
  const outcome = yield* applyConfiguration(path, file, { isStart: true })
  if (outcome.standing._tag === "Older") yield* Effect.logWarning(olderText(path, outcome.standing))
  if (outcome.revokedKeys.length > 0) yield* Effect.logWarning(revokedText(path, outcome.revokedKeys))
  return outcome
})

type Older = Extract<Configuration.Standing, { readonly _tag: "Older" }>

export const olderText = (path: string, { generation, served }: Older): string =>
  `The configuration file ${path} was not applied: its content is generation ${generation}, and generation ${served} ` +
  "is served. To return to it, run `pointsman config apply <file> --rollback`."

export const revokedText = (path: string, keys: Configuration.ApplyOutcome["revokedKeys"]): string =>
  `Keys that the configuration file ${path} names stay revoked: ${keys.map(apiKeyIdOf).join(", ")}. To reactivate ` +
  "one, run `pointsman keys restore <key>`."
