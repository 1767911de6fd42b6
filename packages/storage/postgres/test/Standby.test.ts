/** A streaming standby answers what may be old, as long as it is one, follows the primary, and is not too far behind. */
import { describe, expect, it } from "@effect/vitest"
import { Ids, Ledger, StorageCondition, withStaleReads } from "@pointsman/core/ports"
import { layer, type PostgresStorageOptions } from "@pointsman/storage-postgres"
import { Context, Effect, Fiber, Layer, Redacted, Schedule } from "effect"
import { newChange, tenant } from "./Given.ts"
import { findBinaries, startPostgres } from "./support/EmbeddedPostgres.ts"
import { isLong } from "./support/LongRuns.ts"
import { copyForStandby } from "./support/Standby.ts"
import { clientOf, until } from "./support/Waiting.ts"

const binaries = findBinaries()

const newServer = (copiesInitial = true) =>
  Effect.acquireRelease(
    Effect.promise(() =>
      startPostgres("native" in binaries ? binaries.native : "", {
        copiesInitial,
        fsync: true,
        settings: { wal_level: "replica", max_wal_senders: "4" }
      })
    ),
    (started) => Effect.promise(started.stop)
  )

type Server = Effect.Success<ReturnType<typeof newServer>>

const newStandby = Effect.fnUntraced(function* (primary: Server, name = "standby") {
  const { copy, files } = yield* copyForStandby(primary, primary.url, name)
  const standby = yield* Effect.promise(() => primary.startOn(copy, { takesPlace: false, files }))
  const sql = yield* clientOf(Redacted.make(standby.url), 1)
  return { ...standby, copy, sql, port: new URL(standby.url).port, url: Redacted.make(standby.url) }
})

const openStorage = Effect.fnUntraced(function* (options: PostgresStorageOptions) {
  const built = Layer.fresh(layer({ allowAsyncCommit: true, ...options }).pipe(Layer.provide(Ids.layer)))
  const context = yield* Layer.build(built)
  const ledger = Context.get(context, Ledger)
  const condition = Context.get(context, StorageCondition).read
  /** What is read where old reads are allowed; `asOf` is `null` where the primary answered. */
  const stale = <A, E>(read: Effect.Effect<A, E>) =>
    withStaleReads((reads) => Effect.map(read, (found) => ({ asOf: reads.asOf, found })))
  const idsOf = Effect.map(ledger.payments(tenant, { limit: 100 }), (found) => found.map(({ id }) => id))
  const eventsOf = Effect.map(ledger.events(tenant, { after: "", limit: 100 }), (found) =>
    found.map(({ paymentId }) => paymentId)
  )
  return {
    ledger,
    condition,
    payments: idsOf,
    stalePayments: stale(idsOf),
    staleEvents: stale(eventsOf),
    fault: Effect.map(condition, ({ standby }) => standby?.fault ?? null),
    commit: Effect.gen(function* () {
      const change = yield* newChange()
      yield* ledger.commit(change)
      return change.payment.after.id
    })
  }
})

type Storage = Effect.Success<ReturnType<typeof openStorage>>

const isRead = ({ stalePayments }: Storage) => Effect.map(stalePayments, ({ asOf }) => asOf !== null)
const hasFault = ({ fault }: Storage, text: string) => Effect.map(fault, (found) => found?.includes(text) ?? false)

/** A primary that servers have used, a standby of it, and a storage that reads both. */
const given = Effect.fnUntraced(function* (options: Partial<PostgresStorageOptions> = {}) {
  const server = yield* newServer()
  const url = Redacted.make(server.url)
  yield* Effect.scoped(openStorage({ url }))
  const standby = yield* newStandby(server)
  const storage = yield* openStorage({ url, readUrl: standby.url, ...options })
  const first = yield* storage.commit
  yield* until(
    "the standby has the first payment",
    Effect.map(storage.stalePayments, ({ asOf, found }) => asOf !== null && found.includes(first))
  )
  return { server, url, standby, storage, first }
})

const pause = Effect.fnUntraced(function* ({ sql }: Effect.Success<ReturnType<typeof newStandby>>) {
  yield* sql`select pg_wal_replay_pause()`
  yield* until(
    "replay is paused",
    Effect.map(sql`select pg_get_wal_replay_pause_state() as state`, ([row]) => row?.["state"] === "paused")
  )
})

