/** Processes that froze and wake up, other sources that were first, and commits that complete when no caller waits. */
import { assert, describe } from "@effect/vitest"
import { NothingSent, type Payment, PaymentResultUnknown, Pointsman, RequestInProgress } from "@pointsman/core"
import { applyChargeFact, type ChargeFact, moveClaim, StorageSnapshots } from "@pointsman/core/internal"
import { Ledger, NotSent } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Deferred, Effect, Fiber, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import { authorized, onMain } from "./support/Operations.ts"
import {
  anotherBefore,
  attemptsOf,
  comeBack,
  liveCaller,
  liveConnections,
  paged,
  stored,
  typesOf
} from "./support/Pages.ts"
import { assertFields, endAfter, unknownFates } from "./support/Steps.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const key = "order-0001"
const keyed = request({ idempotencyKey: key })
const other = request({ idempotencyKey: key, details: { reference: "another order" } })
const minute = 60_000
const hour = 60 * minute

const endsOf = (payment: Payment) =>
  Effect.map(attemptsOf(payment), (attempts) => attempts.map(({ number, outcome }) => `${number} ${outcome}`))

for (const [what, isHosted] of [
  ["the end of its first attempt", false],
  ["its first attempt", true]
] as const) {
  const losing = world(isHosted ? { connections: liveConnections } : {})
  itIn(`both are stored with their ends when ${what} is lost and its second one ends`, losing, function* () {
    const pointsman = yield* Pointsman
    const snapshots = yield* StorageSnapshots
    assert(snapshots !== undefined)
    let putBack = yield* snapshots.take
    const refused = Effect.fail(new NotSent({ reason: "refused" }))
    losing.provider.onCharge = (charge) =>
      Effect.gen(function* () {
        if (charge.connectionId === "main") {
          putBack = yield* snapshots.take
          return yield* refused
        }
        yield* putBack
        return yield* approve(charge)
      })
    const checkout = losing.provider.onOpenCheckout
    losing.provider.onOpenCheckout = (order) =>
      Effect.gen(function* () {
        if (order.connectionId === "main") return yield* refused
        yield* putBack
        return yield* checkout(order)
      })
    if (isHosted) {
      const { payment, token } = yield* paged(liveCaller)
      putBack = yield* snapshots.take
      yield* pointsman.openCheckout(token, comeBack)
      assert.deepStrictEqual(yield* endsOf(payment), ["1 NotSent", "2 CheckoutOpened"])
    } else {
      const { payment } = yield* pointsman.create(caller, keyed)
      assert.deepStrictEqual(yield* endsOf(payment), ["1 NotSent", "2 Captured"])
    }
  })
}

itHere("a page that wakes writes nothing of its attempt, and is used again", function* (own, pointsman) {
  const snapshots = yield* StorageSnapshots
  assert(snapshots !== undefined)
  const { payment, token } = yield* paged(caller)
  const putBack = yield* snapshots.take
  const approval = pointsman.actOnHostedPage(token, { _tag: "Approve" })
  own.ledger.onCommit = (number) => (number === 2 ? 6_000 : undefined)
  const frozen = yield* Effect.forkDetach(approval)
  yield* TestClock.adjust(1)
  yield* putBack
  yield* TestClock.adjust(6_000)
  assert.strictEqual((yield* Fiber.join(frozen)).payment.state, "AwaitingCustomer")
  assert.deepStrictEqual(yield* endsOf(payment), [])
  assert.strictEqual((yield* approval).payment.state, "Captured")
  assert.deepStrictEqual(yield* endsOf(payment), ["1 Captured"])
  assert.lengthOf(own.provider.charges, 1)
})

