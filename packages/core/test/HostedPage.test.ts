/** What a customer does on a sandbox page: once, in time, and as a direct create would. */
import { assert, describe } from "@effect/vitest"
import {
  ActionNotOffered,
  type AttemptOutcome,
  declineCategories,
  type HostedAction,
  HostedSuspended,
  PageNotFound,
  type Payment,
  type PaymentState,
  Pointsman,
  type Simulation
} from "@pointsman/core"
import { type ChargeAnswer, NotSent, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import { onMain } from "./support/Operations.ts"
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
import { atOnce } from "./support/Steps.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const Approve: HostedAction = { _tag: "Approve" }
const Cancel: HostedAction = { _tag: "Cancel" }
const Decline: HostedAction = { _tag: "Decline", category: "insufficient_funds" }

describe("a hosted page", () => {
  itHere("a token gives its payment and the merchant's name; other texts are PageNotFound", function* (_, pointsman) {
    const { payment, token } = yield* paged()
    assert.deepStrictEqual(yield* pointsman.hostedPage(token), { payment, merchant: "Acme", brand: null })
    for (const text of ["", "token", payment.id, `${token} `]) {
      assert.instanceOf(yield* Effect.flip(pointsman.hostedPage(text)), PageNotFound)
      assert.instanceOf(yield* Effect.flip(pointsman.actOnHostedPage(text, Approve)), PageNotFound)
      assert.instanceOf(yield* Effect.flip(pointsman.openCheckout(text, comeBack)), PageNotFound)
      assert.instanceOf(yield* Effect.flip(pointsman.returnFromCheckout(text)), PageNotFound)
    }
  })

  itHere("a brand is in the view, and its name, if it has one, is the merchant's", function* (_, pointsman) {
    const { payment, token } = yield* paged()
    for (const [brand, merchant] of [
      [{ color: "#0b5fff" }, "Acme"],
      [{ name: "Acme Coffee" }, "Acme Coffee"]
    ] as const) {
      yield* giveBrand(brand)
      assert.deepStrictEqual(yield* pointsman.hostedPage(token), { payment, merchant, brand })
    }
  })

  itHere("a payment that was charged at once has no page", function* (_, pointsman) {
    const { payment } = yield* pointsman.create(caller, request())
    const token = yield* pointsman.pageToken(payment.id)
    assert.instanceOf(yield* Effect.flip(pointsman.hostedPage(token)), PageNotFound)
  })
})

describe("an approval", () => {
  type OnCharge = ReturnType<typeof world>["provider"]["onCharge"]
  const answering = (answer: ChargeAnswer) => () => Effect.succeed(answer)
  const hard = { _tag: "Declined", providerRef: "r", category: "expired_card", code: "05", soft: false } as const
  const soft = { ...hard, category: "do_not_honor", soft: true } as const
  const notSent = () => Effect.fail(new NotSent({ reason: "refused" }))
  const unanswered = () => Effect.fail(new Unanswered({ reason: "time-out" }))
  const needsCustomer = answering({ _tag: "NeedsCustomer", providerRef: null })
  const accepted = answering({ _tag: "Pending", providerRef: "r" })
  const challenged = { declineCategory: "authentication_failed", declineReason: "provider_requires_action" } as const
  const expired = { declineCategory: "expired_card", declineReason: "05" } as const
  const silent = { connectionId: "main", declineReason: null }
  const byBackup = { connectionId: "backup" }

  const cases: ReadonlyArray<
    readonly [
      name: string,
      onCharge: OnCharge,
      state: PaymentState,
      expect: Partial<Payment>,
      event: string,
      ...outcomes: ReadonlyArray<AttemptOutcome>
    ]
  > = [
    ["captured", approve, "Captured", { capturedMinor: 1999, connectionId: "main" }, "captured", "Captured"],
    ["authorized", approve, "Authorized", { authorizedMinor: 1999, capturedMinor: 0 }, "authorized", "Authorized"],
    ["declined", answering(hard), "Declined", expired, "declined", "Declined"],
    ["told that the customer must authenticate", needsCustomer, "Declined", challenged, "declined", "NeedsCustomer"],
    ["accepted", accepted, "ChargePending", { providerRef: "r" }, "pending", "Pending"],
    ["unanswered", unanswered, "ChargeUnknown", silent, "unknown", "Unanswered"],
    [
      "not sent, then captured by the second",
      onMain(notSent()),
      "Captured",
      byBackup,
      "captured",
      "NotSent",
      "Captured"
    ],
    [
      "declined softly, then captured",
      onMain(Effect.succeed(soft)),
      "Captured",
      byBackup,
      "captured",
      "Declined",
      "Captured"
    ],
    ["sent to nobody", notSent, "Failed", { declineReason: "provider_error" }, "failed", "NotSent", "NotSent"]
  ]
  for (const [name, onCharge, state, expect, event, ...outcomes] of cases) {
    itHere(`a page that is ${name} acts as a direct create, and once`, function* ({ provider }, pointsman) {
      provider.onCharge = onCharge
      const captureMethod = state === "Authorized" ? "manual" : "automatic"
      const { payment, token } = yield* paged(caller, { details: { ...request().details, captureMethod } })
      const outcome = yield* pointsman.actOnHostedPage(token, Approve)
      assert.isTrue(outcome.acted)
      assert.deepInclude(outcome.payment, { ...expect, state, id: payment.id, hosted: payment.hosted })
      assert.deepStrictEqual(yield* stored(payment), outcome.payment)
      const attempts = outcome.payment.routing?.attempts ?? []
      assert.deepStrictEqual<unknown>(
        [attempts.map((one) => one.outcome), yield* outcomesOf(payment)],
        [outcomes, outcomes]
      )
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", `payment.${event}`])
      const asked = provider.charges.length
      for (const action of [Approve, Cancel, Decline]) {
        assert.deepStrictEqual(yield* pointsman.actOnHostedPage(token, action), { ...outcome, acted: false })
      }
      assert.lengthOf(provider.charges, asked)
    })
  }

  itHere("the attempt is stored before the provider is asked, and the page is at work", function* (own, pointsman) {
    const { token } = yield* paged()
    own.provider.onCharge = (charge) =>
      Effect.gen(function* () {
        const view = yield* pointsman.hostedPage(token)
        assert.strictEqual(view.payment.state, "Charging")
        assert.strictEqual(view.payment.routing?.attempts[0]?.attemptId, charge.attemptId)
        return yield* approve(charge)
      }).pipe(Effect.orDie)
    assert.strictEqual((yield* pointsman.actOnHostedPage(token, Approve)).payment.state, "Captured")
    // The payment and its end, and the claim before the provider: three in all.
    assert.strictEqual(own.ledger.calls.commit, 3)
  })

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
    itHere(`${JSON.stringify(simulation)} approved after a challenge is played as passed`, function* (own, pointsman) {
      const { provider } = own
      const details = { ...request().details, simulation }
      const challenged = yield* paged(caller, { details })
      yield* pointsman.actOnHostedPage(challenged.token, { _tag: "ApproveAfterChallenge" })
      assert.deepStrictEqual(provider.charges[0]?.simulation, passed)
      // What the merchant asked for stays on record.
      assert.deepStrictEqual((yield* stored(challenged.payment)).simulation, simulation)
      const plain = yield* paged(caller, { details })
      yield* pointsman.actOnHostedPage(plain.token, Approve)
      assert.deepStrictEqual(provider.charges[1]?.simulation, simulation)
    })
  }

  itHere("an act without a usable connection ends it as FAILED, and asks no provider", function* (_, pointsman) {
    const { payment, token } = yield* paged()
    yield* deactivateAll
    const outcome = yield* pointsman.actOnHostedPage(token, Approve)
    assert.isTrue(outcome.acted)
    assert.deepInclude(outcome.payment, { state: "Failed", declineReason: "provider_error", settledAt: 0 })
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.failed"])
    assert.deepStrictEqual(yield* outcomesOf(payment), [])
  })

  itHere("a suspended workspace begins nothing new; customers can still look and cancel", function* (own, pointsman) {
    const { payment, token } = yield* paged()
    yield* suspend
    assert.instanceOf(yield* Effect.flip(pointsman.actOnHostedPage(token, Approve)), HostedSuspended)
    assert.deepStrictEqual((yield* pointsman.hostedPage(token)).payment, payment)
    assert.lengthOf(own.provider.charges, 0)
    assert.strictEqual((yield* pointsman.actOnHostedPage(token, Cancel)).payment.state, "Cancelled")
  })
})