/** A commit of this payment stops after its event's id was drawn, for as long as somebody holds the lock. */
const stopping = (paymentId: string) => [
  `create function wait_for_test() returns trigger language plpgsql as $$ begin
    perform pg_advisory_xact_lock_shared(1);
    return new;
  end $$`,
  `create trigger wait_for_test before insert on events for each row when (new.payment = '${paymentId}')
    execute function wait_for_test()`
]

describe.skipIf("missing" in binaries)("a standby for reads that may be old", () => {
  it.live("no event replayed before one with a smaller id shows before that one", () =>
    Effect.gen(function* () {
      const began = Date.now()
      const { first, standby, storage, url } = yield* given()
      const sql = yield* clientOf(url, 2)
      const held = yield* newChange()
      for (const statement of stopping(held.payment.after.id)) yield* sql.unsafe(statement)
      const { committing, later } = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select pg_advisory_xact_lock(1)`
          const committing = yield* Effect.forkScoped(storage.ledger.commit(held))
          yield* until(
            "the commit is held",
            Effect.map(
              sql`select 1 as one from pg_locks where locktype = 'advisory' and not granted`,
              (found) => found.length > 0
            )
          )
          const later = yield* storage.commit
          yield* until(
            "the standby has the later event",
            Effect.map(standby.sql`select 1 as one from events where payment = ${later}`, (found) => found.length > 0)
          )
          expect((yield* storage.staleEvents).found).toEqual([first])
          yield* pause(standby)
          return { committing, later }
        })
      )
      yield* Fiber.join(committing)
      // The primary shows both. A reader of the standby that stopped at the primary's last id would miss one.
      const unguarded = yield* standby.sql`select payment from events order by id`
      expect(unguarded.map((row) => row["payment"])).toEqual([first, later])
      const seen = yield* storage.staleEvents
      expect(seen.found).toEqual([first])
      expect(seen.asOf).not.toBeNull()
      // Its list is of one moment, too, and what does not allow it is read from the primary.
      const old = yield* storage.stalePayments
      expect(old.found).toEqual([later, first])
      expect(old.asOf).toBeGreaterThan(began)
      expect(yield* storage.payments).toEqual([later, held.payment.after.id, first].toSorted().toReversed())
      yield* standby.sql`select pg_wal_replay_resume()`
      const all = [first, held.payment.after.id, later]
      yield* until(
        "it shows all",
        Effect.map(storage.staleEvents, ({ asOf, found }) => asOf !== null && found.join() === all.join())
      )
    }).pipe(Effect.scoped, Effect.provide(Ids.layer))
  )
})

describe.skipIf("missing" in binaries || !isLong)("a standby that may not be read", () => {
  it.live("a following standby answers only events, of a reported moment, until promoted", () =>
    Effect.gen(function* () {
      const { first, standby, storage } = yield* given({ maxReadLagMillis: 3_000 })
      expect((yield* storage.staleEvents).found).toEqual([first])
      // It replays nothing any more: what it answers is of an earlier moment, and nothing else reads it.
      yield* pause(standby)
      const before = Date.now()
      const second = yield* storage.commit
      const old = yield* storage.stalePayments
      expect(old.found).toEqual([first])
      expect(old.asOf).toBeLessThanOrEqual(before)
      expect(old.asOf).toBeGreaterThan(before - 3_000)
      expect((yield* storage.staleEvents).found).toEqual([first])
      expect(yield* storage.payments).toEqual([second, first])

      // Beyond the bound the primary answers, and the operator hears of it.
      yield* until("it is too far behind", hasFault(storage, "s behind the primary, more than 3 s"))
      expect(yield* storage.stalePayments).toEqual({ asOf: null, found: [second, first] })
      expect(yield* storage.staleEvents).toEqual({ asOf: null, found: [first, second] })
      yield* until(
        "a warning says so",
        Effect.map(storage.condition, ({ warnings }) =>
          warnings.some((one) => one.startsWith("the standby of POINTSMAN_DATABASE_READ_URL (readUrl) is not used"))
        )
      )
      expect((yield* storage.condition).standby?.lagMillis).toBeGreaterThan(3_000)

      yield* standby.sql`select pg_wal_replay_resume()`
      yield* until("it is read again", isRead(storage))
      expect((yield* storage.stalePayments).found).toEqual([second, first])

      yield* standby.sql`select pg_promote()`
      const third = yield* storage.commit
      expect(yield* storage.stalePayments).toEqual({ asOf: null, found: [third, second, first] })
      yield* until("it is no standby", hasFault(storage, "it is not a standby"))
    }).pipe(Effect.scoped, Effect.provide(Ids.layer))
  )

  it.live("the primary answers at once for a killed standby, which returns when back", () =>
    Effect.gen(function* () {
      const { first, server, standby, storage } = yield* given()
      yield* Effect.promise(standby.kill)
      const began = performance.now()
      const second = yield* storage.commit
      expect(yield* storage.stalePayments).toEqual({ asOf: null, found: [second, first] })
      // Well within the time-out of a statement, also on a busy machine.
      expect(performance.now() - began).toBeLessThan(10_000)
      yield* until(
        "it is unreachable",
        Effect.map(storage.fault, (fault) => fault !== null)
      )
      expect(yield* storage.staleEvents).toEqual({ asOf: null, found: [first, second] })
      yield* Effect.promise(() => server.startOn(standby.copy, { takesPlace: false, files: {}, port: standby.port }))
      yield* until("it is read again", isRead(storage))
    }).pipe(Effect.scoped, Effect.provide(Ids.layer))
  )

  it.live("the primary answers if the URL is its own, another database's or cluster's", () =>
    Effect.gen(function* () {
      const { first, standby, storage, url } = yield* given()
      const sql = yield* clientOf(url, 1)
      yield* sql`create database other`
      const other = new URL(Redacted.value(url))
      other.pathname = "/other"
      yield* Effect.scoped(openStorage({ url: Redacted.make(other.href) }))
      const otherOnStandby = new URL(Redacted.value(standby.url))
      otherOnStandby.pathname = "/other"
      const empty = new URL(otherOnStandby)
      empty.pathname = "/template1"
      const cluster = yield* newServer(false)
      yield* Effect.scoped(openStorage({ url: Redacted.make(cluster.url) }))
      yield* until(
        "the standby has the other database",
        Effect.map(standby.sql`select 1 as one from pg_database where datname = 'other'`, (found) => found.length > 0)
      )
      for (const [readUrl, text] of [
        [Redacted.value(url), "it is not a standby: it was promoted, or is the primary itself"],
        [otherOnStandby.href, "it is another database, or its search_path names another schema"],
        [empty.href, "it has no tables of Pointsman"],
        [cluster.url, "it is of another cluster: its system identifier is"],
        ["postgres://postgres@127.0.0.1:1/postgres", "ECONNREFUSED"]
      ] as const) {
        const misled = yield* openStorage({ url, readUrl: Redacted.make(readUrl) })
        yield* until(`${readUrl}: ${text}`, hasFault(misled, text))
        expect(yield* misled.stalePayments).toEqual({ asOf: null, found: [first] })
      }
      expect(yield* isRead(storage)).toBe(true)
      for (const maxReadLagMillis of [999, 3_600_001, Number.NaN]) {
        const refused = yield* Effect.flip(openStorage({ url, readUrl: standby.url, maxReadLagMillis }))
        expect(String(refused.cause)).toContain("maxReadLagMillis: expected 1000 to 3600000 milliseconds")
      }
    }).pipe(Effect.scoped, Effect.provide(Ids.layer))
  )

  it.live("the new primary answers if a standby did not follow the failover", () =>
    Effect.gen(function* () {
      const { first, server, standby, storage, url } = yield* given()
      const { copy, files } = yield* copyForStandby(server, server.url, "successor")
      const successor = yield* Effect.promise(() => server.startOn(copy, { takesPlace: false, files }))
      const sql = yield* clientOf(Redacted.make(successor.url), 1)
      yield* until(
        "the successor has the first payment",
        Effect.map(sql`select 1 as one from payments where id = ${first}`, (found) => found.length > 0)
      )
      // It goes on to answer, and streams from nobody.
      yield* standby.sql`alter system set primary_conninfo = ''`
      yield* standby.sql`select pg_reload_conf()`
      yield* Effect.promise(server.kill)
      yield* Effect.promise(successor.kill)
      yield* Effect.promise(() => server.startOn(copy, { takesPlace: true, files: {} }))
      yield* (yield* clientOf(url, 1))`select pg_promote()`
      const later = yield* Effect.retry(openStorage({ url, readUrl: standby.url }), {
        times: 100,
        schedule: Schedule.spaced("100 millis")
      })
      const second = yield* later.commit
      const fault = "it has not followed the primary to its timeline"
      yield* until("it did not follow", hasFault(later, fault))
      expect(yield* later.stalePayments).toEqual({ asOf: null, found: [second, first] })
      // The same is true of a server that was running before.
      yield* until("it did not follow", hasFault(storage, fault))
    }).pipe(Effect.scoped, Effect.provide(Ids.layer))
  )
})
