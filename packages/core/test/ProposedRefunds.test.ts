/** Refunds of operators above the limit: proposed by one, sent once another one approves them, and once. */
import { assert, describe } from "@effect/vitest"
import { openCorrection, type Payment, Pointsman, refundProposalMillis } from "@pointsman/core"
import { Audit, Unanswered } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { ann, authorized, created, jo } from "./support/Operations.ts"
import { bookOf } from "./support/Pages.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, runOut, tenant, world } from "./support/World.ts"

const captured = created({ money: { minorUnits: 1000, currency: "EUR" } })

const ask = (
  { id }: Pick<Payment, "id">,
  amountMinor: number | null,
  { key = "key-of-jo", limits = { EUR: 500 } as Readonly<Record<string, number>>, person = jo } = {}
) =>
  Effect.flatMap(Pointsman, ({ refundByOperator }) =>
    refundByOperator(
      { ...caller, operator: person.name },
      { paymentId: id, amountMinor, reason: "returned", idempotencyKey: key, person, limits }
    )
  )

/** A proposal of 600 of 1,000. */
const propose = Effect.gen(function* () {
  const payment = yield* captured
  const { proposed } = yield* ask(payment, 600)
  assert.strictEqual(proposed?.state, "proposed")
  return { payment, order: { tenant, paymentId: payment.id, correctionId: proposed?.id ?? "" } }
})

const approve = (order: {
  readonly tenant: typeof tenant
  readonly paymentId: string
  readonly correctionId: string
}) => Effect.flatMap(Pointsman, ({ approveCorrection }) => approveCorrection({ ...order, by: ann }))

const tagOf = <A, R>(act: Effect.Effect<A, { readonly _tag: string; readonly reason?: string }, R>) =>
  Effect.map(Effect.flip(act), ({ _tag, reason }) => [_tag.replace("pointsman/", ""), reason])

/** What the audit trail has of the payment. */
const trail = ({ id }: Pick<Payment, "id">) =>
  Effect.map(
    Effect.flatMap(Audit, ({ list }) => list({ after: 0, limit: 100 })),
    (entries) => entries.filter(({ subject }) => subject === id)
  )

