/**
 * A production page: the provider's checkout is opened once, and only its record reports the outcome of the payment.
 */
import { assert, describe } from "@effect/vitest"
import {
  ActionNotOffered,
  type AttemptOutcome,
  type Caller,
  HostedSuspended,
  type Payment,
  type PaymentState,
  Pointsman,
  type RoutingSettings
} from "@pointsman/core"
import { checkoutUrlContext } from "@pointsman/core/internal"
import {
  type ChargeState,
  type CheckoutOpened,
  Directory,
  type Found,
  Ledger,
  NotSent,
  type Rejected,
  StorageError,
  Unanswered
} from "@pointsman/core/ports"
import { scriptedProvider } from "@pointsman/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import {
  anotherBefore,
  anotherWriter,
  attemptsOf,
  comeBack,
  deactivateAll,
  hour,
  live,
  liveCaller,
  liveConnections,
  minute,
  checkoutOpened as opened,
  outcomesOf,
  paged,
  pageMillis,
  stored,
  suspend,
  typesOf
} from "./support/Pages.ts"
import { atOnce, endAfter } from "./support/Steps.ts"
import { caller, request, runOut, type World, world } from "./support/World.ts"

const make = (options: Parameters<typeof world>[0] = {}): World => world({ connections: liveConnections, ...options })

const routed = (settings: RoutingSettings) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    yield* directory.write({ ...(yield* directory.contents), routing: [{ ...live, settings }] })
  })

const rejected: Rejected = { _tag: "Rejected", code: "busy", message: "Busy." }
const found = (state: ChargeState): Found<ChargeState> => ({ _tag: "Found", state })
const notFound = (conclusive: boolean): Found<ChargeState> => ({ _tag: "NotFound", conclusive })
const captured: ChargeState = { _tag: "Captured", providerRef: "ch_1" }

/** A payment whose customer asks for the provider's checkout, and what follows. */
const visited = Effect.fnUntraced(function* (change: Parameters<typeof paged>[1] = {}) {
  const page = yield* paged(liveCaller, change)
  return { ...page, step: yield* (yield* Pointsman).openCheckout(page.token, comeBack) }
})

/** A payment whose customer was sent to the provider. */
const sent = (change: Parameters<typeof paged>[1] = {}) =>
  Effect.tap(visited(change), ({ step }) => Effect.sync(() => assert.strictEqual(step._tag, "Redirect")))

const comesBack = (token: string) =>
  Effect.flatMap(Pointsman, (pointsman) => Effect.map(pointsman.returnFromCheckout(token), ({ payment }) => payment))

describe("a sandbox page of a workspace that asks for the provider's", () => {
  const asking: Caller = { ...caller, workspace: { ...caller.workspace, hostedPage: "provider" } }

  itHere("a real connector's page leads to the provider's checkout, and has no buttons", function* (own, pointsman) {
    const { payment, token } = yield* paged(asking)
    assert.strictEqual(payment.hosted?.leadsTo, "provider")
    assert.instanceOf(yield* Effect.flip(pointsman.actOnHostedPage(token, { _tag: "Approve" })), ActionNotOffered)
    assert.lengthOf(own.provider.charges, 0)
    own.provider.onOpenCheckout = () => Effect.succeed(opened())
    const step = yield* pointsman.openCheckout(token, comeBack)
    assert.deepStrictEqual(step, { _tag: "Redirect", url: "https://provider.example/pay/1" })
    own.provider.onLookUpCharge = () => Effect.succeed(found(captured))
    assert.strictEqual((yield* comesBack(token)).state, "Captured")
  })

  itHere("a page of a workspace that does not ask has buttons, and no checkout or return", function* (own) {
    const { actOnHostedPage, openCheckout } = yield* Pointsman
    const { payment, token } = yield* paged()
    assert.notProperty(payment.hosted, "leadsTo")
    assert.instanceOf(yield* Effect.flip(openCheckout(token, comeBack)), ActionNotOffered)
    assert.lengthOf(own.provider.checkouts, 0)
    own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    yield* actOnHostedPage(token, { _tag: "Approve" })
    assert.strictEqual((yield* comesBack(token)).state, "ChargeUnknown")
    assert.lengthOf(own.provider.lookUps, 0)
  })

  const provider = scriptedProvider()
  const simulator = { ...provider, definition: { ...provider.definition, environments: ["sandbox"] as const } }
  itIn("a page has the buttons if no connector is ever in production", world({ provider: simulator }), function* () {
    const { payment, token } = yield* paged(asking)
    assert.notProperty(payment.hosted, "leadsTo")
    const { payment: paid } = yield* (yield* Pointsman).actOnHostedPage(token, { _tag: "Approve" })
    assert.strictEqual(paid.state, "Captured")
  })

  itHere("a page that led to the provider still does once the workspace asks no more", function* (own) {
    const { token } = yield* paged(asking)
    own.provider.onOpenCheckout = () => Effect.succeed(opened())
    assert.strictEqual((yield* (yield* Pointsman).openCheckout(token, comeBack))._tag, "Redirect")
  })
})

