/**
 * Workspaces, keys, connections and routing in PostgreSQL. They are read on every request, so reads are served from a
 * copy in the process. A writer in any process notifies all of them (NOTIFY), and they drop their copies.
 *
 * The rule that a reader would otherwise break: a word that does not arrive must not keep an old copy alive. While we
 * do not listen the copy is not used, and otherwise it is compared with the version that is stored once a second. A
 * commit asks for its API key by itself, so that no copy lets a revoked one move money.
 */
import {
  type Directory,
  type DirectoryContents,
  type KeyUse,
  StorageAllowance,
  type StorageError,
  withAllowance
} from "@pointsman/core/ports"
import {
  type DirectoryForm,
  type DirectoryTable,
  list,
  makeDirectory,
  makeDirectoryWrites,
  onConflictReplace,
  type Query,
  type Row,
  readConfiguration,
  replaceKeyUse,
  type Snapshot,
  snapshotOf
} from "@pointsman/storage-sql"
import { Clock, Context, Deferred, Effect, type Exit, Queue } from "effect"
import type { Database } from "./Database.ts"
import { bindText, rowOf, rows, type Value } from "./Rows.ts"
import { sqlOf } from "./Sql.ts"

/** What is stored, and at which version. */
interface Loaded {
  readonly snapshot: Snapshot
  readonly version: number
}

export interface KeptDirectory {
  readonly directory: Directory["Service"]
  /** For what another part writes of the directory. */
  readonly form: DirectoryForm<Value>
}

const channel = "pointsman_directory"

/** To be said inside the write, which sends it when it commits. */
const tellOthers = `select pg_notify('${channel}', '')`
const newVersion = "update directory_version set version = version + 1"
const tell = (query: Query<Value>) => Effect.andThen(query(newVersion), query(tellOthers))

/** How long a copy is used before it is compared again, in milliseconds. */
const trustMillis = 1_000
/** For how long it is read: every request waits for it. */
const readMillis = 2_500
/** Between two attempts to listen. */
const listenPause = "1 second"
const listenWithin = "10 seconds"

/** Some callers run by the database's clock, and some by the machine's. */
const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, (nanos) => Number(nanos / 1_000_000n))

/** The reading has an allowance of its own; who waits for it is charged the time all the same. */
const charged = <A>(waiting: Effect.Effect<A>): Effect.Effect<A> =>
  Effect.withFiber((fiber) => {
    const allowance = Context.get(fiber.context, StorageAllowance)
    if (allowance === undefined) return waiting
    const began = performance.now()
    return Effect.ensuring(
      waiting,
      Effect.sync(() => {
        allowance.leftMillis -= performance.now() - began
      })
    )
  })

export type Resume = DirectoryForm<Value>["resume"]

