/** What a customer does on a sandbox page: once, in time, and as a direct create would. */
import { assert, describe, it } from "@effect/vitest"
import {
  ActionNotOffered,
  type AttemptOutcome,
  declineCategories,
  type HostedAction,
  HostedSuspended,
  PageNotFound,
  Pointsman,
  type Simulation
} from "@pointsman/core"
import { type ChargeAnswer, type ChargeRequest, NotSent, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  comeBack,
  deactivateAll,
  giveBrand,
  liveCaller,
  liveConnections,
  outcomesOf,
  paged,
  pageMillis,
  stored,
  suspend,
  typesOf
} from "./support/Pages.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const Approve: HostedAction = { _tag: "Approve" }
const Cancel: HostedAction = { _tag: "Cancel" }
const Decline: HostedAction = { _tag: "Decline", category: "insufficient_funds" }

describe("a hosted page", () => {
  const shown = world()
  it.effect("a token gives its payment and the merchant's name; other texts are PageNotFound", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged()
      assert.deepStrictEqual(yield* pointsman.hostedPage(token), { payment, merchant: "Acme", brand: null })
      for (const text of ["", "token", payment.id, `${token} `]) {
        assert.instanceOf(yield* Effect.flip(pointsman.hostedPage(text)), PageNotFound)
        assert.instanceOf(yield* Effect.flip(pointsman.actOnHostedPage(text, Approve)), PageNotFound)
        assert.instanceOf(yield* Effect.flip(pointsman.openCheckout(text, comeBack)), PageNotFound)
        assert.instanceOf(yield* Effect.flip(pointsman.returnFromCheckout(text)), PageNotFound)
      }
    }).pipe(Effect.provide(shown.layer))
  )

  const branded = world()
  it.effect("a brand is in the view, and its name, if it has one, is the merchant's", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged()
      for (const [brand, merchant] of [
        [{ color: "#0b5fff" }, "Acme"],
        [{ name: "Acme Coffee" }, "Acme Coffee"]
      ] as const) {
        yield* giveBrand(brand)
        assert.deepStrictEqual(yield* pointsman.hostedPage(token), { payment, merchant, brand })
      }
    }).pipe(Effect.provide(branded.layer))
  )

  const direct = world()
  it.effect("a payment that was charged at once has no page", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment } = yield* pointsman.create(caller, request())
      const token = yield* pointsman.pageToken(payment.id)
      assert.instanceOf(yield* Effect.flip(pointsman.hostedPage(token)), PageNotFound)
    }).pipe(Effect.provide(direct.layer))
  )
})

