/**
 * Workspaces, keys, connections and routing in PostgreSQL. They are read on every request, so reads are served from a
 * copy in the process. Whoever writes, in whichever process, tells all of them (NOTIFY), and they let go of their copies.
 *
 * The rule that a reader would otherwise break: a word that does not arrive must not keep an old copy alive. While we
 * do not listen the copy is not used, and otherwise it is compared with the version that is stored once a second. A
 * commit asks for its API key by itself, so that no copy lets a revoked one move money.
 */
import { Directory, type DirectoryContents, type KeyHolder, type StorageError, type Tenant } from "@pointsman/core"
import { Clock, Effect, Option, Queue, Semaphore } from "effect"
import type { Database } from "./Database.ts"
import {
  apiKeyRow,
  connectionRow,
  directoryTables,
  readApiKey,
  readConnection,
  readRouting,
  readWebhookEndpoint,
  readWorkspace,
  routingRow,
  webhookEndpointRow,
  workspaceRow
} from "./DirectoryRows.ts"
import { bindRow, list, type NewRow, onConflictReplace, type Row } from "./Rows.ts"

/** What is stored, as it was at one version. Frozen: it is handed out as it is. */
interface Snapshot {
  readonly version: number
  readonly contents: DirectoryContents
  readonly workspaces: ReadonlyMap<string, DirectoryContents["workspaces"][number]>
  readonly keyHolders: ReadonlyMap<string, KeyHolder>
  readonly connections: ReadonlyMap<string, DirectoryContents["connections"]>
  readonly connectionsById: ReadonlyMap<string, DirectoryContents["connections"][number]>
  readonly routing: ReadonlyMap<string, DirectoryContents["routing"][number]>
}

export interface KeptDirectory {
  readonly directory: Directory["Service"]
  /** Lets go of the copy, after another part of us wrote. */
  readonly forget: Effect.Effect<void>
}

const channel = "pointsman_directory"

/** To be said inside the write, which sends it when it commits. */
export const tellOthers = `select pg_notify('${channel}', '')`
export const newVersion = "update directory_version set version = version + 1"

/** How long a copy is used before it is compared again, in milliseconds. */
const trustMillis = 1_000
/** Between two attempts to listen. */
const listenPause = "1 second"

export const make = Effect.fnUntraced(function* (db: Database) {
  let kept: { readonly snapshot: Snapshot; readonly comparedAt: number } | undefined
  let isListening = false
  // What was read before a write is not kept after it.
  let epoch = 0
  const turn = Semaphore.makeUnsafe(1)

  const forget = Effect.sync(() => {
    kept = undefined
    epoch++
  })

  const listen = Effect.scoped(
    Effect.gen(function* () {
      const told = yield* db.client.listen(channel)
      yield* forget
      isListening = true
      while (true) {
        yield* Queue.take(told)
        yield* forget
      }
    })
  ).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        isListening = false
      })
    )
  )
  yield* Effect.ignore(listen).pipe(
    Effect.andThen(Effect.sleep(listenPause)),
    Effect.forever,
    Effect.forkScoped({ startImmediately: true })
  )

  const fresh = (now: number): Snapshot | undefined =>
    kept !== undefined && isListening && now - kept.comparedAt < trustMillis ? kept.snapshot : undefined

  const current = (operation: string): Effect.Effect<Snapshot, StorageError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const found = fresh(now)
      return found === undefined ? turn.withPermit(refresh(operation)) : Effect.succeed(found)
    })

  const refresh = Effect.fnUntraced(function* (operation: string) {
    const now = yield* Clock.currentTimeMillis
    // Whoever had the turn before may have read it.
    const found = fresh(now)
    if (found !== undefined) return found
    const began = epoch
    const before = kept?.snapshot
    const [row] = before === undefined ? [] : yield* db.read(operation, "select version from directory_version")
    const snapshot = before !== undefined && row?.["version"] === before.version ? before : yield* load(db, operation)
    if (epoch === began) kept = { snapshot, comparedAt: now }
    return snapshot
  })

  const directory = Directory.of({
    keyHolder: (hash) => Effect.map(current("keyHolder"), (now) => Option.fromUndefinedOr(now.keyHolders.get(hash))),
    workspace: (id) => Effect.map(current("workspace"), (now) => Option.fromUndefinedOr(now.workspaces.get(id))),
    connections: (tenant) => Effect.map(current("connections"), (now) => now.connections.get(tenantKey(tenant)) ?? []),
    connection: (id) => Effect.map(current("connection"), (now) => Option.fromUndefinedOr(now.connectionsById.get(id))),
    routing: (tenant) =>
      Effect.map(current("routing"), (now) => Option.fromUndefinedOr(now.routing.get(tenantKey(tenant))?.settings)),
    contents: Effect.map(current("contents"), (now) => now.contents),
    write: (contents) =>
      Effect.ensuring(Effect.asVoid(db.update("write", writeContents, [bindContents(contents)])), forget)
  })
  return { directory, forget } satisfies KeptDirectory
})

