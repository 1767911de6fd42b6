/** Migrations of a database that servers write to at the same time. */

import type { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { Ids, Ledger, StorageCondition } from "@pointsman/core/ports"
import { Effect, Fiber, type Redacted } from "effect"
import { open } from "../src/Database.ts"
import { migrate, newest, type Step, steps } from "../src/Migrate.ts"
import { newChange, withStorage } from "./Given.ts"
import { isLong } from "./support/LongRuns.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf, watchLockWaits } from "./support/Waiting.ts"

const migrateTo = (url: Redacted.Redacted, step: Step) =>
  Effect.scoped(Effect.flatMap(open({ url }), (db) => migrate(db, { ...steps, "1000_newer": step })))

const newestIn = (sql: PgClient.PgClient) =>
  Effect.map(sql<{ id: number }>`select max(migration_id)::int as id from pointsman_migrations`, ([row]) => row?.id)

/** Commits one payment after the other until the work is done; gives how many, and how long they waited for locks. */
const writingDuring = <A, E, R>(url: Redacted.Redacted, work: Effect.Effect<A, E, R>) =>
  withStorage({ url })(
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const waits = yield* watchLockWaits(yield* clientOf(url, 1))
      let commits = 0
      const write = Effect.gen(function* () {
        yield* ledger.commit(yield* newChange())
        commits++
      })
      const writer = yield* Effect.forkChild(Effect.forever(Effect.andThen(write, Effect.sleep("5 millis"))))
      yield* Effect.sleep("200 millis")
      yield* work
      yield* Fiber.interrupt(writer)
      return { commits, longestLockWaitMillis: waits.longestMillis() }
    })
  ).pipe(Effect.scoped, Effect.provide(Ids.layer))

/** A transaction that holds a table while the work begins, for so long. */
const heldFor = (url: Redacted.Redacted, lock: string, millis: number) =>
  Effect.gen(function* () {
    const sql = yield* clientOf(url, 1)
    yield* sql.withTransaction(Effect.andThen(sql.unsafe(lock), Effect.sleep(millis)))
  }).pipe(Effect.scoped)

const indexed = "payments (t, currency)"
const writersLock = "lock table payments in row exclusive mode"

