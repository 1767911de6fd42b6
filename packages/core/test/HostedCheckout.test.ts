/**
 * A production page: the provider's checkout is opened once, and only its record reports the outcome of the payment.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  ActionNotOffered,
  type AttemptOutcome,
  type Caller,
  HostedSuspended,
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
import {
  anotherWriter,
  attemptsOf,
  comeBack,
  deactivateAll,
  hour,
  live,
  liveCaller,
  liveConnections,
  minute,
  outcomesOf,
  paged,
  pageMillis,
  stored,
  suspend,
  typesOf
} from "./support/Pages.ts"
import { caller, request, runOut, type World, world } from "./support/World.ts"

const make = (options: Parameters<typeof world>[0] = {}): World => world({ connections: liveConnections, ...options })

const routed = (settings: RoutingSettings) =>
  Effect.gen(function* () {
    const directory = yield* Directory
    yield* directory.write({ ...(yield* directory.contents), routing: [{ ...live, settings }] })
  })

const opened = (change: Partial<CheckoutOpened> = {}): CheckoutOpened => ({
  _tag: "CheckoutOpened",
  reference: "co_1",
  url: "https://provider.example/pay/1",
  expiresAt: null,
  ...change
})
const rejected: Rejected = { _tag: "Rejected", code: "busy", message: "Busy." }
const found = (state: ChargeState): Found<ChargeState> => ({ _tag: "Found", state })
const notFound = (conclusive: boolean): Found<ChargeState> => ({ _tag: "NotFound", conclusive })
const captured: ChargeState = { _tag: "Captured", providerRef: "ch_1" }

/** A payment whose customer was sent to the provider. */
const sent = Effect.fnUntraced(function* (change: Parameters<typeof paged>[1] = {}) {
  const page = yield* paged(liveCaller, change)
  const step = yield* (yield* Pointsman).openCheckout(page.token, comeBack)
  assert.strictEqual(step._tag, "Redirect")
  return page
})

const comesBack = (token: string) =>
  Effect.flatMap(Pointsman, (pointsman) => Effect.map(pointsman.returnFromCheckout(token), ({ payment }) => payment))

describe("a sandbox page of a workspace that asks for the provider's", () => {
  const asking: Caller = { ...caller, workspace: { ...caller.workspace, hostedPage: "provider" } }

  const real = world()
  it.effect("a real connector's page leads to the provider's checkout, and has no buttons", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged(asking)
      assert.strictEqual(payment.hosted?.leadsTo, "provider")
      assert.instanceOf(yield* Effect.flip(pointsman.actOnHostedPage(token, { _tag: "Approve" })), ActionNotOffered)
      assert.lengthOf(real.provider.charges, 0)
      real.provider.onOpenCheckout = () => Effect.succeed(opened())
      const step = yield* pointsman.openCheckout(token, comeBack)
      assert.deepStrictEqual(step, { _tag: "Redirect", url: "https://provider.example/pay/1" })
      real.provider.onLookUpCharge = () => Effect.succeed(found(captured))
      assert.strictEqual((yield* comesBack(token)).state, "Captured")
    }).pipe(Effect.provide(real.layer))
  )

  const unset = world()
  it.effect("a page has the buttons and opens no checkout when the workspace does not ask", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* paged()
      assert.notProperty(payment.hosted, "leadsTo")
      const { openCheckout } = yield* Pointsman
      assert.instanceOf(yield* Effect.flip(openCheckout(token, comeBack)), ActionNotOffered)
    }).pipe(Effect.provide(unset.layer))
  )

  const provider = scriptedProvider()
  const simulator = { ...provider, definition: { ...provider.definition, environments: ["sandbox"] as const } }
  const simulated = world({ provider: simulator })
  it.effect("a page has the buttons if no connector is ever in production", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* paged(asking)
      assert.notProperty(payment.hosted, "leadsTo")
      const { payment: paid } = yield* (yield* Pointsman).actOnHostedPage(token, { _tag: "Approve" })
      assert.strictEqual(paid.state, "Captured")
    }).pipe(Effect.provide(simulated.layer))
  )

  const changed = world()
  it.effect("a page that led to the provider still does once the workspace asks no more", () =>
    Effect.gen(function* () {
      const { token } = yield* paged(asking)
      changed.provider.onOpenCheckout = () => Effect.succeed(opened())
      assert.strictEqual((yield* (yield* Pointsman).openCheckout(token, comeBack))._tag, "Redirect")
    }).pipe(Effect.provide(changed.layer))
  )
})

