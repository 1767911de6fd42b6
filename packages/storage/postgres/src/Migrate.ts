/**
 * Brings a database to the newest schema while servers write to it. A step runs in a transaction of its own, or builds an
 * index without one, and is recorded when it is done: a run that is killed is taken up by the next one.
 *
 * A statement that waits for a lock on a table keeps all that come after it
 * waiting too. So a step first takes a lock on its tables that keeps no reader and no writer waiting. A vacuum holds such a
 * lock. PostgreSQL ends an automatic one that is in the way only after `deadlock_timeout`, which is a second; a manual one
 * is waited for up to ten minutes. Then a step gives up after half a second, lets the writers through and tries again. That
 * is shorter than `deadlock_timeout`, so that no writer is chosen as the victim of a deadlock with a step that waits for one
 * table. A step that waits for one table after another may wait for longer. And a server that waits for its turn must not
 * wait inside a statement: an index that is built concurrently waits for all older snapshots.
 */
import { StorageError } from "@pointsman/core/ports"
import { migrationsTable } from "@pointsman/storage-sql"
import { Effect, Result, type Scope } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { inRealTime } from "./ConnectionMode.ts"
import type { Database, Query } from "./Database.ts"
import { newerSchema, readSchema, type Step, schemaBy, selectSchema, steps, tables } from "./Migrations.ts"
import { codes, sqlStateOf, storageError } from "./SqlFailures.ts"

/** Ours among the database's advisory locks: "pointsma" in ASCII. */
const lock = "8101813088862727521"
const lockTimeoutMillis = 500
/** For a lock that keeps nobody waiting. */
const quietLockTimeoutMillis = 2_000
/** As long as others may hold a table, with the pauses: a report for five minutes, a manual vacuum for ten. */
const triesAtMost = 200
const pauseBetweenTries = "1 second"
const pauseBetweenTurns = "200 millis"

/**
 * Work that takes as long as it takes, on a connection of its own. `set`: a setting until its end. Not by `reset`, which a
 * session that was set by a statement leaves without any.
 */
export const onConnection = <A, E, R>(
  { reserve }: Pick<Database, "reserve">,
  work: (
    query: Query,
    set: (name: string, value: string) => Effect.Effect<void, SqlError, Scope.Scope>
  ) => Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError, Exclude<R, Scope.Scope>> =>
  Effect.gen(function* () {
    const connection = yield* reserve
    const query: Query = (sql, params = []) => Effect.map(connection.query(sql, params, false), ({ rows }) => rows)
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
        const record = query(insertStep, [String(id), name.slice(name.indexOf("_") + 1)])
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