describe.skipIf(!hasServer)("a migration under writers", () => {
  itRunsLive("one of four servers that migrate an outdated database at once takes the step", function* () {
    const url = yield* newDatabase
    yield* withStorage({ url })(Effect.void)
    const step = migrateTo(url, ["create table notes (note text)"])
    yield* Effect.forEach(Array(4).keys(), () => step, { concurrency: "unbounded" })
    const sql = yield* clientOf(url, 1)
    expect(yield* sql`select migration_id, name from pointsman_migrations order by 1`).toEqual([
      { migration_id: newest, name: "baseline" },
      { migration_id: 1000, name: "newer" }
    ])
  })

  it.live.runIf(isLong)("no write of a transaction waits for an index that is built", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* withStorage({ url })(Effect.void)
      const sql = yield* clientOf(url, 1)
      const built = (step: Step) =>
        writingDuring(
          url,
          Effect.gen(function* () {
            const holding = yield* Effect.forkChild(heldFor(url, writersLock, 4_000))
            yield* Effect.sleep("300 millis")
            yield* migrateTo(url, step)
            yield* Fiber.join(holding)
          })
        )
      const concurrent = yield* built({ index: "payments_by_currency", on: indexed })
      expect(yield* newestIn(sql)).toBe(1000)
      expect(concurrent.commits).toBeGreaterThan(0)
      expect(concurrent.longestLockWaitMillis).toBe(0)
      // The control: an index that a transaction builds stops every writer for as long as it waits for that one.
      yield* sql`delete from pointsman_migrations where migration_id = 1000`
      const blocking = yield* built([`create index payments_by_currency_again on ${indexed}`])
      expect(blocking.longestLockWaitMillis).toBeGreaterThan(400)
    })
  )

  it.live.runIf(isLong)("a step on a table that is held for long lets writers through meanwhile", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* withStorage({ url })(Effect.void)
      const sql = yield* clientOf(url, 1)
      const written = yield* writingDuring(
        url,
        Effect.gen(function* () {
          const holding = yield* Effect.forkChild(heldFor(url, "lock table payments in access share mode", 7_000))
          yield* Effect.sleep("300 millis")
          yield* migrateTo(url, ["alter table payments add column note text"])
          yield* Fiber.join(holding)
        })
      )
      expect(yield* newestIn(sql)).toBe(1000)
      // It waits for half a second, and writers behind it; without that limit they would wait for seven.
      expect(written.longestLockWaitMillis).toBeGreaterThan(400)
      expect(written.longestLockWaitMillis).toBeLessThan(2_500)
    })
  )

  it.live.runIf(isLong)("no write waits for a long vacuum when a step changes its table", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* withStorage({ url })(Effect.void)
      const sql = yield* clientOf(url, 1)
      const written = yield* writingDuring(
        url,
        Effect.gen(function* () {
          const vacuum = "lock table payments in share update exclusive mode"
          const holding = yield* Effect.forkChild(heldFor(url, vacuum, 3_000))
          yield* Effect.sleep("300 millis")
          yield* migrateTo(url, ["alter table payments add column note text"])
          yield* Fiber.join(holding)
        })
      )
      expect(yield* newestIn(sql)).toBe(1000)
      expect(written.longestLockWaitMillis).toBeLessThan(400)
    })
  )

  itRunsLive("a step does not wait for the vacuum of another table", function* () {
    const url = yield* newDatabase
    yield* withStorage({ url })(Effect.void)
    const sql = yield* clientOf(url, 2)
    const vacuum = sql.unsafe("lock table messages in share update exclusive mode")
    const step = migrateTo(url, ["alter table payments add column note text"])
    // It ends while the vacuum goes on.
    yield* sql.withTransaction(Effect.andThen(vacuum, step))
    expect(yield* newestIn(sql)).toBe(1000)
  })

  it.live("an index that a killed run left invalid is built anew", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* withStorage({ url })(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          yield* ledger.commit(yield* newChange())
          yield* ledger.commit(yield* newChange())
        })
      ).pipe(Effect.provide(Ids.layer))
      const sql = yield* clientOf(url, 1)
      const isValid = Effect.map(
        sql<{ valid: boolean }>`select indisvalid as valid from pg_index
          where indexrelid = to_regclass('payments_by_currency')`,
        ([row]) => row?.valid
      )
      // It fails on the second payment, and leaves what it began.
      yield* Effect.flip(sql.unsafe("create unique index concurrently payments_by_currency on payments (currency)"))
      expect(yield* isValid).toBe(false)
      const step = { index: "payments_by_currency", on: indexed }
      yield* migrateTo(url, step)
      expect(yield* isValid).toBe(true)
      // Built, and not recorded yet.
      yield* sql`delete from pointsman_migrations where migration_id = 1000`
      yield* migrateTo(url, step)
      expect([yield* isValid, yield* newestIn(sql)]).toEqual([true, 1000])
    })
  )

  itRunsLive("a storage takes no new work within seconds once a newer server takes a step", function* () {
    const url = yield* newDatabase
    yield* withStorage({ url })(
      Effect.gen(function* () {
        const { admit, read } = yield* StorageCondition
        yield* admit
        yield* migrateTo(url, ["alter table payments add column note text"])
        for (let turn = 0; turn < 100 && (yield* read).refusal === null; turn++) yield* Effect.sleep("100 millis")
        expect(yield* Effect.flip(admit)).toMatchObject({
          _tag: "pointsman/NotAdmitted",
          reason: expect.stringContaining("schema version 1000, created by a newer release")
        })
      })
    )
  })
})
