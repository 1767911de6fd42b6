/** Rows that may not decide money: suggested, of another sign, of another charge, without a dispute, above four eyes. */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import type { ReportRow } from "@pointsman/core/connector"
import { CommitUnknown, Ledger, type OperationAnswer } from "@pointsman/core/ports"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { begin, disputed, disputeEvents, state } from "./support/Disputes.ts"
import { itIn } from "./support/ItIn.ts"
import { creating, operate } from "./support/Operations.ts"
import { attemptIdOf, bookOf, stored } from "./support/Pages.ts"
import { day, entriesOf, eur, foundIn, orderOf, paidAt, reconcile, rowOf, runDying } from "./support/Reports.ts"
import { authorized, captured, capturedBy, created, refundedBy, unanswered } from "./support/Statements.ts"
import { assertFields, dyingAt } from "./support/Steps.ts"
import { tenant, type World, world } from "./support/World.ts"

const lost = Effect.fail(unanswered)

/** A payment whose charge was never answered, with the id of its attempt. */
const unknown = Effect.fnUntraced(function* (own: World, reference: string | null = null) {
  own.provider.onCharge = () => lost
  const payment = yield* creating({ details: { reference } })
  yield* TestClock.setTime(paidAt + day)
  return { payment, attemptId: attemptIdOf(payment) }
})

const taken = (own: World) => Effect.tap(created(captured)(own), () => TestClock.setTime(paidAt + day))

/** What ended the difference of each row that has one. */
const closings = Effect.map(entriesOf, (entries) =>
  Object.fromEntries(
    entries.flatMap(({ closed, number, result, rowId }) =>
      result === "matched" || number === 0 ? [] : [[rowId, closed?.by]]
    )
  )
)

const refundsOf = (payment: Payment) =>
  Effect.map(bookOf(payment), ({ refunds }) => refunds.map(({ providerRefundId, stage }) => [stage, providerRefundId]))

/** A charge of another shop in the same account of the provider. */
const foreignRow = (id: string, fields: Partial<Omit<ReportRow, "names">> = {}) =>
  rowOf(undefined, {
    id,
    gross: eur(1999),
    occurredAt: day,
    ...fields,
    names: { providerRef: `ch_${id}`, reference: `shop-${id}` }
  })

/** The payment that is suggested for each row that has one. */
const suggestions = Effect.map(entriesOf, (entries) =>
  Object.fromEntries(
    entries.flatMap(({ rowId, suggestedPaymentId }) =>
      suggestedPaymentId === null ? [] : [[rowId, suggestedPaymentId]]
    )
  )
)

