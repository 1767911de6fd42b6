/**
 * A checkout that takes nothing until a further request is sent: the step is written before it is sent, one of many takes
 * it, and a result that is unknown is settled by a lookup before it is taken again.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Payment, Pointsman, type VerifiedMessage } from "@pointsman/core"
import {
  type Approved,
  type ChargeAnswer,
  type ChargeRecord,
  type Found,
  Ledger,
  NotSent,
  StorageError,
  Unanswered
} from "@pointsman/core/ports"
import type { CommitFault } from "@pointsman/core/testing"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import {
  attemptsOf,
  comeBack,
  hour,
  live,
  liveCaller,
  liveConnections,
  minute,
  outcomesOf,
  paged,
  stored,
  typesOf
} from "./support/Pages.ts"
import { request, runOut, type World, world } from "./support/World.ts"

const approved: Approved = { _tag: "Approved", providerRef: "order_1" }
const captured: ChargeRecord = { _tag: "Captured", providerRef: "order_1" }
const expiresAt = 3 * hour

const found = (state: ChargeRecord): Effect.Effect<Found<ChargeRecord>> => Effect.succeed({ _tag: "Found", state })
const silence = Effect.fail(new Unanswered({ reason: "time-out" }))

/** A world whose provider takes nothing by itself; what it took is in its record. */
const make = (options: Parameters<typeof world>[0] = {}): World => {
  const made = world({ connections: liveConnections, ...options })
  const { provider } = made
  let taken: ChargeRecord = approved
  provider.onOpenCheckout = () =>
    Effect.succeed({ _tag: "CheckoutOpened", reference: "order_1", url: "https://provider.example/pay", expiresAt })
  provider.onLookUpCharge = () => Effect.suspend(() => found(taken))
  provider.onCompleteCheckout = ({ capture }) =>
    Effect.sync(() => {
      const state = { _tag: capture ? "Captured" : "Authorized", providerRef: "order_1" } as const
      taken = state
      return state
    })
  return made
}

/** A payment whose customer was sent to the provider's page. */
const sent = Effect.fnUntraced(function* (change: Parameters<typeof paged>[1] = {}) {
  const page = yield* paged(liveCaller, change)
  const step = yield* (yield* Pointsman).openCheckout(page.token, comeBack)
  assert.strictEqual(step._tag, "Redirect")
  return page
})

const returns = (token: string) =>
  Effect.flatMap(Pointsman, (pointsman) => Effect.map(pointsman.returnFromCheckout(token), ({ payment }) => payment))

const checked = Effect.flatMap(Pointsman, ({ checkDue }) => checkDue)

/** Lets the background look again and again, for some hours. */
const settle = Effect.gen(function* () {
  for (let quarter = 0; quarter < 12; quarter++) {
    yield* TestClock.adjust(15 * minute)
    yield* checked
  }
})

const approval = (attemptId: string, id = "msg_1"): VerifiedMessage => ({
  connectionId: "main",
  tenant: live,
  receivedAt: 0,
  body: "{}",
  message: { id, at: 0, about: { _tag: "Charge", charge: { attemptId }, state: () => approved } },
  reason: null
})

const attemptIdOf = (payment: Payment) => Effect.map(attemptsOf(payment), ([attempt]) => attempt?.id ?? "")

