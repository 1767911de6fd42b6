/** Brings the directory to what a configuration says, or changes nothing and says why not. */
import type { ApiKey } from "@pointsman/core"
import { apiKeyIdOf, type DirectoryConflict, isEmptyPlan, planDirectory } from "@pointsman/core/internal"
import { auditDraft, Directory, type DirectoryContents, Merchants, Secrets } from "@pointsman/core/ports"
import { Clock, Effect, Result, Schema } from "effect"
import type { ConfigurationFile } from "./ConfigurationFile.ts"
import { configuredDirectory } from "./ConfiguredDirectory.ts"
import type { Mistake } from "./DecodeFile.ts"
import { contentHash, type Standing, standingOf } from "./Generation.ts"

/** A sandbox that the server makes for a first look: it belongs to no configuration, so that none takes it away. */
export const demoWorkspaceId = "demo"

/** Good by itself, the configuration contradicts what is stored. Nothing of it was applied. */
export class ConfigurationConflict extends Schema.TaggedError<ConfigurationConflict>()(
  "pointsman/ConfigurationConflict",
  { mistakes: Schema.Any as Schema.Codec<ReadonlyArray<Mistake>> }
) {}

export interface ApplyOptions {
  /** Makes an older configuration the newest generation. */
  readonly rollback?: boolean
  /** `true`: only a start applies it, and the audit trail names the configuration as the actor, by its hash. */
  readonly isStart?: boolean
}

export interface ApplyOutcome {
  /** What the configuration was before: one that was `New` has been applied. */
  readonly standing: Exclude<Standing, { readonly _tag: "NumberTaken" }>
  /** Of the configuration's content. */
  readonly hash: string
  /** Keys that the configuration names and that stay revoked; none where it is older. */
  readonly revokedKeys: ReadonlyArray<ApiKey>
}

/** How the configuration compares with the one that is served; nothing is changed. */
export const configurationStanding = Effect.fnUntraced(function* (file: ConfigurationFile) {
  const { configurations } = yield* (yield* Directory).state
  return standingOf(file.generation, yield* contentHash(file), configurations)
})

/**
 * `file` has no mistake. An older configuration is not applied, unless it is rolled back to. Configurations that come at
 * the same time are applied one after the other, each planned on the contents that the one before it left.
 */
export const applyConfiguration = Effect.fnUntraced(function* (file: ConfigurationFile, options: ApplyOptions = {}) {
  const directory = yield* Directory
  const hash = yield* contentHash(file)
  while (true) {
    const { configurations, contents, version } = yield* directory.state
    const standing = yield* usableStanding(standingOf(file.generation, hash, configurations), options)
    if (standing._tag === "Older") return { standing, hash, revokedKeys: [] } satisfies ApplyOutcome
    const { plan, revokedKeys } = yield* planFor(file, contents, standing._tag === "New")
    const outcome: ApplyOutcome = { standing, hash, revokedKeys }
    if (standing._tag === "Served" && isEmptyPlan(plan)) return outcome
    const isApplied = yield* directory.apply({
      contents: plan,
      configuration:
        standing._tag === "New"
          ? { generation: standing.generation, hash, appliedAt: yield* Clock.currentTimeMillis }
          : null,
      version,
      audit: yield* auditOf(plan, outcome, options)
    })
    if (isApplied) return outcome
  }
})

/** What changes, by ids; a key's is the beginning of its hash. */
const auditOf = Effect.fnUntraced(function* (
  plan: DirectoryContents,
  { hash, standing }: ApplyOutcome,
  { isStart, rollback }: ApplyOptions
) {
  const action = rollback === true ? "configuration.rolled_back" : "configuration.applied"
  const draft = yield* auditDraft(action, `generation ${"generation" in standing ? standing.generation : "served"}`, {
    hash,
    workspaces: plan.workspaces.map(({ id }) => id),
    keys: plan.apiKeys.filter(({ revokedAt }) => revokedAt === null).map(apiKeyIdOf),
    revoked_keys: plan.apiKeys.filter(({ revokedAt }) => revokedAt !== null).map(apiKeyIdOf),
    connections: plan.connections.filter(({ active }) => active).map(({ id }) => id),
    inactive_connections: plan.connections.filter(({ active }) => !active).map(({ id }) => id),
    routing: plan.routing.map(({ environment, workspaceId }) => `${workspaceId} ${environment}`),
    webhook_endpoints: plan.webhookEndpoints.filter(({ active }) => active).map(({ id }) => id),
    inactive_webhook_endpoints: plan.webhookEndpoints.filter(({ active }) => !active).map(({ id }) => id)
  })
  return isStart === true ? { ...draft, actor: `configuration ${hash}`, via: "configuration" as const } : draft
})

const usableStanding = (standing: Standing, { rollback }: ApplyOptions) => {
  if (standing._tag === "NumberTaken") {
    const message =
      `expected a number greater than ${standing.newest}: generation ${standing.generation} was applied with ` +
      "other content"
    return Effect.fail(new ConfigurationConflict({ mistakes: [{ path: ["generation"], message }] }))
  }
  return Effect.succeed(
    standing._tag === "Older" && rollback === true
      ? ({ _tag: "New", generation: standing.served + 1 } as const)
      : standing
  )
}

const planFor = Effect.fnUntraced(function* (file: ConfigurationFile, present: DirectoryContents, isNew: boolean) {
  const merchants = yield* Merchants
  const wanted = yield* configuredDirectory(file, present)
  const plan = planDirectory(present, wanted, {
    now: yield* Clock.currentTimeMillis,
    isNew,
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
  const named = new Set(wanted.apiKeys.map((key) => key.hash))
  return {
    plan: plan.success,
    revokedKeys: present.apiKeys.filter((key) => key.revokedAt !== null && named.has(key.hash))
  }
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