describe("opening a checkout", () => {
  itIn("a page asks the provider once, and every tab goes to what it opened", make(), function* (own, pointsman) {
    const details = { ...request().details, captureMethod: "manual" as const, reference: "order 1" }
    own.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: 2 * hour }))
    const { payment, step, token } = yield* visited({ details })
    assert.deepStrictEqual(step, { _tag: "Redirect", url: "https://provider.example/pay/1" })
    const [attempt, ...others] = yield* attemptsOf(payment)
    assert.isEmpty(others)
    if (attempt === undefined) return assert.fail("no attempt is stored")
    const { captureMethod: _, simulation: __, ...asked } = details
    assert.deepStrictEqual<unknown>(own.provider.checkouts, [
      {
        ...{ ...asked, capture: false, paymentId: payment.id, connectionId: "main", returnUrl: comeBack },
        ...{ attemptId: attempt.id, attemptNumber: 1 }
      }
    ])
    assert.deepInclude(attempt, { outcome: "CheckoutOpened", providerRef: null, connectionId: "main", answeredAt: 0 })
    // Sealed for this attempt, by secrets that show what they seal.
    assert.deepStrictEqual(attempt.checkout, {
      reference: "co_1",
      sealedUrl: `${checkoutUrlContext(attempt.id)}|https://provider.example/pay/1`,
      expiresAt: 2 * hour
    })
    assert.deepInclude(yield* stored(payment), { state: "CheckoutOpen", connectionId: null, settledAt: null })
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action"])
    assert.deepStrictEqual(yield* pointsman.openCheckout(token, comeBack), step)
    assert.lengthOf(own.provider.checkouts, 1)
    assert.lengthOf(own.provider.charges, 0)
  })

  itIn("the attempt is stored before the provider is asked, and another tab has to wait", make(), function* (own) {
    const pointsman = yield* Pointsman
    const { payment, token } = yield* paged(liveCaller)
    own.provider.onOpenCheckout = ({ attemptId }) =>
      Effect.gen(function* () {
        const now = yield* pointsman.payment(live, payment.id)
        assert.strictEqual(now.state, "Charging")
        assert.strictEqual(now.routing?.attempts[0]?.attemptId, attemptId)
        assert.deepStrictEqual(yield* pointsman.openCheckout(token, comeBack), { _tag: "Wait", payment: now })
        return opened()
      }).pipe(Effect.orDie)
    assert.strictEqual((yield* pointsman.openCheckout(token, comeBack))._tag, "Redirect")
    assert.lengthOf(own.provider.checkouts, 1)
  })

  for (let round = 1; round <= 20; round++) {
    const at = make({ yieldBetween: true })
    itIn(`64 tabs get one checkout, and none is sent elsewhere (round ${round})`, at, function* (_, pointsman) {
      const { token } = yield* paged(liveCaller)
      at.provider.onOpenCheckout = ({ attemptId }) =>
        Effect.as(Effect.yieldNow, opened({ url: `https://provider.example/pay/${attemptId}` }))
      const steps = yield* atOnce(64, () => pointsman.openCheckout(token, comeBack))
      assert.lengthOf(at.provider.checkouts, 1)
      const last = yield* pointsman.openCheckout(token, comeBack)
      assert.strictEqual(last._tag, "Redirect")
      for (const step of steps) if (step._tag !== "Wait") assert.deepStrictEqual(step, last)
      assert.isAtLeast(steps.filter(({ _tag }) => _tag === "Redirect").length, 1)
    })
  }

  itIn("a first connection that cannot open a checkout is skipped, and not charged", make(), function* (own) {
    own.provider.opensCheckouts = (connectionId) => connectionId === "backup"
    const { payment } = yield* sent()
    assert.strictEqual(own.provider.checkouts[0]?.connectionId, "backup")
    assert.strictEqual((yield* stored(payment)).routing?.candidates.map((one) => one.connectionId).join(), "backup")
    assert.lengthOf(own.provider.charges, 0)
  })

  const closings: ReadonlyArray<
    readonly [string, PaymentState, (own: World) => Effect.Effect<unknown, never, Directory>]
  > = [
    [
      "a page without a connection that can open one",
      "Failed",
      ({ provider }) => Effect.sync(() => Object.assign(provider, { opensCheckouts: () => false }))
    ],
    ["a page without an active connection", "Failed", () => Effect.orDie(deactivateAll)],
    ["a page that is over", "Cancelled", () => TestClock.adjust(pageMillis)]
  ]
  for (const [what, state, close] of closings) {
    itIn(`${what} is ${state}, and opens no checkout`, make(), function* (own, pointsman) {
      const { payment, token } = yield* paged(liveCaller)
      yield* close(own)
      const step = yield* pointsman.openCheckout(token, comeBack)
      const ended = yield* stored(payment)
      assert.deepStrictEqual(step, { _tag: "Ended", payment: ended })
      assert.deepInclude(ended, { state, declineReason: state === "Failed" ? "provider_error" : null })
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", `payment.${state.toLowerCase()}`])
      assert.lengthOf(own.provider.checkouts, 0)
    })
  }

  const broken = world({
    connections: [
      { id: "main", environment: "production", sealedCredentials: "of another key" },
      ...liveConnections.slice(1)
    ]
  })
  itIn("an unusable connection is recorded, and the next one is asked", broken, function* () {
    const { payment } = yield* sent()
    assert.deepStrictEqual(yield* outcomesOf(payment), ["NotSent", "CheckoutOpened"])
  })

  const first: Readonly<Record<string, Effect.Effect<CheckoutOpened | Rejected, NotSent | Unanswered>>> = {
    NotSent: Effect.fail(new NotSent({ reason: "refused" })),
    Rejected: Effect.succeed(rejected)
  }
  for (const [outcome, end] of Object.entries(first)) {
    for (const mode of ["failover", "priority", "fixed"] as const) {
      const follows = mode !== "fixed"
      itIn(`${outcome} in mode ${mode} ${follows ? "asks" : "never asks"} the next one`, make(), function* (own) {
        yield* routed({ mode })
        own.provider.onOpenCheckout = ({ connectionId }) => (connectionId === "main" ? end : Effect.succeed(opened()))
        const { payment, step } = yield* visited()
        assert.strictEqual(step._tag, follows ? "Redirect" : "Ended")
        assert.strictEqual((yield* stored(payment)).state, follows ? "CheckoutOpen" : "Failed")
        const outcomes: ReadonlyArray<unknown> = yield* outcomesOf(payment)
        assert.deepStrictEqual(outcomes, follows ? [outcome, "CheckoutOpened"] : [outcome])
        // Where all refuse, it fails, and that is reported once.
        own.provider.onOpenCheckout = () => end
        const refused = yield* visited()
        assert.strictEqual(refused.step._tag, "Ended")
        assert.deepStrictEqual(yield* typesOf(refused.payment), ["payment.requires_action", "payment.failed"])
        assert.lengthOf(own.provider.checkouts, follows ? 4 : 2)
      })
    }
  }

  const unusable: Readonly<Record<string, Effect.Effect<CheckoutOpened, NotSent | Unanswered>>> = {
    "no answer": Effect.fail(new Unanswered({ reason: "time-out" })),
    "a connector that dies": Effect.die(new Error("a bug")),
    "no reference": Effect.succeed(opened({ reference: "" })),
    "no address": Effect.succeed(opened({ url: "" })),
    "an address of another scheme": Effect.succeed(opened({ url: "javascript:alert(1)" })),
    "an address without encryption": Effect.succeed(opened({ url: "http://psp.example/checkout" })),
    "an address with a user": Effect.succeed(opened({ url: "https://psp.example@evil.example/" })),
    "an address without a host": Effect.succeed(opened({ url: "https://" })),
    "an end that is no time": Effect.succeed(opened({ expiresAt: Number.NaN }))
  }
  for (const [what, end] of Object.entries(unusable)) {
    itIn(`${what} is UNKNOWN, and no other connection is asked`, make(), function* (own, pointsman) {
      own.provider.onOpenCheckout = () => end
      const { payment, step, token } = yield* visited()
      const unknown = yield* stored(payment)
      assert.deepStrictEqual(step, { _tag: "Ended", payment: unknown })
      assert.deepInclude(unknown, { state: "ChargeUnknown", connectionId: "main", declineReason: null })
      assert.deepStrictEqual(yield* outcomesOf(payment), ["Unanswered"])
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.unknown"])
      assert.strictEqual((yield* pointsman.openCheckout(token, comeBack))._tag, "Ended")
      assert.deepStrictEqual(yield* comesBack(token), unknown)
      assert.lengthOf(own.provider.lookUps, 0)
      // It may be paid later, though it is not found.
      own.provider.onLookUpCharge = () => Effect.succeed(notFound(true))
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* pointsman.checkDue, 1)
      assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
      own.provider.onLookUpCharge = () => Effect.succeed(found(captured))
      yield* TestClock.adjust("30 minutes")
      yield* pointsman.checkDue
      assert.strictEqual((yield* stored(payment)).state, "Captured")
      assert.lengthOf(own.provider.checkouts, 1)
    })
  }

  itIn("the customer can pay when the answer comes after it was given up as unanswered", make(), function* (own) {
    const { payment, token } = yield* paged(liveCaller)
    yield* anotherBefore(own, 3, { on: "ChargeUnanswered", connectionId: "main" })
    assert.strictEqual((yield* (yield* Pointsman).openCheckout(token, comeBack))._tag, "Redirect")
    const types = ["requires_action", "unknown", "requires_action"].map((type) => `payment.${type}`)
    assert.deepStrictEqual(yield* typesOf(payment), types)
  })

  itIn("a suspended workspace opens no checkout, and an open one stays", make(), function* (own, pointsman) {
    const [fresh, open] = [yield* paged(liveCaller), yield* sent()]
    yield* suspend
    assert.instanceOf(yield* Effect.flip(pointsman.openCheckout(fresh.token, comeBack)), HostedSuspended)
    assert.deepStrictEqual(yield* stored(fresh.payment), fresh.payment)
    assert.strictEqual((yield* pointsman.openCheckout(open.token, comeBack))._tag, "Redirect")
    own.provider.onLookUpCharge = () => Effect.succeed(found(captured))
    assert.strictEqual((yield* comesBack(open.token)).state, "Captured")
    assert.lengthOf(own.provider.checkouts, 1)
  })

  itIn("no customer is sent to an address that was sealed for another record", make(), function* (_, pointsman) {
    const ledger = yield* Ledger
    const { payment, token } = yield* sent()
    const [attempt] = yield* attemptsOf(payment)
    const now = yield* stored(payment)
    if (attempt?.checkout === null || attempt === undefined) return assert.fail("no checkout is stored")
    const sealedUrl = `${checkoutUrlContext("att_other")}|https://evil.example/`
    yield* ledger.commit({
      tenant: live,
      payment: { expected: now.version, after: { ...now, version: now.version + 1 } },
      attempts: [{ ...attempt, checkout: { ...attempt.checkout, sealedUrl } }],
      events: []
    })
    assert.instanceOf(yield* Effect.flip(pointsman.openCheckout(token, comeBack)), StorageError)
  })
})

