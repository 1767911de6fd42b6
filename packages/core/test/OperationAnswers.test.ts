/** What a provider's answer to a capture, a void or a refund means. */
import { assert, describe, it } from "@effect/vitest"
import { type Payment, type PaymentState, Pointsman } from "@pointsman/core"
import { NotSent, type OperationAnswer, type RefundAnswer, Unanswered } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { type Kind, operate } from "./support/Operations.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const providerRef = "ref"
const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })
const silent = new Unanswered({ reason: "time-out" })
const unsent = new NotSent({ reason: "connection refused" })
const rejected = { _tag: "Rejected", code: "closed", message: "The account is closed." } as const

interface Case<Answer> {
  readonly said: string
  readonly answer: Answer | NotSent | Unanswered
  /** The failure's tag, or `Done`. */
  readonly told: string
  readonly state: PaymentState
  readonly amounts?: Partial<Pick<Payment, "capturedMinor" | "refundedMinor" | "refundPendingMinor">>
  /** Besides those of the create. */
  readonly events: ReadonlyArray<string>
}

const captures: ReadonlyArray<Case<OperationAnswer>> = [
  {
    said: "captured",
    answer: { _tag: "Captured", providerRef },
    told: "Done",
    state: "Captured",
    amounts: { capturedMinor: 1999 },
    events: ["payment.captured"]
  },
  {
    said: "captured less",
    answer: { _tag: "Captured", providerRef, stated: eur(500) },
    told: "Done",
    state: "Captured",
    amounts: { capturedMinor: 500 },
    events: ["payment.captured"]
  },
  {
    said: "captured more than was asked",
    answer: { _tag: "Captured", providerRef, stated: eur(2000) },
    told: "pointsman/ResultUnknown",
    state: "CaptureUnknown",
    amounts: { capturedMinor: 0 },
    events: ["payment.amount_mismatch", "payment.capture_unknown"]
  },
  {
    said: "captured in another currency",
    answer: { _tag: "Captured", providerRef, stated: { minorUnits: 1999, currency: "USD" } },
    told: "pointsman/ResultUnknown",
    state: "CaptureUnknown",
    events: ["payment.amount_mismatch", "payment.capture_unknown"]
  },
  {
    said: "captured no amount at all",
    answer: { _tag: "Captured", providerRef, stated: eur(0.5) },
    told: "pointsman/ResultUnknown",
    state: "CaptureUnknown",
    events: ["payment.capture_unknown"]
  },
  { said: "pending", answer: { _tag: "Pending", providerRef }, told: "Done", state: "CapturePending", events: [] },
  {
    said: "still authorized",
    answer: { _tag: "Authorized", providerRef },
    told: "pointsman/ProviderRefused",
    state: "Authorized",
    events: []
  },
  {
    said: "declined",
    answer: { _tag: "Declined", providerRef, category: "other", code: "no", soft: true },
    told: "pointsman/ProviderRefused",
    state: "Authorized",
    events: []
  },
  { said: "rejected", answer: rejected, told: "pointsman/ProviderRefused", state: "Authorized", events: [] },
  { said: "not sent", answer: unsent, told: "pointsman/ProviderRefused", state: "Authorized", events: [] },
  {
    said: "cancelled",
    answer: { _tag: "Canceled", providerRef },
    told: "pointsman/StateConflict",
    state: "Voided",
    events: ["payment.cancelled"]
  },
  {
    said: "needs the customer",
    answer: { _tag: "NeedsCustomer", providerRef },
    told: "pointsman/ResultUnknown",
    state: "CaptureUnknown",
    events: ["payment.capture_unknown"]
  },
  {
    said: "something that is no answer",
    answer: { _tag: "Later" } as never,
    told: "pointsman/ResultUnknown",
    state: "CaptureUnknown",
    events: ["payment.capture_unknown"]
  },
  {
    said: "nothing",
    answer: silent,
    told: "pointsman/ResultUnknown",
    state: "CaptureUnknown",
    events: ["payment.capture_unknown"]
  }
]