describe("an approval", () => {
  const answering = (answer: ChargeAnswer) => () => Effect.succeed(answer)
  const declined = (soft: boolean): ChargeAnswer => ({
    _tag: "Declined",
    providerRef: "r",
    category: soft ? "do_not_honor" : "expired_card",
    code: "05",
    soft
  })
  const notSent = Effect.fail(new NotSent({ reason: "refused" }))
  const onMain =
    (first: Effect.Effect<ChargeAnswer, NotSent | Unanswered>) =>
    (charge: ChargeRequest & { readonly connectionId: string }) =>
      charge.connectionId === "main" ? first : approve(charge)

  const cases: ReadonlyArray<{
    readonly name: string
    readonly onCharge: (
      charge: ChargeRequest & { readonly connectionId: string }
    ) => Effect.Effect<ChargeAnswer, NotSent | Unanswered>
    readonly manual?: true
    readonly expect: Record<string, unknown>
    readonly outcomes: ReadonlyArray<AttemptOutcome>
    readonly event: string
  }> = [
    {
      name: "captured",
      onCharge: approve,
      expect: { state: "Captured", capturedMinor: 1999, connectionId: "main" },
      outcomes: ["Captured"],
      event: "payment.captured"
    },
    {
      name: "authorized",
      onCharge: approve,
      manual: true,
      expect: { state: "Authorized", authorizedMinor: 1999, capturedMinor: 0 },
      outcomes: ["Authorized"],
      event: "payment.authorized"
    },
    {
      name: "declined",
      onCharge: answering(declined(false)),
      expect: { state: "Declined", declineCategory: "expired_card", declineReason: "05" },
      outcomes: ["Declined"],
      event: "payment.declined"
    },
    {
      name: "told that the customer must authenticate",
      onCharge: answering({ _tag: "NeedsCustomer", providerRef: null }),
      expect: {
        state: "Declined",
        declineCategory: "authentication_failed",
        declineReason: "provider_requires_action"
      },
      outcomes: ["NeedsCustomer"],
      event: "payment.declined"
    },
    {
      name: "accepted",
      onCharge: answering({ _tag: "Pending", providerRef: "r" }),
      expect: { state: "ChargePending", providerRef: "r" },
      outcomes: ["Pending"],
      event: "payment.pending"
    },
    {
      name: "unanswered",
      onCharge: () => Effect.fail(new Unanswered({ reason: "time-out" })),
      expect: { state: "ChargeUnknown", connectionId: "main", declineReason: null },
      outcomes: ["Unanswered"],
      event: "payment.unknown"
    },
    {
      name: "not sent to the first, captured by the second",
      onCharge: onMain(notSent),
      expect: { state: "Captured", connectionId: "backup" },
      outcomes: ["NotSent", "Captured"],
      event: "payment.captured"
    },
    {
      name: "declined softly by the first, captured by the second",
      onCharge: onMain(Effect.succeed(declined(true))),
      expect: { state: "Captured", connectionId: "backup" },
      outcomes: ["Declined", "Captured"],
      event: "payment.captured"
    },
    {
      name: "sent to nobody",
      onCharge: () => notSent,
      expect: { state: "Failed", declineReason: "provider_error" },
      outcomes: ["NotSent", "NotSent"],
      event: "payment.failed"
    }
  ]
  for (const each of cases) {
    const { layer, provider } = world()
    it.effect(`a page that is ${each.name} acts as a direct create, and once`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        provider.onCharge = each.onCharge
        const captureMethod = each.manual === true ? ("manual" as const) : ("automatic" as const)
        const { payment, token } = yield* paged(caller, { details: { ...request().details, captureMethod } })
        const outcome = yield* pointsman.actOnHostedPage(token, Approve)
        assert.isTrue(outcome.acted)
        assert.deepInclude(outcome.payment, { ...each.expect, id: payment.id, hosted: payment.hosted })
        assert.deepStrictEqual(yield* stored(payment), outcome.payment)
        assert.deepStrictEqual(
          outcome.payment.routing?.attempts.map((attempt) => attempt.outcome),
          [...each.outcomes]
        )
        assert.deepStrictEqual(yield* outcomesOf(payment), [...each.outcomes])
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", each.event])
        const asked = provider.charges.length
        for (const action of [Approve, Cancel, Decline]) {
          assert.deepStrictEqual(yield* pointsman.actOnHostedPage(token, action), { ...outcome, acted: false })
        }
        assert.lengthOf(provider.charges, asked)
      }).pipe(Effect.provide(layer))
    )
  }

  const ahead = world()
  it.effect("the attempt is stored before the provider is asked, and the page is at work", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { token } = yield* paged()
      ahead.provider.onCharge = (charge) =>
        Effect.gen(function* () {
          const view = yield* pointsman.hostedPage(token)
          assert.strictEqual(view.payment.state, "Charging")
          assert.strictEqual(view.payment.routing?.attempts[0]?.attemptId, charge.attemptId)
          return yield* approve(charge)
        }).pipe(Effect.orDie)
      assert.strictEqual((yield* pointsman.actOnHostedPage(token, Approve)).payment.state, "Captured")
      // The payment and its end, and the claim before the provider: three in all.
      assert.strictEqual(ahead.ledger.calls.commit, 3)
    }).pipe(Effect.provide(ahead.layer))
  )

  const played: ReadonlyArray<readonly [Simulation | null, Simulation | null]> = [
    [null, null],
    [{ lookup: "executed" }, { lookup: "executed" }],
    [{ charge: "requires_authentication" }, { charge: "approve" }],
    [{ charge: "decline:expired_card" }, { charge: "decline:expired_card" }],
    [
      { charge: ["technical_error", "requires_authentication"], refund: "refuse" },
      { charge: ["technical_error", "approve"], refund: "refuse" }
    ]
  ]
  for (const [simulation, passed] of played) {
    const { layer, provider } = world()
    it.effect(`${JSON.stringify(simulation)} approved after a challenge is played as passed`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const details = { ...request().details, simulation }
        const challenged = yield* paged(caller, { details })
        yield* pointsman.actOnHostedPage(challenged.token, { _tag: "ApproveAfterChallenge" })
        assert.deepStrictEqual(provider.charges[0]?.simulation, passed)
        // What the merchant asked for stays on record.
        assert.deepStrictEqual((yield* stored(challenged.payment)).simulation, simulation)
        const plain = yield* paged(caller, { details })
        yield* pointsman.actOnHostedPage(plain.token, Approve)
        assert.deepStrictEqual(provider.charges[1]?.simulation, simulation)
      }).pipe(Effect.provide(layer))
    )
  }

  const closed = world()
  it.effect("an act without a usable connection ends it as FAILED, and asks no provider", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged()
      yield* deactivateAll
      const outcome = yield* pointsman.actOnHostedPage(token, Approve)
      assert.isTrue(outcome.acted)
      assert.deepInclude(outcome.payment, { state: "Failed", declineReason: "provider_error", settledAt: 0 })
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.failed"])
      assert.deepStrictEqual(yield* outcomesOf(payment), [])
    }).pipe(Effect.provide(closed.layer))
  )

  const suspended = world()
  it.effect("a suspended workspace begins nothing new; customers can still look and cancel", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged()
      yield* suspend
      assert.instanceOf(yield* Effect.flip(pointsman.actOnHostedPage(token, Approve)), HostedSuspended)
      assert.deepStrictEqual((yield* pointsman.hostedPage(token)).payment, payment)
      assert.lengthOf(suspended.provider.charges, 0)
      assert.strictEqual((yield* pointsman.actOnHostedPage(token, Cancel)).payment.state, "Cancelled")
    }).pipe(Effect.provide(suspended.layer))
  )
})

