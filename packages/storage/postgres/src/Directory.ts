/**
 * Workspaces, keys, connections and routing in PostgreSQL. They are read on every request, so reads are served from a
 * copy in the process. A writer in any process notifies all of them (NOTIFY), and they drop their copies.
 *
 * The rule that a reader would otherwise break: a word that does not arrive must not keep an old copy alive. While we
 * do not listen the copy is not used, and otherwise it is compared with the version that is stored once a second. A
 * commit asks for its API key by itself, so that no copy lets a revoked one move money.
 */
import type { Directory, DirectoryContents, StorageError } from "@pointsman/core/ports"
import {
  type DirectoryTable,
  list,
  makeDirectory,
  onConflictReplace,
  type Row,
  type Snapshot,
  snapshotOf
} from "@pointsman/storage-sql"
import { Clock, Effect, Queue, Semaphore } from "effect"
import type { Database } from "./Database.ts"
import { rowOf, rows, type Value } from "./Rows.ts"

/** What is stored, and at which version. */
interface Loaded {
  readonly snapshot: Snapshot
  readonly version: number
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
  let kept: { readonly loaded: Loaded; readonly comparedAt: number } | undefined
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
    kept !== undefined && isListening && now - kept.comparedAt < trustMillis ? kept.loaded.snapshot : undefined

  const current = (operation: string): Effect.Effect<Snapshot, StorageError> =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const found = fresh(now)
      return found === undefined ? turn.withPermit(refresh(operation)) : Effect.succeed(found)
    })

  const refresh = Effect.fnUntraced(function* (operation: string) {
    const now = yield* Clock.currentTimeMillis
    // The previous holder of the lock may have read it.
    const found = fresh(now)
    if (found !== undefined) return found
    const began = epoch
    const before = kept?.loaded
    const [row] = before === undefined ? [] : yield* db.read(operation, "select version from directory_version")
    const loaded = before !== undefined && row?.["version"] === before.version ? before : yield* load(db, operation)
    if (epoch === began) kept = { loaded, comparedAt: now }
    return loaded.snapshot
  })

  const write = (contents: DirectoryContents) =>
    Effect.ensuring(Effect.asVoid(db.update("write", writeContents, [bindContents(contents)])), forget)
  return { directory: makeDirectory(current, write), forget } satisfies KeptDirectory
})

const { apiKeys, connections, routing, webhookEndpoints, workspaces } = rows.directory

/** One statement, so that all of it is of one moment. */
const selectContents = `select (select version from directory_version) as version, ${Object.values(rows.directory)
  .map(({ key, table }) => {
    const order = table === "routing" ? "environment, workspace_id" : list(key)
    return `(select coalesce(json_agg(entry order by ${order}), '[]') from ${table} as entry) as ${table}`
  })
  .join(", ")}`

const load = (db: Database, operation: string): Effect.Effect<Loaded, StorageError> =>
  Effect.map(db.read(operation, selectContents), ([row = {}]) => {
    const all = <A>({ read, table }: DirectoryTable<A, Value>) => (row[table] as ReadonlyArray<Row>).map(read)
    const contents: DirectoryContents = {
      workspaces: all(workspaces),
      apiKeys: all(apiKeys),
      connections: all(connections),
      routing: all(routing),
      webhookEndpoints: all(webhookEndpoints)
    }
    return { snapshot: snapshotOf(contents), version: row["version"] as number }
  })

/** Those who write take turns by the version's row. */
const writeContents = `with version as (${newVersion} returning version), input as materialized (
  select $1::text::jsonb as doc from version
), ${Object.values(rows.directory)
  .map(({ columns, key, replaced, table }) => {
    const names = Object.keys(columns)
    return `written_${table} as (
      insert into ${table} (${list(names)}) select ${list(names, "r.")}
      from input, jsonb_populate_recordset(null::${table}, doc -> '${table}') as r ${onConflictReplace(names, key)}
      ${replaced === undefined ? "" : `where ${replaced}`}
    )`
  })
  .join(", ")} ${tellOthers} from version`

const bindContents = (contents: DirectoryContents): string =>
  JSON.stringify({
    ...lastOfEach(workspaces, contents.workspaces),
    ...lastOfEach(apiKeys, contents.apiKeys),
    ...lastOfEach(connections, contents.connections),
    ...lastOfEach(routing, contents.routing),
    ...lastOfEach(webhookEndpoints, contents.webhookEndpoints)
  })

/** A table's rows. One statement writes a row once: of two with the same key, the last one. */
const lastOfEach = <A>({ columns, key, table }: DirectoryTable<A, Value>, records: ReadonlyArray<A>) => {
  const written = records.map((record) => rowOf(columns, record))
  return { [table]: [...new Map(written.map((row) => [JSON.stringify(key.map((name) => row[name])), row])).values()] }
}