describe("the step that takes the money of an approved checkout", () => {
  const plain = make()
  it.effect("an approved checkout is written, sent once, and recorded at the return", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent({ details: { ...request().details, reference: "order 1" } })
      yield* TestClock.adjust(5 * minute)
      assert.deepInclude(yield* returns(token), { state: "Captured", capturedMinor: 1999, providerRef: "order_1" })
      const [attempt] = yield* attemptsOf(payment)
      assert.deepStrictEqual(plain.provider.completions, [
        {
          attemptId: attempt?.id ?? "",
          checkoutReference: "order_1",
          money: { minorUnits: 1999, currency: "EUR" },
          capture: true,
          connectionId: "main"
        }
      ])
      assert.deepInclude(attempt, { outcome: "Captured", providerRef: "order_1", sentAt: 5 * minute })
      assert.deepInclude(attempt?.checkout, { reference: "order_1", openedAt: 0 })
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
      yield* returns(token)
      yield* settle
      assert.lengthOf(plain.provider.completions, 1)
      // A later lookup is told from when on the provider was asked.
      assert.strictEqual(plain.provider.lookUps[0]?.sentAt, 0)
    }).pipe(Effect.provide(plain.layer))
  )

  const ahead = make()
  it.effect("the step is stored before the provider is asked", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      const ledger = yield* Ledger
      let seen: unknown
      ahead.provider.onCompleteCheckout = ({ attemptId }) =>
        Effect.gen(function* () {
          const { state, version } = Option.getOrThrow(yield* ledger.payment(live, payment.id))
          const [attempt] = yield* ledger.attempts(live, payment.id)
          seen ??= [state, version, attempt?.id === attemptId, attempt?.outcome]
          return { _tag: "Captured", providerRef: "order_1" } as const
        }).pipe(Effect.orDie)
      yield* returns(token)
      assert.deepStrictEqual(seen, ["Charging", 4, true, null])
    }).pipe(Effect.provide(ahead.layer))
  )

  const held = make()
  it.effect("capture_method manual only holds the money, which can be captured", () =>
    Effect.gen(function* () {
      const details = { ...request().details, captureMethod: "manual" as const }
      const { payment, token } = yield* sent({ details })
      assert.deepInclude(yield* returns(token), { state: "Authorized", authorizedMinor: 1999, capturedMinor: 0 })
      assert.strictEqual(held.provider.completions[0]?.capture, false)
      const capture = { paymentId: payment.id, amountMinor: null, idempotencyKey: null }
      const { payment: after } = yield* (yield* Pointsman).capture(liveCaller, capture)
      assert.strictEqual(after.state, "Captured")
    }).pipe(Effect.provide(held.layer))
  )

  const closed = make()
  it.effect("the background takes the step of a closed tab", () =>
    Effect.gen(function* () {
      const { payment } = yield* sent()
      yield* TestClock.adjust(hour)
      assert.strictEqual(yield* checked, 1)
      assert.strictEqual((yield* stored(payment)).state, "Captured")
      assert.lengthOf(closed.provider.completions, 1)
    }).pipe(Effect.provide(closed.layer))
  )

  const told = make()
  it.effect("a provider's message of the approval makes the check due at once, which takes it", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment } = yield* sent()
      yield* TestClock.adjust(minute)
      assert.strictEqual(yield* checked, 0)
      yield* pointsman.recordMessage(approval(yield* attemptIdOf(payment)))
      assert.lengthOf(told.provider.completions, 0)
      assert.strictEqual((yield* stored(payment)).state, "CheckoutOpen")
      assert.strictEqual(yield* checked, 1)
      assert.strictEqual((yield* stored(payment)).state, "Captured")
      // It comes again, and later.
      yield* pointsman.recordMessage(approval(yield* attemptIdOf(payment)))
      yield* pointsman.recordMessage(approval(yield* attemptIdOf(payment), "msg_2"))
      assert.strictEqual(yield* checked, 0)
      assert.lengthOf(told.provider.completions, 1)
      const outcome = Option.map(yield* (yield* Ledger).message(live, "main", "msg_2"), (message) => message.outcome)
      assert.deepStrictEqual(outcome, Option.some("older"))
    }).pipe(Effect.provide(told.layer))
  )

  for (let round = 1; round <= 10; round++) {
    const at = make({ yieldBetween: true })
    it.effect(`64 returns, checks and messages in three processes send once (round ${round})`, () =>
      Effect.gen(function* () {
        const { payment, token } = yield* sent()
        const attemptId = yield* attemptIdOf(payment)
        const answer = at.provider.onCompleteCheckout
        at.provider.onCompleteCheckout = (asked) => Effect.andThen(Effect.yieldNow, answer?.(asked) ?? silence)
        const processes = [yield* Pointsman, yield* at.another, yield* at.another]
        yield* TestClock.adjust(hour)
        const all = Array.from({ length: 64 }, (_, index) => {
          const it = processes[index % processes.length] ?? processes[0]
          if (it === undefined) return Effect.void
          if (index % 4 === 0) return Effect.asVoid(it.checkDue)
          return index % 4 === 1
            ? it.recordMessage(approval(attemptId, `msg_${index}`))
            : Effect.asVoid(it.returnFromCheckout(token))
        })
        yield* Effect.all(all, { concurrency: "unbounded" })
        assert.lengthOf(at.provider.completions, 1)
        assert.strictEqual((yield* stored(payment)).state, "Captured")
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
      }).pipe(Effect.scoped, Effect.provide(at.layer))
    )
  }
})

