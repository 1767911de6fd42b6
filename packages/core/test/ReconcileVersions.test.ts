/** Versions of one row that meet in a batch, in a run that died, or beside a person's word. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman, type ReportOrder, settlementOf } from "@pointsman/core"
import { Ledger, Unanswered } from "@pointsman/core/ports"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { attemptsOf, stored } from "./support/Pages.ts"
import { day, entriesOf, eur, orderOf, paidAt, reconcile, rowOf } from "./support/Reports.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const create = Effect.flatMap(Pointsman, (pointsman) => Effect.result(pointsman.create(caller, request())))

const created = Effect.gen(function* () {
  yield* create
  const [payment] = (yield* (yield* Pointsman).payments(tenant, { limit: 1 })).items
  assert(payment !== undefined)
  const [attempt] = yield* attemptsOf(payment)
  assert(attempt !== undefined)
  yield* TestClock.setTime(paidAt + day)
  return { payment, attemptId: attempt.id }
})

const unanswered = Effect.fnUntraced(function* (own: World) {
  own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "lost" }))
  return yield* created
})

/** Reads the report in a process that dies before it applies what it has stored. */
const runDying = Effect.fnUntraced(function* (own: World, order: ReportOrder) {
  const ledger = yield* Ledger
  const dying = { ...ledger, commit: () => Effect.die(new Error("the process died")) }
  const process = yield* own.another.pipe(Effect.provideService(Ledger, dying))
  assert.isTrue(Exit.isFailure(yield* Effect.exit(process.reconciliation.run(order))))
})

describe("versions of a row", () => {
  const inBatch = world()
  it.effect("given two versions in one batch, then the newer one alone says what was captured", () =>
    Effect.gen(function* () {
      const { attemptId, payment } = yield* unanswered(inBatch)
      const newer = rowOf(payment, { id: "x", gross: eur(1999), names: { attemptId, providerRef: "ch_1" } })
      yield* reconcile(orderOf([{ ...newer, gross: eur(1500) }, newer]))
      const { capturedMinor, review, state } = yield* stored(payment)
      assert.deepStrictEqual([state, capturedMinor, review], ["Settled", 1999, null])
    }).pipe(Effect.scoped, Effect.provide(inBatch.layer))
  )

  const resumed = world()
  it.effect(
    "given a run that died, when a newer version was applied meanwhile, then its own version states nothing",
    () =>
      Effect.gen(function* () {
        const { attemptId, payment } = yield* unanswered(resumed)
        const newer = rowOf(payment, { id: "x", gross: eur(1999), names: { attemptId, providerRef: "ch_1" } })
        const older = () => orderOf([{ ...newer, gross: eur(1500) }], { sha256: "older" })
        yield* runDying(resumed, older())
        yield* reconcile(orderOf([newer], { sha256: "newer" }))
        yield* reconcile(older())
        const { capturedMinor, review, state } = yield* stored(payment)
        assert.deepStrictEqual([state, capturedMinor, review], ["Settled", 1999, null])
      }).pipe(Effect.scoped, Effect.provide(resumed.layer))
  )

  const closed = world()
  it.effect("given a difference that a person closed, when its row comes again, then it states nothing", () =>
    Effect.gen(function* () {
      const { attemptId, payment } = yield* unanswered(closed)
      const row = rowOf(payment, { id: "x", gross: eur(1999), names: { attemptId, providerRef: "ch_1" } })
      yield* runDying(closed, orderOf([row], { sha256: "one" }))
      const { reconciliation } = yield* Pointsman
      yield* reconciliation.close({ connectionId: "main", rowId: "x", note: "not ours" })
      yield* reconcile(orderOf([row], { sha256: "two" }))
      yield* reconcile(orderOf([row], { sha256: "one" }))
      assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
    }).pipe(Effect.scoped, Effect.provide(closed.layer))
  )

  const paidLater = world()
  it.effect("given a duplicate after a row, when the row is paid out later, then it is no duplicate", () =>
    Effect.gen(function* () {
      paidLater.provider.onCharge = ({ attemptId }) =>
        Effect.succeed({ _tag: "Captured", providerRef: `ch_${attemptId}` })
      const { payment } = yield* created
      const unpaid = { payoutId: null, settledAt: null }
      const rows = [rowOf(payment, { id: "x", ...unpaid }), rowOf(payment, { id: "y", ...unpaid })]
      yield* reconcile(orderOf(rows, { sha256: "one" }))
      yield* reconcile(orderOf([rowOf(payment, { id: "x" })], { sha256: "two" }))
      const newest = (yield* entriesOf).filter(({ corrected }) => corrected === null)
      assert.deepStrictEqual(newest.map(({ result }) => result).toSorted(), ["duplicate", "matched"])
      assert.strictEqual(settlementOf(newest)?.payoutId, "po_1")
      assert.strictEqual((yield* stored(payment)).state, "Settled")
    }).pipe(Effect.provide(paidLater.layer))
  )
})