describe("opening a checkout", () => {
  const plain = make()
  it.effect("a page asks the provider once, and every tab goes to what it opened", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const details = { ...request().details, captureMethod: "manual" as const, reference: "order 1" }
      const { payment, token } = yield* paged(liveCaller, { details })
      plain.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: 2 * hour }))
      const step = yield* pointsman.openCheckout(token, comeBack)
      assert.deepStrictEqual(step, { _tag: "Redirect", url: "https://provider.example/pay/1" })
      const [attempt, ...others] = yield* attemptsOf(payment)
      assert.isEmpty(others)
      if (attempt === undefined) return assert.fail("no attempt is stored")
      assert.deepStrictEqual(plain.provider.checkouts, [
        {
          attemptId: attempt.id,
          attemptNumber: 1,
          paymentId: payment.id,
          money: { minorUnits: 1999, currency: "EUR" },
          country: "NL",
          method: "card",
          cardBrand: null,
          initiator: "cit",
          capture: false,
          reference: "order 1",
          returnUrl: comeBack,
          connectionId: "main"
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
      assert.lengthOf(plain.provider.checkouts, 1)
      assert.lengthOf(plain.provider.charges, 0)
    }).pipe(Effect.provide(plain.layer))
  )

  const ahead = make()
  it.effect("the attempt is stored before the provider is asked, and another tab has to wait", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged(liveCaller)
      ahead.provider.onOpenCheckout = ({ attemptId }) =>
        Effect.gen(function* () {
          const now = yield* pointsman.payment(live, payment.id)
          assert.strictEqual(now.state, "Charging")
          assert.strictEqual(now.routing?.attempts[0]?.attemptId, attemptId)
          assert.deepStrictEqual(yield* pointsman.openCheckout(token, comeBack), { _tag: "Wait", payment: now })
          return opened()
        }).pipe(Effect.orDie)
      assert.strictEqual((yield* pointsman.openCheckout(token, comeBack))._tag, "Redirect")
      assert.lengthOf(ahead.provider.checkouts, 1)
    }).pipe(Effect.provide(ahead.layer))
  )

  for (let round = 1; round <= 20; round++) {
    const at = make({ yieldBetween: true })
    it.effect(`64 tabs get one checkout, and none is sent elsewhere (round ${round})`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const { token } = yield* paged(liveCaller)
        at.provider.onOpenCheckout = ({ attemptId }) =>
          Effect.as(Effect.yieldNow, opened({ url: `https://provider.example/pay/${attemptId}` }))
        const steps = yield* Effect.all(
          Array.from({ length: 64 }, () => pointsman.openCheckout(token, comeBack)),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(at.provider.checkouts, 1)
        const last = yield* pointsman.openCheckout(token, comeBack)
        assert.strictEqual(last._tag, "Redirect")
        for (const step of steps) if (step._tag !== "Wait") assert.deepStrictEqual(step, last)
        assert.isAtLeast(steps.filter(({ _tag }) => _tag === "Redirect").length, 1)
      }).pipe(Effect.provide(at.layer))
    )
  }

  const able = make()
  it.effect("a first connection that cannot open a checkout is skipped, and not charged", () =>
    Effect.gen(function* () {
      able.provider.opensCheckouts = (connectionId) => connectionId === "backup"
      const { payment } = yield* sent()
      assert.strictEqual(able.provider.checkouts[0]?.connectionId, "backup")
      const { routing } = yield* stored(payment)
      assert.deepStrictEqual(
        routing?.candidates.map(({ connectionId }) => connectionId),
        ["backup"]
      )
      assert.lengthOf(able.provider.charges, 0)
    }).pipe(Effect.provide(able.layer))
  )

  const closings = {
    "none that can open one": (at: World) =>
      Effect.sync(() => {
        at.provider.opensCheckouts = () => false
      }),
    "none that is active": () => deactivateAll
  }
  for (const [what, close] of Object.entries(closings)) {
    const at = make()
    it.effect(`no connection, or ${what}, is FAILED without a request`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        yield* close(at)
        const { payment, token } = yield* paged(liveCaller)
        const step = yield* pointsman.openCheckout(token, comeBack)
        assert.deepStrictEqual(step, { _tag: "Ended", payment: yield* stored(payment) })
        assert.deepInclude(yield* stored(payment), { state: "Failed", declineReason: "provider_error" })
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.failed"])
        assert.lengthOf(at.provider.checkouts, 0)
      }).pipe(Effect.provide(at.layer))
    )
  }

  const broken = world({
    connections: [
      { id: "main", environment: "production", sealedCredentials: "of another key" },
      ...liveConnections.slice(1)
    ]
  })
  it.effect("an unusable connection is recorded, and the next one is asked", () =>
    Effect.gen(function* () {
      const { payment } = yield* sent()
      assert.deepStrictEqual(yield* outcomesOf(payment), ["NotSent", "CheckoutOpened"])
    }).pipe(Effect.provide(broken.layer))
  )

  const first: Readonly<Record<string, Effect.Effect<CheckoutOpened | Rejected, NotSent | Unanswered>>> = {
    NotSent: Effect.fail(new NotSent({ reason: "refused" })),
    Rejected: Effect.succeed(rejected)
  }
  for (const [outcome, end] of Object.entries(first)) {
    for (const mode of ["failover", "priority", "fixed"] as const) {
      const at = make()
      const follows = mode !== "fixed"
      it.effect(`${outcome} in mode ${mode} ${follows ? "asks" : "never asks"} the next one`, () =>
        Effect.gen(function* () {
          const pointsman = yield* Pointsman
          yield* routed({ mode })
          at.provider.onOpenCheckout = ({ connectionId }) => (connectionId === "main" ? end : Effect.succeed(opened()))
          const { payment, token } = yield* paged(liveCaller)
          const step = yield* pointsman.openCheckout(token, comeBack)
          assert.strictEqual(step._tag, follows ? "Redirect" : "Ended")
          assert.strictEqual((yield* stored(payment)).state, follows ? "CheckoutOpen" : "Failed")
          const outcomes: ReadonlyArray<unknown> = yield* outcomesOf(payment)
          assert.deepStrictEqual(outcomes, follows ? [outcome, "CheckoutOpened"] : [outcome])
        }).pipe(Effect.provide(at.layer))
      )
    }
  }

  const refused = make()
  it.effect("a checkout that all refuse is FAILED, reported once", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      refused.provider.onOpenCheckout = () => Effect.succeed(rejected)
      const { payment, token } = yield* paged(liveCaller)
      assert.strictEqual((yield* pointsman.openCheckout(token, comeBack))._tag, "Ended")
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.failed"])
      assert.lengthOf(refused.provider.checkouts, 2)
    }).pipe(Effect.provide(refused.layer))
  )

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
    const at = make()
    it.effect(`${what} is UNKNOWN, and no other connection is asked`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        at.provider.onOpenCheckout = () => end
        const { payment, token } = yield* paged(liveCaller)
        const step = yield* pointsman.openCheckout(token, comeBack)
        assert.deepStrictEqual(step, { _tag: "Ended", payment: yield* stored(payment) })
        assert.deepInclude(yield* stored(payment), {
          state: "ChargeUnknown",
          connectionId: "main",
          declineReason: null
        })
        assert.deepStrictEqual(yield* outcomesOf(payment), ["Unanswered"])
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.unknown"])
        assert.strictEqual((yield* pointsman.openCheckout(token, comeBack))._tag, "Ended")
        assert.lengthOf(at.provider.checkouts, 1)
      }).pipe(Effect.provide(at.layer))
    )
  }

  const unheard = make()
  it.effect("an unanswered checkout that is not found stays UNKNOWN: it may be paid later", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      unheard.provider.onOpenCheckout = () => Effect.fail(new Unanswered({ reason: "time-out" }))
      const { payment, token } = yield* paged(liveCaller)
      yield* pointsman.openCheckout(token, comeBack)
      unheard.provider.onLookUpCharge = () => Effect.succeed({ _tag: "NotFound", conclusive: true })
      yield* TestClock.adjust("2 hours")
      assert.strictEqual(yield* pointsman.checkDue, 1)
      assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
      unheard.provider.onLookUpCharge = () =>
        Effect.succeed({ _tag: "Captured", providerRef: "late" } as const).pipe(
          Effect.map((state) => ({ _tag: "Found", state }))
        )
      yield* TestClock.adjust("30 minutes")
      yield* pointsman.checkDue
      assert.strictEqual((yield* stored(payment)).state, "Captured")
    }).pipe(Effect.provide(unheard.layer))
  )

  const late = make()
  it.effect("the customer can pay when the answer comes after it was given up as unanswered", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const ledger = yield* Ledger
      const { payment, token } = yield* paged(liveCaller)
      late.ledger.beforeCommit = (number) =>
        number === 3
          ? Effect.provideService(
              anotherWriter(payment, { on: "ChargeUnanswered", connectionId: "main" }),
              Ledger,
              ledger
            )
          : Effect.void
      assert.strictEqual((yield* pointsman.openCheckout(token, comeBack))._tag, "Redirect")
      assert.deepStrictEqual(yield* typesOf(payment), [
        "payment.requires_action",
        "payment.unknown",
        "payment.requires_action"
      ])
    }).pipe(Effect.provide(late.layer))
  )

  const suspended = make()
  it.effect("a suspended workspace opens no checkout, and an open one stays", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const [fresh, open] = [yield* paged(liveCaller), yield* sent()]
      yield* suspend
      assert.instanceOf(yield* Effect.flip(pointsman.openCheckout(fresh.token, comeBack)), HostedSuspended)
      assert.deepStrictEqual(yield* stored(fresh.payment), fresh.payment)
      assert.strictEqual((yield* pointsman.openCheckout(open.token, comeBack))._tag, "Redirect")
      suspended.provider.onLookUpCharge = () => Effect.succeed(found(captured))
      assert.strictEqual((yield* comesBack(open.token)).state, "Captured")
      assert.lengthOf(suspended.provider.checkouts, 1)
    }).pipe(Effect.provide(suspended.layer))
  )

  const ended = make()
  it.effect("no checkout is opened once the page is over", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* paged(liveCaller)
      yield* TestClock.adjust(pageMillis)
      const step = yield* pointsman.openCheckout(token, comeBack)
      assert.deepStrictEqual(step, { _tag: "Ended", payment: yield* stored(payment) })
      assert.strictEqual((yield* stored(payment)).state, "Cancelled")
      assert.lengthOf(ended.provider.checkouts, 0)
    }).pipe(Effect.provide(ended.layer))
  )

  const resealed = make()
  it.effect("no customer is sent to an address that was sealed for another record", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
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
    }).pipe(Effect.provide(resealed.layer))
  )
})

