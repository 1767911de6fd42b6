/** Commits that wait and are written by one statement: what they share, and what they must not. */
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { type Change, Ids, Ledger, Stale } from "@pointsman/core"
import { Cause, Effect, Exit, Fiber, Option, Result } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { type Database, open } from "../src/Database.ts"
import { make as makeLedger } from "../src/Ledger.ts"
import { migrate } from "../src/Migrations.ts"
import { newChange, tenant, withStorage } from "./Given.ts"
import { proxyTo } from "./support/CuttingProxy.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"

const changesOf = (count: number) => Effect.forEach(Array(count).keys(), () => newChange())

const atOnce = { concurrency: "unbounded" } as const

const under = (change: Change, key: string): Change =>
  change.claim === undefined ? change : { ...change, claim: { ...change.claim, after: { ...change.claim.after, key } } }

/** The change that comes next, without attempts and events. */
const nextOf = (change: Change, reference: string): Change => ({
  tenant,
  payment: { expected: 1, after: { ...change.payment.after, version: 2, reference } },
  attempts: [],
  events: []
})

const shuffled = <A>(items: ReadonlyArray<A>): ReadonlyArray<A> =>
  items
    .map((item) => [Math.random(), item] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, item]) => item)

/** A ledger that writes together, and the texts that it asked. */
const listening = Effect.gen(function* () {
  const db = yield* open({ url: yield* newDatabase })
  yield* migrate(db)
  const asked: Array<string> = []
  const heard: Database = {
    ...db,
    write: (operation, text, params) => {
      asked.push(text)
      return db.write(operation, text, params)
    }
  }
  return { asked, db, ledger: yield* makeLedger(heard, { batchCommits: true }) }
}).pipe(Effect.provide(Ids.layer))

