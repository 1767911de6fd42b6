/** One reference of a provider on two payments of a connection: both are reviewed, and nothing else of them moves. */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import { type ChargeState, type Found, Ledger, type ProviderMessage } from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { ofContested } from "../src/decide/ReusedReference.ts"
import { itIn } from "./support/ItIn.ts"
import { ofAttempt, say } from "./support/Messages.ts"
import { chargeSays, creating, operate } from "./support/Operations.ts"
import {
  attemptIdOf,
  attemptsOf,
  comeBack,
  hour,
  liveCaller,
  liveConnections,
  minute,
  paged,
  stored
} from "./support/Pages.ts"
import { captured, charge, created, declined, dispute, pending, rejected, unanswered } from "./support/Statements.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, request, runOut, world } from "./support/World.ts"

/** One charge, named as another payment's is, or by a name of its own. */
const providerRef = "ch_1"
const reused: ChargeState = { ...captured, providerRef }
const newOne: ChargeState = { ...captured, providerRef: "ch_2" }
const found = (state: ChargeState): Found<ChargeState> => ({ _tag: "Found", state })
const softly = { ...declined, category: "do_not_honor", soft: true } as const
const both = ["unknown", "reference_reused"]
const asNobody = { ...declined, providerRef: null }

const tell = ({ tenant }: Payment, about: ProviderMessage["about"], id: string) =>
  Effect.result(say(about, { id, tenant }))

const ofCharge = (of: Payment, state: ChargeState) => ofAttempt({ id: attemptIdOf(of) }, state)

const checkAll = Effect.gen(function* () {
  const pointsman = yield* Pointsman
  while ((yield* pointsman.checkDue) > 0);
})

/** What the timeline says of references, and what else is on it. */
const told = Effect.fnUntraced(function* (of: Payment) {
  const events = yield* (yield* Ledger).timeline(of.tenant, of.id, { limit: 100 })
  return {
    types: events.map(({ type }) => type),
    conflicts: events
      .filter(({ type }) => type === "payment.conflict")
      .map(({ data }) => [data["connection_id"], data["provider_reference"], data["other_payment_id"]])
  }
})

/** The payment as it was but for its review. */
const isAsBefore = Effect.fnUntraced(function* (before: Payment) {
  const { reported: _, review, updatedAt: __, version: ___, ...after } = yield* stored(before)
  for (const [field, value] of Object.entries(after)) {
    assert.deepStrictEqual(value, before[field as keyof Payment], field)
  }
  assert.include(review?.reasons ?? [], "reference_reused")
})

/** Another payment's; the first had it before. */
const areReviewed = Effect.fnUntraced(function* (first: Payment, second: Payment, reasons: ReadonlyArray<string>) {
  yield* isAsBefore(first)
  assert.deepStrictEqual((yield* told(first)).conflicts, [["main", "ch_1", second.id]])
  assert.deepStrictEqual((yield* told(second)).conflicts, [["main", "ch_1", first.id]])
  const after = yield* stored(second)
  assert.deepStrictEqual(after.review?.reasons, reasons)
  assert.notStrictEqual(after.providerRef, "ch_1")
  for (const { providerRef } of yield* attemptsOf(second)) assert.notStrictEqual(providerRef, "ch_1")
  assert.deepInclude(after, { authorizedMinor: 0, capturedMinor: 0 })
  return after
})