describe("a row that fits a payment by amount and time alone", () => {
  for (const [how, inOne] of [
    ["in one report", true],
    ["in a report before it", false]
  ] as const) {
    itIn(`a row before that of our charge ${how} is suggested, and ours is the match`, world(), function* (own) {
      const { attemptId, payment } = yield* unknown(own)
      const foreign = foreignRow("foreign", { fee: eur(99), net: eur(1900), payoutId: "po_foreign" })
      const ours = rowOf(payment, { id: "ours", names: { attemptId, providerRef: "ch_ours" } })
      if (inOne) yield* reconcile(orderOf([foreign, ours]))
      else {
        yield* reconcile(orderOf([foreign]))
        assert.deepStrictEqual(yield* stored(payment), payment)
        yield* reconcile(orderOf([ours]))
      }
      const entries = yield* entriesOf
      assert.deepStrictEqual(foundIn(entries), { foreign: "missing_here not_found", ours: "status_differs by_id" })
      assert.deepStrictEqual(yield* suggestions, { foreign: payment.id })
      assert.deepStrictEqual(yield* closings, { foreign: undefined, ours: "statement" })
      const { providerRef, review, state: after } = yield* stored(payment)
      assert.deepStrictEqual([after, providerRef, review], ["Settled", "ch_ours", null])
      const { reconciliation } = yield* Pointsman
      const ofPayment = yield* reconciliation.entriesOf(tenant, [payment.id])
      assertFields(ofPayment, "rowId", "ours")
    })
  }

  itIn("the merchant's reference decides between payments, or none is suggested", world(), function* (own) {
    own.provider.onCharge = () => lost
    yield* creating({ details: { reference: "shop-other" } })
    const { payment } = yield* unknown(own, "shop-named")
    yield* reconcile(
      orderOf([
        foreignRow("named", { occurredAt: 20 * day }),
        foreignRow("two"),
        foreignRow("less", { gross: eur(100) }),
        foreignRow("later", { occurredAt: 60 * day }),
        rowOf(undefined, { id: "lost", gross: eur(1999), occurredAt: day, names: { attemptId: "att_lost" } })
      ])
    )
    assert.deepStrictEqual(yield* suggestions, { named: payment.id })
    assert.deepStrictEqual(new Set(Object.values(foundIn(yield* entriesOf))), new Set(["missing_here not_found"]))
  })

  itIn("another charge of a payment with a known one is no suggestion and no match", world(), function* (own) {
    own.provider.onCharge = () => Effect.succeed(captured)
    const payment = yield* creating({ details: { reference: "order-1" } })
    yield* TestClock.setTime(paidAt + day)
    yield* reconcile(
      orderOf([
        rowOf(payment, { id: "foreign", names: { providerRef: "ch_other", reference: "order-1" } }),
        rowOf(payment, { id: "ours", names: { reference: "order-1" } })
      ])
    )
    const { review, state: after } = yield* stored(payment)
    assert.deepStrictEqual([after, review], ["Settled", null])
    assert.deepStrictEqual(foundIn(yield* entriesOf), {
      foreign: "missing_here not_found",
      ours: "matched by_id"
    })
    assert.deepStrictEqual(yield* suggestions, {})
  })
})

describe("a second row of a charge", () => {
  itIn("a payment is settled by the second row if only that names a payout", world(), function* (own) {
    const payment = yield* taken(own)
    yield* reconcile(orderOf([rowOf(payment, { id: "first", payoutId: null }), rowOf(payment, { id: "second" })]))
    assert.strictEqual((yield* stored(payment)).state, "Settled")
    assert.deepStrictEqual(foundIn(yield* entriesOf), { first: "matched by_id", second: "duplicate by_id" })
    assert.deepStrictEqual(yield* closings, { second: undefined })
  })

  itIn("operations review a payment with a row of a second charge at the provider", world(), function* (own) {
    const { attemptId, payment } = yield* unknown(own)
    const row = (id: string) => rowOf(payment, { id, payoutId: null, names: { attemptId, providerRef: `ch_${id}` } })
    yield* reconcile(orderOf([row("first"), row("second")]))
    const { providerRef, review } = yield* stored(payment)
    assert.deepStrictEqual([providerRef, review?.reasons], ["ch_first", ["double_charge"]])
    assert.deepStrictEqual(yield* closings, { first: "statement", second: undefined })
  })

  itIn("a smaller capture captures no more when a whole row comes twice", world(), function* (own) {
    const payment = yield* capturedBy(captured, 500)(own)
    yield* TestClock.setTime(paidAt + day)
    const rows = [
      rowOf(payment, { id: "whole" }),
      rowOf(payment, { id: "rest", kind: "charge_failed", gross: eur(-1499) }),
      rowOf(payment, { id: "again" })
    ]
    yield* reconcile(orderOf(rows))
    const { capturedMinor, review } = yield* stored(payment)
    assert.deepStrictEqual([capturedMinor, review], [500, null])
    assert.deepStrictEqual(yield* closings, { whole: "row", again: undefined })
  })

  const two = world({ fourEyes: { EUR: 1999 } })
  itIn("two people decide under four eyes when a second row differs from the record", two, function* (own) {
    const { attemptId, payment } = yield* unknown(own)
    const row = (id: string) => rowOf(payment, { id, payoutId: null, names: { attemptId, providerRef: `ch_${id}` } })
    yield* reconcile(orderOf([row("first"), row("second")]))
    assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
    const second = (yield* entriesOf).find(({ rowId }) => rowId === "second")
    assert.deepStrictEqual(
      [second?.result, second?.expected],
      ["duplicate", "one charge; two people: propose a correction"]
    )
  })
})

