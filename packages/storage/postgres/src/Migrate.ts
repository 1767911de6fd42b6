/**
 * Brings a database to the newest schema while servers write to it. A step runs in a transaction of its own, or builds an
 * index without one, and is recorded when it is done: a run that is killed is taken up by the next one.
 *
 * A statement that waits for a lock on a table keeps all that come after it waiting too. So a step first takes a lock
 * that keeps no reader and no writer waiting, and that a vacuum is in the way of for up to ten minutes. Then it gives up
 * after half a second, lets the writers through and tries again: before `deadlock_timeout`, so that no writer is the
 * victim of a deadlock with it. A server that waits for its turn must not wait inside a statement, because an index that
 * is built concurrently waits for all older snapshots.
 */
import { StorageError } from "@pointsman/core/ports"
import { migrationsTable, newestOf, type Row } from "@pointsman/storage-sql"
import { Effect, Result, type Scope } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { inRealTime } from "./ConnectionMode.ts"
import type { Database, Params, Query } from "./Database.ts"
import { bindValue } from "./Rows.ts"
import { schema } from "./Schema.ts"
import { codes, sqlStateOf, storageError } from "./SqlFailures.ts"

/** What one transaction does; or an index, which is built while others write, by a statement outside of transactions. */
export type Step =
  | ReadonlyArray<string>
  | {
      readonly index: string
      /** The table, and all that follows it. */
      readonly on: string
    }

/** The driver takes one statement at a time. In the file each begins at the margin; the lines of its body do not. */
const baseline = schema.split(/;\n(?! )/u).filter((statement) => statement.trim() !== "")

/**
 * Until the first release `1_baseline` is the only one, and is changed in place; a released step is never changed. An index
 * on a table that has rows is a step of its own: to build it in a transaction would stop every writer.
 */
export const steps: Readonly<Record<string, Step>> = { "1_baseline": baseline }

/** `event_ids`, from its parameters on. */
export const eventIdsFunction = /create function event_ids([\s\S]+?\$\$);/u.exec(schema)?.[1] ?? ""

const tables: ReadonlyArray<string> = [
  migrationsTable,
  ...[...schema.matchAll(/^create table (\w+)/gmu)].map(([, name = ""]) => name)
]

export const newest = newestOf(steps)

export const newerSchema = (version: number): string =>
  `the database has schema version ${version}, created by a newer release; this release supports up to ${newest}`

/** The number of the last step that the database was given, as a column of one row. */
export const selectSchema = `select max(migration_id)::int as schema from ${migrationsTable}`

export const readSchema = (row: Row | undefined): number => Number(row?.["schema"] ?? 0)

/** `null` if the database has none of our schemas. */
const schemaBy = Effect.fnUntraced(function* <E>(
  query: (sql: string, params?: Params) => Effect.Effect<ReadonlyArray<Row>, E>
) {
  const [found] = yield* query("select to_regclass($1::text)::text as name", [migrationsTable])
  if (found?.["name"] == null) return null
  const [row] = yield* query(selectSchema)
  return readSchema(row)
})

export const schemaOf = ({ read }: Database) => schemaBy((sql, params) => read("open", sql, params))

/** The number of the step by which another storage says that its tables are laid out otherwise, and whose name says how. */
export const layoutStep = -1

/** Fails where another storage has laid the tables out. */
export const refuseLaidOut = Effect.fnUntraced(function* (db: Database) {
  if ((yield* schemaOf(db)) === null) return
  const [row] = yield* db.read("open", `select name from ${migrationsTable} where migration_id = ${layoutStep}`)
  if (row !== undefined) return yield* new StorageError({ operation: "open", cause: new Error(row["name"] as string) })
})

/** Fails if the database has none of our schemas, or another one than this release's. It only reads. */
export const requireSchema = Effect.fnUntraced(function* (db: Database) {
  const version = yield* schemaOf(db)
  const refuse = (message: string) => Effect.fail(new StorageError({ operation: "open", cause: new Error(message) }))
  if (version === null) return yield* refuse("it has no Pointsman tables: start the server once to create them")
  if (version > newest) return yield* refuse(newerSchema(version))
  if (version === newest) return
  return yield* refuse(
    `it has the outdated schema version ${version}; this release needs ${newest}: start the server once to migrate it`
  )
})

/** Ours among the database's advisory locks: "pointsma" in ASCII. */
const lock = "8101813088862727521"
const lockTimeoutMillis = 500
/** For a lock that blocks no other process. */
const quietLockTimeoutMillis = 2_000
/** As long as others may hold a table, with the pauses: a report for five minutes, a manual vacuum for ten. */
const triesAtMost = 200
const pauseBetweenTries = "1 second"
const pauseBetweenTurns = "200 millis"