describe("a decline and a cancel", () => {
  for (const category of declineCategories) {
    const { layer, provider } = world()
    it.effect(`a decline for ${category} is DECLINED with it, and asks no provider`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const { payment, token } = yield* paged()
        const outcome = yield* pointsman.actOnHostedPage(token, { _tag: "Decline", category })
        assert.isTrue(outcome.acted)
        assert.deepInclude(outcome.payment, { state: "Declined", declineCategory: category, declineReason: category })
        const { items } = yield* pointsman.timeline(tenant, payment.id, { limit: 10 })
        assert.deepInclude(items[1]?.data, {
          payment_status: "DECLINED",
          decline_category: category,
          decline_code: category
        })
        assert.lengthOf(provider.charges, 0)
        assert.deepStrictEqual(yield* pointsman.actOnHostedPage(token, Approve), { ...outcome, acted: false })
      }).pipe(Effect.provide(layer))
    )
  }

  const cancelled = world()
  it.effect("a cancel is CANCELLED without a reason, once", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged()
      const outcome = yield* pointsman.actOnHostedPage(token, Cancel)
      assert.isTrue(outcome.acted)
      assert.deepInclude(outcome.payment, { state: "Cancelled", declineReason: null, declineCategory: null })
      assert.deepStrictEqual(yield* pointsman.actOnHostedPage(token, Approve), { ...outcome, acted: false })
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.cancelled"])
      assert.lengthOf(cancelled.provider.charges, 0)
    }).pipe(Effect.provide(cancelled.layer))
  )
})

describe("the end of a page", () => {
  for (const action of [Approve, { _tag: "ApproveAfterChallenge" } as const, Cancel, Decline]) {
    const { layer, provider } = world()
    it.effect(`${action._tag} acts a millisecond before the end, and not at the end`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const [early, late] = [yield* paged(), yield* paged()]
        yield* TestClock.adjust(pageMillis - 1)
        assert.isTrue((yield* pointsman.actOnHostedPage(early.token, action)).acted)
        const asked = provider.charges.length
        yield* TestClock.adjust(1)
        const outcome = yield* pointsman.actOnHostedPage(late.token, action)
        assert.isFalse(outcome.acted)
        assert.deepInclude(outcome.payment, { state: "Cancelled", declineReason: null, declineCategory: null })
        assert.deepStrictEqual(yield* typesOf(late.payment), ["payment.requires_action", "payment.cancelled"])
        assert.lengthOf(provider.charges, asked)
      }).pipe(Effect.provide(layer))
    )
  }

  const reads = {
    "the page is shown": (token: string) =>
      Effect.flatMap(Pointsman, (pointsman) => Effect.map(pointsman.hostedPage(token), ({ payment }) => payment)),
    "the payment is read": (_token: string, id: string) =>
      Effect.flatMap(Pointsman, (pointsman) => pointsman.payment(tenant, id)),
    "a checkout sends back": (token: string) =>
      Effect.flatMap(Pointsman, (pointsman) => Effect.map(pointsman.returnFromCheckout(token), (view) => view.payment))
  }
  for (const [what, read] of Object.entries(reads)) {
    const { layer, ledger } = world()
    it.effect(`the end is written once, by the first who looks, when ${what}`, () =>
      Effect.gen(function* () {
        const { payment, token } = yield* paged()
        yield* TestClock.adjust(pageMillis - 1)
        assert.deepStrictEqual(yield* read(token, payment.id), payment)
        assert.strictEqual(ledger.calls.commit, 1)
        yield* TestClock.adjust(1)
        const ended = yield* read(token, payment.id)
        assert.deepInclude(ended, { state: "Cancelled", settledAt: pageMillis, version: 2 })
        assert.strictEqual(ledger.calls.commit, 2)
        yield* TestClock.adjust(1)
        assert.deepStrictEqual(yield* read(token, payment.id), ended)
        assert.strictEqual(ledger.calls.commit, 2)
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.cancelled"])
      }).pipe(Effect.provide(layer))
    )
  }

  const timeline = world()
  it.effect("the timeline of a page contains the end", () =>
    Effect.gen(function* () {
      const { payment } = yield* paged()
      yield* TestClock.adjust(pageMillis)
      const { items } = yield* (yield* Pointsman).timeline(tenant, payment.id, { limit: 10 })
      assert.deepStrictEqual(
        items.map(({ type }) => type),
        ["payment.requires_action", "payment.cancelled"]
      )
    }).pipe(Effect.provide(timeline.layer))
  )

  const crowd = world({ yieldBetween: true })
  it.effect("32 who look at once cause one event, and all see the same", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged()
      yield* TestClock.adjust(pageMillis)
      const seen = yield* Effect.all(
        Array.from({ length: 32 }, () => pointsman.hostedPage(token)),
        { concurrency: "unbounded" }
      )
      for (const view of seen) assert.deepStrictEqual(view, seen[0])
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.cancelled"])
    }).pipe(Effect.provide(crowd.layer))
  )

  const begun = world()
  it.effect("the end of the page changes nothing of a charge that began in time", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      begun.provider.onCharge = () => Effect.never
      const { payment, token } = yield* paged()
      yield* TestClock.adjust(pageMillis - 1)
      yield* Effect.forkDetach(pointsman.actOnHostedPage(token, Approve))
      yield* TestClock.adjust(2)
      assert.strictEqual((yield* pointsman.payment(tenant, payment.id)).state, "Charging")
    }).pipe(Effect.provide(begun.layer))
  )
})

