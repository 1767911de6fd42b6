/** Workspaces, keys, connections and routing. Read on every request: an adapter keeps what it read until a write. */
import { Context, Effect, Option } from "effect"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Connection } from "../model/Connection.ts"
import type { SecretRotation } from "../model/EndpointSecret.ts"
import type { ProviderAccount } from "../model/ProviderAccount.ts"
import type { RoutingSettings } from "../model/RoutingSettings.ts"
import type { Environment, Tenant } from "../model/Tenant.ts"
import type { Workspace } from "../model/Workspace.ts"
import type { AuditDraft } from "./Audit.ts"
import type { StorageError } from "./StorageError.ts"

/** Where events are sent. */
export interface WebhookEndpoint {
  /** Stable over restarts: workspace, environment and URL make it. */
  readonly id: string
  readonly workspaceId: string
  readonly environment: Environment
  readonly url: string
  /** Event types, or `["*"]` for every one, also those that are added later. */
  readonly events: ReadonlyArray<string>
  readonly sealedSecret: string
  /** The secret before it, while receivers change over: what is sent is signed with both. */
  readonly sealedPreviousSecret?: string | null | undefined
  /** Absent while no operator replaced the secret: it is the configuration's, and so is the one before it. */
  readonly rotation?: SecretRotation | undefined
  readonly active: boolean
}

export interface WorkspaceRouting {
  readonly workspaceId: string
  readonly environment: Environment
  readonly settings: RoutingSettings
}

/** All that the directory holds. */
export interface DirectoryContents {
  readonly workspaces: ReadonlyArray<Workspace>
  readonly apiKeys: ReadonlyArray<ApiKey>
  /** Active and inactive ones. */
  readonly connections: ReadonlyArray<Connection>
  readonly routing: ReadonlyArray<WorkspaceRouting>
  readonly webhookEndpoints: ReadonlyArray<WebhookEndpoint>
}

/** A configuration that was applied. */
export interface AppliedConfiguration {
  /** From 1; a greater number is a newer configuration. */
  readonly generation: number
  /** Lower-case hex of 32 bytes: a keyed hash of the content, without its number, after `$env` was resolved. */
  readonly hash: string
  /** Epoch milliseconds. */
  readonly appliedAt: number
}

/** All of one moment. */
export interface DirectoryState {
  readonly contents: DirectoryContents
  /** By generation, the newest last: that is the one which is served. */
  readonly configurations: ReadonlyArray<AppliedConfiguration>
  /** Greater after each write of the contents. */
  readonly version: number
}

export interface ConfigurationChange {
  readonly contents: DirectoryContents
  /** The new generation; `null` where the one that is served is completed, or an operator changes the contents. */
  readonly configuration: AppliedConfiguration | null
  /** Of the state that the change was planned on. */
  readonly version: number
  /** An entry of the audit trail that is written with it, or not at all. */
  readonly audit?: AuditDraft | undefined
}

/** What a provider stated of the account that a connection's credentials open. */
export interface StatedAccount {
  readonly connectionId: string
  /** Those that it was asked with. */
  readonly sealedCredentials: string
  readonly account: ProviderAccount
  /** Epoch milliseconds. */
  readonly at: number
}