describe("an open checkout", () => {
  itIn("a checkout stays open at our page's end or cancel: it may be being paid", make(), function* (_, pointsman) {
    const { payment, token } = yield* sent()
    const open = yield* stored(payment)
    const unacted = { payment: open, acted: false }
    assert.deepStrictEqual(yield* pointsman.actOnHostedPage(token, { _tag: "Cancel" }), unacted)
    yield* TestClock.adjust(2 * pageMillis)
    assert.deepStrictEqual(yield* pointsman.payment(live, payment.id), open)
    assert.strictEqual((yield* pointsman.openCheckout(token, comeBack))._tag, "Redirect")
  })

  itIn("a checkout with its own end sends no one after it, and no clock settles it", make(), function* (own) {
    const pointsman = yield* Pointsman
    own.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: hour }))
    const { payment, token } = yield* sent()
    yield* TestClock.adjust(hour - 1)
    assert.strictEqual((yield* pointsman.openCheckout(token, comeBack))._tag, "Redirect")
    yield* TestClock.adjust(1)
    const step = yield* pointsman.openCheckout(token, comeBack)
    assert.deepStrictEqual(step, { _tag: "Ended", payment: yield* stored(payment) })
    yield* TestClock.adjust(30 * 24 * hour)
    assert.strictEqual((yield* pointsman.payment(live, payment.id)).state, "CheckoutOpen")
  })
})