const voids: ReadonlyArray<Case<OperationAnswer>> = [
  {
    said: "cancelled",
    answer: { _tag: "Canceled", providerRef },
    told: "Done",
    state: "Voided",
    events: ["payment.cancelled"]
  },
  { said: "pending", answer: { _tag: "Pending", providerRef }, told: "Done", state: "VoidPending", events: [] },
  {
    said: "still authorized",
    answer: { _tag: "Authorized", providerRef },
    told: "pointsman/ProviderRefused",
    state: "Authorized",
    events: []
  },
  {
    said: "declined",
    answer: { _tag: "Declined", providerRef, category: "other", code: "no", soft: false },
    told: "pointsman/ProviderRefused",
    state: "Authorized",
    events: []
  },
  { said: "rejected", answer: rejected, told: "pointsman/ProviderRefused", state: "Authorized", events: [] },
  { said: "not sent", answer: unsent, told: "pointsman/ProviderRefused", state: "Authorized", events: [] },
  {
    said: "captured",
    answer: { _tag: "Captured", providerRef },
    told: "pointsman/StateConflict",
    state: "Captured",
    amounts: { capturedMinor: 1999 },
    events: ["payment.captured"]
  },
  {
    said: "captured more than was authorized",
    answer: { _tag: "Captured", providerRef, stated: eur(5000) },
    told: "pointsman/ResultUnknown",
    state: "VoidUnknown",
    amounts: { capturedMinor: 0 },
    events: ["payment.amount_mismatch", "payment.void_unknown"]
  },
  {
    said: "needs the customer",
    answer: { _tag: "NeedsCustomer", providerRef },
    told: "pointsman/ResultUnknown",
    state: "VoidUnknown",
    events: ["payment.void_unknown"]
  },
  {
    said: "nothing",
    answer: silent,
    told: "pointsman/ResultUnknown",
    state: "VoidUnknown",
    events: ["payment.void_unknown"]
  }
]

const providerRefundId = "refund"

const refunds: ReadonlyArray<Case<RefundAnswer>> = [
  {
    said: "succeeded",
    answer: { _tag: "Succeeded", providerRefundId },
    told: "Done",
    state: "Refunded",
    amounts: { refundedMinor: 1999, refundPendingMinor: 0 },
    events: ["payment.refunded"]
  },
  {
    said: "succeeded with less",
    answer: { _tag: "Succeeded", providerRefundId, stated: eur(999) },
    told: "Done",
    state: "PartiallyRefunded",
    amounts: { refundedMinor: 999, refundPendingMinor: 0 },
    events: ["payment.refunded"]
  },
  {
    said: "succeeded with more than was asked",
    answer: { _tag: "Succeeded", providerRefundId, stated: eur(2000) },
    told: "pointsman/ResultUnknown",
    state: "Captured",
    amounts: { refundedMinor: 0, refundPendingMinor: 1999 },
    events: ["payment.amount_mismatch", "payment.refund_unknown"]
  },
  {
    said: "succeeded without an id",
    answer: { _tag: "Succeeded", providerRefundId: "" },
    told: "pointsman/ResultUnknown",
    state: "Captured",
    amounts: { refundedMinor: 0, refundPendingMinor: 1999 },
    events: ["payment.refund_unknown"]
  },
  {
    said: "succeeded without any id",
    answer: { _tag: "Succeeded" } as never,
    told: "pointsman/ResultUnknown",
    state: "Captured",
    amounts: { refundedMinor: 0, refundPendingMinor: 1999 },
    events: ["payment.refund_unknown"]
  },
  {
    said: "something that is no answer",
    answer: { _tag: "Later" } as never,
    told: "pointsman/ResultUnknown",
    state: "Captured",
    amounts: { refundedMinor: 0, refundPendingMinor: 1999 },
    events: ["payment.refund_unknown"]
  },
  {
    said: "pending",
    answer: { _tag: "RefundPending", providerRefundId },
    told: "pointsman/RefundPending",
    state: "Captured",
    amounts: { refundedMinor: 0, refundPendingMinor: 1999 },
    events: ["payment.refund_pending"]
  },
  {
    said: "failed",
    answer: { _tag: "RefundFailed", providerRefundId, reason: "closed account" },
    told: "pointsman/ProviderRefused",
    state: "Captured",
    amounts: { refundedMinor: 0, refundPendingMinor: 0 },
    events: []
  },
  {
    said: "rejected",
    answer: rejected,
    told: "pointsman/ProviderRefused",
    state: "Captured",
    amounts: { refundPendingMinor: 0 },
    events: []
  },
  {
    said: "not sent",
    answer: unsent,
    told: "pointsman/ProviderRefused",
    state: "Captured",
    amounts: { refundPendingMinor: 0 },
    events: []
  },
  {
    said: "nothing",
    answer: silent,
    told: "pointsman/ResultUnknown",
    state: "Captured",
    amounts: { refundedMinor: 0, refundPendingMinor: 1999 },
    events: ["payment.refund_unknown"]
  }
]