describe("an open checkout", () => {
  const kept = make()
  it.effect("a checkout stays open at our page's end or cancel: it may be being paid", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment, token } = yield* sent()
      const open = yield* stored(payment)
      assert.deepStrictEqual(yield* pointsman.actOnHostedPage(token, { _tag: "Cancel" }), {
        payment: open,
        acted: false
      })
      yield* TestClock.adjust(2 * pageMillis)
      assert.deepStrictEqual(yield* pointsman.payment(live, payment.id), open)
      assert.strictEqual((yield* pointsman.openCheckout(token, comeBack))._tag, "Redirect")
    }).pipe(Effect.provide(kept.layer))
  )

  const over = make()
  it.effect("a checkout with its own end sends no one after it, and no clock settles it", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      over.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: hour }))
      const { payment, token } = yield* sent()
      yield* TestClock.adjust(hour - 1)
      assert.strictEqual((yield* pointsman.openCheckout(token, comeBack))._tag, "Redirect")
      yield* TestClock.adjust(1)
      const step = yield* pointsman.openCheckout(token, comeBack)
      assert.deepStrictEqual(step, { _tag: "Ended", payment: yield* stored(payment) })
      yield* TestClock.adjust(30 * 24 * hour)
      assert.strictEqual((yield* pointsman.payment(live, payment.id)).state, "CheckoutOpen")
    }).pipe(Effect.provide(over.layer))
  )
})

