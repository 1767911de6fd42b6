import { assert, describe, it } from "@effect/vitest"
import { type Payment, type PaymentState, Pointsman } from "@pointsman/core"
import { mayFollow } from "@pointsman/core/internal"
import { type ChargeAnswer, type ChargeEnd, NotSent, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Effect } from "effect"
import { itIn } from "./support/ItIn.ts"
import { typesOf } from "./support/Pages.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const decline = (soft: boolean): Effect.Effect<ChargeAnswer> =>
  Effect.succeed({
    _tag: "Declined",
    providerRef: "ref",
    category: soft ? "do_not_honor" : "expired_card",
    code: "05",
    soft
  })
const rejected: Effect.Effect<ChargeAnswer> = Effect.succeed({ _tag: "Rejected", code: "busy", message: "Busy." })
const notSent = Effect.fail(new NotSent({ reason: "connection refused" }))
const unanswered = Effect.fail(new Unanswered({ reason: "time-out" }))

describe("a create that the first provider answers", () => {
  type Answer = Effect.Effect<ChargeAnswer, NotSent | Unanswered>
  const captured = (minorUnits?: number, currency = "EUR"): Answer => {
    const stated = minorUnits === undefined ? {} : { stated: { minorUnits, currency } }
    return Effect.succeed({ _tag: "Captured", providerRef: "r1", ...stated })
  }
  const authorized: Answer = Effect.succeed({ _tag: "Authorized", providerRef: "r1" })
  const noReference: Answer = Effect.succeed({ _tag: "Captured", providerRef: "" })
  const bug: Answer = Effect.die(new Error("a bug of the adapter"))
  const all = { capturedMinor: 1999, authorizedMinor: 1999, providerRef: "r1", connectionId: "main" }
  const none = { capturedMinor: 0, authorizedMinor: 0, providerRef: "r1" }
  const expired = { declineCategory: "expired_card", declineReason: "05", connectionId: null } as const
  const challenged = { declineCategory: "authentication_failed", declineReason: "provider_requires_action" } as const
  const unheard = { declineReason: null, declineCategory: null, connectionId: "main" }
  const more = { capturedMinor: 0, providerRef: "r1", declineReason: null }

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
    ["captured", captured(), "Captured", all, "captured"],
    [
      "captured for less than was asked",
      captured(1000),
      "Captured",
      { capturedMinor: 1000, authorizedMinor: 1000 },
      "captured"
    ],
    ["captured for more than was asked", captured(2000), "ChargeMismatched", more, "unknown"],
    ["captured in another currency", captured(1999, "USD"), "ChargeMismatched", { capturedMinor: 0 }, "unknown"],
    ["authorized, asked to capture", authorized, "ChargePending", none, "pending"],
    [
      "authorized, capture_method manual",
      authorized,
      "Authorized",
      { authorizedMinor: 1999, capturedMinor: 0 },
      "authorized",
      "manual"
    ],
    ["captured, capture_method manual", captured(), "Captured", { capturedMinor: 1999 }, "captured", "manual"],
    [
      "pending",
      Effect.succeed({ _tag: "Pending", providerRef: "r1" }),
      "ChargePending",
      { providerRef: "r1" },
      "pending"
    ],
    ["declined for good", decline(false), "Declined", expired, "declined"],
    [
      "needs the customer",
      Effect.succeed({ _tag: "NeedsCustomer", providerRef: "r1" }),
      "Declined",
      challenged,
      "declined"
    ],
    [
      "canceled",
      Effect.succeed({ _tag: "Canceled", providerRef: "r1" }),
      "Cancelled",
      { declineReason: null },
      "cancelled"
    ],
    ["nothing", unanswered, "ChargeUnknown", unheard, "unknown"],
    ["captured without a reference", noReference, "ChargeUnknown", { capturedMinor: 0 }, "unknown"],
    ...[-1, 10.5, Number.NaN, 2 ** 53].map(
      (minorUnits) =>
        [`captured for ${minorUnits}`, captured(minorUnits), "ChargeUnknown", { capturedMinor: 0 }, "unknown"] as const
    ),
    ["a connector that breaks", bug, "ChargeUnknown", {}, "unknown"]
  ]
  for (const [name, answer, state, expect, event, captureMethod = "automatic"] of cases) {
    itIn(`${name} is ${state}, one attempt, two calls of the ledger`, world(), function* ({ ledger, provider }) {
      const pointsman = yield* Pointsman
      provider.onCharge = () => answer
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
})

describe("whether a second connection is asked", () => {
  type End = "soft decline" | "hard decline" | "rejected" | "not sent" | "unanswered" | "needs customer"
  const ends: Record<End, Effect.Effect<ChargeAnswer, NotSent | Unanswered>> = {
    "soft decline": decline(true),
    "hard decline": decline(false),
    rejected,
    "not sent": notSent,
    unanswered,
    "needs customer": Effect.succeed({ _tag: "NeedsCustomer", providerRef: null })
  }
  const follows: Record<"fixed" | "priority" | "failover", ReadonlyArray<End>> = {
    fixed: [],
    priority: ["rejected", "not sent"],
    failover: ["rejected", "not sent", "soft decline"]
  }
  for (const mode of ["fixed", "priority", "failover"] as const) {
    for (const end of Object.keys(ends) as Array<End>) {
      const isFollowed = follows[mode].includes(end)
      const { provider, ledger, layer } = world({ routing: { mode } })
      itIn(`the second is ${isFollowed ? "" : "never "}asked in ${mode} after ${end}`, { layer }, function* () {
        const pointsman = yield* Pointsman
        provider.onCharge = (charge) => (charge.connectionId === "main" ? ends[end] : approve(charge))
        const { payment } = yield* pointsman.create(caller, request())
        assertFields(provider.charges, "connectionId", ...(isFollowed ? ["main", "backup"] : ["main"]))
        assert.strictEqual(payment.state === "Captured", isFollowed)
        assert.strictEqual(ledger.calls.commit, isFollowed ? 3 : 2)
        const attempts = payment.routing?.attempts ?? []
        assert.strictEqual(new Set(attempts.map((attempt) => attempt.attemptId)).size, isFollowed ? 2 : 1)
      })
    }
  }

  it("following an unanswered attempt does not compile, and is refused all the same", () => {
    type Follows = Parameters<typeof mayFollow>[1]["_tag"]
    const tag: Exclude<ChargeEnd["_tag"], Follows> = "pointsman/Unanswered"
    // @ts-expect-error an unknown result is no end that may be followed.
    assert.isNotTrue(mayFollow("failover", { _tag: tag }))
  })

  const outcomes: ReadonlyArray<readonly [string, End, End, Partial<{ state: string; declineReason: string | null }>]> =
    [
      ["both rejected", "rejected", "rejected", { state: "Failed", declineReason: "provider_error" }],
      ["neither sent", "not sent", "not sent", { state: "Failed", declineReason: "provider_error" }],
      ["declined softly, then rejected", "soft decline", "rejected", { state: "Declined", declineReason: "05" }],
      ["declined softly twice", "soft decline", "soft decline", { state: "Declined" }],
      ["rejected, then declined", "rejected", "hard decline", { state: "Declined" }],
      ["rejected, then unanswered", "rejected", "unanswered", { state: "ChargeUnknown", declineReason: null }]
    ]
  for (const [name, first, second, expect] of outcomes) {
    const { provider, layer } = world({
      connections: [{ id: "main" }, { id: "backup" }, { id: "third" }]
    })
    itIn(`${name} is ${expect.state}, and no third connection is asked`, { layer }, function* (_, pointsman) {
      provider.onCharge = (charge) => ends[charge.connectionId === "main" ? first : second]
      const { payment } = yield* pointsman.create(caller, request())
      assert.deepInclude(payment, expect)
      assert.lengthOf(provider.charges, 2)
    })
  }
})
