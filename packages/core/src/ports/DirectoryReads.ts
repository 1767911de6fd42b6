/** For storages: the reads of the directory, of a copy of it. They are asked on every request. */
import { Effect, Option } from "effect"
import type { Connection } from "../model/Connection.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { Workspace } from "../model/Workspace.ts"
import type { Directory, DirectoryState, KeyHolder, WorkspaceRouting } from "./Directory.ts"
import type { StorageError } from "./StorageError.ts"

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