describe("coming back from a checkout", () => {
  const cases: ReadonlyArray<{
    readonly state: ChargeState
    readonly manual?: true
    readonly expect: Record<string, unknown>
    readonly outcome: AttemptOutcome
    readonly events: ReadonlyArray<string>
  }> = [
    {
      state: captured,
      expect: { state: "Captured", capturedMinor: 1999, connectionId: "main", providerRef: "ch_1" },
      outcome: "Captured",
      events: ["payment.captured"]
    },
    {
      state: { _tag: "Captured", providerRef: "ch_1", stated: { minorUnits: 1000, currency: "EUR" } },
      expect: { state: "Captured", capturedMinor: 1000 },
      outcome: "Captured",
      events: ["payment.captured"]
    },
    {
      state: { _tag: "Captured", providerRef: "ch_1", stated: { minorUnits: 2000, currency: "EUR" } },
      expect: { state: "ChargeMismatched", capturedMinor: 0 },
      outcome: "Mismatched",
      events: ["payment.amount_mismatch", "payment.unknown"]
    },
    {
      state: { _tag: "Authorized", providerRef: "ch_1" },
      manual: true,
      expect: { state: "Authorized", authorizedMinor: 1999 },
      outcome: "Authorized",
      events: ["payment.authorized"]
    },
    {
      state: { _tag: "Pending", providerRef: "ch_1" },
      expect: { state: "ChargePending", providerRef: "ch_1" },
      outcome: "Pending",
      events: ["payment.pending"]
    },
    {
      state: { _tag: "Declined", providerRef: "ch_1", category: "do_not_honor", code: "05", soft: true },
      expect: { state: "Declined", declineCategory: "do_not_honor", declineReason: "05" },
      outcome: "Declined",
      events: ["payment.declined"]
    },
    {
      state: { _tag: "Canceled", providerRef: "ch_1" },
      expect: { state: "Cancelled", declineReason: null },
      outcome: "Canceled",
      events: ["payment.cancelled"]
    }
  ]
  for (const each of cases) {
    const at = make()
    const captureMethod = each.manual === true ? ("manual" as const) : ("automatic" as const)
    it.effect(`${JSON.stringify(each.state)} ends as ${JSON.stringify(each.expect["state"])}`, () =>
      Effect.gen(function* () {
        const { payment, token } = yield* sent({ details: { ...request().details, captureMethod } })
        const [before] = yield* attemptsOf(payment)
        at.provider.onLookUpCharge = () => Effect.succeed(found(each.state))
        const ended = yield* comesBack(token)
        assert.deepInclude(ended, each.expect)
        assert.deepStrictEqual(yield* stored(payment), ended)
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", ...each.events])
        const [attempt] = yield* attemptsOf(payment)
        assert.deepStrictEqual(
          [attempt?.id, attempt?.outcome, attempt?.checkout],
          [before?.id, each.outcome, before?.checkout]
        )
        assert.strictEqual(ended.routing?.attempts[0]?.outcome, each.outcome)
        assert.deepStrictEqual(at.provider.lookUps, [
          {
            attemptId: before?.id ?? "",
            providerRef: null,
            checkoutReference: before?.checkout?.reference ?? "",
            sentAt: before?.sentAt ?? 0,
            money: { minorUnits: 1999, currency: "EUR" },
            simulation: null,
            connectionId: "main"
          }
        ])
        // A soft decline too: the customer chose, and nobody else is asked.
        assert.lengthOf(at.provider.checkouts, 1)
        assert.lengthOf(at.provider.charges, 0)
      }).pipe(Effect.provide(at.layer))
    )
  }

  const pending = make()
  it.effect("the provider is asked again when a customer comes back to a pending checkout", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      pending.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Pending", providerRef: "ch_1" }))
      const first = yield* comesBack(token)
      assert.deepStrictEqual(yield* comesBack(token), first)
      pending.provider.onLookUpCharge = () => Effect.succeed(found(captured))
      assert.strictEqual((yield* comesBack(token)).state, "Captured")
      assert.strictEqual(pending.provider.lookUps[2]?.providerRef, "ch_1")
      assert.deepStrictEqual(yield* typesOf(payment), [
        "payment.requires_action",
        "payment.pending",
        "payment.captured"
      ])
      yield* comesBack(token)
      assert.lengthOf(pending.provider.lookUps, 3)
    }).pipe(Effect.provide(pending.layer))
  )

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
    const at = make()
    it.effect(`nothing changes when ${what}: it may still be paid`, () =>
      Effect.gen(function* () {
        at.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: hour }))
        const { payment, token } = yield* sent()
        const before = yield* stored(payment)
        const commits = at.ledger.calls.commit
        at.provider.onLookUpCharge = () => answer
        for (const time of [0, hour, hour - 1]) {
          yield* TestClock.adjust(time)
          assert.deepStrictEqual(yield* comesBack(token), before)
        }
        assert.strictEqual(at.ledger.calls.commit, commits)
        assert.lengthOf(at.provider.lookUps, 3)
      }).pipe(Effect.provide(at.layer))
    )
  }

  const over: ReadonlyArray<readonly [string, Effect.Effect<Found<ChargeState>, NotSent | Unanswered>, string]> = [
    ["nothing is found, conclusively", Effect.succeed(notFound(true)), "Cancelled"],
    ["nothing is found yet", Effect.succeed(notFound(false)), "CheckoutOpen"],
    ["nobody answers", Effect.fail(new Unanswered({ reason: "time-out" })), "CheckoutOpen"],
    ["the challenge was never passed", Effect.succeed(found({ _tag: "NeedsCustomer", providerRef: "r" })), "Declined"],
    ["it was paid", Effect.succeed(found(captured)), "Captured"]
  ]
  for (const [what, answer, state] of over) {
    const at = make()
    it.effect(`an hour after its end ${what}: ${state}`, () =>
      Effect.gen(function* () {
        at.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: hour }))
        const { payment, token } = yield* sent()
        at.provider.onLookUpCharge = () => answer
        yield* TestClock.adjust(2 * hour)
        const ended = yield* comesBack(token)
        assert.strictEqual(ended.state, state)
        if (state !== "Cancelled") return
        assert.deepInclude(ended, { declineReason: null, settledAt: 2 * hour })
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.cancelled"])
        assert.deepStrictEqual(yield* outcomesOf(payment), ["CheckoutOpened"])
      }).pipe(Effect.provide(at.layer))
    )
  }

  const endless = make()
  it.effect("a checkout without an end is never ended by a lookup that finds nothing", () =>
    Effect.gen(function* () {
      const { token } = yield* sent()
      endless.provider.onLookUpCharge = () => Effect.succeed(notFound(true))
      yield* TestClock.adjust(365 * 24 * hour)
      assert.strictEqual((yield* comesBack(token)).state, "CheckoutOpen")
    }).pipe(Effect.provide(endless.layer))
  )

  const past = make({ providerTimeoutMillis: 10 * minute })
  it.effect("an end that had passed at the opening counts not before twice the timeout", () =>
    Effect.gen(function* () {
      yield* TestClock.adjust(24 * hour)
      past.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: 0 }))
      past.provider.onLookUpCharge = () => Effect.succeed(notFound(true))
      const { token } = yield* paged(liveCaller)
      assert.strictEqual((yield* (yield* Pointsman).openCheckout(token, comeBack))._tag, "Ended")
      yield* TestClock.adjust(20 * minute - 1)
      assert.strictEqual((yield* comesBack(token)).state, "CheckoutOpen")
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* comesBack(token)).state, "Cancelled")
    }).pipe(Effect.provide(past.layer))
  )

  const straddling = make({ providerTimeoutMillis: minute })
  it.effect("a lookup that began before the hour and answers after it cannot deny", () =>
    Effect.gen(function* () {
      straddling.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: hour }))
      const { token } = yield* sent()
      straddling.provider.onLookUpCharge = () => Effect.as(Effect.sleep(2), notFound(true))
      yield* TestClock.adjust(2 * hour - 1)
      const coming = yield* Effect.forkChild(comesBack(token))
      yield* TestClock.adjust(2)
      assert.strictEqual((yield* Fiber.join(coming)).state, "CheckoutOpen")
    }).pipe(Effect.provide(straddling.layer))
  )

  const early = make()
  it.effect("the provider is not asked of a checkout without a visit, or one that is settled", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* paged(liveCaller)
      assert.deepStrictEqual(yield* comesBack(token), payment)
      early.provider.onOpenCheckout = () => Effect.fail(new Unanswered({ reason: "time-out" }))
      yield* (yield* Pointsman).openCheckout(token, comeBack)
      assert.strictEqual((yield* comesBack(token)).state, "ChargeUnknown")
      assert.lengthOf(early.provider.lookUps, 0)
    }).pipe(Effect.provide(early.layer))
  )

  const inactive = make()
  it.effect("a connection that was switched off meanwhile is asked all the same", () =>
    Effect.gen(function* () {
      const { token } = yield* sent()
      yield* deactivateAll
      inactive.provider.onLookUpCharge = () => Effect.succeed(found(captured))
      assert.strictEqual((yield* comesBack(token)).state, "Captured")
    }).pipe(Effect.provide(inactive.layer))
  )

  const silent = make({ providerTimeoutMillis: 30_000 })
  it.effect("a connector that never returns is given up 5 seconds after its timeout", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      silent.provider.onLookUpCharge = () => Effect.never
      const coming = yield* Effect.forkChild(comesBack(token))
      yield* TestClock.adjust(35_000)
      assert.deepStrictEqual(yield* Fiber.join(coming), yield* stored(payment))
    }).pipe(Effect.provide(silent.layer))
  )
})

