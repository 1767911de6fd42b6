/**
 * Workspaces, keys, connections and routing in SQLite. They are read on every request, so reads are served from a
 * copy in the process, which is let go of as soon as anybody writes: `PRAGMA data_version` tells of every other
 * connection's commit at next to no cost. A revoked key is therefore seen at the very next read.
 */
import type { SQLInputValue } from "node:sqlite"
import {
  type ApiKey,
  type Connection,
  Directory,
  type DirectoryContents,
  type KeyHolder,
  StorageError,
  type Tenant,
  type WebhookEndpoint,
  type Workspace,
  type WorkspaceRouting
} from "@pointsman/core"
import { Effect, Option, Result } from "effect"
import {
  bindJson,
  bindText,
  bindTextOrNull,
  type Database,
  insertInto,
  type Row,
  read,
  readJson,
  readText,
  readTextOrNull,
  snapshot,
  transaction,
  upsertInto
} from "./Database.ts"

/** What is stored, as it was at one data version. Frozen: it is handed out as it is. */
interface Snapshot {
  readonly dataVersion: unknown
  readonly contents: DirectoryContents
  readonly workspaces: ReadonlyMap<string, Workspace>
  readonly keyHolders: ReadonlyMap<string, KeyHolder>
  readonly connections: ReadonlyMap<string, ReadonlyArray<Connection>>
  readonly connectionsById: ReadonlyMap<string, Connection>
  readonly routing: ReadonlyMap<string, WorkspaceRouting>
}

export interface KeptDirectory {
  readonly directory: Directory["Service"]
  /** Lets go of the copy, after another part of us wrote by this connection: `data_version` tells of others alone. */
  readonly forget: () => void
}

export const make = (db: Database): KeptDirectory => {
  let kept: Snapshot | undefined

  const current = (operation: string): Effect.Effect<Snapshot, StorageError> =>
    read(operation, () => {
      // Asked before the tables are read: a write in between makes the copy newer than its version, and the next
      // read loads it again.
      const dataVersion = db.prepare("PRAGMA data_version").get()?.["data_version"]
      if (kept === undefined || kept.dataVersion !== dataVersion) {
        kept = index(dataVersion, deepFreeze(snapshot(db, () => readContents(db))))
      }
      return kept
    })

  const forget = () => {
    kept = undefined
  }

  const directory = Directory.of({
    keyHolder: (hash) => Effect.map(current("keyHolder"), (now) => Option.fromUndefinedOr(now.keyHolders.get(hash))),
    workspace: (id) => Effect.map(current("workspace"), (now) => Option.fromUndefinedOr(now.workspaces.get(id))),
    connections: (tenant) => Effect.map(current("connections"), (now) => now.connections.get(tenantKey(tenant)) ?? []),
    connection: (id) => Effect.map(current("connection"), (now) => Option.fromUndefinedOr(now.connectionsById.get(id))),
    routing: (tenant) =>
      Effect.map(current("routing"), (now) => Option.fromUndefinedOr(now.routing.get(tenantKey(tenant))?.settings)),
    contents: Effect.map(current("contents"), (now) => now.contents),
    write: (contents) =>
      Effect.suspend(() => {
        const written = transaction(db, () => writeContents(db, contents))
        forget()
        return Result.isSuccess(written)
          ? Effect.void
          : Effect.fail(new StorageError({ operation: "write", cause: written.failure.cause }))
      })
  })
  return { directory, forget }
}

const index = (dataVersion: unknown, contents: DirectoryContents): Snapshot => {
  const workspaces = new Map(contents.workspaces.map((workspace) => [workspace.id, workspace]))
  return {
    dataVersion,
    contents,
    workspaces,
    keyHolders: new Map(
      contents.apiKeys.flatMap((apiKey) => {
        const workspace = workspaces.get(apiKey.workspaceId)
        return workspace === undefined ? [] : [[apiKey.hash, Object.freeze({ apiKey, workspace })]]
      })
    ),
    connections: Map.groupBy(contents.connections, tenantKey),
    connectionsById: new Map(contents.connections.map((connection) => [connection.id, connection])),
    routing: new Map(contents.routing.map((routing) => [tenantKey(routing), routing]))
  }
}

/** No two tenants share a key: the environment is one of two words, and stands first. */
const tenantKey = (tenant: Tenant): string => `${tenant.environment} ${tenant.workspaceId}`

const deepFreeze = <A>(value: A): A => {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) deepFreeze(inner)
  }
  return value
}

// Each table: its columns in the order in which they are bound.

const workspaceColumns = ["id", "name", "country", "category", "suspended", "partner"]
const putWorkspace = upsertInto("workspaces", workspaceColumns, ["id"])
const addWorkspace = insertInto("workspaces", workspaceColumns)
const putApiKey = `${upsertInto(
  "api_keys",
  ["hash", "workspace_id", "environment", "scopes", "revoked_at", "source", "created_at"],
  ["hash"]
)} where api_keys.source <> 'operator' or api_keys.revoked_at is null`
const putConnection = upsertInto(
  "connections",
  [
    "id",
    "workspace_id",
    "environment",
    "name",
    "connector",
    "active",
    "priority",
    "sealed_credentials",
    "sealed_webhook_secret",
    "timeout_millis",
    "supports",
    "restrictions",
    "circuit_breaker"
  ],
  ["id"]
)
const putRouting = upsertInto("routing", ["workspace_id", "environment", "settings"], ["workspace_id", "environment"])
const putWebhookEndpoint = upsertInto(
  "webhook_endpoints",
  ["id", "workspace_id", "environment", "url", "events", "sealed_secret", "sealed_previous_secret", "active"],
  ["id"]
)

