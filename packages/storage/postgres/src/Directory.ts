/**
 * Workspaces, keys, connections and routing in PostgreSQL. They are read on every request, so reads are served from a
 * copy in the process. A writer in any process notifies all of them (NOTIFY), and they drop their copies.
 *
 * The rule that a reader would otherwise break: a word that does not arrive must not keep an old copy alive. While we
 * do not listen the copy is not used, and otherwise it is compared with the version that is stored once a second. A
 * commit asks for its API key by itself, so that no copy lets a revoked one move money.
 */
import {
  type AuditDraft,
  type ConfigurationChange,
  type Directory,
  type DirectoryContents,
  type KeyUse,
  logEntry,
  type StatedAccount,
  StorageAllowance,
  StorageError,
  type WebhookEndpoint,
  withAllowance
} from "@pointsman/core/ports"
import {
  bindAccount,
  bindJson,
  type DirectoryTable,
  list,
  makeDirectory,
  onConflictReplace,
  type Row,
  readConfiguration,
  recordAccountText,
  replaceEndpointSecretText,
  replaceKeyUse,
  type Snapshot,
  snapshotOf
} from "@pointsman/storage-sql"
import { Clock, Context, Deferred, Effect, type Exit, Queue } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { append } from "./Audit.ts"
import type { Database, Query } from "./Database.ts"
import { bindText, rowOf, rows, type Value } from "./Rows.ts"
import { codes } from "./SqlFailures.ts"

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

/** How a directory is written where one statement cannot write several tables. */
export interface DirectoryWrites {
  readonly contents: (query: Query, doc: string) => Effect.Effect<unknown, SqlError>
  /** What was given up because these endpoints were not active is due again, from the time on. */
  readonly resume: (
    query: Query,
    endpoints: ReadonlyArray<WebhookEndpoint>,
    at: number
  ) => Effect.Effect<unknown, SqlError>
  readonly account: (query: Query, values: ReadonlyArray<string | null>) => Effect.Effect<unknown, SqlError>
  /** Whether the contents are one statement, which needs no transaction. */
  readonly isOneStatement: boolean
}