describe("two tabs", () => {
  for (let round = 1; round <= 20; round++) {
    const { layer, provider } = world({ yieldBetween: true })
    it.effect(`64 approvals ask the provider once, and one of them acts (round ${round})`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const { payment, token } = yield* paged()
        provider.onCharge = (charge) => Effect.andThen(Effect.yieldNow, approve(charge))
        const outcomes = yield* Effect.all(
          Array.from({ length: 64 }, () => pointsman.actOnHostedPage(token, Approve)),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(provider.charges, 1)
        assert.lengthOf(
          outcomes.filter(({ acted }) => acted),
          1
        )
        for (const outcome of outcomes) assert.include(["Charging", "Captured"], outcome.payment.state)
        assert.deepStrictEqual(yield* outcomesOf(payment), ["Captured"])
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
      }).pipe(Effect.provide(layer))
    )
  }

  for (let round = 1; round <= 20; round++) {
    const { layer, provider } = world({ yieldBetween: true })
    it.effect(`exactly one of all buttons pressed at once acts (round ${round})`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const { payment, token } = yield* paged()
        const buttons = [Approve, Cancel, Decline, { _tag: "ApproveAfterChallenge" } as const]
        const pressed = Array.from({ length: 16 }, (_, at) => buttons[(at + round) % buttons.length] as HostedAction)
        const outcomes = yield* Effect.forEach(pressed, (action) => pointsman.actOnHostedPage(token, action), {
          concurrency: "unbounded"
        })
        const acted = pressed.filter((_, at) => outcomes[at]?.acted)
        assert.lengthOf(acted, 1)
        const { state } = yield* stored(payment)
        const expected = {
          Approve: "Captured",
          ApproveAfterChallenge: "Captured",
          Cancel: "Cancelled",
          Decline: "Declined"
        }
        assert.strictEqual(state, expected[acted[0]?._tag ?? "Cancel"])
        assert.lengthOf(provider.charges, state === "Captured" ? 1 : 0)
        assert.lengthOf(yield* typesOf(payment), 2)
      }).pipe(Effect.provide(layer))
    )
  }
})

describe("what an environment offers", () => {
  const production = world({ connections: liveConnections })
  it.effect("production has no buttons, and a cancel works", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged(liveCaller)
      for (const action of [Approve, Decline, { _tag: "ApproveAfterChallenge" } as const]) {
        assert.instanceOf(yield* Effect.flip(pointsman.actOnHostedPage(token, action)), ActionNotOffered)
      }
      assert.deepStrictEqual(yield* stored(payment), payment)
      assert.lengthOf(production.provider.charges, 0)
      const outcome = yield* pointsman.actOnHostedPage(token, Cancel)
      assert.deepStrictEqual([outcome.acted, outcome.payment.state], [true, "Cancelled"])
    }).pipe(Effect.provide(production.layer))
  )

  const sandbox = world()
  it.effect("the sandbox has no checkout", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { token } = yield* paged()
      assert.instanceOf(yield* Effect.flip(pointsman.openCheckout(token, comeBack)), ActionNotOffered)
      assert.lengthOf(sandbox.provider.checkouts, 0)
    }).pipe(Effect.provide(sandbox.layer))
  )
})