describe("a process that froze after its claim was written", () => {
  const woken = world({ providerTimeoutMillis: 48 * hour })
  itIn("a process that wakes leaves the claim of another request under its key", woken, function* (_, pointsman) {
    const ledger = yield* Ledger
    woken.ledger.onCommit = (number) => (number === 1 ? 48 * hour : undefined)
    const frozen = yield* Effect.forkDetach(pointsman.create(caller, keyed))
    yield* TestClock.adjust(15 * minute)
    const { payment: first } = yield* pointsman.create(caller, keyed)
    assert.strictEqual(first.state, "ChargeUnknown")
    // A lookup finds nothing; a day later the key is free.
    const now = yield* stored(first)
    const after: Payment = { ...now, state: "Failed", version: now.version + 1, settledAt: 15 * minute }
    yield* ledger.commit({ tenant, payment: { expected: now.version, after }, attempts: [], events: [] })
    yield* TestClock.adjust(24 * hour)
    const answer = yield* Deferred.make<void>()
    woken.provider.onCharge = (charge) => Effect.andThen(Deferred.await(answer), approve(charge))
    const second = yield* Effect.forkChild(pointsman.create(caller, keyed))
    yield* TestClock.adjust(1_000)
    assert.lengthOf(woken.provider.charges, 1)

    yield* TestClock.adjust(24 * hour - 15 * minute - 2_000)
    const inFlight = Option.getOrThrow(yield* ledger.claim(tenant, key))
    yield* TestClock.adjust(2_000)
    assert.strictEqual((yield* Fiber.join(frozen)).payment.state, "Failed")
    assert.deepStrictEqual(Option.getOrThrow(yield* ledger.claim(tenant, key)), inFlight)

    yield* Deferred.succeed(answer, undefined)
    const created = yield* Fiber.join(second)
    assert.strictEqual(created.payment.state, "Captured")
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
    assert.lengthOf(woken.provider.charges, 1)
  })

  itHere("a process that wakes after a retry's UNKNOWN sends nothing, and the key stays so", function* (own) {
    const pointsman = yield* Pointsman
    own.ledger.onCommit = (number) => (number === 1 ? 16 * minute : undefined)
    const frozen = yield* Effect.forkDetach(pointsman.create(caller, keyed))
    yield* TestClock.adjust(15 * minute)
    const replay = yield* pointsman.create(caller, keyed)
    assert.strictEqual(replay.payment.state, "ChargeUnknown")
    assert.strictEqual(replay.payment.routing?.attempts[0]?.outcome, "Unanswered")
    yield* TestClock.adjust(minute)
    // It knows for certain that nothing was sent; the key was answered, so it is not given back.
    assert.strictEqual((yield* Fiber.join(frozen)).payment.state, "Failed")
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), replay)
    assert.lengthOf(own.provider.charges, 0)
  })

  itHere("a retry is a new request if the key is released while it would answer UNKNOWN", function* (own, pointsman) {
    const ledger = yield* Ledger
    // The first commit is written and its process hangs; the third one is the retry's UNKNOWN.
    own.ledger.onCommit = (number) => (number === 1 ? 24 * hour : undefined)
    own.ledger.beforeCommit = (number, change) =>
      number !== 3
        ? Effect.void
        : Effect.gen(function* () {
            own.ledger.beforeCommit = () => Effect.void
            const stored = Option.getOrThrow(yield* ledger.payment(tenant, change.payment.after.id))
            const claim = Option.getOrThrow(yield* ledger.claim(tenant, key))
            const moved = Result.getOrThrow(applyChargeFact(stored, { on: "ChargeAbandoned" }, 0))
            yield* ledger.commit({
              tenant,
              payment: { expected: stored.version, after: moved.payment },
              attempts: [],
              events: moved.events,
              claim: { expected: claim.version, after: moveClaim(claim, "RequestAbandoned", {}) }
            })
          }).pipe(Effect.orDie)
    yield* Effect.forkDetach(pointsman.create(caller, keyed))
    yield* TestClock.adjust(15 * minute)
    const created = yield* pointsman.create(caller, keyed)
    assert.isFalse(created.isReplay)
    assert.strictEqual(created.payment.state, "Captured")
    assert.lengthOf(own.provider.charges, 1)
  })
})

describe("what may be said of a key", () => {
  for (const fault of ["unwritten", "lost"] as const) {
    itHere(`a charged key gives the stored answer when its retry's commit is ${fault}`, function* (own, pointsman) {
      const { ledger, provider } = own
      const first = yield* pointsman.create(caller, keyed)
      ledger.onCommit = (number) => (number === 3 ? fault : undefined)
      assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...first, isReplay: true })
      assert.lengthOf(provider.charges, 1)
    })
  }

  itHere("a store that neither writes nor reads leads to no claim that nothing was sent", function* (own, pointsman) {
    yield* pointsman.create(caller, keyed)
    own.ledger.onCommit = () => "unwritten"
    own.ledger.canRead = () => false
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), PaymentResultUnknown)
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, request())), NothingSent)
  })
})

