/** One reference of a provider on two payments of a connection: both are reviewed, and nothing else of them moves. */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import {
  type ChargeAnswer,
  type ChargeState,
  type Found,
  Ledger,
  type ProviderMessage,
  Unanswered
} from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { ofContested } from "../src/decide/ReusedReference.ts"
import { itIn } from "./support/ItIn.ts"
import { operate } from "./support/Operations.ts"
import { attemptsOf, comeBack, hour, liveCaller, liveConnections, minute, paged, stored } from "./support/Pages.ts"
import { caller, request, runOut, type World, world } from "./support/World.ts"

const reused: ChargeState = { _tag: "Captured", providerRef: "ch_1" }
const silent = Effect.fail(new Unanswered({ reason: "time-out" }))
const found = (state: ChargeState): Found<ChargeState> => ({ _tag: "Found", state })

const answered = Effect.fnUntraced(function* (
  own: World,
  answer: ChargeAnswer,
  more: Parameters<typeof request>[0] = {},
  by = caller
) {
  own.provider.onCharge = () => Effect.succeed(answer)
  return (yield* (yield* Pointsman).create(by, request(more))).payment
})

const tell = Effect.fnUntraced(function* (of: Payment, about: ProviderMessage["about"], id: string, at = 0) {
  const pointsman = yield* Pointsman
  const connectionId = (yield* attemptsOf(of))[0]?.connectionId ?? ""
  return yield* Effect.result(
    pointsman.recordMessage({
      connectionId,
      tenant: of.tenant,
      receivedAt: 0,
      body: "{}",
      message: { id, at, about },
      reason: null
    })
  )
})

const ofCharge = Effect.fnUntraced(function* (of: Payment, state: ChargeState) {
  const [attempt] = yield* attemptsOf(of)
  return { _tag: "Charge", charge: { attemptId: attempt?.id ?? "" }, state: () => state } as const
})

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
  const answers: ReadonlyArray<ChargeAnswer> = [
    reused,
    { _tag: "Authorized", providerRef: "ch_1" },
    { _tag: "Pending", providerRef: "ch_1" },
    { _tag: "Declined", providerRef: "ch_1", category: "expired_card", code: "54", soft: false },
    { _tag: "Declined", providerRef: "ch_1", category: "do_not_honor", code: "05", soft: true },
    { _tag: "Canceled", providerRef: "ch_1" },
    { _tag: "Captured", providerRef: "ch_1", stated: { minorUnits: 5000, currency: "EUR" } }
  ]
  for (const answer of answers) {
    itIn(`${JSON.stringify(answer)} is unknown, and both reviewed`, world(), function* (own) {
      const first = yield* answered(own, reused)
      const more = { idempotencyKey: "key-0001", details: { captureMethod: "manual" } } as const
      const second = yield* answered(own, answer, more)
      assert.deepInclude(second, { state: "ChargeMismatched", connectionId: "main", providerRef: null })
      assert.deepStrictEqual(yield* areReviewed(first, second, ["unknown", "reference_reused"]), second)
      assert.deepStrictEqual((yield* told(second)).types, ["payment.created", "payment.conflict", "payment.unknown"])
      assert.deepStrictEqual(
        (yield* attemptsOf(second)).map(({ outcome }) => outcome),
        ["Mismatched"]
      )
      const again = yield* (yield* Pointsman).create(caller, request(more))
      assert.deepStrictEqual(again, { payment: second, isReplay: true })
      assert.lengthOf(own.provider.charges, 2)
    })
  }

  itIn("each of several declines with one reference is a decline: nothing was taken", world(), function* (own) {
    const declined = { _tag: "Declined", providerRef: "none", category: "other", code: "1", soft: false } as const
    for (let number = 0; number < 3; number++) {
      assert.deepInclude(yield* answered(own, declined), { state: "Declined", review: null })
    }
  })

  const elsewhere = world({ routing: { mode: "failover", maxAttempts: 2 } })
  itIn("a reference that another connection names is another charge", elsewhere, function* (own) {
    const first = yield* answered(own, reused)
    own.provider.onCharge = ({ connectionId }) =>
      Effect.succeed(connectionId === "main" ? { _tag: "Rejected", code: "down", message: "down" } : reused)
    const { payment } = yield* (yield* Pointsman).create(caller, request())
    assert.deepInclude(payment, { state: "Captured", connectionId: "backup", review: null })
    assert.deepStrictEqual(yield* stored(first), first)
  })

  itIn("the first payment learns of a third as of the second", world(), function* (own) {
    const first = yield* answered(own, reused)
    const [second, last] = [yield* answered(own, reused), yield* answered(own, reused)]
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
    const pointsman = yield* Pointsman
    const both = yield* Effect.all([pointsman.create(caller, request()), pointsman.create(caller, request())], {
      concurrency: "unbounded"
    })
    const [first, second] = both.map(({ payment }) => payment).toSorted((a) => (a.state === "Captured" ? -1 : 1))
    assert.deepStrictEqual([first?.state, second?.state], ["Captured", "ChargeMismatched"])
    if (first !== undefined && second !== undefined) {
      yield* areReviewed(first, second, ["unknown", "reference_reused"])
    }
  })
})

