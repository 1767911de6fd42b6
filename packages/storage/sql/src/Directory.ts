/** The directory is read on every request, so a storage keeps a copy of it in the process. */
import type { Connection, Tenant, Workspace } from "@pointsman/core"
import {
  Directory,
  type DirectoryState,
  type KeyHolder,
  type StorageError,
  type WorkspaceRouting
} from "@pointsman/core/ports"
import { Effect, Option } from "effect"

/** What is stored, as it was at one moment. Frozen: it is handed out as it is. */
export interface Snapshot {
  readonly state: DirectoryState
  readonly workspaces: ReadonlyMap<string, Workspace>
  readonly keyHolders: ReadonlyMap<string, KeyHolder>
  readonly connections: ReadonlyMap<string, ReadonlyArray<Connection>>
  readonly connectionsById: ReadonlyMap<string, Connection>
  readonly routing: ReadonlyMap<string, WorkspaceRouting>
}

/** `current`: the copy that may be used at this moment. */
export const makeDirectory = (
  current: (operation: string) => Effect.Effect<Snapshot, StorageError>,
  writing: Pick<
    Directory["Service"],
    "write" | "apply" | "replaceEndpointSecret" | "recordAccount" | "recordKeyUses" | "keyUses"
  >
): Directory["Service"] => {
  const find = <A>(operation: string, found: (now: Snapshot) => A | undefined) =>
    Effect.map(current(operation), (now) => Option.fromUndefinedOr(found(now)))

  return Directory.of({
    keyHolder: (hash) => find("keyHolder", ({ keyHolders }) => keyHolders.get(hash)),
    workspace: (id) => find("workspace", ({ workspaces }) => workspaces.get(id)),
    connections: (tenant) => Effect.map(current("connections"), (now) => now.connections.get(nameOf(tenant)) ?? []),
    connection: (id) => find("connection", ({ connectionsById }) => connectionsById.get(id)),
    routing: (tenant) => find("routing", ({ routing }) => routing.get(nameOf(tenant))?.settings),
    contents: Effect.map(current("contents"), ({ state }) => state.contents),
    state: Effect.map(current("state"), ({ state }) => state),
    ...writing
  })
}

/** Freezes the state. */
export const snapshotOf = (state: DirectoryState): Snapshot => {
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