describe("a row of a refund", () => {
  const lostRefund = (own: World) => Effect.tap(refundedBy(unanswered, 400)(own), () => TestClock.setTime(paidAt + day))

  itIn("only our id confirms an unknown refund when another of its amount is there", world(), function* (own) {
    const payment = yield* lostRefund(own)
    const before = yield* stored(payment)
    const names = { providerRefundId: "re_dashboard" }
    yield* reconcile(orderOf([rowOf(payment, { id: "guessed", kind: "refund", gross: eur(-400), names })]))
    const { reported, updatedAt, version, ...after } = yield* stored(payment)
    assert.deepInclude(before, after)
    assert.deepStrictEqual(
      reported?.refundsByHand?.map(({ state }) => state.providerRefundId),
      ["re_dashboard"]
    )
    assert.deepStrictEqual(yield* refundsOf(payment), [["Unknown", null]])
    assert.deepStrictEqual(yield* closings, { guessed: undefined })
    // It waits for the provider's word on ours, which is asked for as often as without it.
    const asked = own.provider.refundLookUps.length
    for (let seconds = 0; seconds < 600; seconds += 10) {
      yield* TestClock.adjust("10 seconds")
      yield* (yield* Pointsman).checkDue
    }
    assert.isAtMost(own.provider.refundLookUps.length - asked, 3)
  })

  itIn("a refund by hand reported during a capture counts once that has ended", world(), function* (own) {
    const answered = yield* Deferred.make<OperationAnswer>()
    const payment = yield* created(authorized, "manual")(own)
    own.provider.onCapture = () => Deferred.await(answered)
    const capture = yield* Effect.forkChild(operate("capture", payment.id))
    yield* TestClock.adjust("1 second")
    const names = { providerRefundId: "re_dashboard" }
    yield* reconcile(orderOf([rowOf(payment, { id: "early", kind: "refund", gross: eur(-400), names })]))
    yield* Deferred.succeed(answered, captured)
    yield* Fiber.join(capture)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* refundsOf(payment)], ["Captured", []])
    yield* TestClock.adjust("1 minute")
    yield* (yield* Pointsman).checkDue
    assert.deepStrictEqual(yield* refundsOf(payment), [["Succeeded", "re_dashboard"]])
    assert.deepInclude(yield* stored(payment), { state: "PartiallyRefunded", refundedMinor: 400 })
  })

  itIn("our id of an unknown refund makes the refund succeed", world(), function* (own) {
    const payment = yield* lostRefund(own)
    const book = yield* bookOf(payment)
    const names = { refundId: book.refunds[0]?.id ?? "", providerRefundId: "re_1" }
    yield* reconcile(orderOf([rowOf(payment, { id: "named", kind: "refund", gross: eur(-400), names })]))
    assert.deepStrictEqual(yield* refundsOf(payment), [["Succeeded", "re_1"]])
    assert.deepStrictEqual(yield* closings, { named: "statement" })
  })

  itIn("a row with only our id is reviewed beside one that the provider names later", world(), function* (own) {
    const payment = yield* lostRefund(own)
    const book = yield* bookOf(payment)
    const names = { refundId: book.refunds[0]?.id ?? "" }
    yield* reconcile(orderOf([rowOf(payment, { id: "ours", kind: "refund", gross: eur(-400), names })]))
    assert.deepStrictEqual(yield* refundsOf(payment), [["Succeeded", null]])
    const theirs = { attemptId: book.attempts[0]?.id ?? "", providerRefundId: "re_1" }
    yield* reconcile(orderOf([rowOf(payment, { id: "theirs", kind: "refund", gross: eur(-400), names: theirs })]))
    assert.deepStrictEqual(yield* refundsOf(payment), [["Succeeded", null]])
    const { refundedMinor, review, state } = yield* stored(payment)
    assert.deepStrictEqual([state, refundedMinor, review?.reasons], ["PartiallyRefunded", 400, ["conflict"]])
  })
})