describe("coming back from a checkout", () => {
  const providerRef = "ch_1"
  const stating = (minorUnits: number): ChargeState => ({ ...captured, stated: { minorUnits, currency: "EUR" } })
  const declined = { _tag: "Declined", providerRef, category: "do_not_honor", code: "05", soft: true } as const
  const all = { capturedMinor: 1999, connectionId: "main", providerRef }
  const honor = { declineCategory: "do_not_honor", declineReason: "05" } as const
  const cases: ReadonlyArray<
    readonly [
      state: ChargeState,
      ends: PaymentState,
      expect: Partial<Payment>,
      outcome: AttemptOutcome,
      ...events: ReadonlyArray<string>
    ]
  > = [
    [captured, "Captured", all, "Captured", "captured"],
    [stating(1000), "Captured", { capturedMinor: 1000 }, "Captured", "captured"],
    [stating(2000), "ChargeMismatched", { capturedMinor: 0 }, "Mismatched", "amount_mismatch", "unknown"],
    [{ _tag: "Authorized", providerRef }, "Authorized", { authorizedMinor: 1999 }, "Authorized", "authorized"],
    [{ _tag: "Pending", providerRef }, "ChargePending", { providerRef }, "Pending", "pending"],
    [declined, "Declined", honor, "Declined", "declined"],
    [{ _tag: "Canceled", providerRef }, "Cancelled", { declineReason: null }, "Canceled", "cancelled"]
  ]
  for (const [state, ends, expect, outcome, ...events] of cases) {
    const captureMethod = ends === "Authorized" ? "manual" : "automatic"
    itIn(`${JSON.stringify(state)} ends as ${JSON.stringify(ends)}`, make(), function* (own) {
      const { payment, token } = yield* sent({ details: { ...request().details, captureMethod } })
      const [before] = yield* attemptsOf(payment)
      own.provider.onLookUpCharge = () => Effect.succeed(found(state))
      const ended = yield* comesBack(token)
      assert.deepInclude(ended, { ...expect, state: ends })
      assert.deepStrictEqual(yield* stored(payment), ended)
      assert.deepStrictEqual(yield* typesOf(payment), [
        "payment.requires_action",
        ...events.map((event) => `payment.${event}`)
      ])
      const [attempt] = yield* attemptsOf(payment)
      assert.deepInclude(attempt, { id: before?.id ?? "", outcome, checkout: before?.checkout ?? null })
      assert.strictEqual(ended.routing?.attempts[0]?.outcome, outcome)
      const of = { attemptId: before?.id ?? "", checkoutReference: before?.checkout?.reference ?? "" }
      assert.deepStrictEqual(own.provider.lookUps, [
        { ...of, providerRef: null, money: payment.money, simulation: null, sentAt: 0, connectionId: "main" }
      ])
      // A soft decline too: the customer chose, and nobody else is asked.
      assert.lengthOf(own.provider.checkouts, 1)
      assert.lengthOf(own.provider.charges, 0)
    })
  }

  itIn("the provider is asked again when a customer comes back to a pending checkout", make(), function* (own) {
    const { payment, token } = yield* sent()
    own.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Pending", providerRef: "ch_1" }))
    const first = yield* comesBack(token)
    assert.deepStrictEqual(yield* comesBack(token), first)
    own.provider.onLookUpCharge = () => Effect.succeed(found(captured))
    assert.strictEqual((yield* comesBack(token)).state, "Captured")
    assert.strictEqual(own.provider.lookUps[2]?.providerRef, "ch_1")
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.pending", "payment.captured"])
    yield* comesBack(token)
    assert.lengthOf(own.provider.lookUps, 3)
  })

  const nothing: Readonly<Record<string, Effect.Effect<Found<ChargeState>, NotSent | Unanswered>>> = {
    "nothing is found, conclusively": Effect.succeed(notFound(true)),
    "nothing is found yet": Effect.succeed(notFound(false)),
    "the customer is at the challenge": Effect.succeed(found({ _tag: "NeedsCustomer", providerRef: "ch_1" })),
    "nothing was sent": Effect.fail(new NotSent({ reason: "refused" })),
    "nobody answers": Effect.fail(new Unanswered({ reason: "time-out" })),
    "the connector dies": Effect.die(new Error("a bug")),
    "a charge without a reference is found": Effect.succeed(found({ _tag: "Captured", providerRef: "" })),
    "an invalid amount is found": Effect.succeed(
      found({ _tag: "Captured", providerRef: "ch_1", stated: { minorUnits: 0.5, currency: "EUR" } })
    )
  }
  for (const [what, answer] of Object.entries(nothing)) {
    itIn(`nothing changes when ${what}: it may still be paid`, make(), function* (own) {
      own.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: hour }))
      const { payment, token } = yield* sent()
      const before = yield* stored(payment)
      const commits = own.ledger.calls.commit
      own.provider.onLookUpCharge = () => answer
      for (const time of [0, hour, hour - 1]) {
        yield* TestClock.adjust(time)
        assert.deepStrictEqual(yield* comesBack(token), before)
      }
      assert.strictEqual(own.ledger.calls.commit, commits)
      assert.lengthOf(own.provider.lookUps, 3)
    })
  }

  const over: ReadonlyArray<readonly [string, Effect.Effect<Found<ChargeState>, NotSent | Unanswered>, string]> = [
    ["nothing is found, conclusively", Effect.succeed(notFound(true)), "Cancelled"],
    ["nothing is found yet", Effect.succeed(notFound(false)), "CheckoutOpen"],
    ["nobody answers", Effect.fail(new Unanswered({ reason: "time-out" })), "CheckoutOpen"],
    ["the challenge was never passed", Effect.succeed(found({ _tag: "NeedsCustomer", providerRef: "r" })), "Declined"],
    ["it was paid", Effect.succeed(found(captured)), "Captured"]
  ]
  for (const [what, answer, state] of over) {
    itIn(`an hour after its end ${what}: ${state}`, make(), function* (own) {
      own.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: hour }))
      const { payment, token } = yield* sent()
      own.provider.onLookUpCharge = () => answer
      yield* TestClock.adjust(2 * hour)
      const ended = yield* comesBack(token)
      assert.strictEqual(ended.state, state)
      if (state !== "Cancelled") return
      assert.deepInclude(ended, { declineReason: null, settledAt: 2 * hour })
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.cancelled"])
      assert.deepStrictEqual(yield* outcomesOf(payment), ["CheckoutOpened"])
    })
  }

  itIn("a checkout without an end is never ended by a lookup that finds nothing", make(), function* (own) {
    const { token } = yield* sent()
    own.provider.onLookUpCharge = () => Effect.succeed(notFound(true))
    yield* TestClock.adjust(365 * 24 * hour)
    assert.strictEqual((yield* comesBack(token)).state, "CheckoutOpen")
  })

  const past = make({ providerTimeoutMillis: 10 * minute })
  itIn("an end that had passed at the opening counts not before twice the timeout", past, function* () {
    yield* TestClock.adjust(24 * hour)
    past.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: 0 }))
    past.provider.onLookUpCharge = () => Effect.succeed(notFound(true))
    const { step, token } = yield* visited()
    assert.strictEqual(step._tag, "Ended")
    yield* TestClock.adjust(20 * minute - 1)
    assert.strictEqual((yield* comesBack(token)).state, "CheckoutOpen")
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* comesBack(token)).state, "Cancelled")
  })

  const straddling = make({ providerTimeoutMillis: minute })
  itIn("a lookup that began before the hour and answers after it cannot deny", straddling, function* () {
    straddling.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: hour }))
    const { token } = yield* sent()
    straddling.provider.onLookUpCharge = () => Effect.as(Effect.sleep(2), notFound(true))
    yield* TestClock.adjust(2 * hour - 1)
    assert.strictEqual((yield* endAfter(2, comesBack(token))).state, "CheckoutOpen")
  })

  itIn("the provider is not asked of a checkout without a visit", make(), function* (own) {
    const { payment, token } = yield* paged(liveCaller)
    assert.deepStrictEqual(yield* comesBack(token), payment)
    assert.lengthOf(own.provider.lookUps, 0)
  })

  itIn("a connection that was switched off meanwhile is asked all the same", make(), function* (own) {
    const { token } = yield* sent()
    yield* deactivateAll
    own.provider.onLookUpCharge = () => Effect.succeed(found(captured))
    assert.strictEqual((yield* comesBack(token)).state, "Captured")
  })

  const silent = make({ providerTimeoutMillis: 30_000 })
  itIn("a connector that never returns is given up 5 seconds after its timeout", silent, function* () {
    const { payment, token } = yield* sent()
    silent.provider.onLookUpCharge = () => Effect.never
    assert.deepStrictEqual(yield* endAfter(35_000, comesBack(token)), yield* stored(payment))
  })
})