describe("a reference that another payment of the connection has", () => {
  const answers: ReadonlyArray<ChargeState> = [
    reused,
    { _tag: "Authorized", providerRef },
    { ...pending, providerRef },
    { ...declined, providerRef },
    { ...softly, providerRef },
    { _tag: "Canceled", providerRef },
    { ...captured, providerRef, stated: { minorUnits: 5000, currency: "EUR" } }
  ]
  for (const answer of answers) {
    itIn(`${JSON.stringify(answer)} is unknown, and both reviewed`, world(), function* (own) {
      const first = yield* created(reused)(own)
      const more = { idempotencyKey: "key-0001", details: { captureMethod: "manual" } } as const
      own.provider.onCharge = () => Effect.succeed(answer)
      const second = yield* creating(more)
      assert.deepInclude(second, { state: "ChargeMismatched", connectionId: "main", providerRef: null })
      assert.deepStrictEqual(yield* areReviewed(first, second, both), second)
      assert.deepStrictEqual((yield* told(second)).types, ["payment.created", "payment.conflict", "payment.unknown"])
      assertFields(yield* attemptsOf(second), "outcome", "Mismatched")
      const again = yield* (yield* Pointsman).create(caller, request(more))
      assert.deepStrictEqual(again, { payment: second, isReplay: true })
      assert.lengthOf(own.provider.charges, 2)
    })
  }

  itIn("each of several declines with one reference is a decline: nothing was taken", world(), function* (own) {
    for (let number = 0; number < 3; number++) {
      assert.deepInclude(yield* created(declined)(own), { state: "Declined", review: null })
    }
  })

  const elsewhere = world({ routing: { mode: "failover", maxAttempts: 2 } })
  itIn("a reference that another connection names is another charge", elsewhere, function* (own) {
    const first = yield* created(reused)(own)
    own.provider.onCharge = ({ connectionId }) => Effect.succeed(connectionId === "main" ? rejected : reused)
    const payment = yield* creating()
    assert.deepInclude(payment, { state: "Captured", connectionId: "backup", review: null })
    assert.deepStrictEqual(yield* stored(first), first)
  })

  itIn("the first payment learns of a third as of the second", world(), function* (own) {
    const first = yield* created(reused)(own)
    const [second, last] = [yield* created(reused)(own), yield* created(reused)(own)]
    yield* isAsBefore(first)
    assert.deepStrictEqual((yield* told(first)).conflicts, [
      ["main", "ch_1", second.id],
      ["main", "ch_1", last.id]
    ])
    assert.deepStrictEqual((yield* told(last)).conflicts, [["main", "ch_1", first.id]])
  })

  const racing = world({ yieldBetween: true })
  itIn("one payment has the reference of two answers at once, both reviewed", racing, function* (own) {
    own.provider.onCharge = () => Effect.succeed(reused)
    const payments = yield* Effect.all([creating(), creating()], { concurrency: "unbounded" })
    const [first, second] = payments.toSorted((a) => (a.state === "Captured" ? -1 : 1))
    assert(first !== undefined && second !== undefined)
    assert.deepStrictEqual([first.state, second.state], ["Captured", "ChargeMismatched"])
    yield* areReviewed(first, second, both)
  })
})