describe("other sources of a reused reference", () => {
  const messages = {
    unknown: { before: silent, becomes: "ChargeMismatched", reasons: ["unknown", "reference_reused"] },
    pending: {
      before: Effect.succeed({ _tag: "Pending", providerRef: "ch_2" } as const),
      becomes: "ChargeMismatched",
      reasons: ["unknown", "reference_reused"]
    },
    declined: {
      before: Effect.succeed({
        _tag: "Declined",
        providerRef: null,
        category: "expired_card",
        code: "54",
        soft: false
      } as const),
      becomes: "Declined",
      reasons: ["reference_reused"]
    }
  } as const
  for (const [name, { becomes, before, reasons }] of Object.entries(messages)) {
    itIn(`a message on a payment that is ${name} makes it ${becomes}, both reported once`, world(), function* (own) {
      const first = yield* answered(own, reused)
      own.provider.onCharge = () => before
      const { payment: second } = yield* (yield* Pointsman).create(caller, request())
      for (const id of ["msg_1", "msg_2"]) {
        assert.isTrue(Result.isSuccess(yield* tell(second, yield* ofCharge(second, reused), id)))
        const kept = Option.getOrThrow(yield* (yield* Ledger).message(first.tenant, "main", id))
        assert.deepInclude(kept, { outcome: "contradicts", paymentId: second.id })
      }
      const after = yield* areReviewed(first, second, reasons)
      assert.deepInclude(after, { state: becomes, providerRef: second.providerRef })
      // Under its own name the provider is believed again.
      yield* tell(second, yield* ofCharge(second, { _tag: "Captured", providerRef: "ch_2" }), "msg_3", 1)
      assert.deepInclude(yield* stored(second), { state: "Captured", providerRef: "ch_2", capturedMinor: 1999 })
    })
  }

  itIn("a lookup of an unknown charge is not believed, and nothing is asked again", world(), function* (own) {
    const first = yield* answered(own, reused)
    own.provider.onCharge = () => silent
    const { payment: second } = yield* (yield* Pointsman).create(caller, request())
    own.provider.onLookUpCharge = () => Effect.succeed(found(reused))
    yield* TestClock.adjust(minute)
    yield* checkAll
    const after = yield* areReviewed(first, second, ["unknown", "reference_reused"])
    assert.strictEqual(after.state, "ChargeMismatched")
    yield* TestClock.adjust(48 * hour)
    yield* checkAll
    assert.lengthOf(own.provider.lookUps, 1)
  })

  const rival = world({ routing: { mode: "failover", maxAttempts: 2 } })
  itIn("a lookup of an attempt beside the one with the money has both payments reviewed", rival, function* (own) {
    const first = yield* answered(own, reused)
    own.provider.onCharge = ({ connectionId }) =>
      connectionId === "main"
        ? Effect.succeed({ _tag: "Declined", providerRef: null, category: "do_not_honor", code: "05", soft: true })
        : silent
    const { payment: second } = yield* (yield* Pointsman).create(caller, request())
    // Its first connection took the money after all; the second one names a charge that the other payment has.
    yield* tell(second, yield* ofCharge(second, { _tag: "Captured", providerRef: "ch_2" }), "msg_1")
    const held = yield* answered(own, { _tag: "Rejected", code: "down", message: "down" })
    own.provider.onCharge = ({ connectionId }) =>
      Effect.succeed(connectionId === "main" ? { _tag: "Rejected", code: "down", message: "down" } : reused)
    const { payment: other } = yield* (yield* Pointsman).create(caller, request())
    assert.deepStrictEqual([held.state, other.connectionId], ["Failed", "backup"])
    const before = yield* stored(second)
    own.provider.onLookUpCharge = () => Effect.succeed(found(reused))
    yield* TestClock.adjust(hour)
    yield* checkAll
    yield* isAsBefore(other)
    const { routing: _, ...after } = yield* stored(second)
    assert.deepInclude(after, { state: "Captured", providerRef: "ch_2", capturedMinor: before.capturedMinor })
    assert.deepStrictEqual(after.review?.reasons.includes("reference_reused"), true)
    assert.deepStrictEqual(
      (yield* attemptsOf(second)).map(({ outcome }) => outcome),
      ["Captured", "Mismatched"]
    )
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
    const first = yield* answered(own, reused, {}, liveCaller)
    const { payment: second, token } = yield* paged(liveCaller)
    yield* pointsman.openCheckout(token, comeBack)
    own.provider.onLookUpCharge = () => Effect.succeed(found(reused))
    assert.strictEqual((yield* pointsman.returnFromCheckout(token)).payment.state, "ChargeMismatched")
    yield* areReviewed(first, second, ["unknown", "reference_reused"])
  })

  itIn("an operator's statement has both reviewed unmoved; the right one is taken", world(), function* (own) {
    const pointsman = yield* Pointsman
    const first = yield* answered(own, reused)
    own.provider.onCharge = () => silent
    const { payment: second } = yield* pointsman.create(caller, request())
    const statement = { _tag: "Charge", says: "captured", attemptId: null, amountMinor: null } as const
    const order = { tenant: second.tenant, paymentId: second.id, evidence: "the dashboard", by: "Jo" }
    const wrong = { ...order, stated: { ...statement, providerRef: "ch_1" } }
    const after = yield* pointsman.resolveReview(wrong)
    assert.deepStrictEqual(yield* areReviewed(first, second, ["unknown", "reference_reused"]), after)
    assert.strictEqual(after.state, "ChargeMismatched")
    assert.deepStrictEqual((yield* told(second)).types.slice(-2), ["payment.reviewed", "payment.conflict"])
    yield* pointsman.resolveReview({ ...order, stated: { ...statement, providerRef: "ch_2" } })
    assert.strictEqual((yield* stored(second)).state, "Captured")
  })

  itIn("an operation that ends after both reviews announces neither again", world(), function* (own, pointsman) {
    const first = yield* answered(own, reused)
    const second = yield* answered(own, reused)
    const order = { tenant: first.tenant, evidence: "the dashboard", by: "Jo" }
    yield* pointsman.resolveReview({ ...order, paymentId: first.id, stated: { _tag: "NothingToChange" } })
    yield* pointsman.resolveReview({
      ...order,
      paymentId: second.id,
      stated: { _tag: "Charge", says: "canceled", attemptId: null, amountMinor: null, providerRef: "ch_1" }
    })
    assert.deepInclude(yield* stored(second), { state: "Cancelled", review: null })
    yield* operate("refund", first.id, { amountMinor: 500 })
    yield* tell(second, yield* ofCharge(second, reused), "msg_1")
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
        const first = yield* answered(own, reused)
        let faults = 0
        own.ledger.onCommit = (_, { payment: { after } }) => {
          const isOfFirst = after.id === first.id
          const isReview = after.review?.reasons.includes("reference_reused") === true
          return isReview && isOfFirst === (which === "first") && faults++ === 0 ? fault : undefined
        }
        own.provider.onCharge = () => Effect.succeed(reused)
        const created = yield* Effect.forkChild((yield* Pointsman).create(caller, request()))
        const { payment: second } = yield* runOut(created)
        assert.isAbove(faults, 0)
        yield* areReviewed(first, second, ["unknown", "reference_reused"])
      })
    }
  }

  const half = world({ checkIntervals: { deadRequestMillis: minute } })
  itIn("the lookup writes the other review after a death between the two, neither twice", half, function* (own) {
    const first = yield* answered(own, reused)
    own.ledger.onCommit = (_, { payment: { after } }) =>
      after.id !== first.id && after.review !== null ? "unwritten" : undefined
    own.provider.onCharge = () => Effect.succeed(reused)
    const created = yield* Effect.forkChild(Effect.flip((yield* Pointsman).create(caller, request())))
    assert.strictEqual((yield* runOut(created))._tag, "pointsman/PaymentResultUnknown")
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
    yield* areReviewed(first, second, ["unknown", "reference_reused"])
  })

  itIn("nothing is written of the second payment if the first's review cannot be", world(), function* (own) {
    const first = yield* answered(own, reused)
    own.provider.onCharge = () => silent
    const { payment: second } = yield* (yield* Pointsman).create(caller, request())
    own.ledger.onCommit = (_, { payment: { after } }) => (after.id === first.id ? "unwritten" : undefined)
    assert.isTrue(Result.isFailure(yield* tell(second, yield* ofCharge(second, reused), "msg_1")))
    assert.deepStrictEqual([yield* stored(first), yield* stored(second)], [first, second])
    own.ledger.onCommit = () => undefined
    assert.isTrue(Result.isSuccess(yield* tell(second, yield* ofCharge(second, reused), "msg_1")))
    yield* areReviewed(first, second, ["unknown", "reference_reused"])
  })
})

