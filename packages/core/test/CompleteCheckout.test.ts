/**
 * A checkout that takes nothing until a further request is sent: the step is written before it is sent, one of many takes
 * it, and a result that is unknown is settled by a lookup before it is taken again.
 */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
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
import { Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { messageOf, ofAttempt } from "./support/Messages.ts"
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
import { endAfter } from "./support/Steps.ts"
import { request, runOut, type World, world } from "./support/World.ts"

const approved: Approved = { _tag: "Approved", providerRef: "order_1" }
const captured: ChargeRecord = { _tag: "Captured", providerRef: "order_1" }
const expiresAt = 3 * hour

const found = (state: ChargeRecord): Effect.Effect<Found<ChargeRecord>> => Effect.succeed({ _tag: "Found", state })
const refused = Effect.succeed({ _tag: "Rejected", code: "NOT_AUTHORIZED", message: "Not permitted." } as const)
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

/** The state of the payment, and how often its step was sent. */
const assertAt = Effect.fnUntraced(function* ({ provider }: World, payment: Payment, state: string, sent: number) {
  assert.deepStrictEqual([(yield* stored(payment)).state, provider.completions.length], [state, sent])
})

const checked = Effect.flatMap(Pointsman, ({ checkDue }) => checkDue)

/** Lets the background look again and again, for some hours. */
const settle = Effect.gen(function* () {
  for (let quarter = 0; quarter < 12; quarter++) {
    yield* TestClock.adjust(15 * minute)
    yield* checked
  }
})

const approval = (attemptId: string, id = "msg_1") =>
  messageOf(ofAttempt({ id: attemptId }, approved), { id, tenant: live })

const attemptIdOf = (payment: Payment) => Effect.map(attemptsOf(payment), ([attempt]) => attempt?.id ?? "")

describe("the step that takes the money of an approved checkout", () => {
  itIn("an approved checkout is written, sent once, and recorded at the return", make(), function* (own) {
    const { payment, token } = yield* sent({ details: { ...request().details, reference: "order 1" } })
    yield* TestClock.adjust(5 * minute)
    assert.deepInclude(yield* returns(token), { state: "Captured", capturedMinor: 1999, providerRef: "order_1" })
    const [attempt] = yield* attemptsOf(payment)
    const of = { attemptId: attempt?.id ?? "", checkoutReference: "order_1", connectionId: "main" }
    assert.deepStrictEqual(own.provider.completions, [{ ...of, money: payment.money, capture: true }])
    assert.deepInclude(attempt, { outcome: "Captured", providerRef: "order_1", sentAt: 5 * minute })
    assert.deepInclude(attempt?.checkout, { reference: "order_1", openedAt: 0 })
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
    yield* returns(token)
    yield* settle
    assert.lengthOf(own.provider.completions, 1)
    // A later lookup gives the provider the time of the first request.
    assert.strictEqual(own.provider.lookUps[0]?.sentAt, 0)
  })

  itIn("the step is stored before the provider is asked", make(), function* (own) {
    const { payment, token } = yield* sent()
    const ledger = yield* Ledger
    let seen: unknown
    own.provider.onCompleteCheckout = ({ attemptId }) =>
      Effect.gen(function* () {
        const { state, version } = Option.getOrThrow(yield* ledger.payment(live, payment.id))
        const [attempt] = yield* ledger.attempts(live, payment.id)
        seen ??= [state, version, attempt?.id === attemptId, attempt?.outcome]
        return { _tag: "Captured", providerRef: "order_1" } as const
      }).pipe(Effect.orDie)
    yield* returns(token)
    assert.deepStrictEqual(seen, ["Charging", 4, true, null])
  })

  itIn("capture_method manual only holds the money, which can be captured", make(), function* (own) {
    const details = { ...request().details, captureMethod: "manual" as const }
    const { payment, token } = yield* sent({ details })
    assert.deepInclude(yield* returns(token), { state: "Authorized", authorizedMinor: 1999, capturedMinor: 0 })
    assert.strictEqual(own.provider.completions[0]?.capture, false)
    const capture = { paymentId: payment.id, amountMinor: null, idempotencyKey: null }
    const { payment: after } = yield* (yield* Pointsman).capture(liveCaller, capture)
    assert.strictEqual(after.state, "Captured")
  })

  itIn("the background takes the step of a closed tab", make(), function* (own) {
    const { payment } = yield* sent()
    yield* TestClock.adjust(hour)
    assert.strictEqual(yield* checked, 1)
    yield* assertAt(own, payment, "Captured", 1)
  })

  itIn("a provider's message of the approval makes the check due at once, which takes it", make(), function* (own) {
    const pointsman = yield* Pointsman
    const { payment } = yield* sent()
    yield* TestClock.adjust(minute)
    assert.strictEqual(yield* checked, 0)
    yield* pointsman.recordMessage(approval(yield* attemptIdOf(payment)))
    yield* assertAt(own, payment, "CheckoutOpen", 0)
    assert.strictEqual(yield* checked, 1)
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    // It comes again, and later.
    yield* pointsman.recordMessage(approval(yield* attemptIdOf(payment)))
    yield* pointsman.recordMessage(approval(yield* attemptIdOf(payment), "msg_2"))
    assert.strictEqual(yield* checked, 0)
    assert.lengthOf(own.provider.completions, 1)
    const outcome = Option.map(yield* (yield* Ledger).message(live, "main", "msg_2"), (message) => message.outcome)
    assert.deepStrictEqual(outcome, Option.some("older"))
  })

  for (let round = 1; round <= 10; round++) {
    const at = make({ yieldBetween: true })
    itIn(`64 returns, checks and messages in three processes send once (round ${round})`, at, function* () {
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
      yield* assertAt(at, payment, "Captured", 1)
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
    })
  }
})

describe("what the step comes to", () => {
  for (const [what, unmade] of [
    ["an unsent", Effect.fail(new NotSent({ reason: "refused" }))],
    ["a refused", refused]
  ] as const) {
    itIn(`${what} step opens the checkout again, and is repeated with the same key`, make(), function* (own) {
      const { payment, token } = yield* sent()
      const answer = own.provider.onCompleteCheckout
      own.provider.onCompleteCheckout = () => unmade
      assert.strictEqual((yield* returns(token)).state, "CheckoutOpen")
      assert.deepStrictEqual(yield* outcomesOf(payment), ["CheckoutOpened"])
      yield* TestClock.adjust(hour)
      yield* checked
      yield* assertAt(own, payment, "CheckoutOpen", 2)
      own.provider.onCompleteCheckout = answer
      if (what === "an unsent") yield* returns(token)
      yield* TestClock.adjust(hour)
      yield* checked
      yield* assertAt(own, payment, "Captured", 3)
      for (const one of own.provider.completions) assert.deepStrictEqual(one, own.provider.completions[0])
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.captured"])
    })
  }

  const declined = { _tag: "Declined", providerRef: null, category: "do_not_honor", code: "05", soft: true } as const
  const ends: ReadonlyArray<readonly [ChargeAnswer, string, string]> = [
    [declined, "Declined", "payment.declined"],
    [{ _tag: "NeedsCustomer", providerRef: "order_1" }, "Declined", "payment.declined"],
    [{ _tag: "Canceled", providerRef: "order_1" }, "Cancelled", "payment.cancelled"],
    [{ _tag: "Pending", providerRef: "order_1" }, "ChargePending", "payment.pending"]
  ]
  for (const [answer, state, event] of ends) {
    itIn(`${answer._tag} leads to ${state}, and no connection is asked again`, make(), function* (own) {
      const { payment, token } = yield* sent()
      own.provider.onCompleteCheckout = () => Effect.succeed(answer)
      assert.strictEqual((yield* returns(token)).state, state)
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", event])
      yield* settle
      assert.strictEqual((yield* stored(payment)).state, state)
      assert.lengthOf(own.provider.completions, 1)
      assert.lengthOf(own.provider.checkouts, 1)
    })
  }

  for (const [what, every, answer] of [
    ["are all refused", 5, refused],
    ["are never executed or answered", 1, silence]
  ] as const) {
    itIn(`a checkout whose requests ${what} is asked for hours, and not for ever`, make(), function* (own) {
      const { payment, token } = yield* sent()
      own.provider.onCompleteCheckout = () => answer
      yield* returns(token)
      for (let minutes = 0; minutes < 24 * 60; minutes += every) {
        yield* TestClock.adjust(every * minute)
        yield* checked
      }
      assert.strictEqual((yield* stored(payment)).state, "Cancelled")
      const { length } = own.provider.completions
      if (answer === silence) assert.isAtLeast(length, 20)
      assert.isAtMost(length, 50)
    })
  }

  itIn("an unanswered step is taken again when the record says that nothing was taken", make(), function* (own) {
    const { payment, token } = yield* sent()
    const answer = own.provider.onCompleteCheckout
    own.provider.onCompleteCheckout = () => silence
    assert.deepInclude(yield* returns(token), { state: "ChargeUnknown", connectionId: "main" })
    assert.deepStrictEqual(yield* outcomesOf(payment), ["Unanswered"])
    own.provider.onCompleteCheckout = answer
    yield* TestClock.adjust(minute)
    assert.strictEqual(yield* checked, 1)
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    const [first, second, ...others] = own.provider.completions
    assert.deepStrictEqual(first, second)
    assert.isEmpty(others)
    const types = ["requires_action", "unknown", "requires_action", "captured"].map((type) => `payment.${type}`)
    assert.deepStrictEqual(yield* typesOf(payment), types)
    assert.isNull((yield* stored(payment)).review)
  })

  itIn("an unanswered step stays unknown and unsent while the record cannot be read", make(), function* (own) {
    const { payment, token } = yield* sent()
    own.provider.onCompleteCheckout = () => silence
    yield* returns(token)
    own.provider.onLookUpCharge = () => silence
    yield* settle
    // An approval that was written before is no word about now.
    yield* (yield* Pointsman).recordMessage(approval(yield* attemptIdOf(payment)))
    yield* returns(token)
    yield* settle
    yield* assertAt(own, payment, "ChargeUnknown", 1)
  })

  itIn("money in the record is the result of an unanswered step, of one request", make(), function* (own) {
    const { payment, token } = yield* sent()
    own.provider.onCompleteCheckout = () => silence
    yield* returns(token)
    own.provider.onLookUpCharge = () => found(captured)
    yield* TestClock.adjust(minute)
    yield* checked
    yield* assertAt(own, payment, "Captured", 1)
  })

  itIn("an expired step is not sent, and the payment is cancelled", make(), function* (own) {
    const { payment } = yield* sent()
    yield* TestClock.adjust(expiresAt + hour)
    assert.strictEqual(yield* checked, 1)
    yield* assertAt(own, payment, "Cancelled", 0)
  })

  itIn("an unanswered checkout that the provider forgot ends with its time", make(), function* (own) {
    const { payment, token } = yield* sent()
    own.provider.onCompleteCheckout = () => silence
    yield* returns(token)
    own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "NotFound", conclusive: true })
    yield* TestClock.adjust(expiresAt)
    yield* checked
    assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
    yield* TestClock.adjust(2 * hour)
    yield* checked
    yield* assertAt(own, payment, "Cancelled", 1)
  })

  itIn("operators review recorded money of which a lookup says that nothing was taken", make(), function* (own) {
    const details = { ...request().details, captureMethod: "manual" as const }
    const { payment, token } = yield* sent({ details })
    yield* returns(token)
    own.provider.onLookUpCharge = () => found(approved)
    yield* TestClock.adjust("1 day")
    yield* checked
    assert.deepInclude(yield* stored(payment), { state: "Authorized" })
    assert.deepStrictEqual((yield* stored(payment)).review?.reasons, ["conflict"])
    assert.lengthOf(own.provider.completions, 1)
  })

  itIn("a payment keeps waiting at a connector that completes no checkouts", make(), function* (own) {
    own.provider.onCompleteCheckout = undefined
    const { token } = yield* sent()
    assert.strictEqual((yield* returns(token)).state, "CheckoutOpen")
  })

  const only = make()
  Object.assign(only.provider.definition, { checkoutMethods: ["wallet"] })
  itIn("a card payment is not led to a connector whose checkouts take only wallets", only, function* (_, pointsman) {
    const byCard = yield* paged(liveCaller)
    assert.strictEqual((yield* pointsman.openCheckout(byCard.token, comeBack))._tag, "Ended")
    assert.lengthOf(only.provider.checkouts, 0)
  })
})