describe("other sources of a reused reference", () => {
  for (const [name, before, becomes, ...reasons] of [
    ["unknown", unanswered, "ChargeMismatched", "unknown", "reference_reused"],
    ["pending", { ...pending, providerRef: "ch_2" }, "ChargeMismatched", "unknown", "reference_reused"],
    ["declined", asNobody, "Declined", "reference_reused"]
  ] as const) {
    itIn(`a message on a payment that is ${name} makes it ${becomes}, both reported once`, world(), function* (own) {
      const first = yield* created(reused)(own)
      const second = yield* created(before)(own)
      for (const id of ["msg_1", "msg_2"]) {
        assert.isTrue(Result.isSuccess(yield* tell(second, ofCharge(second, reused), id)))
        const kept = Option.getOrThrow(yield* (yield* Ledger).message(first.tenant, "main", id))
        assert.deepInclude(kept, { outcome: "contradicts", paymentId: second.id })
      }
      const after = yield* areReviewed(first, second, reasons)
      assert.deepInclude(after, { state: becomes, providerRef: second.providerRef })
      // Under its own name the provider is believed again.
      yield* charge(newOne, 1)(second)
      assert.deepInclude(yield* stored(second), { state: "Captured", providerRef: "ch_2", capturedMinor: 1999 })
    })
  }

  itIn("a lookup of an unknown charge is not believed, and nothing is asked again", world(), function* (own) {
    const first = yield* created(reused)(own)
    const second = yield* created(unanswered)(own)
    own.provider.onLookUpCharge = () => Effect.succeed(found(reused))
    yield* TestClock.adjust(minute)
    yield* checkAll
    const after = yield* areReviewed(first, second, both)
    assert.strictEqual(after.state, "ChargeMismatched")
    yield* TestClock.adjust(48 * hour)
    yield* checkAll
    assert.lengthOf(own.provider.lookUps, 1)
  })

  const rival = world({ routing: { mode: "failover", maxAttempts: 2 } })
  itIn("a lookup of an attempt beside the one with the money has both payments reviewed", rival, function* (own) {
    const first = yield* created(reused)(own)
    own.provider.onCharge = ({ connectionId }) =>
      connectionId === "main" ? Effect.succeed({ ...softly, providerRef: null }) : Effect.fail(unanswered)
    const second = yield* creating()
    // Its first connection took the money after all; the second one names a charge that the other payment has.
    yield* charge(newOne)(second)
    const held = yield* created(rejected)(own)
    own.provider.onCharge = ({ connectionId }) => Effect.succeed(connectionId === "main" ? rejected : reused)
    const other = yield* creating()
    assert.deepStrictEqual([held.state, other.connectionId], ["Failed", "backup"])
    const before = yield* stored(second)
    own.provider.onLookUpCharge = () => Effect.succeed(found(reused))
    yield* TestClock.adjust(hour)
    yield* checkAll
    yield* isAsBefore(other)
    const { routing: _, ...after } = yield* stored(second)
    assert.deepInclude(after, { state: "Captured", providerRef: "ch_2", capturedMinor: before.capturedMinor })
    assert.deepStrictEqual(after.review?.reasons.includes("reference_reused"), true)
    assertFields(yield* attemptsOf(second), "outcome", "Captured", "Mismatched")
    assert.deepStrictEqual((yield* told(other)).conflicts, [["backup", "ch_1", second.id]])
    assert.isNull((yield* stored(first)).review)
    const { length } = own.provider.lookUps
    yield* TestClock.adjust(48 * hour)
    yield* checkAll
    assert.lengthOf(own.provider.lookUps, length)
  })

  const checkout = world({ environment: "production", connections: liveConnections })
  itIn("a customer who comes back from a checkout makes it unknown, and both reviewed", checkout, function* (own) {
    const pointsman = yield* Pointsman
    own.provider.onCharge = () => Effect.succeed(reused)
    const first = yield* creating({}, liveCaller)
    const { payment: second, token } = yield* paged(liveCaller)
    yield* pointsman.openCheckout(token, comeBack)
    own.provider.onLookUpCharge = () => Effect.succeed(found(reused))
    assert.strictEqual((yield* pointsman.returnFromCheckout(token)).payment.state, "ChargeMismatched")
    yield* areReviewed(first, second, both)
  })

  itIn("an operator's statement has both reviewed unmoved; the right one is taken", world(), function* (own) {
    const pointsman = yield* Pointsman
    const first = yield* created(reused)(own)
    const second = yield* created(unanswered)(own)
    const order = { tenant: second.tenant, paymentId: second.id, evidence: "the dashboard", by: "Jo" }
    const wrong = { ...order, stated: chargeSays("captured", { providerRef: "ch_1" }) }
    const after = yield* pointsman.resolveReview(wrong)
    assert.deepStrictEqual(yield* areReviewed(first, second, both), after)
    assert.strictEqual(after.state, "ChargeMismatched")
    assert.deepStrictEqual((yield* told(second)).types.slice(-2), ["payment.reviewed", "payment.conflict"])
    yield* pointsman.resolveReview({ ...order, stated: chargeSays("captured", { providerRef: "ch_2" }) })
    assert.strictEqual((yield* stored(second)).state, "Captured")
  })

  itIn("an operation that ends after both reviews announces neither again", world(), function* (own, pointsman) {
    const first = yield* created(reused)(own)
    const second = yield* created(reused)(own)
    const order = { tenant: first.tenant, evidence: "the dashboard", by: "Jo" }
    yield* pointsman.resolveReview({ ...order, paymentId: first.id, stated: { _tag: "NothingToChange" } })
    yield* pointsman.resolveReview({
      ...order,
      paymentId: second.id,
      stated: chargeSays("canceled", { providerRef: "ch_1" })
    })
    assert.deepInclude(yield* stored(second), { state: "Cancelled", review: null })
    yield* operate("refund", first.id, { amountMinor: 500 })
    yield* charge(reused)(second)
    assert.deepInclude(yield* stored(first), { state: "PartiallyRefunded", refundedMinor: 500, review: null })
    assert.deepInclude(yield* stored(second), { state: "Cancelled", review: null })
    assert.lengthOf((yield* told(first)).conflicts, 1)
    assert.lengthOf((yield* told(second)).conflicts, 1)
  })
})