describe("what the step comes to", () => {
  const unsent = make()
  it.effect("an unsent checkout opens again, and the step is taken with the same key", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      const answer = unsent.provider.onCompleteCheckout
      unsent.provider.onCompleteCheckout = () => Effect.fail(new NotSent({ reason: "refused" }))
      assert.strictEqual((yield* returns(token)).state, "CheckoutOpen")
      assert.deepStrictEqual(yield* outcomesOf(payment), ["CheckoutOpened"])
      unsent.provider.onCompleteCheckout = answer
      assert.strictEqual((yield* returns(token)).state, "Captured")
      const [first, second, ...others] = unsent.provider.completions
      assert.deepStrictEqual(first, second)
      assert.isEmpty(others)
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
    }).pipe(Effect.provide(unsent.layer))
  )

  const ends: ReadonlyArray<readonly [ChargeAnswer, string, string]> = [
    [
      { _tag: "Declined", providerRef: null, category: "do_not_honor", code: "05", soft: true },
      "Declined",
      "payment.declined"
    ],
    [{ _tag: "NeedsCustomer", providerRef: "order_1" }, "Declined", "payment.declined"],
    [{ _tag: "Canceled", providerRef: "order_1" }, "Cancelled", "payment.cancelled"],
    [{ _tag: "Pending", providerRef: "order_1" }, "ChargePending", "payment.pending"]
  ]
  for (const [answer, state, event] of ends) {
    const at = make()
    it.effect(`${answer._tag} leads to ${state}, and no connection is asked again`, () =>
      Effect.gen(function* () {
        const { payment, token } = yield* sent()
        at.provider.onCompleteCheckout = () => Effect.succeed(answer)
        assert.strictEqual((yield* returns(token)).state, state)
        assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", event])
        yield* settle
        assert.strictEqual((yield* stored(payment)).state, state)
        assert.lengthOf(at.provider.completions, 1)
        assert.lengthOf(at.provider.checkouts, 1)
      }).pipe(Effect.provide(at.layer))
    )
  }

  const refused = make()
  it.effect("a refused request opens the checkout again, and the background repeats the step", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      const answer = refused.provider.onCompleteCheckout
      refused.provider.onCompleteCheckout = () =>
        Effect.succeed({ _tag: "Rejected", code: "NOT_AUTHORIZED", message: "Insufficient permissions." })
      assert.strictEqual((yield* returns(token)).state, "CheckoutOpen")
      assert.deepStrictEqual(yield* outcomesOf(payment), ["CheckoutOpened"])
      yield* TestClock.adjust(hour)
      yield* checked
      assert.lengthOf(refused.provider.completions, 2)
      assert.strictEqual((yield* stored(payment)).state, "CheckoutOpen")
      refused.provider.onCompleteCheckout = answer
      yield* TestClock.adjust(hour)
      yield* checked
      assert.strictEqual((yield* stored(payment)).state, "Captured")
      assert.lengthOf(refused.provider.completions, 3)
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
    }).pipe(Effect.provide(refused.layer))
  )

  const refusedAlways = make()
  it.effect("a payment whose requests are all refused is cancelled with its checkout", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      refusedAlways.provider.onCompleteCheckout = () =>
        Effect.succeed({ _tag: "Rejected", code: "NOT_AUTHORIZED", message: "Insufficient permissions." })
      yield* returns(token)
      for (let minutes = 0; minutes < 24 * 60; minutes += 5) {
        yield* TestClock.adjust(5 * minute)
        yield* checked
      }
      assert.strictEqual((yield* stored(payment)).state, "Cancelled")
      assert.isAtMost(refusedAlways.provider.completions.length, 50)
    }).pipe(Effect.provide(refusedAlways.layer))
  )

  const silent = make()
  it.effect("an unanswered step is taken again when the record says that nothing was taken", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      const answer = silent.provider.onCompleteCheckout
      silent.provider.onCompleteCheckout = () => silence
      assert.deepInclude(yield* returns(token), { state: "ChargeUnknown", connectionId: "main" })
      assert.deepStrictEqual(yield* outcomesOf(payment), ["Unanswered"])
      silent.provider.onCompleteCheckout = answer
      yield* TestClock.adjust(minute)
      assert.strictEqual(yield* checked, 1)
      assert.strictEqual((yield* stored(payment)).state, "Captured")
      const [first, second, ...others] = silent.provider.completions
      assert.deepStrictEqual(first, second)
      assert.isEmpty(others)
      assert.deepStrictEqual(yield* typesOf(payment), [
        "payment.requires_action",
        "payment.unknown",
        "payment.requires_action",
        "payment.captured"
      ])
      assert.isNull((yield* stored(payment)).review)
    }).pipe(Effect.provide(silent.layer))
  )

  const unanswerable = make()
  it.effect("an unanswered step stays unknown and unsent while the record cannot be read", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      unanswerable.provider.onCompleteCheckout = () => silence
      yield* returns(token)
      unanswerable.provider.onLookUpCharge = () => silence
      yield* settle
      // An approval that was written before is no word about now.
      yield* (yield* Pointsman).recordMessage(approval(yield* attemptIdOf(payment)))
      yield* returns(token)
      yield* settle
      assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
      assert.lengthOf(unanswerable.provider.completions, 1)
    }).pipe(Effect.provide(unanswerable.layer))
  )

  const executed = make()
  it.effect("money in the record is the result of an unanswered step, of one request", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      executed.provider.onCompleteCheckout = () => silence
      yield* returns(token)
      executed.provider.onLookUpCharge = () => found(captured)
      yield* TestClock.adjust(minute)
      yield* checked
      assert.strictEqual((yield* stored(payment)).state, "Captured")
      assert.lengthOf(executed.provider.completions, 1)
    }).pipe(Effect.provide(executed.layer))
  )

  const over = make()
  it.effect("an expired step is not sent, and the payment is cancelled", () =>
    Effect.gen(function* () {
      const { payment } = yield* sent()
      yield* TestClock.adjust(expiresAt + hour)
      assert.strictEqual(yield* checked, 1)
      assert.strictEqual((yield* stored(payment)).state, "Cancelled")
      assert.lengthOf(over.provider.completions, 0)
    }).pipe(Effect.provide(over.layer))
  )

  const endless = make()
  it.effect("a checkout that never executes or answers is asked for hours, and not for ever", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      endless.provider.onCompleteCheckout = () => silence
      yield* returns(token)
      for (let minutes = 0; minutes < 24 * 60; minutes++) {
        yield* TestClock.adjust(minute)
        yield* checked
      }
      assert.strictEqual((yield* stored(payment)).state, "Cancelled")
      const { length } = endless.provider.completions
      assert.isAtLeast(length, 20)
      assert.isAtMost(length, 50)
    }).pipe(Effect.provide(endless.layer))
  )

  const gone = make()
  it.effect("an unanswered checkout that the provider forgot ends with its time", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      gone.provider.onCompleteCheckout = () => silence
      yield* returns(token)
      gone.provider.onLookUpCharge = () => Effect.succeed({ _tag: "NotFound", conclusive: true })
      yield* TestClock.adjust(expiresAt)
      yield* checked
      assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
      yield* TestClock.adjust(2 * hour)
      yield* checked
      assert.strictEqual((yield* stored(payment)).state, "Cancelled")
      assert.lengthOf(gone.provider.completions, 1)
    }).pipe(Effect.provide(gone.layer))
  )

  const lagging = make()
  it.effect("operators review recorded money of which a lookup says that nothing was taken", () =>
    Effect.gen(function* () {
      const details = { ...request().details, captureMethod: "manual" as const }
      const { payment, token } = yield* sent({ details })
      yield* returns(token)
      lagging.provider.onLookUpCharge = () => found(approved)
      yield* TestClock.adjust("1 day")
      yield* checked
      assert.deepInclude(yield* stored(payment), { state: "Authorized" })
      assert.deepStrictEqual((yield* stored(payment)).review?.reasons, ["conflict"])
      assert.lengthOf(lagging.provider.completions, 1)
    }).pipe(Effect.provide(lagging.layer))
  )

  const byItself = make()
  it.effect("a payment keeps waiting at a connector that completes no checkouts", () =>
    Effect.gen(function* () {
      byItself.provider.onCompleteCheckout = undefined
      const { token } = yield* sent()
      assert.strictEqual((yield* returns(token)).state, "CheckoutOpen")
    }).pipe(Effect.provide(byItself.layer))
  )

  const only = make()
  Object.assign(only.provider.definition, { checkoutMethods: ["wallet"] })
  it.effect("a card payment is not led to a connector whose checkouts take only wallets", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const byCard = yield* paged(liveCaller)
      assert.strictEqual((yield* pointsman.openCheckout(byCard.token, comeBack))._tag, "Ended")
      assert.lengthOf(only.provider.checkouts, 0)
    }).pipe(Effect.provide(only.layer))
  )
})