const answerWith = <Answer extends { readonly _tag: string }>(
  answer: Answer | NotSent | Unanswered
): Effect.Effect<Answer, NotSent | Unanswered> =>
  answer instanceof NotSent || answer instanceof Unanswered ? Effect.fail(answer) : Effect.succeed(answer)

const idempotencyKey = "operation-1"

const operations = {
  capture: { cases: captures as ReadonlyArray<Case<OperationAnswer | RefundAnswer>>, captureMethod: "manual" },
  void: { cases: voids as ReadonlyArray<Case<OperationAnswer | RefundAnswer>>, captureMethod: "manual" },
  refund: { cases: refunds as ReadonlyArray<Case<OperationAnswer | RefundAnswer>>, captureMethod: "automatic" }
} as const

const ask = (kind: Kind, paymentId: string) => operate(kind, paymentId, { idempotencyKey })

for (const kind of ["capture", "void", "refund"] as const) {
  describe(`${kind}, when the provider states`, () => {
    for (const { amounts = {}, answer, events, said, state, told } of operations[kind].cases) {
      const { layer, provider } = world()
      it.effect(`${said}, then ${told} and ${state}; the same key says so again, and asks nobody`, () =>
        Effect.gen(function* () {
          const pointsman = yield* Pointsman
          provider.onCapture = () => answerWith(answer as OperationAnswer)
          provider.onVoid = () => answerWith(answer as OperationAnswer)
          provider.onRefund = () => answerWith(answer as RefundAnswer)
          const { captureMethod } = operations[kind]
          const { payment } = yield* pointsman.create(caller, request({ details: { captureMethod } }))

          const asked = yield* ask(kind, payment.id)
          assert.strictEqual(Result.isSuccess(asked) ? "Done" : asked.failure._tag, told)
          const after = yield* pointsman.payment(tenant, payment.id)
          assert.strictEqual(after.state, state)
          for (const [name, amount] of Object.entries(amounts)) {
            assert.strictEqual(after[name as keyof typeof amounts], amount, name)
          }
          if (Result.isSuccess(asked)) assert.deepStrictEqual(asked.success, { payment: after, isReplay: false })
          const timeline = yield* pointsman.timeline(tenant, payment.id, { limit: 100 })
          assert.deepStrictEqual(
            timeline.items.slice(2).map(({ type }) => type),
            events
          )

          const again = yield* ask(kind, payment.id)
          const isReleased = kind !== "refund" && told === "pointsman/ProviderRefused"
          if (Result.isSuccess(asked) && Result.isSuccess(again)) {
            assert.deepStrictEqual(again.success, { ...asked.success, isReplay: true })
          } else {
            assert.deepStrictEqual(again, asked)
          }
          const calls = provider.captures.length + provider.voids.length + provider.refunds.length
          assert.strictEqual(calls, isReleased ? 2 : 1)
        }).pipe(Effect.provide(layer))
      )
    }
  })
}
