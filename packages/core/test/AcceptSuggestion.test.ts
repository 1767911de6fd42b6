/** What it means that an operator accepts the payment that is suggested for a row. */
import { assert, describe } from "@effect/vitest"
import { Pointsman, ReportBeingRead, SuggestionNotFound, settlementOf } from "@pointsman/core"
import type { ReportRow } from "@pointsman/core/connector"
import { Audit, Settlements, Unanswered } from "@pointsman/core/ports"
import { Effect, Exit, Result } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn, itRuns } from "./support/ItIn.ts"
import { created } from "./support/Operations.ts"
import { attemptIdOf, stored } from "./support/Pages.ts"
import { day, entriesOf, eur, journalNow, orderOf, paidAt, reconcile, rowOf, unexplainedIn } from "./support/Reports.ts"
import { dyingAt } from "./support/Steps.ts"
import { tenant, type World, world } from "./support/World.ts"

/** A row without an id of ours, and a payment that was never answered and that it may be of. */
const suggested = Effect.fnUntraced(function* (own: World, fields: Partial<Omit<ReportRow, "names">> = {}) {
  own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "lost" }))
  const payment = yield* created()
  yield* TestClock.setTime(paidAt + day)
  const row = rowOf(undefined, {
    id: "txn_1",
    gross: eur(1999),
    fee: eur(30),
    net: eur(1969),
    occurredAt: payment.createdAt + day,
    ...fields,
    names: { providerRef: "ch_1" }
  })
  yield* reconcile(orderOf([row]))
  return { payment, row, order: { connectionId: "main", rowId: "txn_1", paymentId: payment.id } }
})

const accept = (order: { readonly connectionId: string; readonly rowId: string; readonly paymentId: string }) =>
  Effect.flatMap(Pointsman, ({ reconciliation }) => Effect.result(reconciliation.accept(order)))

const accepts = Effect.fnUntraced(function* (order: Parameters<typeof accept>[0]) {
  assert.deepStrictEqual(yield* accept(order), Result.void)
})

const refused = Result.fail(new SuggestionNotFound())

/** Result and reason of the entry that counts, its payment, and what closed the one before. */
const standing = Effect.map(entriesOf, (entries) =>
  entries
    .filter(({ kind }) => kind === "charge")
    .map(({ closed, corrected, paymentId, reason, result, suggestedPaymentId }) => [
      corrected === null ? "counts" : "replaced",
      `${result} ${reason}`,
      paymentId,
      suggestedPaymentId,
      closed?.by ?? null
    ])
)

const unexplained = Effect.map(journalNow, unexplainedIn)

