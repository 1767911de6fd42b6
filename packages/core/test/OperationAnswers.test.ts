/** What a provider's answer to a capture, a void or a refund means. */
import { assert, describe } from "@effect/vitest"
import { type Payment, type PaymentState, Pointsman } from "@pointsman/core"
import { NotSent, type OperationAnswer, type RefundAnswer, Unanswered } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { itIn } from "./support/ItIn.ts"
import { type Kind, operate } from "./support/Operations.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const providerRef = "ref"
const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })
const silent = new Unanswered({ reason: "time-out" })
const unsent = new NotSent({ reason: "connection refused" })
const rejected = { _tag: "Rejected", code: "closed", message: "The account is closed." } as const

type Case<Answer> = readonly [
  said: string,
  answer: Answer | NotSent | Unanswered,
  /** The failure's tag, or `Done`. */
  told: string,
  state: PaymentState,
  amounts: Partial<Pick<Payment, "capturedMinor" | "refundedMinor" | "refundPendingMinor">>,
  /** Besides those of the create. */
  events: ReadonlyArray<string>
]

const captures: ReadonlyArray<Case<OperationAnswer>> = [
  ["captured", { _tag: "Captured", providerRef }, "Done", "Captured", { capturedMinor: 1999 }, ["payment.captured"]],
  [
    "captured less",
    { _tag: "Captured", providerRef, stated: eur(500) },
    "Done",
    "Captured",
    { capturedMinor: 500 },
    ["payment.captured"]
  ],
  [
    "captured more than was asked",
    { _tag: "Captured", providerRef, stated: eur(2000) },
    "pointsman/ResultUnknown",
    "CaptureUnknown",
    { capturedMinor: 0 },
    ["payment.amount_mismatch", "payment.capture_unknown"]
  ],
  [
    "captured in another currency",
    { _tag: "Captured", providerRef, stated: { minorUnits: 1999, currency: "USD" } },
    "pointsman/ResultUnknown",
    "CaptureUnknown",
    {},
    ["payment.amount_mismatch", "payment.capture_unknown"]
  ],
  [
    "captured no amount at all",
    { _tag: "Captured", providerRef, stated: eur(0.5) },
    "pointsman/ResultUnknown",
    "CaptureUnknown",
    {},
    ["payment.capture_unknown"]
  ],
  ["pending", { _tag: "Pending", providerRef }, "Done", "CapturePending", {}, []],
  ["still authorized", { _tag: "Authorized", providerRef }, "pointsman/ProviderRefused", "Authorized", {}, []],
  [
    "declined",
    { _tag: "Declined", providerRef, category: "other", code: "no", soft: true },
    "pointsman/ProviderRefused",
    "Authorized",
    {},
    []
  ],
  ["rejected", rejected, "pointsman/ProviderRefused", "Authorized", {}, []],
  ["not sent", unsent, "pointsman/ProviderRefused", "Authorized", {}, []],
  ["cancelled", { _tag: "Canceled", providerRef }, "pointsman/StateConflict", "Voided", {}, ["payment.cancelled"]],
  [
    "needs the customer",
    { _tag: "NeedsCustomer", providerRef },
    "pointsman/ResultUnknown",
    "CaptureUnknown",
    {},
    ["payment.capture_unknown"]
  ],
  [
    "something that is no answer",
    { _tag: "Later" } as never,
    "pointsman/ResultUnknown",
    "CaptureUnknown",
    {},
    ["payment.capture_unknown"]
  ],
  ["nothing", silent, "pointsman/ResultUnknown", "CaptureUnknown", {}, ["payment.capture_unknown"]]
]