describe("a decline and a cancel", () => {
  const declines = declineCategories.map((category) => ["Declined", category, { _tag: "Decline", category }] as const)
  for (const [state, category, action] of [...declines, ["Cancelled", null, Cancel] as const]) {
    itHere(`a page that is ${state} for ${category} says so once, and asks no provider`, function* (own, pointsman) {
      const { payment, token } = yield* paged()
      const outcome = yield* pointsman.actOnHostedPage(token, action)
      assert.isTrue(outcome.acted)
      assert.deepInclude(outcome.payment, { state, declineCategory: category, declineReason: category })
      assert.deepStrictEqual(yield* pointsman.actOnHostedPage(token, Approve), { ...outcome, acted: false })
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", `payment.${state.toLowerCase()}`])
      const { items } = yield* pointsman.timeline(tenant, payment.id, { limit: 10 })
      const told = { payment_status: "DECLINED", decline_category: category, decline_code: category }
      if (category !== null) assert.deepInclude(items[1]?.data, told)
      assert.lengthOf(own.provider.charges, 0)
    })
  }
})

describe("the end of a page", () => {
  for (const action of [Approve, { _tag: "ApproveAfterChallenge" } as const, Cancel, Decline]) {
    itHere(`${action._tag} acts a millisecond before the end, and not at the end`, function* ({ provider }, pointsman) {
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
    })
  }

  const reads = {
    "the page is shown": (token: string) =>
      Effect.flatMap(Pointsman, (pointsman) => Effect.map(pointsman.hostedPage(token), ({ payment }) => payment)),
    "the payment is read": (_token: string, id: string) =>
      Effect.flatMap(Pointsman, (pointsman) => pointsman.payment(tenant, id)),
    "its timeline is read": (_token: string, id: string) =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const { items } = yield* pointsman.timeline(tenant, id, { limit: 10 })
        const payment = yield* stored({ id, tenant })
        assert.strictEqual(items.at(-1)?.type === "payment.cancelled", payment.state === "Cancelled")
        return payment
      }),
    "a checkout sends back": (token: string) =>
      Effect.flatMap(Pointsman, (pointsman) => Effect.map(pointsman.returnFromCheckout(token), (view) => view.payment))
  }
  for (const [what, read] of Object.entries(reads)) {
    itHere(`the end is written once, by the first who looks, when ${what}`, function* ({ ledger }) {
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
    })
  }

  itIn("32 who look at once cause one event, and all see the same", world({ yieldBetween: true }), function* () {
    const pointsman = yield* Pointsman
    const { payment, token } = yield* paged()
    yield* TestClock.adjust(pageMillis)
    const seen = yield* atOnce(32, () => pointsman.hostedPage(token))
    for (const view of seen) assert.deepStrictEqual(view, seen[0])
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.cancelled"])
  })

  itHere("the end of the page changes nothing of a charge that began in time", function* (own, pointsman) {
    own.provider.onCharge = () => Effect.never
    const { payment, token } = yield* paged()
    yield* TestClock.adjust(pageMillis - 1)
    yield* Effect.forkDetach(pointsman.actOnHostedPage(token, Approve))
    yield* TestClock.adjust(2)
    assert.strictEqual((yield* pointsman.payment(tenant, payment.id)).state, "Charging")
  })
})