const bindWorkspace = ({
  category,
  country,
  id,
  name,
  partner,
  suspended
}: Workspace): ReadonlyArray<SQLInputValue> => [
  bindText(id),
  bindText(name),
  bindTextOrNull(country),
  bindTextOrNull(category),
  Number(suspended),
  bindJson(partner)
]

/** Throws when there is one with this id. */
export const insertWorkspace = (db: Database, workspace: Workspace): void => {
  db.prepare(addWorkspace).run(...bindWorkspace(workspace))
}

const writeContents = (db: Database, contents: DirectoryContents): void => {
  for (const workspace of contents.workspaces) db.prepare(putWorkspace).run(...bindWorkspace(workspace))
  for (const { createdAt, environment, hash, revokedAt, scopes, source, workspaceId } of contents.apiKeys) {
    db.prepare(putApiKey).run(
      bindText(hash),
      bindText(workspaceId),
      environment,
      bindJson(scopes),
      revokedAt,
      source,
      createdAt
    )
  }
  for (const connection of contents.connections) {
    db.prepare(putConnection).run(
      bindText(connection.id),
      bindText(connection.workspaceId),
      connection.environment,
      bindText(connection.name),
      bindText(connection.connector),
      Number(connection.active),
      connection.priority,
      bindText(connection.sealedCredentials),
      bindTextOrNull(connection.sealedWebhookSecret),
      connection.timeoutMillis,
      bindJson(connection.supports),
      bindJson(connection.restrictions),
      bindJson(connection.circuitBreaker)
    )
  }
  for (const { environment, settings, workspaceId } of contents.routing) {
    db.prepare(putRouting).run(bindText(workspaceId), environment, bindJson(settings))
  }
  for (const endpoint of contents.webhookEndpoints) {
    const { active, environment, events, id, sealedPreviousSecret, sealedSecret, url, workspaceId } = endpoint
    db.prepare(putWebhookEndpoint).run(
      bindText(id),
      bindText(workspaceId),
      environment,
      bindText(url),
      bindJson(events),
      bindText(sealedSecret),
      bindTextOrNull(sealedPreviousSecret ?? null),
      Number(active)
    )
  }
}

const readContents = (db: Database): DirectoryContents => {
  const all = <A>(sql: string, decode: (row: Row) => A): ReadonlyArray<A> => db.prepare(sql).all().map(decode)
  return {
    workspaces: all("select * from workspaces order by id", readWorkspace),
    apiKeys: all("select * from api_keys order by hash", readApiKey),
    connections: all("select * from connections order by id", readConnection),
    routing: all("select * from routing order by environment, workspace_id", readRouting),
    webhookEndpoints: all("select * from webhook_endpoints order by id", readWebhookEndpoint)
  }
}

const readOwner = (row: Row): Tenant => ({
  workspaceId: readText(row["workspace_id"]),
  environment: row["environment"] as Tenant["environment"]
})

const readWorkspace = (row: Row): Workspace => ({
  id: readText(row["id"]),
  name: readText(row["name"]),
  country: readTextOrNull(row["country"]),
  category: readTextOrNull(row["category"]),
  suspended: row["suspended"] === 1,
  partner: readJson(row["partner"])
})

const readApiKey = (row: Row): ApiKey => ({
  hash: readText(row["hash"]),
  ...readOwner(row),
  scopes: readJson(row["scopes"]),
  revokedAt: row["revoked_at"] as number | null,
  source: row["source"] as ApiKey["source"],
  createdAt: row["created_at"] as number
})

const readConnection = (row: Row): Connection => ({
  id: readText(row["id"]),
  ...readOwner(row),
  name: readText(row["name"]),
  connector: readText(row["connector"]),
  active: row["active"] === 1,
  priority: row["priority"] as number,
  sealedCredentials: readText(row["sealed_credentials"]),
  sealedWebhookSecret: readTextOrNull(row["sealed_webhook_secret"]),
  timeoutMillis: row["timeout_millis"] as number | null,
  supports: readJson(row["supports"]),
  restrictions: readJson(row["restrictions"]),
  circuitBreaker: readJson(row["circuit_breaker"])
})

const readRouting = (row: Row): WorkspaceRouting => ({ ...readOwner(row), settings: readJson(row["settings"]) })

export const readWebhookEndpoint = (row: Row): WebhookEndpoint => ({
  id: readText(row["id"]),
  ...readOwner(row),
  url: readText(row["url"]),
  events: readJson(row["events"]),
  sealedSecret: readText(row["sealed_secret"]),
  // Absent and not null: what was written without one reads as it was written.
  ...(row["sealed_previous_secret"] === null ? {} : { sealedPreviousSecret: readText(row["sealed_previous_secret"]) }),
  active: row["active"] === 1
})