describe("many who come back", () => {
  itIn("32 returns at once share one lookup, event and answer; later ones ask again", make(), function* (own) {
    const { payment, token } = yield* sent()
    own.provider.onLookUpCharge = () => Effect.as(Effect.sleep(1_000), notFound(false))
    const all = () => atOnce(32, () => comesBack(token))
    yield* endAfter(1_000, all())
    assert.lengthOf(own.provider.lookUps, 1)
    own.provider.onLookUpCharge = () => Effect.as(Effect.sleep(1_000), found(captured))
    const seen = yield* endAfter(1_000, all())
    for (const one of seen) assert.deepStrictEqual(one, yield* stored(payment))
    assert.lengthOf(own.provider.lookUps, 2)
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
  })

  itIn("others get what the lookup brings when the first one leaves", make(), function* (own) {
    const { token } = yield* sent()
    own.provider.onLookUpCharge = () => Effect.as(Effect.sleep(1_000), found(captured))
    const first = yield* Effect.forkChild(comesBack(token))
    yield* TestClock.adjust(10)
    const second = yield* Effect.forkChild(comesBack(token))
    yield* TestClock.adjust(10)
    yield* Fiber.interrupt(first)
    yield* TestClock.adjust(980)
    assert.strictEqual((yield* Fiber.join(second)).state, "Captured")
    assert.lengthOf(own.provider.lookUps, 1)
  })

  itIn("two payments do not wait for each other's lookup, nor does a reader", make(), function* (own) {
    const [one, two] = [yield* sent(), yield* sent()]
    own.provider.onLookUpCharge = ({ attemptId }) =>
      attemptId === own.provider.checkouts[0]?.attemptId ? Effect.never : Effect.succeed(found(captured))
    yield* Effect.forkDetach(comesBack(one.token), { startImmediately: true })
    assert.strictEqual((yield* comesBack(two.token)).state, "Captured")
    assert.strictEqual((yield* (yield* Pointsman).hostedPage(one.token)).payment.state, "CheckoutOpen")
    assert.strictEqual((yield* (yield* Pointsman).openCheckout(one.token, comeBack))._tag, "Redirect")
  })

  itIn("a lookup that found nothing reverses nothing that another source saw paid", make(), function* (own) {
    const ledger = yield* Ledger
    own.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: hour }))
    const { payment, token } = yield* sent()
    const paid = { on: "ChargeCaptured", connectionId: "main", providerRef: "ch_1", amountMinor: 1999 } as const
    const written = Effect.provideService(anotherWriter(payment, paid), Ledger, ledger)
    own.provider.onLookUpCharge = () => Effect.as(written, notFound(true))
    yield* TestClock.adjust(2 * hour)
    const ended = yield* comesBack(token)
    assert.deepInclude(ended, { state: "Captured", capturedMinor: 1999 })
    assert.deepStrictEqual(yield* stored(payment), ended)
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
  })
})