describe("a suggested payment that is accepted", () => {
  itHere("an unanswered payment takes what the row states, and the books are explained", function* (own) {
    const { order, payment } = yield* suggested(own)
    assert.deepStrictEqual(yield* stored(payment), payment)
    assert.strictEqual(yield* unexplained, -1999)
    yield* accepts(order)
    const { capturedMinor, providerRef, review, state } = yield* stored(payment)
    assert.deepStrictEqual([state, capturedMinor, providerRef, review], ["Settled", 1999, "ch_1", null])
    assert.deepStrictEqual(yield* standing, [
      ["replaced", "missing_here not_found", null, payment.id, "comparison"],
      ["counts", "matched accepted", payment.id, null, null]
    ])
    assert.deepStrictEqual(settlementOf(yield* (yield* Settlements).entriesOf(tenant, [payment.id]))?.feeMinor, 30)
    assert.strictEqual(yield* unexplained, 0)
    assert.deepStrictEqual(yield* accept(order), refused)
    const acts = (yield* (yield* Audit).list({ after: 0, limit: 50 })).filter(
      ({ action }) => action === "suggestion.accepting"
    )
    assert.deepStrictEqual(
      acts.map(({ details, subject }) => [subject, JSON.parse(details)]),
      [1, 2].map(() => ["main/txn_1", { workspace_id: "acme", environment: "sandbox", payment_id: payment.id }])
    )
  })

  const again = world({ fourEyes: { EUR: 1999 } })
  itIn("two people decide the amount under four eyes; the payment keeps newer versions", again, function* () {
    const { order, payment, row } = yield* suggested(again)
    yield* accepts(order)
    assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
    const differs = "status_differs accepted"
    assert.deepStrictEqual(yield* standing, [
      ["replaced", "missing_here not_found", null, payment.id, "comparison"],
      ["counts", differs, payment.id, null, null]
    ])
    for (const [at, payoutId] of ["po_2", "po_3"].entries()) {
      yield* TestClock.setTime(paidAt + (2 + at) * day)
      yield* reconcile(orderOf([{ ...row, payoutId }], { sha256: payoutId }))
      const counts = (yield* standing).filter(([first]) => first === "counts")
      assert.deepStrictEqual(counts, [["counts", differs, payment.id, null, null]])
    }
    yield* reconcile(orderOf([{ ...row, generatedAt: paidAt }], { sha256: "late" }))
    assert.lengthOf(yield* entriesOf, 4)
  })

  itRuns("accepting again after a process died at any write has the same result", function* () {
    const results = new Set<string>()
    for (const isWritten of [false, true]) {
      for (let at = 0; at <= 2; at++) {
        const one = world()
        const result = yield* Effect.gen(function* () {
          const { order, payment } = yield* suggested(one)
          const process = yield* dyingAt(one, at, isWritten ? "after" : "before")
          const exit = yield* Effect.exit(process.reconciliation.accept(order))
          assert.strictEqual(Exit.isFailure(exit), at > 0)
          yield* accept(order)
          const { capturedMinor, state } = yield* stored(payment)
          const entries = (yield* standing).map((entry) => entry.map((field) => (field === payment.id ? "it" : field)))
          return JSON.stringify([entries, state, capturedMinor])
        }).pipe(Effect.scoped, Effect.provide(one.layer))
        results.add(result)
      }
    }
    assert.strictEqual(results.size, 1)
  })
})

describe("a suggestion that is not accepted", () => {
  itHere("a row of another payment, without one, or of a closed difference changes nothing", function* (own) {
    const { order, payment } = yield* suggested(own)
    const { reconciliation } = yield* Pointsman
    const another = yield* created()
    for (const wrong of [
      { ...order, paymentId: another.id },
      { ...order, rowId: "txn_2" },
      { ...order, connectionId: "backup" },
      { ...order, connectionId: "none" }
    ]) {
      assert.deepStrictEqual(yield* accept(wrong), refused)
    }
    yield* reconciliation.close({ connectionId: "main", rowId: "txn_1", note: "another shop's" })
    assert.deepStrictEqual(yield* accept(order), refused)
    assert.deepStrictEqual([yield* stored(payment), yield* stored(another)], [payment, another])
  })

  for (const [why, ref] of [
    ["a charge of its own", "ch_ours"],
    ["a row of its own", "ch_1"]
  ] as const) {
    itHere(`a row stays without a payment that has ${why} by now`, function* (own) {
      const { order, payment } = yield* suggested(own)
      const names = { attemptId: attemptIdOf(payment), providerRef: ref }
      yield* reconcile(orderOf([rowOf(payment, { id: "ours", names })]))
      const settled = yield* stored(payment)
      assert.strictEqual(settled.state, "Settled")
      assert.deepStrictEqual(yield* accept(order), refused)
      assert.deepStrictEqual(yield* stored(payment), settled)
      const foreign = (yield* entriesOf).find(({ rowId }) => rowId === "txn_1")
      assert.deepStrictEqual([foreign?.result, foreign?.closed], ["missing_here", null])
    })
  }

  itHere("an acceptance while the connection's report is read names it and changes nothing", function* (own) {
    const { order, payment } = yield* suggested(own)
    const now = paidAt + day
    const lease = { holder: "a reader", runId: "rec_1", fileName: "june.csv", now, until: now + 60_000 }
    yield* (yield* Settlements).hold(tenant, "main", lease)
    const by = new ReportBeingRead({ runId: "rec_1", fileName: "june.csv", since: now, until: now + 60_000 })
    assert.deepStrictEqual(yield* accept(order), Result.fail(by))
    assert.deepStrictEqual(yield* stored(payment), payment)
  })
})