describe("a row whose amount has another sign than its kind", () => {
  itIn("a charge below 0 states nothing, and the charge itself still does", world(), function* (own) {
    const { attemptId, payment } = yield* unknown(own)
    const names = { attemptId, providerRef: "ch_1" }
    yield* reconcile(orderOf([rowOf(payment, { id: "below", gross: eur(-1999), names })]))
    assert.deepStrictEqual(yield* stored(payment), payment)
    assert.deepStrictEqual(foundIn(yield* entriesOf), { below: "amount_differs by_id" })
    yield* reconcile(orderOf([rowOf(payment, { id: "above", gross: eur(1999), names })]))
    assert.deepStrictEqual((yield* stored(payment)).state, "Settled")
    assert.deepStrictEqual(yield* closings, { below: undefined, above: "statement" })
  })
})

const moveOf =
  (payment: Payment, disputeId: string | null) => (id: string, kind: "dispute" | "dispute_reversed", at: number) =>
    rowOf(payment, {
      id,
      kind,
      gross: eur(kind === "dispute" ? -1999 : 1999),
      payoutId: null,
      occurredAt: begin + at * day,
      names: { disputeId }
    })

/** Captured as disputes begin, and twenty days old. */
const afterBegin = (own: World) =>
  Effect.andThen(TestClock.setTime(begin), created(captured)(own)).pipe(
    Effect.tap(() => TestClock.setTime(begin + 20 * day))
  )