describe("two tabs", () => {
  for (let round = 1; round <= 20; round++) {
    const own = world({ yieldBetween: true })
    itIn(`64 approvals ask the provider once, and one of them acts (round ${round})`, own, function* ({ provider }) {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged()
      provider.onCharge = (charge) => Effect.andThen(Effect.yieldNow, approve(charge))
      const outcomes = yield* atOnce(64, () => pointsman.actOnHostedPage(token, Approve))
      assert.lengthOf(provider.charges, 1)
      assert.strictEqual(outcomes.filter(({ acted }) => acted).length, 1)
      for (const outcome of outcomes) assert.include(["Charging", "Captured"], outcome.payment.state)
      assert.deepStrictEqual(yield* outcomesOf(payment), ["Captured"])
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
    })
  }

  for (let round = 1; round <= 20; round++) {
    const own = world({ yieldBetween: true })
    itIn(`exactly one of all buttons pressed at once acts (round ${round})`, own, function* ({ provider }, pointsman) {
      const { payment, token } = yield* paged()
      const buttons = [Approve, Cancel, Decline, { _tag: "ApproveAfterChallenge" } as const]
      const pressed = Array.from({ length: 16 }, (_, at) => buttons[(at + round) % buttons.length] as HostedAction)
      const outcomes = yield* Effect.forEach(pressed, (action) => pointsman.actOnHostedPage(token, action), {
        concurrency: "unbounded"
      })
      const acted = pressed.filter((_, at) => outcomes[at]?.acted)
      assert.lengthOf(acted, 1)
      const { state } = yield* stored(payment)
      const ends = { Cancel: "Cancelled", Decline: "Declined", Approve: "Captured", ApproveAfterChallenge: "Captured" }
      assert.strictEqual(state, ends[acted[0]?._tag ?? "Cancel"])
      assert.lengthOf(provider.charges, state === "Captured" ? 1 : 0)
      assert.lengthOf(yield* typesOf(payment), 2)
    })
  }
})

itIn("production has no buttons, and a cancel works", world({ connections: liveConnections }), function* (own) {
  const pointsman = yield* Pointsman
  const { payment, token } = yield* paged(liveCaller)
  for (const action of [Approve, Decline, { _tag: "ApproveAfterChallenge" } as const]) {
    assert.instanceOf(yield* Effect.flip(pointsman.actOnHostedPage(token, action)), ActionNotOffered)
  }
  assert.deepStrictEqual(yield* stored(payment), payment)
  assert.lengthOf(own.provider.charges, 0)
  const outcome = yield* pointsman.actOnHostedPage(token, Cancel)
  assert.deepStrictEqual([outcome.acted, outcome.payment.state], [true, "Cancelled"])
})
