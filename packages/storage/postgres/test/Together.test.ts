/** Commits that wait and are written by one statement: what they share, and what they must not. */

import { describe, expect, it } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { type Change, Ids, Ledger, Stale, StorageAllowance } from "@pointsman/core/ports"
import { Cause, Effect, Exit, Fiber, Option, type Redacted, Result, Scheduler } from "effect"
import type { LedgerOptions } from "../src/Commit.ts"
import { maxStatements, mostAlone } from "../src/CommitMany.ts"
import { type Database, open } from "../src/Database.ts"
import { make as makeLedger } from "../src/Ledger.ts"
import { migrate } from "../src/Migrate.ts"
import { newChange, tenant, withStorage } from "./Given.ts"
import { proxyTo } from "./support/CuttingProxy.ts"
import { holdKey } from "./support/HeldKey.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf, patient, until, untilWaiting } from "./support/Waiting.ts"

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

const isForMany = (text: string) => text.includes("unnest")

/** Statements of these are not measured first. */
const gatheringMany = { firstTogether: 64 } as const
const gatheringAll = { ...gatheringMany, mostAlone: 0 } as const

/** A ledger that gathers at once, the texts that it asked, and the codes of those that were taken back. */
const listeningTo = Effect.fnUntraced(function* (url: Redacted.Redacted, options: LedgerOptions = gatheringAll) {
  const db = yield* open({ url, ...patient })
  yield* migrate(db)
  const asked: Array<string> = []
  const refused: Array<string> = []
  const heard: Database = {
    ...db,
    write: (operation, text, params, ...claim) => {
      asked.push(text)
      return Effect.tapError(db.write(operation, text, params, ...claim), (failure) =>
        Effect.sync(() => {
          if (failure._tag === "Refused") refused.push(failure.code)
        })
      )
    }
  }
  return { asked, db, refused, ledger: yield* makeLedger(heard, options) }
}, Effect.provide(Ids.layer))

const listening = Effect.flatMap(newDatabase, listeningTo)