describe("rows of disputes", () => {
  itIn("a won dispute is open again when its money leaves again", world(), function* () {
    const { payment } = yield* disputed()
    yield* state(payment.providerRef, { verdict: "won" }, begin + 10 * day)
    yield* TestClock.setTime(begin + 40 * day)
    const move = moveOf(payment, "du_1")
    const rows = [move("first", "dispute", 1), move("back", "dispute_reversed", 10), move("second", "dispute", 30)]
    yield* reconcile(orderOf(rows))
    assert.deepStrictEqual(foundIn(yield* entriesOf), {
      first: "status_differs by_id",
      back: "matched by_id",
      second: "status_differs by_id"
    })
    assert.deepStrictEqual(yield* closings, { first: "row", second: "statement" })
    assert.deepStrictEqual(
      [
        (yield* stored(payment)).state,
        (yield* stored(payment)).reported?.disputes.map(({ at, verdict }) => [verdict, at])
      ],
      ["ChargedBack", [["opened", begin + 30 * day]]]
    )
    // So does one batch that has all of another dispute.
    const other = moveOf(payment, "du_2")
    const all = [other("a", "dispute", 11), other("b", "dispute_reversed", 12), other("c", "dispute", 13)]
    yield* reconcile(orderOf(all))
    assert.deepStrictEqual(yield* closings, {
      first: "row",
      second: "statement",
      a: "statement",
      b: "statement",
      c: "statement"
    })
  })

  itIn("rows without the dispute's id are compared with disputes and state nothing", world(), function* () {
    const { payment } = yield* disputed({ disputeId: "PP-D-1" })
    yield* state(payment.providerRef, { disputeId: "PP-D-1", verdict: "won" }, begin + 5 * day)
    yield* TestClock.setTime(begin + 40 * day)
    const before = yield* stored(payment)
    const move = moveOf(payment, null)
    yield* reconcile(orderOf([move("taken", "dispute", 1)]))
    assert.deepStrictEqual(yield* closings, { taken: undefined })
    yield* reconcile(orderOf([move("back", "dispute_reversed", 6)]))
    assert.deepStrictEqual(yield* closings, { taken: "row" })
    yield* reconcile(orderOf([move("again", "dispute", 30)]))
    assert.deepStrictEqual(yield* closings, { taken: "row", again: undefined })
    assert.deepStrictEqual(yield* stored(payment), before)
  })

  for (const last of ["taken", "back"] as const) {
    itIn(`a dispute won and lost again leaves no row open if ${last} is reported last`, world(), function* () {
      const { payment } = yield* disputed({ disputeId: "PP-D-1" })
      yield* state(payment.providerRef, { disputeId: "PP-D-1", verdict: "won" }, begin + 5 * day)
      yield* state(payment.providerRef, { disputeId: "PP-D-1", verdict: "lost" }, begin + 30 * day)
      yield* TestClock.setTime(begin + 40 * day)
      const move = moveOf(payment, null)
      const taken = move("taken", "dispute", 1)
      const back = move("back", "dispute_reversed", 6)
      yield* reconcile(orderOf([last === "taken" ? back : taken]))
      yield* reconcile(orderOf([move("again", "dispute", 30)]))
      assert.deepStrictEqual<unknown>(
        yield* closings,
        last === "taken" ? { back: undefined, again: undefined } : { again: undefined }
      )
      yield* reconcile(orderOf([last === "taken" ? taken : back]))
      assert.deepStrictEqual<unknown>(
        yield* closings,
        last === "taken" ? { back: "row", again: "row" } : { again: "row" }
      )
    })
  }

  itIn("a row of a won dispute matches when it comes again with its payout", world(), function* () {
    const { payment } = yield* disputed()
    yield* state(payment.providerRef, { verdict: "won" }, begin + 10 * day)
    yield* TestClock.setTime(begin + 40 * day)
    const move = moveOf(payment, "du_1")
    const taken = move("taken", "dispute", 1)
    yield* reconcile(orderOf([taken, move("back", "dispute_reversed", 10)]))
    yield* reconcile(orderOf([{ ...taken, payoutId: "po_2" }], { sha256: "with its payout" }))
    const newest = (yield* entriesOf).filter(({ corrected }) => corrected === null)
    assertFields(newest, ["payoutId", "result"], [null, "matched"], ["po_2", "matched"])
    assert.deepStrictEqual(yield* closings, { taken: "row" })
  })

  itIn("a row that names a dispute without a message records it as a message would", world(), function* (own) {
    const payment = yield* afterBegin(own)
    const move = moveOf(payment, "du_9")
    yield* reconcile(orderOf([move("taken", "dispute", 1)]))
    const disputes = Effect.flatMap(Pointsman, (one) => one.disputes(tenant, { limit: 5 })).pipe(
      Effect.map(({ items }) => items.map(({ money, providerDisputeId, status }) => [providerDisputeId, status, money]))
    )
    assert.deepStrictEqual(yield* disputes, [["du_9", "needs_response", eur(1999)]])
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened"])
    assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
    yield* reconcile(orderOf([move("back", "dispute_reversed", 9)]))
    assert.deepStrictEqual(yield* disputes, [["du_9", "won", eur(1999)]])
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    assert.deepStrictEqual(yield* closings, { taken: "statement", back: "statement" })
  })
})