describe("many who come back", () => {
  const together = make()
  it.effect("32 returns at once share one lookup, event and answer; later ones ask again", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      together.provider.onLookUpCharge = () => Effect.as(Effect.sleep(1_000), notFound(false))
      const all = () =>
        Effect.all(
          Array.from({ length: 32 }, () => comesBack(token)),
          { concurrency: "unbounded" }
        )
      const waiting = yield* Effect.forkChild(all())
      yield* TestClock.adjust(1_000)
      yield* Fiber.join(waiting)
      assert.lengthOf(together.provider.lookUps, 1)
      together.provider.onLookUpCharge = () => Effect.as(Effect.sleep(1_000), found(captured))
      const paying = yield* Effect.forkChild(all())
      yield* TestClock.adjust(1_000)
      const seen = yield* Fiber.join(paying)
      for (const one of seen) assert.deepStrictEqual(one, yield* stored(payment))
      assert.lengthOf(together.provider.lookUps, 2)
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
    }).pipe(Effect.provide(together.layer))
  )

  const leaving = make()
  it.effect("others get what the lookup brings when the first one leaves", () =>
    Effect.gen(function* () {
      const { token } = yield* sent()
      leaving.provider.onLookUpCharge = () => Effect.as(Effect.sleep(1_000), found(captured))
      const first = yield* Effect.forkChild(comesBack(token))
      yield* TestClock.adjust(10)
      const second = yield* Effect.forkChild(comesBack(token))
      yield* TestClock.adjust(10)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(980)
      assert.strictEqual((yield* Fiber.join(second)).state, "Captured")
      assert.lengthOf(leaving.provider.lookUps, 1)
    }).pipe(Effect.provide(leaving.layer))
  )

  const apart = make()
  it.effect("two payments do not wait for each other's lookup, nor does a reader", () =>
    Effect.gen(function* () {
      const [one, two] = [yield* sent(), yield* sent()]
      apart.provider.onLookUpCharge = ({ attemptId }) =>
        attemptId === apart.provider.checkouts[0]?.attemptId ? Effect.never : Effect.succeed(found(captured))
      yield* Effect.forkDetach(comesBack(one.token), { startImmediately: true })
      assert.strictEqual((yield* comesBack(two.token)).state, "Captured")
      assert.strictEqual((yield* (yield* Pointsman).hostedPage(one.token)).payment.state, "CheckoutOpen")
      assert.strictEqual((yield* (yield* Pointsman).openCheckout(one.token, comeBack))._tag, "Redirect")
    }).pipe(Effect.provide(apart.layer))
  )

  const told = make()
  it.effect("a lookup that found nothing reverses nothing that another source saw paid", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      told.provider.onOpenCheckout = () => Effect.succeed(opened({ expiresAt: hour }))
      const { payment, token } = yield* sent()
      told.provider.onLookUpCharge = () =>
        Effect.as(
          Effect.provideService(
            anotherWriter(payment, {
              on: "ChargeCaptured",
              connectionId: "main",
              providerRef: "ch_1",
              amountMinor: 1999
            }),
            Ledger,
            ledger
          ),
          notFound(true)
        )
      yield* TestClock.adjust(2 * hour)
      const ended = yield* comesBack(token)
      assert.deepInclude(ended, { state: "Captured", capturedMinor: 1999 })
      assert.deepStrictEqual(yield* stored(payment), ended)
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
    }).pipe(Effect.provide(told.layer))
  )
})