describe("a store that fails at the step", () => {
  const unwritten = make()
  it.effect("a step that is surely not written is not sent, and the customer can return again", () =>
    Effect.gen(function* () {
      const { payment, token } = yield* sent()
      unwritten.ledger.onCommit = (number) => (number === 4 ? "unwritten" : undefined)
      assert.instanceOf(yield* Effect.flip(returns(token)), StorageError)
      assert.lengthOf(unwritten.provider.completions, 0)
      assert.strictEqual((yield* stored(payment)).state, "CheckoutOpen")
      assert.strictEqual((yield* returns(token)).state, "Captured")
      assert.lengthOf(unwritten.provider.completions, 1)
    }).pipe(Effect.provide(unwritten.layer))
  )

  const unknown: ReadonlyArray<CommitFault> = ["lost", "unheard", { landsAfter: 10 }]
  for (const fault of unknown) {
    const at = make()
    it.effect(`a step of unknown fate, ${JSON.stringify(fault)}, is unsent, and taken later`, () =>
      Effect.gen(function* () {
        const { payment, token } = yield* sent()
        at.ledger.onCommit = (number) => (number === 4 ? fault : undefined)
        yield* returns(token)
        assert.lengthOf(at.provider.completions, 0)
        yield* settle
        assert.strictEqual((yield* stored(payment)).state, "Captured")
        assert.lengthOf(at.provider.completions, 1)
      }).pipe(Effect.provide(at.layer))
    )
  }

  const afterwards: ReadonlyArray<CommitFault> = ["unwritten", "lost", "unheard", { landsAfter: 10 }]
  for (const fault of afterwards) {
    const once = make()
    it.effect(`a result not written at first, ${JSON.stringify(fault)}, is written later`, () =>
      Effect.gen(function* () {
        const { payment, token } = yield* sent()
        once.ledger.onCommit = (number) => (number === 5 ? fault : undefined)
        const returning = yield* Effect.forkChild(returns(token))
        assert.strictEqual((yield* runOut(returning)).state, "Captured")
        assert.strictEqual((yield* stored(payment)).state, "Captured")
        assert.lengthOf(once.provider.completions, 1)
      }).pipe(Effect.provide(once.layer))
    )

    const long = make()
    it.effect(`a lookup settles a result unwritten for minutes, ${JSON.stringify(fault)}`, () =>
      Effect.gen(function* () {
        const { payment, token } = yield* sent()
        long.ledger.onCommit = (number) => (number >= 5 && number < 40 ? fault : undefined)
        const returning = yield* Effect.forkChild(Effect.exit(returns(token)))
        yield* TestClock.adjust(minute)
        yield* Fiber.join(returning)
        long.ledger.onCommit = () => undefined
        yield* settle
        assert.strictEqual((yield* stored(payment)).state, "Captured")
        assert.lengthOf(long.provider.completions, 1)
      }).pipe(Effect.provide(long.layer))
    )
  }
})