/** An API key, by its hash, let a request in. */
export interface KeyUse {
  readonly hash: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** A use is not recorded that follows the recorded one of its key by less than this, in milliseconds. */
export const keyUseEveryMillis = 60_000

/** Who an API key belongs to. */
export interface KeyHolder {
  readonly apiKey: ApiKey
  readonly workspace: Workspace
}

export class Directory extends Context.Service<
  Directory,
  {
    /** By the hash of the key; revoked keys are found too. */
    readonly keyHolder: (hash: string) => Effect.Effect<Option.Option<KeyHolder>, StorageError>
    readonly workspace: (id: string) => Effect.Effect<Option.Option<Workspace>, StorageError>
    /** Every connection of the tenant, active or not. */
    readonly connections: (tenant: Tenant) => Effect.Effect<ReadonlyArray<Connection>, StorageError>
    /** Of whichever tenant, active or not: its id names the path that its provider sends messages to. */
    readonly connection: (id: string) => Effect.Effect<Option.Option<Connection>, StorageError>
    readonly routing: (tenant: Tenant) => Effect.Effect<Option.Option<RoutingSettings>, StorageError>
    readonly contents: Effect.Effect<DirectoryContents, StorageError>
    readonly state: Effect.Effect<DirectoryState, StorageError>
    /**
     * Inserts, or replaces by its key, all of it or nothing. What is not named stays as it is; nothing is deleted. An API
     * key that an operator revoked stays as it is whatever is written: a writer may have read it before. Deliveries that
     * were given up because an endpoint was not active are due again when the endpoint is written as active. `audit`: an
     * entry of the audit trail that is written with it, or not at all.
     */
    readonly write: (contents: DirectoryContents, audit?: AuditDraft) => Effect.Effect<void, StorageError>
    /**
     * As `write`, together with the record of the generation, where the state still has the change's version; whether it
     * had. If not, nothing is written: the change was planned on other contents.
     */
    readonly apply: (change: ConfigurationChange) => Effect.Effect<boolean, StorageError>
    /** Writes secrets, rotation and audit entry where `expectedSealed` is still its sealed secret; whether it did. */
    readonly replaceEndpointSecret: (
      expectedSealed: string,
      after: WebhookEndpoint,
      audit: AuditDraft
    ) => Effect.Effect<boolean, StorageError>
    /** Records a connection's account (`withStatedAccount`), unless its credentials changed. Nothing else does. */
    readonly recordAccount: (stated: StatedAccount) => Effect.Effect<void, StorageError>
    /** Records the last use of keys, each at most once in `keyUseEveryMillis`; it is no part of `contents`. */
    readonly recordKeyUses: (uses: ReadonlyArray<KeyUse>) => Effect.Effect<void, StorageError>
    /** When each key was last used, in epoch milliseconds, by its hash; keys that were never used are not in it. */
    readonly keyUses: Effect.Effect<ReadonlyMap<string, number>, StorageError>
  }
>()("pointsman/ports/Directory") {}

// For storages: the reads of the directory, of a copy of it.

/** What is stored, as it was at one moment. Frozen: it is handed out as it is. */
export interface DirectorySnapshot {
  readonly state: DirectoryState
  readonly workspaces: ReadonlyMap<string, Workspace>
  readonly keyHolders: ReadonlyMap<string, KeyHolder>
  readonly connections: ReadonlyMap<string, ReadonlyArray<Connection>>
  readonly connectionsById: ReadonlyMap<string, Connection>
  readonly routing: ReadonlyMap<string, WorkspaceRouting>
}

/** `current`: the copy that may be used at this moment. */
export const directoryReads = (current: (operation: string) => Effect.Effect<DirectorySnapshot, StorageError>) => {
  const find = <A>(operation: string, found: (now: DirectorySnapshot) => A | undefined) =>
    Effect.map(current(operation), (now) => Option.fromUndefinedOr(found(now)))

  return {
    keyHolder: (hash) => find("keyHolder", ({ keyHolders }) => keyHolders.get(hash)),
    workspace: (id) => find("workspace", ({ workspaces }) => workspaces.get(id)),
    connections: (tenant) => Effect.map(current("connections"), (now) => now.connections.get(nameOf(tenant)) ?? []),
    connection: (id) => find("connection", ({ connectionsById }) => connectionsById.get(id)),
    routing: (tenant) => find("routing", ({ routing }) => routing.get(nameOf(tenant))?.settings),
    contents: Effect.map(current("contents"), ({ state }) => state.contents),
    state: Effect.map(current("state"), ({ state }) => state)
  } satisfies Partial<Directory["Service"]>
}

/** Freezes the state. */
export const directorySnapshot = (state: DirectoryState): DirectorySnapshot => {
  const { contents } = deepFreeze(state)
  const workspaces = new Map(contents.workspaces.map((workspace) => [workspace.id, workspace]))
  return {
    state,
    workspaces,
    keyHolders: new Map(
      contents.apiKeys.flatMap((apiKey) => {
        const workspace = workspaces.get(apiKey.workspaceId)
        return workspace === undefined ? [] : [[apiKey.hash, Object.freeze({ apiKey, workspace })]]
      })
    ),
    connections: Map.groupBy(contents.connections, nameOf),
    connectionsById: new Map(contents.connections.map((connection) => [connection.id, connection])),
    routing: new Map(contents.routing.map((routing) => [nameOf(routing), routing]))
  }
}

/** No two tenants share one: the environment is one of two words, and comes first. */
const nameOf = (tenant: Tenant): string => `${tenant.environment} ${tenant.workspaceId}`

const deepFreeze = <A>(value: A): A => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}