describe("the commit of what a lookup found", () => {
  const unwritten = make()
  it.effect("a failed commit is a StorageError, and the next return asks and records it", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      unwritten.provider.onLookUpCharge = () => Effect.succeed(found(captured))
      unwritten.ledger.onCommit = (number) => (number === 4 ? "unwritten" : undefined)
      assert.instanceOf(yield* Effect.flip(comesBack(token)), StorageError)
      assert.strictEqual((yield* stored(payment)).state, "CheckoutOpen")
      assert.strictEqual((yield* comesBack(token)).state, "Captured")
    }).pipe(Effect.provide(unwritten.layer))
  )

  for (const each of [["lost"], ["unheard"], ["lost", "unheard"]] as const) {
    const at = make()
    it.effect(`a commit of unknown fate, ${JSON.stringify(each)}, is recorded once`, () =>
      Effect.gen(function* () {
        const { payment, token } = yield* sent()
        at.provider.onLookUpCharge = () => Effect.succeed(found(captured))
        at.ledger.onCommit = (number) => each[number - 4]
        const ended = yield* runOut(yield* Effect.forkChild(comesBack(token)))
        assert.strictEqual(ended.state, "Captured")
        assert.deepStrictEqual(yield* stored(payment), ended)
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
        assert.deepStrictEqual(yield* outcomesOf(payment), ["Captured"])
      }).pipe(Effect.provide(at.layer))
    )
  }

  const dead = make()
  it.effect("a process that dies before the commit records nothing; the checkout stays open", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      const before = yield* stored(payment)
      dead.provider.onLookUpCharge = () => Effect.succeed(found(captured))
      dead.ledger.beforeCommit = (number) => (number === 4 ? Effect.never : Effect.void)
      yield* Effect.forkDetach(comesBack(token), { startImmediately: true })
      assert.lengthOf(dead.provider.lookUps, 1)
      assert.deepStrictEqual(yield* stored(payment), before)
      assert.strictEqual((yield* (yield* Pointsman).openCheckout(token, comeBack))._tag, "Redirect")
    }).pipe(Effect.provide(dead.layer))
  )

  const sandbox = world()
  it.effect("the sandbox has nothing to come back from", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { token } = yield* paged()
      assert.instanceOf(yield* Effect.flip(pointsman.openCheckout(token, comeBack)), ActionNotOffered)
      sandbox.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
      yield* pointsman.actOnHostedPage(token, { _tag: "Approve" })
      assert.strictEqual((yield* comesBack(token)).state, "ChargeUnknown")
      assert.lengthOf(sandbox.provider.lookUps, 0)
    }).pipe(Effect.provide(sandbox.layer))
  )
})
