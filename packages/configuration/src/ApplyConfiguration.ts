/** Brings the directory to what a configuration says, or changes nothing and says why not. */
import { type DirectoryConflict, isEmptyPlan, planDirectory } from "@pointsman/core/internal"
import { Directory, type DirectoryContents, Merchants, Secrets } from "@pointsman/core/ports"
import { Clock, Effect, Result, Schema } from "effect"
import type { ConfigurationFile } from "./ConfigurationFile.ts"
import { configuredDirectory } from "./ConfiguredDirectory.ts"
import type { Mistake } from "./Mistake.ts"

/** A sandbox that the server makes for a first look: nobody's configuration, so that none takes it away. */
export const demoWorkspaceId = "demo"

/** Good by itself, the configuration contradicts what is stored. Nothing of it was applied. */
export class ConfigurationConflict extends Schema.TaggedError<ConfigurationConflict>()(
  "pointsman/ConfigurationConflict",
  { mistakes: Schema.Any as Schema.Codec<ReadonlyArray<Mistake>> }
) {}

/** `file` has no mistake. `present`: what the directory holds. */
export const applyConfiguration = Effect.fnUntraced(function* (file: ConfigurationFile, present: DirectoryContents) {
  const directory = yield* Directory
  const merchants = yield* Merchants
  const wanted = yield* configuredDirectory(file, present)
  const plan = planDirectory(present, wanted, {
    now: yield* Clock.currentTimeMillis,
    // A partner's merchants are the partner's. Asked for after `present` was read, so that no workspace is in there
    // without being known here.
    notRuled: new Set([demoWorkspaceId, ...(yield* merchants.workspaceIds)])
  })
  if (Result.isFailure(plan)) {
    const places = yield* placesOf(file)
    return yield* new ConfigurationConflict({
      mistakes: plan.failure.map((conflict) => mistakeOf(conflict, places))
    })
  }
  if (!isEmptyPlan(plan.success)) yield* directory.write(plan.success)
})

type Places = ReadonlyMap<string, ReadonlyArray<PropertyKey>>

/** Where the file names a connection or, by its hash, a key. */
const placesOf = Effect.fnUntraced(function* (file: ConfigurationFile) {
  const secrets = yield* Secrets
  const places = new Map<string, ReadonlyArray<PropertyKey>>()
  for (const [at, workspace] of file.workspaces.entries()) {
    for (const [index, connection] of (workspace.connections ?? []).entries()) {
      places.set(connection.id, ["workspaces", at, "connections", index])
    }
    for (const [index, key] of (workspace.keys ?? []).entries()) {
      places.set(yield* secrets.hash(key.secret), ["workspaces", at, "keys", index])
    }
  }
  return places
})

const mistakeOf = (conflict: DirectoryConflict, places: Places): Mistake => {
  const at = places.get("connectionId" in conflict ? conflict.connectionId : conflict.hash) ?? []
  switch (conflict._tag) {
    case "ConnectionTwice":
      return { path: [...at, "id"], message: "expected a connection id that is unique" }
    case "ConnectionElsewhere":
      return {
        path: [...at, "id"],
        message:
          "expected an id that is unique across all workspaces: this one belongs to the " +
          `${conflict.environment} environment of the workspace "${conflict.workspaceId}", whose payments ` +
          "refer to it"
      }
    case "ConnectorChanged":
      return {
        path: [...at, "connector"],
        message:
          `expected "${conflict.connector}": this connection has payments at that provider. To use another ` +
          "connector, add a connection with a new id"
      }
    case "ApiKeyTwice":
      return { path: [...at, "secret"], message: "expected a key that is listed only once" }
    case "ApiKeyElsewhere":
      return {
        path: [...at, "secret"],
        message: `expected another key: an operator created this one for the workspace "${conflict.workspaceId}"`
      }
  }
}