export const make = Effect.fnUntraced(function* (db: Database, writes: DirectoryWrites = oneByOne) {
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

  const directory = makeDirectory(current, {
    write: (contents, audit) => Effect.ensuring(write(db, writes, contents, audit), forget),
    apply: (change) => Effect.ensuring(applyAndLog(db, writes, change), forget),
    replaceEndpointSecret: (...replacement) => Effect.ensuring(replaceEndpointSecret(db, ...replacement), forget),
    recordAccount: (stated) => Effect.ensuring(Effect.asVoid(recordAccount(db, writes, stated)), forget),
    ...keyUses(db)
  })
  return { directory, forget } satisfies KeptDirectory
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

const replaceRows = ({ columns, key, replaced, table }: WrittenTable, before: string, doc: string) => {
  const names = Object.keys(columns)
  return `
      insert into ${table} (${list(names)}) select ${list(names, "r.")}
      from ${before}jsonb_populate_recordset(null::${table}, ${doc} -> '${table}') as r ${onConflictReplace(names, key)}
      ${replaced === undefined ? "" : `where ${replaced}`}
    `
}

/** One statement for each table; `$1` has the rows of all tables. */
export const writeEach: ReadonlyArray<string> = Object.values(rows.directory).map((table) =>
  replaceRows(table, "", "$1::text::jsonb")
)

/** Those who write take turns by the version's row. */
const writeContents = `with version as (${newVersion} returning version), input as materialized (
  select $1::text::jsonb as doc from version
), ${Object.values(rows.directory)
  .map((table) => `written_${table.table} as (${replaceRows(table, "input, ", "doc")})`)
  .join(", ")} ${tellOthers} from version`

/** What was given up because these endpoints were not active. */
const resume = `update deliveries set state = 'Due', due_at = $2
  from jsonb_to_recordset($1::text::jsonb) as e (workspace_id text, environment text, id text)
  where deliveries.workspace_id = e.workspace_id and deliveries.environment = e.environment
    and deliveries.state = 'GivenUp' and deliveries.state <> '' and deliveries.endpoint_id = e.id
    and exists (
      select 1 from delivery_attempts as last
      where last.workspace_id = deliveries.workspace_id and last.environment = deliveries.environment
        and last.delivery_id = deliveries.id and last.number = deliveries.attempts
        and last.failure = 'EndpointWithdrawn'
    )`

const oneByOne: DirectoryWrites = {
  contents: (query, doc) => query(writeContents, [doc]),
  resume: (query, endpoints, at) => {
    const keys = endpoints.map(({ environment, id, workspaceId }) => ({
      workspace_id: bindText(workspaceId),
      environment,
      id: bindText(id)
    }))
    return query(resume, [JSON.stringify(keys), String(at)])
  },
  account: (query, values) => query(recordAccountOnce, values),
  isOneStatement: true
}

/** Statements one after the other: the second sees what was recorded while the first waited for an endpoint's lock. */
const put = Effect.fnUntraced(function* (query: Query, writes: DirectoryWrites, contents: DirectoryContents) {
  yield* writes.contents(query, bindContents(contents))
  const active = contents.webhookEndpoints.filter((endpoint) => endpoint.active)
  if (active.length > 0) yield* writes.resume(query, active, yield* Clock.currentTimeMillis)
})

export const recordAccountStep = recordAccountText("$1::text", "$2::bigint", "$3::text", "$4::text")

const recordAccountOnce = `with version as (${newVersion} returning version), recorded as (
  ${recordAccountStep}
) ${tellOthers} from version`

const recordAccount = (
  db: Database,
  { account: write, isOneStatement }: DirectoryWrites,
  { account, at, connectionId, sealedCredentials }: StatedAccount
) => {
  const values = [bindAccount(account), String(at), bindText(connectionId), bindText(sealedCredentials)]
  return isOneStatement
    ? db.update("recordAccount", recordAccountOnce, values)
    : inTurn(db, "recordAccount", (query) => write(query, values))
}

const replaceEndpointSecret = (
  db: Database,
  expectedSealed: string,
  { id, rotation, sealedPreviousSecret, sealedSecret }: WebhookEndpoint,
  audit: AuditDraft
) =>
  inTurn(db, "replaceEndpointSecret", (query) =>
    Effect.gen(function* () {
      yield* query(`with version as (${newVersion} returning version) ${tellOthers} from version`)
      const found = yield* query(replaceSecret, [
        bindText(sealedSecret),
        sealedPreviousSecret == null ? null : bindText(sealedPreviousSecret),
        bindJson(rotation ?? null),
        bindText(id),
        bindText(expectedSealed)
      ])
      return found.length === 1 ? yield* append(query, audit) : undefined
    })
  ).pipe(Effect.flatMap((entry) => (entry === undefined ? Effect.succeed(false) : Effect.as(logEntry(entry), true))))

const replaceSecret = `${replaceEndpointSecretText("$1::text", "$2::text", "$3::text", "$4::text", "$5::text")} returning 1 as one`

/** In one order, so that two processes never wait for each other. */
const recordUses = `insert into api_key_uses (hash, used_at)
  select hash, used_at from jsonb_to_recordset($1::text::jsonb) as used (hash text, used_at bigint) order by hash
  ${replaceKeyUse}`

/** One statement writes a row once. */
const lastUses = (uses: ReadonlyArray<KeyUse>) =>
  [...new Map(uses.map(({ at, hash }) => [hash, at]))].map(([hash, used_at]) => ({ hash, used_at }))

const keyUses = (db: Database): Pick<Directory["Service"], "recordKeyUses" | "keyUses"> => ({
  recordKeyUses: (uses) => Effect.asVoid(db.update("recordKeyUses", recordUses, [JSON.stringify(lastUses(uses))])),
  keyUses: Effect.map(
    db.read("keyUses", "select hash, used_at from api_key_uses"),
    (found) => new Map(found.map((row) => [row["hash"] as string, Number(row["used_at"])]))
  )
})

const addConfiguration = "insert into configurations (generation, hash, applied_at) values ($1, $2, $3)"

const replacedSecrets = `select 1 as one
  from jsonb_to_recordset($1::text::jsonb) as seen (id text, sealed text)
    left join webhook_endpoints as e on e.id = seen.id and e.sealed_secret = seen.sealed
  where e.id is null limit 1`

const apply = (
  query: Query,
  writes: DirectoryWrites,
  { after, configuration, contents, seenSecrets = new Map() }: ConfigurationChange
) =>
  Effect.gen(function* () {
    // Whoever applies another one waits here, and then sees this one.
    yield* query("select version from directory_version for update")
    const [newest] = yield* query("select max(generation) as generation from configurations")
    if ((newest?.["generation"] ?? 0) !== after) return false
    const seen = [...seenSecrets].map(([id, sealed]) => ({ id: bindText(id), sealed: bindText(sealed) }))
    if (seen.length > 0 && (yield* query(replacedSecrets, [JSON.stringify(seen)])).length > 0) return false
    yield* put(query, writes, contents)
    if (configuration !== null) {
      const { appliedAt, generation, hash } = configuration
      yield* query(addConfiguration, [String(generation), hash, String(appliedAt)])
    }
    return true
  })

/** Each time another transaction has come through. */
const maxDeadlocks = 5

const applyAndLog = (db: Database, writes: DirectoryWrites, change: ConfigurationChange) =>
  inTurn(db, "apply", (query) =>
    Effect.gen(function* () {
      const isApplied = yield* apply(query, writes, change)
      return { isApplied, entry: isApplied && change.audit ? yield* append(query, change.audit) : undefined }
    })
  ).pipe(
    Effect.flatMap(({ entry, isApplied }) => Effect.as(entry === undefined ? Effect.void : logEntry(entry), isApplied))
  )

/** One statement, where no delivery can be waiting. */
const write = (db: Database, writes: DirectoryWrites, contents: DirectoryContents, audit: AuditDraft | undefined) => {
  if (audit !== undefined) {
    const both = inTurn(db, "write", (query) => Effect.andThen(put(query, writes, contents), append(query, audit)))
    return Effect.flatMap(both, logEntry)
  }
  return writes.isOneStatement && contents.webhookEndpoints.length === 0
    ? Effect.asVoid(db.update("write", writeContents, [bindContents(contents)]))
    : inTurn(db, "write", (query) => put(query, writes, contents))
}

const inTurn = <A>(db: Database, operation: string, body: (query: Query) => Effect.Effect<A, SqlError>) =>
  db.transaction(operation, body).pipe(
    Effect.catchTag("pointsman/CommitUnknown", ({ cause }) => Effect.fail(new StorageError({ operation, cause }))),
    Effect.retry({
      times: maxDeadlocks,
      while: ({ cause }) => (cause as { readonly code?: unknown }).code === codes.deadlock
    })
  )

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