/** Work without a time limit. `set`: a setting until its end; `reset` would leave a pooled session without any. */
export const onConnection = <A, E, R>(
  { reserve }: Pick<Database, "reserve">,
  work: (
    query: Query,
    set: (name: string, value: string) => Effect.Effect<void, SqlError, Scope.Scope>
  ) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    const connection = yield* reserve
    const query: Query = (sql, params = []) =>
      Effect.map(connection.query(sql, params.map(bindValue), false), ({ rows }) => rows)
    return yield* work(query, (name, value) =>
      Effect.flatMap(query(setting, [name, value]), ([row]) =>
        Effect.addFinalizer(() => Effect.ignore(query(setting, [name, String(row?.["before"])])))
      )
    )
  }).pipe(Effect.scoped, inRealTime)

const setting = "select current_setting($1) as before, set_config($1, $2, false)"

/** Servers that start at once follow one another. */
export const migrate = (
  db: Pick<Database, "reserve">,
  all: Readonly<Record<string, Step>> = steps
): Effect.Effect<void, StorageError> =>
  onConnection(
    db,
    Effect.fnUntraced(function* (query, set) {
      const numbered = Object.entries(all).map(([name, step]) => ({ id: Number.parseInt(name, 10), name, step }))
      const last = Math.max(...numbered.map(({ id }) => id))
      // Most starts find every step done, and wait for nothing.
      if ((yield* schemaBy(query)) === last) return
      // To build an index takes as long as it takes, and what it waits for keeps no writer waiting.
      for (const name of ["statement_timeout", "lock_timeout"]) yield* set(name, "0")
      yield* Effect.acquireRelease(turn(query), () => Effect.ignore(query(`select pg_advisory_unlock(${lock})`)))
      yield* query(makeTable)
      const reached = readSchema((yield* query(selectSchema))[0])
      if (reached > last) {
        return yield* new StorageError({ operation: "migrate", cause: new Error(newerSchema(reached)) })
      }
      for (const { id, name, step } of numbered) {
        if (id <= reached) continue
        const record = query(insertStep, [id, name.slice(name.indexOf("_") + 1)])
        if ("index" in step) yield* Effect.andThen(buildIndex(query, step), record)
        else yield* inTransaction(query, step, record)
      }
    })
  ).pipe(Effect.mapError((error) => (error instanceof SqlError ? storageError("migrate", error) : error)))

const makeTable = `create table if not exists ${migrationsTable} (
  migration_id integer primary key,
  created_at timestamp with time zone not null default now(),
  name text not null
)`

const insertStep = `insert into ${migrationsTable} (migration_id, name) values ($1::integer, $2::text)`

const turn = (query: Query): Effect.Effect<void, SqlError> =>
  Effect.flatMap(query(`select pg_try_advisory_lock(${lock}) as taken`), ([row]) =>
    row?.["taken"] === true ? Effect.void : Effect.andThen(Effect.sleep(pauseBetweenTurns), turn(query))
  )

/** What was left unfinished by a run that died is of no use, and is kept up to date by every write all the same. */
const buildIndex = Effect.fnUntraced(function* (query: Query, step: Extract<Step, { readonly index: string }>) {
  const invalid = "select 1 as one from pg_index where indexrelid = to_regclass($1::text) and not indisvalid"
  if ((yield* query(invalid, [step.index])).length > 0) yield* query(`drop index concurrently if exists ${step.index}`)
  yield* query(`create index concurrently if not exists ${step.index} on ${step.on}`)
})

/** Locks the tables that the statements name, if an earlier step has made them. `undefined` where they name none. */
const lockOutVacuum = (statements: ReadonlyArray<string>): string | undefined => {
  const words = new Set(statements.flatMap((statement) => statement.match(/\w+/gu) ?? []))
  const named = tables.filter((name) => words.has(name))
  if (named.length === 0) return
  return `do $$
  declare
    one text;
  begin
    foreach one in array array[${named.map((name) => `'${name}'`).join(", ")}] loop
      if to_regclass(one) is not null then
        execute format('lock table %I in share update exclusive mode', one);
      end if;
    end loop;
  end $$`
}

const inTransaction = Effect.fnUntraced(function* (
  query: Query,
  statements: ReadonlyArray<string>,
  record: Effect.Effect<unknown, SqlError>
) {
  const quietLock = lockOutVacuum(statements)
  for (let tries = 1; ; tries++) {
    const done = yield* Effect.result(
      Effect.gen(function* () {
        yield* query("begin")
        yield* query(`set local lock_timeout = ${quietLockTimeoutMillis}`)
        if (quietLock !== undefined) yield* query(quietLock)
        yield* query(`set local lock_timeout = ${lockTimeoutMillis}`)
        for (const statement of statements) yield* query(statement)
        yield* record
        yield* query("commit")
      })
    )
    if (Result.isSuccess(done)) return
    yield* Effect.ignore(query("rollback"))
    const isInTheWay = [codes.lockNotAvailable, codes.deadlock].some((code) => code === sqlStateOf(done.failure))
    if (!isInTheWay || tries >= triesAtMost) return yield* done.failure
    yield* Effect.sleep(pauseBetweenTries)
  }
})