describe("a reused reference over a store that fails", () => {
  for (const fault of ["unwritten", "lost", "unheard"] as const) {
    for (const which of ["first", "second"] as const) {
      itIn(`both are announced once when the ${which} payment's review ends ${fault} once`, world(), function* (own) {
        const first = yield* created(reused)(own)
        let faults = 0
        own.ledger.onCommit = (_, { payment: { after } }) => {
          const isOfFirst = after.id === first.id
          const isReview = after.review?.reasons.includes("reference_reused") === true
          return isReview && isOfFirst === (which === "first") && faults++ === 0 ? fault : undefined
        }
        const second = yield* runOut(yield* Effect.forkChild(creating()))
        assert.isAbove(faults, 0)
        yield* areReviewed(first, second, both)
      })
    }
  }

  const half = world({ checkIntervals: { deadRequestMillis: minute } })
  itIn("the lookup writes the other review after a death between the two, neither twice", half, function* (own) {
    const first = yield* created(reused)(own)
    own.ledger.onCommit = (_, { payment: { after } }) =>
      after.id !== first.id && after.review !== null ? "unwritten" : undefined
    const failure = yield* runOut(yield* Effect.forkChild(Effect.flip(creating())))
    assert.strictEqual(failure._tag, "pointsman/PaymentResultUnknown")
    yield* isAsBefore(first)
    const [second] = (yield* (yield* Pointsman).payments(first.tenant, { limit: 1 })).items
    if (second === undefined) return assert.fail("the second payment is not stored")
    assert.deepInclude(second, { state: "Charging", review: null })

    own.ledger.onCommit = () => undefined
    own.provider.onLookUpCharge = () => Effect.succeed(found(reused))
    yield* TestClock.adjust(15 * minute)
    yield* checkAll
    yield* TestClock.adjust(minute)
    yield* checkAll
    yield* areReviewed(first, second, both)
  })

  itIn("nothing is written of the second payment if the first's review cannot be", world(), function* (own) {
    const first = yield* created(reused)(own)
    const second = yield* created(unanswered)(own)
    own.ledger.onCommit = (_, { payment: { after } }) => (after.id === first.id ? "unwritten" : undefined)
    const message = tell(second, ofCharge(second, reused), "msg_1")
    assert.isTrue(Result.isFailure(yield* message))
    assert.deepStrictEqual([yield* stored(first), yield* stored(second)], [first, second])
    own.ledger.onCommit = () => undefined
    assert.isTrue(Result.isSuccess(yield* message))
    yield* areReviewed(first, second, both)
  })
})

describe("a message that names a reused reference and nothing of ours", () => {
  const charge = { providerRef: "ch_1" }
  const abouts = {
    dispute_opened: { _tag: "Dispute", charge, disputeId: "dp_1", verdict: "opened" },
    settled: { _tag: "Settled", charge, state: null },
    canceled: { _tag: "Charge", charge, state: () => ({ _tag: "Canceled", providerRef: "ch_1" }) }
  } satisfies Readonly<Record<string, ProviderMessage["about"]>>
  for (const [stated, about] of Object.entries(abouts)) {
    itIn(`a message of ${stated} moves neither payment, and is reported once`, world(), function* (own) {
      const first = yield* created(reused)(own)
      const second = yield* created(reused)(own)
      for (const id of ["msg_1", "msg_2"]) {
        yield* tell(first, about, id)
        const kept = Option.getOrThrow(yield* (yield* Ledger).message(first.tenant, "main", id))
        assert.deepInclude(kept, { outcome: "contradicts", paymentId: first.id })
      }
      yield* isAsBefore(first)
      assert.deepStrictEqual(yield* stored(second), second)
      const events = yield* (yield* Ledger).timeline(first.tenant, first.id, { limit: 100 })
      assert.deepStrictEqual(
        events.map(({ data, type }) => [type, data["other_payment_id"], data["stated"]]),
        [
          ["payment.created", undefined, undefined],
          ["payment.captured", undefined, undefined],
          ["payment.conflict", second.id, undefined],
          ["payment.conflict", second.id, stated]
        ]
      )
    })
  }

  itIn("a message moves neither of two payments of an older version", world(), function* (own) {
    const first = yield* created(reused)(own)
    const book = Option.getOrThrow(yield* (yield* Ledger).book(first.tenant, first.id))
    const about = abouts.dispute_opened
    const meaning = ofContested({ book, others: ["other"] }, "main", about, 5)
    if (meaning?._tag !== "Contradicts") return assert.fail("it is not a contradiction")
    assert.deepInclude(meaning.applied?.payment, { state: "Captured", version: first.version + 1 })
    assert.deepStrictEqual(meaning.applied?.payment.review, { since: 5, reasons: ["reference_reused"] })
    assert.isUndefined(ofContested({ book, others: [] }, "main", about, 5))
  })

  itIn("a dispute with our own name of the charge is its payment's", world(), function* (own) {
    const first = yield* created(reused)(own)
    yield* created(reused)(own)
    yield* dispute("opened")(first)
    assert.strictEqual((yield* stored(first)).state, "ChargedBack")
  })
})