describe("what one operator gives back", () => {
  const rows = [
    ["the limit", 500, { EUR: 500 }, false],
    ["a minor unit more", 501, { EUR: 500 }, true],
    ["all of it without an amount", null, { EUR: 500 }, true],
    ["anything with a limit of 0", 1, { EUR: 0 }, true],
    ["all of it in a currency without a limit", 1000, { JPY: 0 }, false]
  ] as const
  for (const [name, amount, limits, needs] of rows) {
    itIn(`${name} is ${needs ? "proposed" : "sent"}`, world(), function* (own) {
      const payment = yield* captured
      const { payment: after, proposed } = yield* ask(payment, amount, { limits })
      assert.strictEqual(proposed !== null, needs)
      assert.lengthOf(own.provider.refunds, needs ? 0 : 1)
      assert.deepStrictEqual(after.review?.reasons, needs ? ["correction"] : undefined)
      assert.strictEqual((yield* bookOf(payment)).refunds.length, needs ? 0 : 1)
    })
  }

  itIn("refunds that would exceed the limit are proposed", world({ yieldBetween: true }), function* (own) {
    const payment = yield* captured
    const asked = yield* Effect.forEach(
      ["key-of-jo-1", "key-of-jo-2", "key-of-jo-3"],
      (key) => Effect.result(ask(payment, 300, { key })),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(own.provider.refunds, 1)
    assert.lengthOf(
      asked.filter((one) => Result.isSuccess(one) && one.success.proposed !== null),
      1
    )
  })

  itIn("nothing is sent under a proposal's key, and another amount is refused", world(), function* (own) {
    const { payment, order } = yield* propose
    const again = yield* ask(payment, 600)
    assert.strictEqual(again.proposed?.id, order.correctionId)
    assert.deepStrictEqual(yield* tagOf(ask(payment, 100)), ["KeyReused", undefined])
    const [tag, reason] = yield* tagOf(ask(payment, 700, { key: "another-key" }))
    assert.strictEqual(tag, "CorrectionRefused")
    assert.include(reason ?? "", "is proposed")
    assert.isNull((yield* ask(payment, 100, { key: "another-key" })).proposed)
    const { rejectCorrection } = yield* Pointsman
    yield* rejectCorrection({ ...order, by: ann, reason: "it was exchanged" })
    assert.strictEqual((yield* ask(payment, 600)).proposed?.state, "rejected")
    assert.lengthOf(own.provider.refunds, 1)
  })
})

const draft = ({ id }: Pick<Payment, "id">, amountMinor: number | null, key = "key-of-jo") =>
  Effect.flatMap(Pointsman, ({ draftRefund }) =>
    draftRefund(
      { ...caller, operator: jo.name },
      { paymentId: id, amountMinor, reason: "returned", idempotencyKey: key, person: jo }
    )
  )

describe("a draft", () => {
  itIn("any amount is proposed and not sent until another person approves it", world(), function* (own) {
    const payment = yield* captured
    const { payment: after, proposed } = yield* draft(payment, 1)
    assert.deepStrictEqual([proposed?.state, proposed?.target.amountMinor], ["proposed", 1])
    assert.deepStrictEqual([after.refundPendingMinor, after.refundedMinor], [0, 0])
    assert.deepStrictEqual((yield* draft(payment, 1)).proposed?.id, proposed?.id)
    assert.lengthOf((yield* bookOf(payment)).refunds, 0)
    const proposing = ["refund.proposing", "Jo"]
    assertFields(yield* trail(payment), ["action", "actor"], proposing, proposing)
    assert.lengthOf(own.provider.refunds, 0)
    yield* approve({ tenant, paymentId: payment.id, correctionId: proposed?.id ?? "" })
    assertFields(own.provider.refunds, "money", { minorUnits: 1, currency: "EUR" })
  })

  itIn("a refund with nothing left, with a sent key, or without a capture is refused", world(), function* (own) {
    const payment = yield* captured
    yield* ask(payment, 100, { key: "key-of-sent" })
    assert.deepStrictEqual(yield* tagOf(draft(payment, 100, "key-of-sent")), ["KeyReused", undefined])
    yield* ask(payment, null, { key: "key-of-rest", limits: {} })
    assert.deepStrictEqual(yield* tagOf(draft(payment, 1)), ["InvalidAmount", undefined])
    assert.deepStrictEqual(yield* tagOf(draft(yield* authorized, 1)), ["NotRefundable", undefined])
    assert.lengthOf(own.provider.refunds, 2)
  })
})

describe("an approval", () => {
  itIn("another person's approval sends the refund once; the audit trail has both names", world(), function* (sent) {
    const { payment, order } = yield* propose
    const { approveCorrection } = yield* Pointsman
    const [tag, reason] = yield* tagOf(approveCorrection({ ...order, by: { of: "program", name: " JO " } }))
    assert.deepStrictEqual(
      [tag, reason],
      ["CorrectionRefused", "nobody approves their own correction: another person has to"]
    )
    assert.lengthOf(sent.provider.refunds, 0)
    const decided = yield* approve(order)
    assert.deepStrictEqual(
      [decided.correction.state, decided.payment.state, decided.payment.refundedMinor, decided.payment.review],
      ["approved", "PartiallyRefunded", 600, null]
    )
    assert.deepStrictEqual([decided.refund?.stage, decided.refund?.reason], ["Succeeded", "returned"])
    assert.deepStrictEqual(yield* approve(order), decided)
    assert.isNull((yield* ask(payment, 600)).proposed)
    assertFields(sent.provider.refunds, "money", { minorUnits: 600, currency: "EUR" })
    const entries = yield* trail(payment)
    assert.deepStrictEqual(entries.map(({ action }) => action).slice(0, 5), [
      "payment.refunding",
      "refund.proposing",
      "correction.approving",
      "correction.approving",
      "payment.refunding"
    ])
    const { approved_by, proposed_by } = JSON.parse(entries[4]?.details ?? "{}")
    assert.deepStrictEqual([proposed_by, approved_by], ["Jo", "Ann"])
  })

  const many = world({ yieldBetween: true })
  itIn("32 approvals of 32 people send one refund, and the others learn whose", many, function* (own) {
    const { order } = yield* propose
    const { approveCorrection } = yield* Pointsman
    const results = yield* Effect.forEach(
      Array.from({ length: 32 }, (_, number) => `Person ${number}`),
      (name) => Effect.result(approveCorrection({ ...order, by: { of: "program", name } })),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(results.filter(Result.isSuccess), 1)
    assert.lengthOf(own.provider.refunds, 1)
    for (const one of results.filter(Result.isFailure)) {
      assert.strictEqual(one.failure._tag, "pointsman/CorrectionRefused")
    }
  })

  for (const [left, amountMinor, reason] of [
    ["more than is left", 500, "amount 600, and now applies to"],
    ["a part of nothing", null, ""]
  ] as const) {
    itIn(`a proposal of ${left} sends nothing and is overtaken`, world(), function* (own, { refund }) {
      const { payment, order } = yield* propose
      yield* refund(caller, { paymentId: payment.id, amountMinor, reason: null, idempotencyKey: "key-of-shop" })
      const { correction, payment: after } = yield* approve(order)
      assert.deepStrictEqual([correction.state, correction.decision?.by.name], ["overtaken", "Ann"])
      assert.include(correction.decision?.reason ?? "", reason)
      assert.deepStrictEqual([after.review, after.refundedMinor], [null, amountMinor ?? 1000])
      assert.lengthOf(own.provider.refunds, 1)
    })
  }

  itIn("an approval after a week sends nothing, and another refund can take its place", world(), function* (own) {
    const { order } = yield* propose
    const second = yield* propose
    yield* TestClock.adjust(refundProposalMillis)
    const { correction } = yield* approve(order)
    assert.deepStrictEqual(
      [correction.state, correction.decision?.reason],
      ["overtaken", "it was proposed more than 7 days ago"]
    )
    const { payment, proposed } = yield* ask(second.payment, 700, { key: "another-key", person: ann })
    assertFields(
      payment.corrections,
      ["id", "state"],
      [second.order.correctionId, "overtaken"],
      [proposed?.id, "proposed"]
    )
    assert.lengthOf(own.provider.refunds, 0)
  })

  itIn("an approval repeated after a failed commit or lost answer sends at most one", world(), function* (own) {
    for (const fault of ["unwritten", "lost", "unheard"] as const) {
      const before = own.provider.refunds.length
      const { payment, order } = yield* propose
      const next = own.ledger.calls.commit + 1
      own.ledger.onCommit = (number) => (number === next ? fault : undefined)
      yield* runOut(yield* Effect.forkChild(Effect.result(approve(order))))
      own.ledger.onCommit = () => undefined
      const { correction, refund } = yield* approve(order)
      assert.strictEqual(correction.state, "approved", fault)
      const after = yield* bookOf(payment)
      const sentNow = own.provider.refunds.length - before
      assert.strictEqual(after.payment.refundedMinor, sentNow * 600, fault)
      assert.strictEqual(refund === undefined, sentNow === 0, fault)
      assert.isAtMost(sentNow, 1, fault)
    }
  })

  itIn("a silent provider leaves an unknown approved refund, and its amount is held", world(), function* (own) {
    const { payment, order } = yield* propose
    own.provider.onRefund = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    const { correction, payment: after, refund } = yield* approve(order)
    assert.deepStrictEqual([correction.state, refund?.stage, after.refundPendingMinor], ["approved", "Unknown", 600])
    assert.isUndefined(openCorrection(after))
    assert.deepStrictEqual((yield* approve(order)).refund?.stage, "Unknown")
    assert.lengthOf((yield* bookOf(payment)).refunds, 1)
  })
})