describe("a message that names a reused reference and nothing of ours", () => {
  const charge = { providerRef: "ch_1" }
  const abouts: Readonly<Record<string, ProviderMessage["about"]>> = {
    dispute_opened: { _tag: "Dispute", charge, disputeId: "dp_1", verdict: "opened" },
    settled: { _tag: "Settled", charge, state: null },
    canceled: { _tag: "Charge", charge, state: () => ({ _tag: "Canceled", providerRef: "ch_1" }) }
  }
  for (const [stated, about] of Object.entries(abouts)) {
    itIn(`a message of ${stated} moves neither payment, and is reported once`, world(), function* (own) {
      const first = yield* answered(own, reused)
      const second = yield* answered(own, reused)
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
    const first = yield* answered(own, reused)
    const book = Option.getOrThrow(yield* (yield* Ledger).book(first.tenant, first.id))
    const about = abouts["dispute_opened"]
    if (about === undefined) return assert.fail("no such message")
    const meaning = ofContested({ book, others: ["other"] }, "main", about, 5)
    if (meaning?._tag !== "Contradicts") return assert.fail("it is not a contradiction")
    assert.deepInclude(meaning.applied?.payment, { state: "Captured", version: first.version + 1 })
    assert.deepStrictEqual(meaning.applied?.payment.review, { since: 5, reasons: ["reference_reused"] })
    assert.isUndefined(ofContested({ book, others: [] }, "main", about, 5))
  })

  itIn("a dispute with our own name of the charge is its payment's", world(), function* (named) {
    const first = yield* answered(named, reused)
    yield* answered(named, reused)
    const [attempt] = yield* attemptsOf(first)
    const own = { attemptId: attempt?.id ?? "" }
    yield* tell(first, { _tag: "Dispute", charge: own, disputeId: "dp_1", verdict: "opened" }, "msg_1")
    assert.strictEqual((yield* stored(first)).state, "ChargedBack")
  })
})
