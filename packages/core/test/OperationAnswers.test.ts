/** What a provider's answer to a capture, a void or a refund means. */
import { assert, describe } from "@effect/vitest"
import type { Money, Payment, PaymentState } from "@pointsman/core"
import { NotSent, type OperationAnswer, type RefundAnswer, Unanswered } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { itHere } from "./support/ItIn.ts"
import { type Kind, operate, operationKinds, payable } from "./support/Operations.ts"
import { stored, typesOf } from "./support/Pages.ts"

const providerRef = "ref"
const providerRefundId = "refund"
const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })

/** The failure's tag or `Done`, the state of the payment, and the events besides those of the create. */
type End = readonly [told: string, state: PaymentState, ...events: ReadonlyArray<string>]
type Amounts = Partial<Pick<Payment, "capturedMinor" | "refundedMinor" | "refundPendingMinor">>
type Case<Answer> = readonly [said: string, answer: Answer | NotSent | Unanswered, end: End, amounts?: Amounts]

const silent = new Unanswered({ reason: "time-out" })
const unsent = new NotSent({ reason: "connection refused" })
const noAnswer = { _tag: "Later" } as never
const rejected = { _tag: "Rejected", code: "closed", message: "The account is closed." } as const
const declined = { _tag: "Declined", providerRef, category: "other", code: "no", soft: true } as const
const authorized = { _tag: "Authorized", providerRef } as const
const pending = { _tag: "Pending", providerRef } as const
const canceled = { _tag: "Canceled", providerRef } as const
const needsCustomer = { _tag: "NeedsCustomer", providerRef } as const
const taken = (minorUnits: number, currency = "EUR") =>
  ({ _tag: "Captured", providerRef, stated: { minorUnits, currency } }) as const

const mismatch = "payment.amount_mismatch"
const captured: End = ["Done", "Captured", "payment.captured"]
const refused: End = ["pointsman/ProviderRefused", "Authorized"]
const unknownCapture: End = ["pointsman/ResultUnknown", "CaptureUnknown", "payment.capture_unknown"]
const otherCapture: End = ["pointsman/ResultUnknown", "CaptureUnknown", mismatch, "payment.capture_unknown"]

const captures: ReadonlyArray<Case<OperationAnswer>> = [
  ["captured", { _tag: "Captured", providerRef }, captured, { capturedMinor: 1999 }],
  ["captured less", taken(500), captured, { capturedMinor: 500 }],
  ["captured more than was asked", taken(2000), otherCapture, { capturedMinor: 0 }],
  ["captured in another currency", taken(1999, "USD"), otherCapture],
  ["captured no amount at all", taken(0.5), unknownCapture],
  ["pending", pending, ["Done", "CapturePending"]],
  ["still authorized", authorized, refused],
  ["declined", declined, refused],
  ["rejected", rejected, refused],
  ["not sent", unsent, refused],
  ["cancelled", canceled, ["pointsman/StateConflict", "Voided", "payment.cancelled"]],
  ["needs the customer", needsCustomer, unknownCapture],
  ["something that is no answer", noAnswer, unknownCapture],
  ["nothing", silent, unknownCapture]
]

const unknownVoid: End = ["pointsman/ResultUnknown", "VoidUnknown", "payment.void_unknown"]
const otherVoid: End = ["pointsman/ResultUnknown", "VoidUnknown", mismatch, "payment.void_unknown"]
const conflict: End = ["pointsman/StateConflict", "Captured", "payment.captured"]

const voids: ReadonlyArray<Case<OperationAnswer>> = [
  ["cancelled", canceled, ["Done", "Voided", "payment.cancelled"]],
  ["pending", pending, ["Done", "VoidPending"]],
  ["still authorized", authorized, refused],
  ["declined", { ...declined, soft: false }, refused],
  ["rejected", rejected, refused],
  ["not sent", unsent, refused],
  ["captured", { _tag: "Captured", providerRef }, conflict, { capturedMinor: 1999 }],
  ["captured more than was authorized", taken(5000), otherVoid, { capturedMinor: 0 }],
  ["needs the customer", needsCustomer, unknownVoid],
  ["nothing", silent, unknownVoid]
]