describe("the commit of what a lookup found", () => {
  itIn("a failed commit is a StorageError, and the next return asks and records it", make(), function* (own) {
    const { payment, token } = yield* sent()
    own.provider.onLookUpCharge = () => Effect.succeed(found(captured))
    own.ledger.onCommit = (number) => (number === 4 ? "unwritten" : undefined)
    assert.instanceOf(yield* Effect.flip(comesBack(token)), StorageError)
    assert.strictEqual((yield* stored(payment)).state, "CheckoutOpen")
    assert.strictEqual((yield* comesBack(token)).state, "Captured")
  })

  for (const each of [["lost"], ["unheard"], ["lost", "unheard"]] as const) {
    itIn(`a commit of unknown fate, ${JSON.stringify(each)}, is recorded once`, make(), function* (own) {
      const { payment, token } = yield* sent()
      own.provider.onLookUpCharge = () => Effect.succeed(found(captured))
      own.ledger.onCommit = (number) => each[number - 4]
      const ended = yield* runOut(yield* Effect.forkChild(comesBack(token)))
      assert.strictEqual(ended.state, "Captured")
      assert.deepStrictEqual(yield* stored(payment), ended)
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
      assert.deepStrictEqual(yield* outcomesOf(payment), ["Captured"])
    })
  }

  itIn("a process that dies before the commit records nothing; the checkout stays open", make(), function* (own) {
    const { payment, token } = yield* sent()
    const before = yield* stored(payment)
    own.provider.onLookUpCharge = () => Effect.succeed(found(captured))
    own.ledger.beforeCommit = (number) => (number === 4 ? Effect.never : Effect.void)
    yield* Effect.forkDetach(comesBack(token), { startImmediately: true })
    assert.lengthOf(own.provider.lookUps, 1)
    assert.deepStrictEqual(yield* stored(payment), before)
    assert.strictEqual((yield* (yield* Pointsman).openCheckout(token, comeBack))._tag, "Redirect")
  })
})