type Table = keyof typeof directoryTables
const tables = Object.keys(directoryTables) as ReadonlyArray<Table>

/** One statement, so that all of it is of one moment. */
const selectContents = `select (select version from directory_version) as version, ${tables
  .map((table) => {
    const order = table === "routing" ? "environment, workspace_id" : list(directoryTables[table].key)
    return `(select coalesce(json_agg(entry order by ${order}), '[]') from ${table} as entry) as ${table}`
  })
  .join(", ")}`

const load = (db: Database, operation: string): Effect.Effect<Snapshot, StorageError> =>
  Effect.map(db.read(operation, selectContents), ([row = {}]) => {
    const all = <A>(table: Table, read: (row: Row) => A) => (row[table] as ReadonlyArray<Row>).map(read)
    const contents: DirectoryContents = {
      workspaces: all("workspaces", readWorkspace),
      apiKeys: all("api_keys", readApiKey),
      connections: all("connections", readConnection),
      routing: all("routing", readRouting),
      webhookEndpoints: all("webhook_endpoints", readWebhookEndpoint)
    }
    return index(row["version"] as number, deepFreeze(contents))
  })

const index = (version: number, contents: DirectoryContents): Snapshot => {
  const workspaces = new Map(contents.workspaces.map((workspace) => [workspace.id, workspace]))
  return {
    version,
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

/** Those who write take turns by the version's row. */
const writeContents = `with version as (${newVersion} returning version), input as materialized (
  select $1::text::jsonb as doc from version
), ${tables
  .map((table) => {
    const { columns, key, ...rows } = directoryTables[table]
    return `written_${table} as (
      insert into ${table} (${list(columns)}) select ${list(columns, "r.")}
      from input, jsonb_populate_recordset(null::${table}, doc -> '${table}') as r ${onConflictReplace(columns, key)}
      ${"replaced" in rows ? `where ${rows.replaced}` : ""}
    )`
  })
  .join(", ")} ${tellOthers} from version`

const bindContents = ({ apiKeys, connections, routing, webhookEndpoints, workspaces }: DirectoryContents): string => {
  const rows: Record<Table, ReadonlyArray<NewRow>> = {
    workspaces: workspaces.map(workspaceRow),
    api_keys: apiKeys.map(apiKeyRow),
    connections: connections.map(connectionRow),
    routing: routing.map(routingRow),
    webhook_endpoints: webhookEndpoints.map(webhookEndpointRow)
  }
  return JSON.stringify(Object.fromEntries(tables.map((table) => [table, lastOfEach(rows[table], table)])))
}

/** One statement writes a row once: of two with the same key, the last one. */
const lastOfEach = (rows: ReadonlyArray<NewRow>, table: Table): ReadonlyArray<NewRow> => [
  ...new Map(
    rows.map((row) => [JSON.stringify(directoryTables[table].key.map((column) => row[column])), bindRow(row)])
  ).values()
]