const voids: ReadonlyArray<Case<OperationAnswer>> = [
  ["cancelled", { _tag: "Canceled", providerRef }, "Done", "Voided", {}, ["payment.cancelled"]],
  ["pending", { _tag: "Pending", providerRef }, "Done", "VoidPending", {}, []],
  ["still authorized", { _tag: "Authorized", providerRef }, "pointsman/ProviderRefused", "Authorized", {}, []],
  [
    "declined",
    { _tag: "Declined", providerRef, category: "other", code: "no", soft: false },
    "pointsman/ProviderRefused",
    "Authorized",
    {},
    []
  ],
  ["rejected", rejected, "pointsman/ProviderRefused", "Authorized", {}, []],
  ["not sent", unsent, "pointsman/ProviderRefused", "Authorized", {}, []],
  [
    "captured",
    { _tag: "Captured", providerRef },
    "pointsman/StateConflict",
    "Captured",
    { capturedMinor: 1999 },
    ["payment.captured"]
  ],
  [
    "captured more than was authorized",
    { _tag: "Captured", providerRef, stated: eur(5000) },
    "pointsman/ResultUnknown",
    "VoidUnknown",
    { capturedMinor: 0 },
    ["payment.amount_mismatch", "payment.void_unknown"]
  ],
  [
    "needs the customer",
    { _tag: "NeedsCustomer", providerRef },
    "pointsman/ResultUnknown",
    "VoidUnknown",
    {},
    ["payment.void_unknown"]
  ],
  ["nothing", silent, "pointsman/ResultUnknown", "VoidUnknown", {}, ["payment.void_unknown"]]
]

const providerRefundId = "refund"

const refunds: ReadonlyArray<Case<RefundAnswer>> = [
  [
    "succeeded",
    { _tag: "Succeeded", providerRefundId },
    "Done",
    "Refunded",
    { refundedMinor: 1999, refundPendingMinor: 0 },
    ["payment.refunded"]
  ],
  [
    "succeeded with less",
    { _tag: "Succeeded", providerRefundId, stated: eur(999) },
    "Done",
    "PartiallyRefunded",
    { refundedMinor: 999, refundPendingMinor: 0 },
    ["payment.refunded"]
  ],
  [
    "succeeded with more than was asked",
    { _tag: "Succeeded", providerRefundId, stated: eur(2000) },
    "pointsman/ResultUnknown",
    "Captured",
    { refundedMinor: 0, refundPendingMinor: 1999 },
    ["payment.amount_mismatch", "payment.refund_unknown"]
  ],
  [
    "succeeded without an id",
    { _tag: "Succeeded", providerRefundId: "" },
    "pointsman/ResultUnknown",
    "Captured",
    { refundedMinor: 0, refundPendingMinor: 1999 },
    ["payment.refund_unknown"]
  ],
  [
    "succeeded without any id",
    { _tag: "Succeeded" } as never,
    "pointsman/ResultUnknown",
    "Captured",
    { refundedMinor: 0, refundPendingMinor: 1999 },
    ["payment.refund_unknown"]
  ],
  [
    "something that is no answer",
    { _tag: "Later" } as never,
    "pointsman/ResultUnknown",
    "Captured",
    { refundedMinor: 0, refundPendingMinor: 1999 },
    ["payment.refund_unknown"]
  ],
  [
    "pending",
    { _tag: "RefundPending", providerRefundId },
    "pointsman/RefundPending",
    "Captured",
    { refundedMinor: 0, refundPendingMinor: 1999 },
    ["payment.refund_pending"]
  ],
  [
    "failed",
    { _tag: "RefundFailed", providerRefundId, reason: "closed account" },
    "pointsman/ProviderRefused",
    "Captured",
    { refundedMinor: 0, refundPendingMinor: 0 },
    []
  ],
  ["rejected", rejected, "pointsman/ProviderRefused", "Captured", { refundPendingMinor: 0 }, []],
  ["not sent", unsent, "pointsman/ProviderRefused", "Captured", { refundPendingMinor: 0 }, []],
  [
    "nothing",
    silent,
    "pointsman/ResultUnknown",
    "Captured",
    { refundedMinor: 0, refundPendingMinor: 1999 },
    ["payment.refund_unknown"]
  ]
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
    for (const [said, answer, told, state, amounts, events] of operations[kind].cases) {
      itIn(
        `${said}, then ${told} and ${state}; the same key says so again, and asks nobody`,
        world(),
        function* ({ provider }) {
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
        }
      )
    }
  })
}
