/** What leaves the store, what is answered about it afterwards, and what a late message finds. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman, type SweepOrder } from "@pointsman/core"
import { BeforeRemoval, Directory, Ledger, Retention, type WholePayment } from "@pointsman/core/ports"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { sweepStore } from "../src/verbs/retain/SweepStore.ts"
import { itIn } from "./support/ItIn.ts"
import { eur, orderOf, rowOf } from "./support/Reports.ts"
import { say } from "./support/Statements.ts"
import { caller, nothingConfigured, request, tenant, workspace, world } from "./support/World.ts"

const day = 24 * 60 * 60_000
const sevenYears = 7 * 366 * day

const sweep = Effect.fnUntraced(function* (order: Partial<SweepOrder> = {}) {
  const { tenants } = yield* (yield* Pointsman).sweepStore({ isDryRun: false, pauseMillis: 0, ...order })
  const own = tenants.find((one) => one.tenant.environment === tenant.environment)
  return { payments: own?.payments, kept: own?.kept }
})

const pay = (providerRef: string) => (own: ReturnType<typeof world>) =>
  Effect.gen(function* () {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Captured", providerRef })
    return (yield* (yield* Pointsman).create(caller, request({ idempotencyKey: `key-${providerRef}` }))).payment
  })

describe("the sweep of the store", () => {
  itIn("a captured payment leaves after seven years, and is not found any more", world(), function* (own, pointsman) {
    const payment = yield* pay("ch_1")(own)
    yield* TestClock.adjust(sevenYears - 1)
    assert.deepStrictEqual(yield* sweep(), { payments: 0, kept: {} })
    yield* TestClock.adjust(1)
    // Its creation is in the same millisecond as its last write.
    assert.deepStrictEqual(yield* sweep(), { payments: 0, kept: {} })
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* sweep({ isDryRun: true }), { payments: 1, kept: {} })
    assert.deepStrictEqual(yield* sweep({ workspaceId: "other" }), { payments: undefined, kept: undefined })
    assert.deepStrictEqual(yield* sweep(), { payments: 1, kept: {} })
    const refund = { paymentId: payment.id, amountMinor: null, reason: null, idempotencyKey: "refund-1" }
    for (const { _tag } of [
      yield* Effect.flip(pointsman.payment(tenant, payment.id)),
      yield* Effect.flip(pointsman.refund(caller, refund))
    ]) {
      assert.strictEqual(_tag, "pointsman/PaymentNotFound")
    }
  })

  itIn("a message of a dispute of a payment that left is kept and says so", world(), function* (late, pointsman) {
    const payment = yield* pay("ch_1")(late)
    yield* TestClock.adjust(sevenYears + 1)
    assert.strictEqual((yield* sweep()).payments, 1)
    const charge = { providerRef: "ch_1" }
    yield* say(payment, { _tag: "Dispute", charge, disputeId: "dp_1", verdict: "opened" }, sevenYears + 2)
    const [message] = yield* (yield* Ledger).messages({ tenant, limit: 9 })
    assert.strictEqual(message?.outcome, "unmatched")
    assert.strictEqual(message?.reason, `payment ${payment.id} left the store`)
    // It is no sign of lost records, and the next payment is made.
    assert.isNull(yield* pointsman.recordLoss)
    // Its reference is still its own: one that gets the same is reviewed.
    const another = yield* pay("ch_1")(late)
    const stored = Option.getOrThrow(yield* (yield* Ledger).payment(tenant, another.id))
    assert.include(stored.review?.reasons ?? [], "reference_reused")
  })

  itIn("a process waits for the next sweep if another one swept in the last hour", world(), function* (own, pointsman) {
    const other = yield* own.another
    const { lease } = yield* Retention
    yield* pay("ch_1")(own)
    yield* TestClock.adjust(sevenYears + 1)
    assert.isTrue(yield* lease({ holder: "a process that died", now: 0, until: sevenYears + 2 }))
    yield* pointsman.sweepInTurn
    const count = Effect.flatMap(Ledger, (ledger) => ledger.payments(tenant, { limit: 9 })).pipe(
      Effect.map(({ length }) => length)
    )
    assert.strictEqual(yield* count, 1)
    yield* TestClock.adjust(1)
    yield* pointsman.sweepInTurn
    assert.strictEqual(yield* count, 0)
    yield* pay("ch_2")(own)
    yield* TestClock.adjust(54 * 60_000)
    assert.isFalse(
      yield* lease({ holder: "another", now: sevenYears + 2 + 54 * 60_000, until: sevenYears + 3 + 54 * 60_000 })
    )
    yield* other.sweepInTurn
    assert.strictEqual(yield* count, 1)
  })

  const settled = world()
  it.effect("the archive gets the rows of reports about a payment that leaves", () => {
    const given: Array<WholePayment> = []
    const archive = Layer.succeed(BeforeRemoval, (payments) => Effect.sync(() => void given.push(...payments)))
    return Effect.gen(function* () {
      const { reconciliation } = yield* Pointsman
      const one = yield* pay("ch_1")(settled)
      const other = yield* pay("ch_2")(settled)
      const fee = rowOf(undefined, { id: "fee", kind: "fee", gross: eur(-1) })
      yield* reconciliation.run(orderOf([rowOf(one, { id: "txn_1" }), fee]))
      yield* TestClock.adjust(sevenYears + 1)
      assert.strictEqual((yield* sweep()).payments, 2)
      assert.deepStrictEqual(
        given.map(({ book, settlements }) => [book.payment.id, settlements?.map(({ rowId }) => rowId)]),
        [
          [one.id, ["txn_1"]],
          [other.id, undefined]
        ]
      )
      assert.deepStrictEqual(yield* reconciliation.entriesOf(tenant, [one.id]), [])
    }).pipe(Effect.scoped, Effect.provide(settled.layer.pipe(Layer.provide(archive))))
  })

  itIn("a sweep prunes what else is old and fails at its end if payments cannot leave", world(), function* (own) {
    const pruned: Array<string> = []
    const retention = yield* Retention
    yield* pay("ch_1")(own)
    yield* TestClock.adjust(sevenYears + 1)
    const failing = sweepStore({ isDryRun: false, pauseMillis: 0 }).pipe(
      Effect.provideService(BeforeRemoval, () => Effect.die("the archive is down")),
      Effect.provideService(Retention, {
        ...retention,
        pruneDeliveries: ({ tenant: { environment } }) =>
          environment === "sandbox"
            ? Effect.die("a row is unreadable")
            : Effect.sync(() => pruned.push(`deliveries ${environment}`)),
        pruneBodies: ({ tenant: { environment } }) => Effect.sync(() => pruned.push(`bodies ${environment}`))
      })
    )
    const exit = yield* Effect.exit(failing)
    assert.strictEqual(exit._tag, "Failure")
    assert.sameMembers(pruned, ["bodies sandbox", "deliveries production", "bodies production"])
  })

  itIn("a sweep leaves workspaces of the longest times to the upkeep", world(), function* () {
    const directory = yield* Directory
    const retention = yield* Retention
    const write = (id: string, deliveries: number | null, messages: number | null) =>
      directory.write({ ...nothingConfigured, workspaces: [{ ...workspace, id, retention: { deliveries, messages } }] })
    yield* write("short", 30 * day, 200 * day)
    yield* write("long", 100 * day, 100 * day)
    const dropped: Array<ReadonlyArray<number | null>> = []
    const swept = (workspaceId?: string) => {
      const left = new Set<string>()
      return sweepStore({ isDryRun: false, pauseMillis: 0, workspaceId }).pipe(
        Effect.provideService(Retention, {
          ...retention,
          upkeep: ({ bodiesBefore, deliveriesBefore }) =>
            Effect.as(
              Effect.sync(() => dropped.push([deliveriesBefore, bodiesBefore])),
              { deliveries: 0, bodies: 0 }
            ),
          pruneBodies: ({ isLongest, tenant: { workspaceId } }) =>
            Effect.as(
              Effect.sync(() => (isLongest === true ? left.add(`${workspaceId} bodies`) : undefined)),
              0
            ),
          pruneDeliveries: ({ isLongest, tenant: { workspaceId } }) =>
            Effect.as(
              Effect.sync(() => (isLongest === true ? left.add(workspaceId) : undefined)),
              0
            )
        }),
        Effect.as(left)
      )
    }
    yield* TestClock.adjust(sevenYears)
    assert.deepStrictEqual(yield* swept(), new Set(["long", "short bodies"]))
    assert.deepStrictEqual(yield* swept("long"), new Set())
    yield* write("short", null, null)
    assert.deepStrictEqual(yield* swept(), new Set())
    const dates = [
      [sevenYears - 100 * day, sevenYears - 200 * day],
      [null, null],
      [null, null]
    ]
    assert.deepStrictEqual(dropped, dates)
  })
})
