import { assert, describe, it } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { mayFollow } from "@pointsman/core/internal"
import { type ChargeAnswer, type ChargeEnd, NotSent, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Effect } from "effect"
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

const types = (events: { readonly items: ReadonlyArray<{ readonly type: string }> }) =>
  events.items.map((event) => event.type)

describe("a create that the first provider answers", () => {
  const cases: ReadonlyArray<{
    readonly name: string
    readonly answer: Effect.Effect<ChargeAnswer, NotSent | Unanswered>
    readonly captureMethod?: "manual"
    readonly expect: Record<string, unknown>
    readonly event: ReadonlyArray<string>
  }> = [
    {
      name: "captured",
      answer: Effect.succeed({ _tag: "Captured", providerRef: "r1" }),
      expect: {
        state: "Captured",
        capturedMinor: 1999,
        authorizedMinor: 1999,
        providerRef: "r1",
        connectionId: "main"
      },
      event: ["payment.captured"]
    },
    {
      name: "captured for less than was asked",
      answer: Effect.succeed({ _tag: "Captured", providerRef: "r1", stated: { minorUnits: 1000, currency: "EUR" } }),
      expect: { state: "Captured", capturedMinor: 1000, authorizedMinor: 1000 },
      event: ["payment.captured"]
    },
    {
      name: "captured for more than was asked",
      answer: Effect.succeed({ _tag: "Captured", providerRef: "r1", stated: { minorUnits: 2000, currency: "EUR" } }),
      expect: { state: "ChargeMismatched", capturedMinor: 0, providerRef: "r1", declineReason: null },
      event: ["payment.amount_mismatch", "payment.unknown"]
    },
    {
      name: "captured in another currency",
      answer: Effect.succeed({ _tag: "Captured", providerRef: "r1", stated: { minorUnits: 1999, currency: "USD" } }),
      expect: { state: "ChargeMismatched", capturedMinor: 0 },
      event: ["payment.amount_mismatch", "payment.unknown"]
    },
    {
      name: "authorized, asked to capture",
      answer: Effect.succeed({ _tag: "Authorized", providerRef: "r1" }),
      expect: { state: "ChargePending", authorizedMinor: 0, capturedMinor: 0, providerRef: "r1" },
      event: ["payment.pending"]
    },
    {
      name: "authorized, capture_method manual",
      answer: Effect.succeed({ _tag: "Authorized", providerRef: "r1" }),
      captureMethod: "manual",
      expect: { state: "Authorized", authorizedMinor: 1999, capturedMinor: 0 },
      event: ["payment.authorized"]
    },
    {
      name: "captured, capture_method manual",
      answer: Effect.succeed({ _tag: "Captured", providerRef: "r1" }),
      captureMethod: "manual",
      expect: { state: "Captured", capturedMinor: 1999 },
      event: ["payment.captured"]
    },
    {
      name: "pending",
      answer: Effect.succeed({ _tag: "Pending", providerRef: "r1" }),
      expect: { state: "ChargePending", providerRef: "r1" },
      event: ["payment.pending"]
    },
    {
      name: "declined for good",
      answer: decline(false),
      expect: { state: "Declined", declineCategory: "expired_card", declineReason: "05", connectionId: null },
      event: ["payment.declined"]
    },
    {
      name: "needs the customer",
      answer: Effect.succeed({ _tag: "NeedsCustomer", providerRef: "r1" }),
      expect: {
        state: "Declined",
        declineCategory: "authentication_failed",
        declineReason: "provider_requires_action"
      },
      event: ["payment.declined"]
    },
    {
      name: "canceled",
      answer: Effect.succeed({ _tag: "Canceled", providerRef: "r1" }),
      expect: { state: "Cancelled", declineReason: null },
      event: ["payment.cancelled"]
    },
    {
      name: "nothing",
      answer: unanswered,
      expect: { state: "ChargeUnknown", declineReason: null, declineCategory: null, connectionId: "main" },
      event: ["payment.unknown"]
    },
    {
      name: "captured without a reference",
      answer: Effect.succeed({ _tag: "Captured", providerRef: "" }),
      expect: { state: "ChargeUnknown", capturedMinor: 0 },
      event: ["payment.unknown"]
    },
    ...[-1, 10.5, Number.NaN, 2 ** 53].map((minorUnits) => ({
      name: `captured for ${minorUnits}`,
      answer: Effect.succeed<ChargeAnswer>({
        _tag: "Captured",
        providerRef: "r1",
        stated: { minorUnits, currency: "EUR" }
      }),
      expect: { state: "ChargeUnknown", capturedMinor: 0 },
      event: ["payment.unknown"]
    })),
    {
      name: "a connector that breaks",
      answer: Effect.die(new Error("a bug of the adapter")),
      expect: { state: "ChargeUnknown" },
      event: ["payment.unknown"]
    }
  ]
  for (const { name, answer, captureMethod, expect, event } of cases) {
    const { provider, ledger, layer } = world()
    it.effect(`${name} is ${expect["state"]}, one attempt, two calls of the ledger`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        provider.onCharge = () => answer
        const created = yield* pointsman.create(
          caller,
          request({ details: captureMethod === undefined ? {} : { captureMethod } })
        )
        assert.deepInclude(created.payment, expect)
        assert.isFalse(created.isReplay)
        assert.lengthOf(provider.charges, 1)
        assert.deepStrictEqual(ledger.calls, { ...ledger.calls, commit: 2, payment: 0, claim: 0, attempts: 0 })
        assert.deepStrictEqual(yield* pointsman.payment(tenant, created.payment.id), created.payment)
        const timeline = yield* pointsman.timeline(tenant, created.payment.id, { limit: 100 })
        assert.deepStrictEqual(types(timeline), ["payment.created", ...event])
        assert.lengthOf(created.payment.routing?.attempts ?? [], 1)
      }).pipe(Effect.provide(layer))
    )
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
      it.effect(`the second is ${isFollowed ? "" : "never "}asked in ${mode} after ${end}`, () =>
        Effect.gen(function* () {
          const pointsman = yield* Pointsman
          provider.onCharge = (charge) => (charge.connectionId === "main" ? ends[end] : approve(charge))
          const { payment } = yield* pointsman.create(caller, request())
          assert.deepStrictEqual(
            provider.charges.map((charge) => charge.connectionId),
            isFollowed ? ["main", "backup"] : ["main"]
          )
          assert.strictEqual(payment.state === "Captured", isFollowed)
          assert.strictEqual(ledger.calls.commit, isFollowed ? 3 : 2)
          const attempts = payment.routing?.attempts ?? []
          assert.strictEqual(new Set(attempts.map((attempt) => attempt.attemptId)).size, isFollowed ? 2 : 1)
        }).pipe(Effect.provide(layer))
      )
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
    it.effect(`${name} is ${expect.state}, and no third connection is asked`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        provider.onCharge = (charge) => ends[charge.connectionId === "main" ? first : second]
        const { payment } = yield* pointsman.create(caller, request())
        assert.deepInclude(payment, expect)
        assert.lengthOf(provider.charges, 2)
      }).pipe(Effect.provide(layer))
    )
  }
})
