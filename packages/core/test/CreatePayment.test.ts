import { assert } from "@effect/vitest"
import type { Payment, PaymentState } from "@pointsman/core"
import { type ChargeAnswer, type NotSent, Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { itHere } from "./support/ItIn.ts"
import { typesOf } from "./support/Pages.ts"
import { caller, request, tenant } from "./support/World.ts"

type Answer = ChargeAnswer | Effect.Effect<ChargeAnswer, NotSent | Unanswered>
const providerRef = "r1"
const captured = (minorUnits: number, currency = "EUR"): Answer => ({
  _tag: "Captured",
  providerRef,
  stated: { minorUnits, currency }
})
const authorized: Answer = { _tag: "Authorized", providerRef }
const declined = { _tag: "Declined", providerRef: "ref", category: "expired_card", code: "05", soft: false } as const

const all = { capturedMinor: 1999, authorizedMinor: 1999, providerRef, connectionId: "main" }
const less = { capturedMinor: 1000, authorizedMinor: 1000 }
const held = { capturedMinor: 0, authorizedMinor: 1999 }
const none = { capturedMinor: 0, authorizedMinor: 0, providerRef }
const expired = { declineCategory: "expired_card", declineReason: "05", connectionId: null } as const
const challenged = { declineCategory: "authentication_failed", declineReason: "provider_requires_action" } as const
const unheard = { declineReason: null, declineCategory: null, connectionId: "main" }
const more = { capturedMinor: 0, providerRef, declineReason: null }

const cases: ReadonlyArray<
  readonly [
    name: string,
    answer: Answer,
    state: PaymentState,
    expect: Partial<Payment>,
    event: string,
    captureMethod?: "manual"
  ]
> = [
  ["captured", { _tag: "Captured", providerRef }, "Captured", all, "captured"],
  ["captured for less than was asked", captured(1000), "Captured", less, "captured"],
  ["captured for more than was asked", captured(2000), "ChargeMismatched", more, "unknown"],
  ["captured in another currency", captured(1999, "USD"), "ChargeMismatched", { capturedMinor: 0 }, "unknown"],
  ["authorized, asked to capture", authorized, "ChargePending", none, "pending"],
  ["authorized, capture_method manual", authorized, "Authorized", held, "authorized", "manual"],
  ["captured, capture_method manual", captured(1999), "Captured", { capturedMinor: 1999 }, "captured", "manual"],
  ["pending", { _tag: "Pending", providerRef }, "ChargePending", { providerRef }, "pending"],
  ["declined for good", declined, "Declined", expired, "declined"],
  ["needs the customer", { _tag: "NeedsCustomer", providerRef }, "Declined", challenged, "declined"],
  ["canceled", { _tag: "Canceled", providerRef }, "Cancelled", { declineReason: null }, "cancelled"],
  ["nothing", Effect.fail(new Unanswered({ reason: "time-out" })), "ChargeUnknown", unheard, "unknown"],
  [
    "captured without a reference",
    { _tag: "Captured", providerRef: "" },
    "ChargeUnknown",
    { capturedMinor: 0 },
    "unknown"
  ],
  ...[-1, 10.5, Number.NaN, 2 ** 53].map(
    (minorUnits) =>
      [`captured for ${minorUnits}`, captured(minorUnits), "ChargeUnknown", { capturedMinor: 0 }, "unknown"] as const
  ),
  ["a connector that breaks", Effect.die(new Error("a bug of the adapter")), "ChargeUnknown", {}, "unknown"]
]

for (const [name, answer, state, expect, event, captureMethod = "automatic"] of cases) {
  itHere(`${name} is ${state}, one attempt, two calls of the ledger`, function* ({ ledger, provider }, pointsman) {
    provider.onCharge = () => (Effect.isEffect(answer) ? answer : Effect.succeed(answer))
    const { isReplay, payment } = yield* pointsman.create(caller, request({ details: { captureMethod } }))
    assert.deepInclude(payment, { ...expect, state })
    assert.isFalse(isReplay)
    assert.lengthOf(provider.charges, 1)
    assert.deepStrictEqual(ledger.calls, { ...ledger.calls, commit: 2, payment: 0, claim: 0, attempts: 0 })
    assert.deepStrictEqual(yield* pointsman.payment(tenant, payment.id), payment)
    const mismatch = state === "ChargeMismatched" ? ["payment.amount_mismatch"] : []
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.created", ...mismatch, `payment.${event}`])
    assert.lengthOf(payment.routing?.attempts ?? [], 1)
  })
}
