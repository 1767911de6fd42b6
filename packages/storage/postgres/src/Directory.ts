/**
 * Workspaces, keys, connections and routing in PostgreSQL. They are read on every request, so reads are served from a
 * copy in the process. A writer in any process notifies all of them (NOTIFY), and they drop their copies. A notification
 * may be lost: while we do not listen the copy is not used, and otherwise it is compared with the stored version once a
 * second. A commit asks for its API key by itself.
 */
import {
  type DirectorySnapshot,
  directoryReads,
  directorySnapshot,
  StorageAllowance,
  type StorageError,
  withAllowance
} from "@pointsman/core/ports"
import {
  type DirectoryForm,
  directoryState,
  directoryTables,
  list,
  makeDirectoryWrites,
  newVersion,
  type Query,
  type Resume,
  selectVersion
} from "@pointsman/storage-sql"
import { Clock, Deferred, Effect, Queue } from "effect"
import { charging } from "./Connections.ts"
import type { Database } from "./Database.ts"
import { rows, type Value } from "./Rows.ts"
import { sqlOf } from "./Sql.ts"

const channel = "pointsman_directory"

/** To be said inside the write, which sends it when it commits. */
const tellOthers = `select pg_notify('${channel}', '')`
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
const charged = <A, E>(waiting: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => {
    const allowance = fiber.getRef(StorageAllowance)
    return allowance === undefined ? waiting : Effect.ensuring(waiting, Effect.sync(charging(allowance)))
  })

export const make = Effect.fnUntraced(function* (db: Database, resume?: Resume<Value>) {
  let kept: (Effect.Success<ReturnType<typeof load>> & { readonly comparedAt: number }) | undefined
  let isListening = false
  // What was read before a write is not kept after it.
  let epoch = 0
  let reading: { readonly epoch: number; readonly end: Deferred.Deferred<DirectorySnapshot, StorageError> } | undefined
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
      return yield* Effect.ensuring(
        Effect.forever(Effect.andThen(Queue.take(told), forget)),
        Effect.sync(() => {
          isListening = false
        })
      )
    })
  )
  yield* Effect.ignore(listen).pipe(
    Effect.andThen(Effect.sleep(listenPause)),
    Effect.forever,
    Effect.forkScoped({ startImmediately: true })
  )

  const current = (operation: string): Effect.Effect<DirectorySnapshot, StorageError> =>
    Effect.flatMap(monotonicMillis, (now) =>
      kept !== undefined && isListening && now - kept.comparedAt < trustMillis
        ? Effect.succeed(kept.snapshot)
        : shared(operation)
    )

  /** One reading serves all that ask meanwhile, also by its failure. It began after what they know was written. */
  const shared = (operation: string) =>
    Effect.suspend(() => {
      if (reading?.epoch === epoch) return charged(Deferred.await(reading.end))
      const mine = { epoch, end: Deferred.makeUnsafe<DirectorySnapshot, StorageError>() }
      reading = mine
      const read = Effect.onExit(withAllowance(refresh(operation), readMillis), (exit) => {
        if (reading === mine) reading = undefined
        return Deferred.done(mine.end, exit)
      })
      return Effect.andThen(
        Effect.forkIn(Effect.ignoreCause(Effect.interruptible(read)), scope, { startImmediately: true }),
        charged(Deferred.await(mine.end))
      )
    })

  const refresh = Effect.fnUntraced(function* (operation: string) {
    const now = yield* monotonicMillis
    const began = epoch
    const before = kept
    const [row] = before === undefined ? [] : yield* db.read(operation, selectVersion, [], true)
    const loaded = before !== undefined && row?.["version"] === before.version ? before : yield* load(db, operation)
    if (epoch === began) kept = { ...loaded, comparedAt: now }
    return loaded.snapshot
  })

  const form: DirectoryForm<Value> = { forget, tell }
  return {
    directory: { ...directoryReads(current), ...makeDirectoryWrites(sqlOf(db), form, resume) },
    /** For what another part writes of the directory. */
    form
  }
})

const columns = directoryTables(rows).map(
  ({ order, table }) => `(select coalesce(json_agg(entry order by ${order}), '[]') from ${table} as entry) as ${table}`
)
/** One statement, so that all of it is of one moment. */
const selectContents = `select (${selectVersion}) as version, ${list(columns)}`

const load = (db: Database, operation: string) =>
  Effect.map(db.read(operation, selectContents, [], true), ([row = {}]) => ({
    snapshot: directorySnapshot(directoryState(rows, row)),
    version: row["version"] as number
  }))