describe.skipIf(!hasServer)("commits together", () => {
  it.live("given many changes at once, then few statements write all of them, with their events in order", () =>
    Effect.gen(function* () {
      const { asked, ledger } = yield* listening
      const changes = yield* changesOf(100)
      yield* Effect.forEach(changes, ledger.commit, atOnce)
      expect(asked.length).toBeLessThanOrEqual(4)
      for (const { payment } of changes) {
        expect(yield* ledger.payment(tenant, payment.after.id)).toStrictEqual(Option.some(payment.after))
      }
      const events = yield* ledger.events(tenant, { limit: 200 })
      expect(events.map(({ paymentId }) => paymentId).toSorted()).toEqual(
        changes.map(({ payment }) => payment.after.id).toSorted()
      )
      expect(new Set(events.map(({ id }) => id)).size).toBe(100)

      // One at a time they are written by themselves.
      asked.length = 0
      for (const change of yield* changesOf(3)) yield* ledger.commit(change)
      expect(asked).toHaveLength(3)
      expect(asked.filter((text) => text.includes("unnest"))).toEqual([])
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("given changes of which two are refused and one cannot be stored, then all others are written", () =>
    Effect.gen(function* () {
      const { asked, db, ledger } = yield* listening
      yield* db.client`alter table payments add check (reference <> 'bad')`
      const [before, taken, bad, ...rest] = yield* changesOf(24)
      if (before === undefined || taken === undefined || bad === undefined) throw new Error("there are too few")
      yield* ledger.commit(before)
      asked.length = 0
      const changes: ReadonlyArray<Change> = [
        under(taken, before.claim.after.key),
        nextOf(before, "order-2"),
        { ...bad, payment: { ...bad.payment, after: { ...bad.payment.after, reference: "bad" } } },
        ...rest
      ]
      const ends = yield* Effect.forEach(changes, (change) => Effect.exit(ledger.commit(change)), atOnce)
      const [first, second, third, ...others] = ends
      expect(first && Exit.isFailure(first) && Cause.squash(first.cause)).toMatchObject({ _tag: "pointsman/KeyTaken" })
      expect(second && Exit.isSuccess(second)).toBe(true)
      expect(third && Exit.isFailure(third) && Cause.hasDies(third.cause)).toBe(true)
      expect(others.filter(Exit.isSuccess)).toHaveLength(rest.length)
      expect(yield* ledger.payment(tenant, bad.payment.after.id)).toEqual(Option.none())
      // The one that cannot be stored cost the others a statement each, and nothing else.
      expect(asked.filter((text) => text.includes("unnest"))).toHaveLength(1)
      expect((yield* ledger.events(tenant, { limit: 100 })).length).toBe(rest.length + 1)
      expect(yield* Effect.flip(ledger.commit(nextOf(before, "late")))).toEqual(new Stale())
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live(
    "given two servers with the same keys in another order each, then each key has one winner, and none waits in a circle",
    () =>
      Effect.gen(function* () {
        const url = yield* newDatabase
        const options = { url, batchCommits: true }
        const sql = yield* PgClient.make({ url, maxConnections: 1 }).pipe(Effect.provide(Reactivity.layer))
        const winners = yield* withStorage(options)(
          Effect.gen(function* () {
            const one = yield* Ledger
            return yield* withStorage(options)(
              Effect.gen(function* () {
                const other = yield* Ledger
                const rounds: Array<number> = []
                for (let round = 0; round < 20; round++) {
                  const keys = Array.from({ length: 40 }, (_, index) => `round-${round}-${index}`)
                  const racing = (ledger: Ledger["Service"]) =>
                    Effect.flatMap(
                      Effect.forEach(shuffled(keys), (key) => Effect.map(newChange(), (change) => under(change, key))),
                      (changes) => Effect.forEach(changes, (change) => Effect.result(ledger.commit(change)), atOnce)
                    )
                  const ends = yield* Effect.all([racing(one), racing(other)], atOnce)
                  rounds.push(ends.flat().filter(Result.isSuccess).length)
                }
                return rounds
              })
            )
          })
        )
        expect(winners).toEqual(Array(20).fill(40))
        const [row] = yield* sql<{ deadlocks: number }>`select deadlocks::integer from pg_stat_database
        where datname = current_database()`
        expect(row?.deadlocks).toBe(0)
      })
  )

  it.live(
    "given a statement whose answer is lost, then the end of all that it wrote is unknown, and all are stored",
    () =>
      Effect.gen(function* () {
        const proxy = yield* proxyTo(yield* newDatabase)
        yield* withStorage({ url: proxy.url, batchCommits: true, maxConnections: 3 })(
          Effect.gen(function* () {
            const ledger = yield* Ledger
            const changes = yield* changesOf(8)
            proxy.cutAt = { text: changes[4]?.payment.after.id ?? "", when: "after" }
            const ends = yield* Effect.forEach(changes, (change) => Effect.flip(ledger.commit(change)), atOnce)
            expect(ends.map(({ _tag }) => _tag)).toEqual(Array(8).fill("pointsman/CommitUnknown"))
            for (const { payment } of changes) {
              expect(yield* ledger.payment(tenant, payment.after.id)).toStrictEqual(Option.some(payment.after))
            }
          })
        )
      })
  )

  it.live("given a commit that is given up while it waits for its turn, then it is not written", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const sql = yield* PgClient.make({ url, maxConnections: 2 }).pipe(Effect.provide(Reactivity.layer))
      yield* withStorage({ url, batchCommits: true })(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const [first, second, third] = yield* changesOf(3)
          if (first === undefined || second === undefined || third === undefined) throw new Error("there are too few")
          const waiting = yield* sql.withTransaction(
            Effect.gen(function* () {
              yield* sql`lock table claims in exclusive mode`
              const fibers: Array<Fiber.Fiber<void, unknown>> = []
              for (const change of [first, second, third]) {
                fibers.push(yield* Effect.forkDetach(ledger.commit(change)))
                yield* Effect.sleep("30 millis")
              }
              const [, , last] = fibers
              if (last !== undefined) yield* Fiber.interrupt(last)
              return fibers
            })
          )
          for (const fiber of waiting.slice(0, 2)) yield* Fiber.join(fiber)
          expect(Option.isSome(yield* ledger.payment(tenant, second.payment.after.id))).toBe(true)
          expect(yield* ledger.payment(tenant, third.payment.after.id)).toEqual(Option.none())
        })
      )
    }).pipe(Effect.provide(Ids.layer))
  )
})