describe("a dispute of a row whose write was not answered", () => {
  itIn("a dispute is recorded once if the write was made", world(), function* (own) {
    const payment = yield* afterBegin(own)
    const ledger = yield* Ledger
    let commits = 0
    const unheard = Effect.fail(new CommitUnknown({ operation: "commit", cause: new Error("lost") }))
    const commit: typeof ledger.commit = (change) =>
      Effect.suspend(() => (++commits > 1 ? ledger.commit(change) : Effect.andThen(ledger.commit(change), unheard)))
    const process = yield* own.another.pipe(Effect.provideService(Ledger, { ...ledger, commit }))
    yield* process.reconciliation.run(orderOf([moveOf(payment, "du_9")("taken", "dispute", 1)]))
    assert.strictEqual(commits, 1)
    assert.deepStrictEqual(yield* disputeEvents(payment.id), ["dispute.opened"])
    assert.deepStrictEqual(yield* closings, { taken: "statement" })
  })
})

describe("a run that died before it applied what it stored", () => {
  const payout = rowOf(undefined, { id: "payout", kind: "payout", gross: eur(-1) })
  itIn("a newer file with the same rows applies their statements and ends differences", world(), function* (own) {
    const { attemptId, payment } = yield* unknown(own)
    const row = rowOf(payment, { id: "charge", gross: eur(1999), names: { attemptId, providerRef: "ch_1" } })
    yield* runDying(own, orderOf([row]))
    assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
    const run = yield* reconcile(orderOf([row, payout]))
    assert.strictEqual(run.rowsKnown, 1)
    assert.strictEqual((yield* stored(payment)).state, "Settled")
    assert.deepStrictEqual(yield* closings, { charge: "statement" })
    assert.strictEqual((yield* entriesOf).length, 2)
  })

  itIn("a newer file with a row that matched settles the payment", world(), function* (own) {
    const payment = yield* taken(own)
    const row = rowOf(payment)
    yield* runDying(own, orderOf([row]))
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    yield* reconcile(orderOf([row, payout]))
    assert.strictEqual((yield* stored(payment)).state, "Settled")
    assert.deepStrictEqual(foundIn(yield* entriesOf)[row.id], "matched by_id")
  })
})

describe("a run that died after it applied a capture", () => {
  itIn("the difference of a capture without a record ends when the file is read again", world(), function* (own) {
    const payment = yield* created(authorized, "manual")(own)
    yield* TestClock.setTime(paidAt + day)
    const row = rowOf(payment, { id: "charge", gross: eur(500), payoutId: null })
    const process = yield* dyingAt(own, 3, "before")
    assert.isTrue(Exit.isFailure(yield* Effect.exit(process.reconciliation.run(orderOf([row])))))
    assert.strictEqual((yield* stored(payment)).capturedMinor, 500)
    assert.deepStrictEqual(yield* closings, { charge: undefined })
    yield* reconcile(orderOf([row]))
    assert.deepStrictEqual(yield* closings, { charge: "statement" })
  })
})

describe("a report of a workspace with four eyes", () => {
  for (const [limit, expected] of [
    [1999, "ChargeUnknown"],
    [2000, "Settled"]
  ] as const) {
    const own = world({ fourEyes: { EUR: limit } })
    itIn(`a row 1999 off with a limit of ${limit} makes the payment ${expected}`, own, function* (own) {
      const { attemptId, payment } = yield* unknown(own)
      const row = rowOf(payment, { id: "charge", names: { attemptId, providerRef: "ch_1" } })
      yield* reconcile(orderOf([row]))
      assert.strictEqual((yield* stored(payment)).state, expected)
      const [entry] = yield* entriesOf
      const isRefused = expected === "ChargeUnknown"
      assert.deepStrictEqual(
        [entry?.result, entry?.expected, entry?.closed?.by],
        isRefused
          ? ["status_differs", "ChargeUnknown; two people: propose a correction", undefined]
          : ["status_differs", "ChargeUnknown", "statement"]
      )
    })
  }

  itIn("a row that agrees with the record settles the payment", world({ fourEyes: {} }), function* (own) {
    const payment = yield* taken(own)
    yield* reconcile(orderOf([rowOf(payment)]))
    assert.strictEqual((yield* stored(payment)).state, "Settled")
  })
})
