import { describe, expect, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import type { Payment } from "@pointsman/core"
import { type Change, type CommitFailure, Ids, Ledger } from "@pointsman/core/ports"
import { layer } from "@pointsman/storage-sqlite"
import { Cause, Effect, Exit, Fiber, Layer, Option, Result, Scope } from "effect"
import { type Database, open } from "../src/Database.ts"
import { make as makeLedger } from "../src/Ledger.ts"
import { migrate } from "../src/Migrations.ts"
import { newChange, newFile, newOperation, newRefund, tenant, withStorage } from "./Given.ts"

const newChanges = (count: number) => Effect.forEach(Array(count).keys(), () => newChange())

const commitAll = (ledger: Ledger["Service"], changes: ReadonlyArray<Change>) =>
  Effect.forEach(changes, (change) => Effect.result(ledger.commit(change)), { concurrency: "unbounded" })

const tags = (results: ReadonlyArray<Result.Result<boolean, CommitFailure>>) =>
  results.map((result) => (Result.isSuccess(result) ? "written" : result.failure._tag))

const stored = Effect.fnUntraced(function* (ledger: Ledger["Service"], changes: ReadonlyArray<Change>) {
  const found = yield* Effect.forEach(changes, ({ payment }) => ledger.payment(tenant, payment.after.id))
  return found.map(Option.isSome)
})

/** Passes our checks, but SQLite refuses it: a time is not a fraction. */
const poisoned = newChange({ createdAt: 0.5 })

/** A ledger whose connection does something else for one statement. */
const withStatement = Effect.fnUntraced(function* (sql: RegExp, run: (db: Database) => void) {
  const db = yield* Effect.acquireRelease(open(":memory:"), (db) => Effect.sync(db.close))
  yield* migrate(db)
  let isArmed = true
  const tampered: Database = {
    ...db,
    prepare: (text) => {
      const statement = db.prepare(text)
      if (!sql.test(text)) return statement
      return new Proxy(statement, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name)
          if (typeof member !== "function") return member
          return (...args: ReadonlyArray<unknown>) => {
            if (isArmed && name === "run") {
              isArmed = false
              run(db)
            }
            return member.apply(target, args)
          }
        }
      })
    }
  }
  const ledger = yield* makeLedger(tampered)
  return { db, ledger }
})

const sqliteError = (errcode: number): Error => Object.assign(new Error("as SQLite tells it"), { errcode })

const full = "pointsman/StorageError"
/** As SQLite does on a full disk: it undoes what found no room. */
const fillUp = (db: Database) => {
  db.exec("ROLLBACK")
  throw sqliteError(13)
}