describe("a store that fails at the step", () => {
  const faults: ReadonlyArray<CommitFault> = ["unwritten", "lost", "unheard", { landsAfter: 10 }]
  for (const fault of faults) {
    itIn(`a step whose commit ends ${JSON.stringify(fault)} is unsent, and taken later`, make(), function* (own) {
      const { payment, token } = yield* sent()
      own.ledger.onCommit = (number) => (number === 4 ? fault : undefined)
      const first = yield* Effect.result(returns(token))
      assert.strictEqual(Result.isFailure(first) && first.failure instanceof StorageError, fault === "unwritten")
      assert.lengthOf(own.provider.completions, 0)
      // The customer returns again, or the background looks.
      if (fault === "unwritten") yield* assertAt(own, payment, "CheckoutOpen", 0)
      if (fault === "unwritten") yield* returns(token)
      else yield* settle
      yield* assertAt(own, payment, "Captured", 1)
    })

    itIn(`a result not written at first, ${JSON.stringify(fault)}, is written later`, make(), function* (own) {
      const { payment, token } = yield* sent()
      own.ledger.onCommit = (number) => (number === 5 ? fault : undefined)
      const returning = yield* Effect.forkChild(returns(token))
      assert.strictEqual((yield* runOut(returning)).state, "Captured")
      yield* assertAt(own, payment, "Captured", 1)
    })

    itIn(`a lookup settles a result unwritten for minutes, ${JSON.stringify(fault)}`, make(), function* (own) {
      const { payment, token } = yield* sent()
      own.ledger.onCommit = (number) => (number >= 5 && number < 40 ? fault : undefined)
      yield* endAfter(minute, Effect.exit(returns(token)))
      own.ledger.onCommit = () => undefined
      yield* settle
      yield* assertAt(own, payment, "Captured", 1)
    })
  }
})
