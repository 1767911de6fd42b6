/** Versions of one row that meet in a batch, in a run that died, or beside a person's word. */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman, settlementOf } from "@pointsman/core"
import type { ReportRow } from "@pointsman/core/connector"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { attemptIdOf, stored } from "./support/Pages.ts"
import { day, entriesOf, eur, orderOf, paidAt, reconcile, rowOf, runDying } from "./support/Reports.ts"
import { captured, created, unanswered } from "./support/Statements.ts"
import { assertFields } from "./support/Steps.ts"
import { type World, world } from "./support/World.ts"

const given = Effect.fnUntraced(function* (own: World, answer: Parameters<typeof created>[0]) {
  const payment = yield* created(answer)(own)
  yield* TestClock.setTime(paidAt + day)
  const names = { attemptId: attemptIdOf(payment), providerRef: "ch_1" }
  return { payment, row: rowOf(payment, { id: "x", gross: eur(1999), names }) }
})

const isSettled = Effect.fnUntraced(function* (payment: Payment) {
  assert.deepInclude(yield* stored(payment), { state: "Settled", capturedMinor: 1999, review: null })
})

describe("versions of a row", () => {
  const taken = Effect.fnUntraced(function* (own: World) {
    const { payment } = yield* given(own, captured)
    const row = (fee: number, more: Partial<ReportRow> = {}) =>
      rowOf(payment, { id: "x", fee: eur(fee), net: eur(1999 - fee), ...more })
    let reports = 0
    /** The fee that counts afterwards, and the rows that were known. */
    const read = Effect.fnUntraced(function* (...rows: ReadonlyArray<ReportRow>) {
      yield* TestClock.adjust(1)
      const run = yield* reconcile(orderOf(rows, { sha256: `report ${++reports}` }))
      return [settlementOf(yield* entriesOf)?.feeMinor, run.rowsKnown]
    })
    return { payment, read, row }
  })

  itIn("the last generated version counts, and then that of the last run", world(), function* (own) {
    const { read, row } = yield* taken(own)
    assert.deepStrictEqual(yield* read(row(50, { generatedAt: 1 })), [50, 0])
    assert.deepStrictEqual(yield* read(row(60, { generatedAt: 2 })), [60, 0])
    assert.deepStrictEqual(yield* read(row(50, { generatedAt: 3 })), [50, 0])
    assert.deepStrictEqual(yield* read(row(70, { generatedAt: 2 })), [50, 1])
    assert.deepStrictEqual(yield* read(row(50, { generatedAt: 9 })), [50, 1])
    assert.deepStrictEqual(yield* read(row(80, { generatedAt: 8 })), [50, 1])
    assert.deepStrictEqual(yield* read(row(90, { generatedAt: 9 })), [90, 0])
    // Without a time of its own, a report was generated when its run began.
    assert.deepStrictEqual(yield* read(row(10)), [10, 0])
    // A provider whose clock is years ahead does not decide over later reports.
    assert.deepStrictEqual(yield* read(row(20, { generatedAt: 10 ** 15 })), [20, 0])
    assert.deepStrictEqual(yield* read(row(30)), [30, 0])
    const counted = (yield* entriesOf).filter(({ corrected }) => corrected === null)
    assertFields(counted, "result", "matched")
  })

  itIn("a report without payouts takes back no payout that another one named", world(), function* (own) {
    const { read, row } = yield* taken(own)
    yield* read(row(50))
    assert.deepStrictEqual(yield* read(row(50, { payoutId: null, settledAt: null })), [50, 1])
    assert.deepStrictEqual(yield* read(row(60, { payoutId: null, settledAt: null })), [60, 0])
    const { payoutId, settledAt } = settlementOf(yield* entriesOf) ?? {}
    assert.deepStrictEqual([payoutId, settledAt], ["po_1", paidAt + day])
  })

  itIn("a row counts once that comes twice in a report, in several reports", world(), function* (own) {
    const { read, row } = yield* taken(own)
    assert.deepStrictEqual(yield* read(row(50), row(50)), [50, 0])
    assert.deepStrictEqual(yield* read(row(60), row(60)), [60, 0])
    assert.deepStrictEqual(yield* read(row(60), row(60)), [60, 2])
    const results = (yield* entriesOf).flatMap(({ corrected, reason, result }) =>
      corrected === null ? [`${result} ${reason}`] : []
    )
    assert.deepStrictEqual(results.toSorted(), ["duplicate same_row", "duplicate same_row", "matched by_id"])
  })

  itIn("only the newer of two versions in one batch says what was captured", world(), function* (own) {
    const { payment, row: newer } = yield* given(own, unanswered)
    yield* reconcile(orderOf([{ ...newer, gross: eur(1500) }, newer]))
    yield* isSettled(payment)
  })

  itIn("a dead run's version states nothing once a newer one was applied", world(), function* (own) {
    const { payment, row: newer } = yield* given(own, unanswered)
    const older = () => orderOf([{ ...newer, gross: eur(1500) }], { sha256: "older" })
    yield* runDying(own, older())
    yield* TestClock.adjust(1)
    yield* reconcile(orderOf([newer], { sha256: "newer" }))
    yield* reconcile(older())
    yield* isSettled(payment)
  })

  itIn("a row that comes again states nothing after a person closed its difference", world(), function* (own) {
    const { payment, row } = yield* given(own, unanswered)
    yield* runDying(own, orderOf([row], { sha256: "one" }))
    const { reconciliation } = yield* Pointsman
    yield* reconciliation.close({ connectionId: "main", rowId: "x", note: "not ours" })
    yield* reconcile(orderOf([row], { sha256: "two" }))
    yield* reconcile(orderOf([row], { sha256: "one" }))
    assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
  })

  itIn("a duplicate is none once its row is paid out later", world(), function* (own) {
    const { payment } = yield* given(own, captured)
    const unpaid = { payoutId: null, settledAt: null }
    const rows = [rowOf(payment, { id: "x", ...unpaid }), rowOf(payment, { id: "y", ...unpaid })]
    yield* reconcile(orderOf(rows, { sha256: "one" }))
    yield* reconcile(orderOf([rowOf(payment, { id: "x" })], { sha256: "two" }))
    const newest = (yield* entriesOf).filter(({ corrected }) => corrected === null)
    assert.deepStrictEqual(newest.map(({ result }) => result).toSorted(), ["duplicate", "matched"])
    assert.strictEqual(settlementOf(newest)?.payoutId, "po_1")
    assert.strictEqual((yield* stored(payment)).state, "Settled")
  })
})