describe("group commit", () => {
  itRuns("32 changes committed at once share a durable write with 16 at least", function* () {
    const sizes: Array<number> = []
    const filename = yield* newFile
    yield* Effect.gen(function* () {
      const ledger = yield* Ledger
      const changes = yield* newChanges(32)
      expect(new Set(tags(yield* commitAll(ledger, changes)))).toEqual(new Set(["written"]))
      expect(Math.max(...sizes)).toBeGreaterThanOrEqual(16)
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(32)
    }).pipe(withStorage({ filename, onCommit: ({ changes }) => sizes.push(changes) }))
  })

  itRuns("callers that come one by one within a turn of the loop share a write", function* () {
    const sizes: Array<number> = []
    yield* Effect.gen(function* () {
      const ledger = yield* Ledger
      const changes = yield* newChanges(32)
      // Each caller is a few microtasks later than the one before it, as answers of a provider are.
      const late = (microtasks: number) =>
        Effect.promise(async () => {
          for (let count = 0; count < microtasks; count++) await undefined
        })
      yield* Effect.forEach(changes, (change, index) => Effect.andThen(late(10 * index), ledger.commit(change)), {
        concurrency: "unbounded"
      })
      expect(Math.max(...sizes)).toBeGreaterThanOrEqual(16)
    }).pipe(withStorage({ filename: ":memory:", onCommit: ({ changes }) => sizes.push(changes) }))
  })

  itRuns("no write is larger than 128 for more changes than a batch holds", function* () {
    const sizes: Array<number> = []
    yield* Effect.gen(function* () {
      const ledger = yield* Ledger
      const changes = yield* newChanges(300)
      yield* commitAll(ledger, changes)
      expect(Math.max(...sizes)).toBe(128)
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(300)
      expect(yield* ledger.events(tenant, { limit: 1000 })).toHaveLength(300)
    }).pipe(withStorage({ filename: ":memory:", onCommit: ({ changes }) => sizes.push(changes) }))
  })

  itRuns("callers of a full batch share the next write with the change left over", function* () {
    const sizes: Array<number> = []
    yield* Effect.gen(function* () {
      const ledger = yield* Ledger
      const callers = yield* Effect.forEach(Array(129).keys(), () => newChanges(4))
      yield* Effect.forEach(callers, (changes) => Effect.forEach(changes, ledger.commit), {
        concurrency: "unbounded"
      })
      // 516 changes. Writing the one that was left over alone would take two writes for each of the four rounds.
      expect(sizes.length).toBeLessThanOrEqual(6)
    }).pipe(withStorage({ filename: ":memory:", onCommit: ({ changes }) => sizes.push(changes) }))
  })

  itRuns("a poisoned change of a batch fails by itself and leaves nothing", function* () {
    const sizes: Array<number> = []
    yield* Effect.gen(function* () {
      const ledger = yield* Ledger
      const poison = yield* poisoned
      const good = yield* newChanges(7)
      const changes = [...good.slice(0, 3), poison, ...good.slice(3)]
      expect(tags(yield* commitAll(ledger, changes))).toEqual([
        ...Array(3).fill("written"),
        "pointsman/StorageError",
        ...Array(4).fill("written")
      ])
      expect(sizes).toEqual([8])
      expect(yield* stored(ledger, good)).toEqual(Array(7).fill(true))
      expect(yield* stored(ledger, [poison])).toEqual([false])
      expect(yield* ledger.claim(tenant, poison.claim.after.key)).toEqual(Option.none())
      expect(yield* ledger.events(tenant, { limit: 100 })).toHaveLength(7)
    }).pipe(withStorage({ filename: ":memory:", onCommit: ({ changes }) => sizes.push(changes) }))
  })

  const pastChecks: Readonly<Record<string, (payment: Payment) => Partial<Change>>> = {
    "its refunds do not add up": (payment) => ({ refunds: [newRefund(payment)] }),
    "two of its refunds have one key": (payment) => ({
      refunds: [newRefund(payment, { stage: "Failed" }), newRefund(payment, { stage: "Failed", id: "rf_2" })]
    }),
    "two of its operations have one key": (payment) => ({
      operations: [newOperation(payment), newOperation(payment, { id: "op_2" })]
    })
  }

  for (const [because, parts] of Object.entries(pastChecks)) {
    itRuns(`a broken change of a batch dies by itself and leaves nothing: ${because}`, function* () {
      const sizes: Array<number> = []
      yield* Effect.gen(function* () {
        const ledger = yield* Ledger
        const bad = yield* newChange()
        const good = yield* newChanges(7)
        const changes = [...good.slice(0, 3), { ...bad, ...parts(bad.payment.after) }, ...good.slice(3)]
        const exits = yield* Effect.forEach(changes, (change) => Effect.exit(ledger.commit(change)), {
          concurrency: "unbounded"
        })
        expect(exits.map(Exit.isSuccess)).toEqual([true, true, true, false, true, true, true, true])
        expect(exits.map((exit) => Exit.isFailure(exit) && Cause.hasDies(exit.cause))[3]).toBe(true)
        expect(sizes).toEqual([8])
        expect(yield* stored(ledger, good)).toEqual(Array(7).fill(true))
        expect(yield* stored(ledger, [bad])).toEqual([false])
        expect(yield* ledger.claim(tenant, bad.claim.after.key)).toEqual(Option.none())
        // The same change can be written as it should have been: nothing of the broken one is in the way.
        yield* ledger.commit(bad)
        const book = Option.getOrThrow(yield* ledger.book(tenant, bad.payment.after.id))
        expect([book.operations, book.refunds]).toEqual([[], []])
      }).pipe(withStorage({ filename: ":memory:", onCommit: ({ changes }) => sizes.push(changes) }))
    })
  }

  it.effect("a change of a payment's creation time or amount dies and leaves nothing", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const first = yield* newChange()
      yield* ledger.commit(first)
      const { after } = first.payment
      const next = (parts: Partial<Payment>): Change => ({
        tenant,
        payment: { expected: 1, after: { ...after, version: 2, updatedAt: 2, ...parts } },
        attempts: [],
        events: []
      })
      const broken: ReadonlyArray<Partial<Payment>> = [
        { createdAt: after.createdAt + 1 },
        { money: { ...after.money, minorUnits: after.money.minorUnits + 1 } },
        { money: { ...after.money, currency: "USD" } }
      ]
      for (const parts of broken) {
        const exit = yield* Effect.exit(ledger.commit(next(parts)))
        expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
        expect(yield* ledger.payment(tenant, after.id)).toEqual(Option.some(after))
      }
      yield* ledger.commit(next({}))
      expect(Option.getOrThrow(yield* ledger.payment(tenant, after.id)).version).toBe(2)
    }).pipe(withStorage({ filename: ":memory:" }))
  )

  /** `isStored`: whether the changes are stored afterwards, where that is known. */
  const ends: ReadonlyArray<
    readonly [title: string, sql: RegExp, run: (db: Database) => void, tag: string, isStored: boolean | null]
  > = [
    [
      "every change of a batch fails as surely not written if SQLite refuses COMMIT",
      /^COMMIT$/,
      () => {
        throw sqliteError(5)
      },
      "pointsman/StorageError",
      false
    ],
    [
      "no change of a batch is reported unwritten if the disk fails after COMMIT",
      /^COMMIT$/,
      (db) => {
        db.exec("COMMIT")
        throw sqliteError(10)
      },
      "pointsman/CommitUnknown",
      true
    ],
    [
      "a batch is unknown if the disk fails in its COMMIT, and the ledger continues",
      /^COMMIT$/,
      () => {
        throw sqliteError(1034)
      },
      "pointsman/CommitUnknown",
      null
    ],
    [
      "every change of a batch fails as surely not written if COMMIT finds a full disk",
      /^COMMIT$/,
      fillUp,
      full,
      false
    ],
    [
      "all of a batch fails, with nothing outside, if a full disk ends its transaction",
      /^insert into names/,
      fillUp,
      full,
      false
    ]
  ]
  for (const [title, sql, run, tag, isStored] of ends) {
    it.effect(title, () =>
      Effect.gen(function* () {
        const { db, ledger } = yield* withStatement(sql, run)
        const changes = yield* newChanges(4)
        expect(tags(yield* commitAll(ledger, changes))).toEqual(Array(4).fill(tag))
        expect(db.isTransaction()).toBe(false)
        if (isStored !== null) expect(yield* stored(ledger, changes)).toEqual(Array(4).fill(isStored))
        if (isStored === false) expect(yield* ledger.events(tenant, { limit: 10 })).toEqual([])
        // The same changes can be written if they were not: nothing of them is in the way.
        const next = isStored === false ? changes : yield* newChanges(2)
        expect(new Set(tags(yield* commitAll(ledger, next)))).toEqual(new Set(["written"]))
      }).pipe(Effect.provide(Ids.layer))
    )
  }

  itRuns("changes that wait are written before the storage closes", function* () {
    const filename = yield* newFile
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(Layer.provideMerge(layer({ filename }), Ids.layer), scope)
    const { changes, fibers, late } = yield* Effect.gen(function* () {
      const ledger = yield* Ledger
      const changes = yield* newChanges(8)
      const fibers = yield* Effect.forEach(changes, (change) =>
        Effect.forkDetach(ledger.commit(change), { startImmediately: true })
      )
      const change = yield* newChange()
      return { changes, fibers, late: ledger.commit(change) }
    }).pipe(Effect.provideContext(context))

    yield* Scope.close(scope, Exit.void)

    const exits = yield* Effect.forEach(fibers, (fiber) => Fiber.await(fiber))
    expect(exits.every(Exit.isSuccess)).toBe(true)
    expect((yield* Effect.flip(late))._tag).toBe("pointsman/StorageError")
    yield* Effect.gen(function* () {
      expect(yield* stored(yield* Ledger, changes)).toEqual(Array(8).fill(true))
    }).pipe(withStorage({ filename }))
  })
})