describe("a first commit of unknown fate", () => {
  for (const each of unknownFates) {
    itHere(`${JSON.stringify(each)} leaves one abandoned payment, announced once; a free key`, function* (own) {
      const { ledger, provider } = own
      const pointsman = yield* Pointsman
      ledger.onCommit = (number) => each[number - 1]
      assert.instanceOf(yield* endAfter(minute, Effect.flip(pointsman.create(caller, keyed))), NothingSent)
      const { items } = yield* pointsman.payments(tenant, { limit: 10 })
      assertFields(items, "state", "Failed")
      assert.deepStrictEqual(yield* typesOf(items[0] as Payment), ["payment.created", "payment.failed"])
      ledger.onCommit = () => undefined
      assert.lengthOf(provider.charges, 0)
      // Another request under the key, too.
      const created = yield* pointsman.create(caller, other)
      assert.deepStrictEqual([created.isReplay, created.payment.state], [false, "Captured"])
      assert.lengthOf(provider.charges, 1)
    })
  }

  itHere("a record that cannot be read at first is read again, and the key is free", function* (own, pointsman) {
    own.ledger.onCommit = (number) => (number === 1 ? "unheard" : undefined)
    own.ledger.canRead = (method) => method !== "payment" || own.ledger.calls.payment > 2
    assert.instanceOf(yield* endAfter(minute, Effect.flip(pointsman.create(caller, keyed))), NothingSent)
    assert.isFalse((yield* pointsman.create(caller, keyed)).isReplay)
    assert.lengthOf(own.provider.charges, 1)
  })
})

describe("a message that came before the answer", () => {
  const held: ChargeFact = { on: "ChargeAuthorized", connectionId: "main", providerRef: "r", amountMinor: 1999 }
  const taken: ChargeFact = { ...held, on: "ChargeCaptured" }

  itHere("a reported authorization becomes CAPTURED when the answer says captured", function* (own) {
    yield* anotherBefore(own, 2, held)
    own.provider.onCharge = () => Effect.succeed({ _tag: "Captured", providerRef: "r" })
    assert.deepInclude(yield* authorized, { state: "Captured", capturedMinor: 1999 })
  })

  itHere("our lost commit is still written after a message's: attempt and answer", function* (own, pointsman) {
    const ledger = yield* Ledger
    own.ledger.onCommit = (number) => (number === 2 ? "lost" : undefined)
    yield* anotherBefore(own, 2, taken)
    const created = yield* pointsman.create(caller, keyed)
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
    const attempts = yield* ledger.attempts(tenant, created.payment.id)
    assertFields(attempts, "outcome", "Captured")
  })

  itHere("the timeline reports both when the first attempt was charged as well", function* (own, pointsman) {
    own.provider.onCharge = onMain(
      Effect.succeed({ _tag: "Declined", providerRef: "r", category: "do_not_honor", code: "05", soft: true })
    )
    yield* anotherBefore(own, 3, taken)
    const { payment } = yield* pointsman.create(caller, keyed)
    assert.deepInclude(payment, { state: "Captured", connectionId: "main" })
    const { items } = yield* pointsman.timeline(tenant, payment.id, { limit: 10 })
    assertFields(items, "type", "payment.created", "payment.captured", "payment.conflict")
    assert.deepInclude(items[2]?.data, { connection_id: "backup" })
  })
})

describe("a claim that is worked on", () => {
  const failover = world({ providerTimeoutMillis: 14 * minute })
  itIn("the claim of a second attempt is fresh from its commit on", failover, function* (_, pointsman) {
    failover.provider.onCharge = (charge) =>
      charge.connectionId === "main"
        ? Effect.as(Effect.sleep(10 * minute), { _tag: "Rejected", code: "busy", message: "Busy." } as const)
        : Effect.andThen(Effect.sleep(10 * minute), approve(charge))
    const fiber = yield* Effect.forkChild(pointsman.create(caller, keyed))
    yield* TestClock.adjust(10 * minute)
    yield* TestClock.adjust(10 * minute - 1)
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), RequestInProgress)
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* Fiber.join(fiber)).payment.state, "Captured")
  })
})