export const make = Effect.fnUntraced(function* (db: Database, resume: Resume = resumeAll) {
  let kept: { readonly loaded: Loaded; readonly comparedAt: number } | undefined
  let isListening = false
  // What was read before a write is not kept after it.
  let epoch = 0
  let reading:
    | {
        readonly epoch: number
        readonly end: Deferred.Deferred<Effect.Effect<Snapshot, StorageError>>
      }
    | undefined
  const scope = yield* Effect.scope

  const forget = Effect.sync(() => {
    kept = undefined
    epoch++
  })

  const listen = Effect.scoped(
    Effect.gen(function* () {
      // A network that loses packets would not answer for a quarter of an hour.
      const told = yield* Effect.timeout(db.listen(channel), listenWithin)
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
    Effect.flatMap(monotonicMillis, (now) => {
      const found = fresh(now)
      return found === undefined ? Effect.flatten(shared(operation)) : Effect.succeed(found)
    })

  /** One reading serves all that ask meanwhile, also by its failure. It began after what they know was written. */
  const shared = (operation: string) =>
    Effect.suspend(() => {
      if (reading?.epoch === epoch) return charged(Deferred.await(reading.end))
      const mine = { epoch, end: Deferred.makeUnsafe<Effect.Effect<Snapshot, StorageError>>() }
      reading = mine
      const over = (exit: Exit.Exit<Snapshot, StorageError>) =>
        Effect.suspend(() => {
          if (reading === mine) reading = undefined
          return Deferred.succeed(mine.end, exit)
        })
      const read = withAllowance(refresh(operation), readMillis).pipe(Effect.onExit(over))
      return Effect.andThen(
        Effect.forkIn(Effect.ignoreCause(Effect.interruptible(read)), scope, { startImmediately: true }),
        charged(Deferred.await(mine.end))
      )
    })

  const refresh = Effect.fnUntraced(function* (operation: string) {
    const now = yield* monotonicMillis
    const began = epoch
    const before = kept?.loaded
    const [row] =
      before === undefined ? [] : yield* db.read(operation, "select version from directory_version", [], true)
    const loaded = before !== undefined && row?.["version"] === before.version ? before : yield* load(db, operation)
    if (epoch === began) kept = { loaded, comparedAt: now }
    return loaded.snapshot
  })

  const form: DirectoryForm<Value> = { forget, tell, put, resume }
  const directory = makeDirectory(current, {
    ...makeDirectoryWrites(sqlOf(db), form),
    recordKeyUses: (uses) => Effect.asVoid(db.update("recordKeyUses", recordUses, [JSON.stringify(lastUses(uses))]))
  })
  return { directory, form } satisfies KeptDirectory
})

const { apiKeys, connections, routing, webhookEndpoints, workspaces } = rows.directory

/** One statement, so that all of it is of one moment. */
const selectContents = `select (select version from directory_version) as version, ${Object.values(rows.directory)
  .map(({ key, table }) => {
    const order = table === "routing" ? "environment, workspace_id" : list(key)
    return `(select coalesce(json_agg(entry order by ${order}), '[]') from ${table} as entry) as ${table}`
  })
  .join(
    ", "
  )}, (select coalesce(json_agg(entry order by generation), '[]') from configurations as entry) as configurations`

const load = (db: Database, operation: string): Effect.Effect<Loaded, StorageError> =>
  Effect.map(db.read(operation, selectContents, [], true), ([row = {}]) => {
    const all = <A>({ read, table }: DirectoryTable<A, Value>) => (row[table] as ReadonlyArray<Row>).map(read)
    const contents: DirectoryContents = {
      workspaces: all(workspaces),
      apiKeys: all(apiKeys),
      connections: all(connections),
      routing: all(routing),
      webhookEndpoints: all(webhookEndpoints)
    }
    const configurations = (row["configurations"] as ReadonlyArray<Row>).map(readConfiguration)
    return { snapshot: snapshotOf({ contents, configurations }), version: row["version"] as number }
  })

type WrittenTable = Pick<DirectoryTable<never, Value>, "key" | "replaced" | "table"> & { readonly columns: object }

/** `$1` has the rows of all tables. */
const replaceRows = ({ columns, key, replaced, table }: WrittenTable) => {
  const names = Object.keys(columns)
  return `insert into ${table} (${list(names)}) select ${list(names, "r.")}
    from jsonb_populate_recordset(null::${table}, $1::text::jsonb -> '${table}') as r ${onConflictReplace(names, key)}
    ${replaced === undefined ? "" : `where ${replaced}`}`
}
const replaceEach = Object.values(rows.directory).map(replaceRows)

const put: DirectoryForm<Value>["put"] = (query, contents) => {
  const doc = bindContents(contents)
  return Effect.forEach(replaceEach, (statement) => query(statement, [doc]), { discard: true })
}

/** What was given up because these endpoints were not active. */
const resumed = `update deliveries set state = 'Due', due_at = $2
  from jsonb_to_recordset($1::text::jsonb) as e (workspace_id text, environment text, id text)
  where deliveries.workspace_id = e.workspace_id and deliveries.environment = e.environment
    and deliveries.state = 'GivenUp' and deliveries.state <> '' and deliveries.endpoint_id = e.id
    and exists (
      select 1 from delivery_attempts as last
      where last.workspace_id = deliveries.workspace_id and last.environment = deliveries.environment
        and last.delivery_id = deliveries.id and last.number = deliveries.attempts
        and last.failure = 'EndpointWithdrawn'
    )`

const resumeAll: Resume = (query, endpoints, at) => {
  const keys = endpoints.map(({ environment, id, workspaceId }) => ({
    workspace_id: bindText(workspaceId),
    environment,
    id: bindText(id)
  }))
  return query(resumed, [JSON.stringify(keys), at])
}

/** In one order, so that two processes never wait for each other. */
const recordUses = `insert into api_key_uses (hash, used_at)
  select hash, used_at from jsonb_to_recordset($1::text::jsonb) as used (hash text, used_at bigint) order by hash
  ${replaceKeyUse}`

/** One statement writes a row once. */
const lastUses = (uses: ReadonlyArray<KeyUse>) =>
  [...new Map(uses.map(({ at, hash }) => [hash, at]))].map(([hash, used_at]) => ({ hash, used_at }))

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