describe.skipIf(!hasServer)("commits together", () => {
  it.live("few statements write many changes at once, with their events in order", () =>
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
      expect(asked.filter(isForMany)).toEqual([])
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("each of few changes has its own statement, and more share few", () =>
    Effect.gen(function* () {
      const { asked, ledger } = yield* listeningTo(yield* newDatabase, gatheringMany)
      yield* Effect.forEach(yield* changesOf(mostAlone), ledger.commit, atOnce)
      expect(asked).toHaveLength(mostAlone)
      expect(asked.filter(isForMany)).toEqual([])

      asked.length = 0
      const changes = yield* changesOf(mostAlone + 50)
      yield* Effect.forEach(changes, ledger.commit, atOnce)
      expect(asked.slice(0, mostAlone).filter(isForMany)).toEqual([])
      expect(asked.length).toBeLessThanOrEqual(mostAlone + 2)
      for (const { payment } of changes) {
        expect(yield* ledger.payment(tenant, payment.after.id)).toStrictEqual(Option.some(payment.after))
      }
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("each of many changes has its own statement with `batchCommits: false`", () =>
    Effect.gen(function* () {
      const { asked, ledger } = yield* listeningTo(yield* newDatabase, { batchCommits: false })
      yield* Effect.forEach(yield* changesOf(mostAlone + 20), ledger.commit, atOnce)
      expect(asked).toHaveLength(mostAlone + 20)
      expect(asked.filter(isForMany)).toEqual([])
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("all others are written beside two refused changes and one that cannot be stored", () =>
    Effect.gen(function* () {
      const { asked, db, ledger } = yield* listening
      yield* db.update("refuse", "alter table payments add check (reference <> 'bad')")
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
      expect(asked.filter(isForMany)).toHaveLength(1)
      expect((yield* ledger.events(tenant, { limit: 100 })).length).toBe(rest.length + 1)
      expect(yield* Effect.flip(ledger.commit(nextOf(before, "late")))).toEqual(new Stale())
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("a change that cannot be bound dies by itself, and others are written", () =>
    Effect.gen(function* () {
      const { ledger } = yield* listening
      const [broken, ...rest] = yield* changesOf(8)
      if (broken === undefined) throw new Error("there are too few")
      const data = {
        get broken(): string {
          throw new Error("not to be written down")
        }
      }
      const change: Change = { ...broken, events: broken.events.map((event) => ({ ...event, data })) }
      const ends = yield* Effect.forEach([change, ...rest], (one) => Effect.exit(ledger.commit(one)), atOnce)
      const [first, ...others] = ends
      expect(first && Exit.isFailure(first) && Cause.hasDies(first.cause)).toBe(true)
      expect(others.filter(Exit.isSuccess)).toHaveLength(rest.length)
      expect(yield* ledger.payment(tenant, broken.payment.after.id)).toEqual(Option.none())
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("two servers with the same keys in opposite orders do not wait in a circle", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const servers = [yield* listeningTo(url), yield* listeningTo(url)] as const
      const [holder, sql] = [yield* clientOf(url, 1), yield* clientOf(url, 1)]
      const orders = [
        ["b", "a", "c"],
        ["c", "a", "b"]
      ] as const
      // Each server knows the tenant by then: the commits of each are sent at once.
      for (const { ledger } of servers) yield* ledger.commit(yield* newChange())
      const racing = yield* holder.withTransaction(
        Effect.gen(function* () {
          // Who takes the others first would hold one of them while both wait for this one.
          yield* holdKey(holder, tenant, "a")
          const fibers: Array<Fiber.Fiber<ReadonlyArray<Result.Result<boolean, { readonly _tag: string }>>>> = []
          for (const [index, { ledger }] of servers.entries()) {
            const changes = yield* Effect.forEach(orders[index] ?? [], (key) =>
              Effect.map(newChange(), (change) => under(change, key))
            )
            const commits = Effect.forEach(changes, (change) => Effect.result(ledger.commit(change)), atOnce)
            fibers.push(yield* Effect.forkDetach(commits))
          }
          yield* untilWaiting(sql, servers.length)
          yield* holder`delete from payments`
          return fibers
        })
      )
      const ends = (yield* Effect.forEach(racing, Fiber.join)).flat()
      expect(ends.filter(Result.isSuccess)).toHaveLength(3)
      expect(ends.flatMap((end) => (Result.isFailure(end) ? [end.failure._tag] : []))).toEqual(
        Array(3).fill("pointsman/KeyTaken")
      )
      expect(servers.flatMap(({ refused }) => refused)).toEqual([])
    }).pipe(Effect.provide(Ids.layer))
  )

  itRunsLive("all that a statement with a lost answer wrote is unknown, and stored", function* () {
    const proxy = yield* proxyTo(yield* newDatabase)
    yield* withStorage({ url: proxy.url, maxConnections: mostAlone + maxStatements + 2 })(
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const changes = yield* changesOf(mostAlone + 8)
        // The tenant is known by then: those that follow are sent at once.
        yield* ledger.commit(yield* newChange())
        proxy.cutAt = { text: changes[mostAlone + 4]?.payment.after.id ?? "", when: "after" }
        const ends = yield* Effect.forEach(changes, (change) => Effect.result(ledger.commit(change)), atOnce)
        expect(ends.slice(0, mostAlone).filter(Result.isSuccess)).toHaveLength(mostAlone)
        expect(ends.slice(mostAlone).map((end) => (Result.isFailure(end) ? end.failure._tag : "written"))).toEqual(
          Array(8).fill("pointsman/CommitUnknown")
        )
        for (const { payment } of changes) {
          expect(yield* ledger.payment(tenant, payment.after.id)).toStrictEqual(Option.some(payment.after))
        }
      })
    )
  })

  it.live("a commit that is given up while it waits is not written", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const [holder, sql] = [yield* clientOf(url, 1), yield* clientOf(url, 1)]
      const { db, ledger } = yield* listeningTo(url, {})
      const [third, ...first] = yield* changesOf(mostAlone + maxStatements + 1)
      const second = first.at(-1)
      if (second === undefined || third === undefined) throw new Error("there are too few")
      const waiting = yield* holder.withTransaction(
        Effect.gen(function* () {
          yield* holder`lock table payments in exclusive mode`
          const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
          for (const change of first) {
            fibers.push(yield* Effect.forkDetach(ledger.commit(change)))
            yield* untilWaiting(sql, fibers.length)
          }
          // As many statements are under way as may be: this one waits for its turn.
          const last = yield* Effect.forkDetach(
            Effect.provideService(ledger.commit(third), StorageAllowance, { leftMillis: 60_000 }),
            { startImmediately: true }
          )
          yield* until(
            "it waits, or was refused after a second of that",
            Effect.sync(() => db.longestWaitMillis() > 0 || last.pollUnsafe() !== undefined)
          )
          yield* Fiber.interrupt(last)
          return fibers
        })
      )
      for (const fiber of waiting) yield* Fiber.join(fiber)
      expect(Option.isSome(yield* ledger.payment(tenant, second.payment.after.id))).toBe(true)
      expect(yield* ledger.payment(tenant, third.payment.after.id)).toEqual(Option.none())
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live.each([
    ["sent at once", {}],
    ["gathered", { mostAlone: 0 }]
  ] as const)("payments of commits that are %s and interrupted at any step are free again", ([, options]) =>
    Effect.gen(function* () {
      const { ledger } = yield* listeningTo(yield* newDatabase, options)
      const turn = Effect.callback<void>((resume) => {
        setImmediate(() => resume(Effect.void))
      })
      const ends: Array<string> = []
      for (let run = 0; run < 160; run++) {
        const change = yield* newChange()
        // It lets others run after each of its steps, or after every second to fourth.
        const fiber = yield* Effect.forkDetach(
          Effect.provideService(ledger.commit(change), Scheduler.MaxOpsBeforeYield, 3 + (run % 4))
        )
        yield* Effect.repeat(turn, { times: Math.floor(run / 4) })
        yield* Fiber.interrupt(fiber)
        const again = yield* Effect.exit(ledger.commit(change))
        // Written by the one that was interrupted, or by this one.
        ends.push(Exit.isFailure(again) ? Object(Cause.squash(again.cause))._tag : "written")
      }
      expect(new Set(ends)).toEqual(new Set(["written", "pointsman/KeyTaken"]))
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("claims that wait for a second are refused and never written", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const [holder, sql] = [yield* clientOf(url, 1), yield* clientOf(url, 1)]
      const { db, ledger } = yield* listeningTo(url, {})
      const changes = yield* changesOf(mostAlone + maxStatements + 3)
      const sent = changes.slice(0, mostAlone + maxStatements)
      const late = changes.slice(sent.length)
      const allowance = { leftMillis: 7_000 }
      const waiting = yield* holder.withTransaction(
        Effect.gen(function* () {
          yield* holder`lock table payments in exclusive mode`
          const fibers: Array<Fiber.Fiber<unknown, unknown>> = []
          for (const change of sent) {
            fibers.push(yield* Effect.forkDetach(ledger.commit(change)))
            yield* untilWaiting(sql, fibers.length)
          }
          const refused = yield* Effect.forEach(late, (change) => Effect.flip(ledger.commit(change)), atOnce).pipe(
            Effect.provideService(StorageAllowance, allowance),
            Effect.uninterruptible,
            Effect.forkDetach({ startImmediately: true })
          )
          // So that new requests are refused, it is seen from outside.
          let longest = 0
          yield* until(
            "they are refused",
            Effect.sync(() => {
              longest = Math.max(longest, db.longestWaitMillis())
              return refused.pollUnsafe() !== undefined
            }),
            1
          )
          expect(longest).toBeGreaterThan(0)
          const reason = "no connection to the database was free within 1000 ms"
          for (const failure of yield* Fiber.join(refused)) {
            expect(failure).toMatchObject({
              _tag: "pointsman/StorageError",
              cause: { _tag: "pointsman/NotAdmitted", reason }
            })
          }
          expect(allowance.leftMillis).toBeLessThan(7_000 - 900)
          expect(db.longestWaitMillis()).toBe(0)
          return fibers
        })
      )
      for (const fiber of waiting) yield* Fiber.join(fiber)
      for (const { payment } of late) {
        expect(yield* ledger.payment(tenant, payment.after.id)).toEqual(Option.none())
      }
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("a slow statement's end is unknown for a caller that may wait no longer", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const [holder, sql] = [yield* clientOf(url, 1), yield* clientOf(url, 1)]
      const { ledger } = yield* listeningTo(url)
      const changes = yield* changesOf(3)
      yield* holder.withTransaction(
        Effect.gen(function* () {
          yield* holder`lock table payments in exclusive mode`
          const commits = yield* Effect.forEach(changes, (change) => Effect.flip(ledger.commit(change)), atOnce).pipe(
            Effect.provideService(StorageAllowance, { leftMillis: 1_200 }),
            Effect.uninterruptible,
            Effect.forkDetach({ startImmediately: true })
          )
          yield* untilWaiting(sql, 1)
          expect((yield* Fiber.join(commits)).map(({ _tag }) => _tag)).toEqual(Array(3).fill("pointsman/CommitUnknown"))
        })
      )
      // It was sent, and is written.
      for (const { payment } of changes) {
        const isStored = Effect.map(ledger.payment(tenant, payment.after.id), Option.isSome)
        yield* until("it is stored", isStored)
      }
    }).pipe(Effect.provide(Ids.layer))
  )
})