const reserved: Amounts = { refundedMinor: 0, refundPendingMinor: 1999 }
const released: Amounts = { refundedMinor: 0, refundPendingMinor: 0 }
const refundRefused: End = ["pointsman/ProviderRefused", "Captured"]
const unknownRefund: End = ["pointsman/ResultUnknown", "Captured", "payment.refund_unknown"]
const otherRefund: End = ["pointsman/ResultUnknown", "Captured", mismatch, "payment.refund_unknown"]
const refunded = (state: PaymentState): End => ["Done", state, "payment.refunded"]
const given = (stated?: Money): RefundAnswer => ({ _tag: "Succeeded", providerRefundId, ...(stated && { stated }) })

const refunds: ReadonlyArray<Case<RefundAnswer>> = [
  ["succeeded", given(), refunded("Refunded"), { refundedMinor: 1999, refundPendingMinor: 0 }],
  [
    "succeeded with less",
    given(eur(999)),
    refunded("PartiallyRefunded"),
    { refundedMinor: 999, refundPendingMinor: 0 }
  ],
  ["succeeded with more than was asked", given(eur(2000)), otherRefund, reserved],
  ["succeeded without an id", { _tag: "Succeeded", providerRefundId: "" }, unknownRefund, reserved],
  ["succeeded without any id", { _tag: "Succeeded" } as never, unknownRefund, reserved],
  ["something that is no answer", noAnswer, unknownRefund, reserved],
  [
    "pending",
    { _tag: "RefundPending", providerRefundId },
    ["pointsman/RefundPending", "Captured", "payment.refund_pending"],
    reserved
  ],
  ["failed", { _tag: "RefundFailed", providerRefundId, reason: "closed account" }, refundRefused, released],
  ["rejected", rejected, refundRefused, released],
  ["not sent", unsent, refundRefused, released],
  ["nothing", silent, unknownRefund, reserved]
]

const answerWith = <Answer extends { readonly _tag: string }>(
  answer: Answer | NotSent | Unanswered
): Effect.Effect<Answer, NotSent | Unanswered> =>
  answer instanceof NotSent || answer instanceof Unanswered ? Effect.fail(answer) : Effect.succeed(answer)

const cases: Readonly<Record<Kind, ReadonlyArray<Case<OperationAnswer | RefundAnswer>>>> = {
  capture: captures,
  void: voids,
  refund: refunds
}

const ask = (kind: Kind, paymentId: string) => operate(kind, paymentId, { idempotencyKey: "operation-1" })

for (const kind of operationKinds) {
  describe(`${kind}, when the provider states`, () => {
    for (const [said, answer, [told, state, ...events], amounts] of cases[kind]) {
      const title = `${said}, then ${told} and ${state}; the same key says so again, and asks nobody`
      itHere(title, function* ({ provider }) {
        provider.onCapture = () => answerWith(answer as OperationAnswer)
        provider.onVoid = () => answerWith(answer as OperationAnswer)
        provider.onRefund = () => answerWith(answer as RefundAnswer)
        const payment = yield* payable(kind)

        const asked = yield* ask(kind, payment.id)
        assert.strictEqual(Result.isSuccess(asked) ? "Done" : asked.failure._tag, told)
        const after = yield* stored(payment)
        assert.deepInclude(after, { state, ...amounts })
        if (Result.isSuccess(asked)) assert.deepStrictEqual(asked.success, { payment: after, isReplay: false })
        assert.deepStrictEqual((yield* typesOf(payment)).slice(2), events)

        const again = yield* ask(kind, payment.id)
        if (Result.isSuccess(asked)) assert.deepStrictEqual(again, Result.succeed({ ...asked.success, isReplay: true }))
        else assert.deepStrictEqual(again, asked)
        const calls = provider.captures.length + provider.voids.length + provider.refunds.length
        const isReleased = kind !== "refund" && told === "pointsman/ProviderRefused"
        assert.strictEqual(calls, isReleased ? 2 : 1)
      })
    }
  })
}
