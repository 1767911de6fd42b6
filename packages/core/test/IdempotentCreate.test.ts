import { assert, describe } from "@effect/vitest"
import { KeyReused, NothingSent, Pointsman, RequestInProgress, RoutingFailed } from "@pointsman/core"
import { BeginBy, type ChargeAnswer, Directory, Ledger, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import { chargeSays } from "./support/Operations.ts"
import { deactivateAll, hosted } from "./support/Pages.ts"
import { assertFields, atOnce, endAfter } from "./support/Steps.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const key = "order-0001"
const keyed = request({ idempotencyKey: key })
const other = request({ idempotencyKey: key, details: { reference: "another order" } })
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** The seven rules of "Idempotency rules (payment creation)", in their order. */
describe("1. the key is scoped to the workspace and the environment", () => {
  itHere("the same key in production is another key", function* ({ provider }, pointsman) {
    const directory = yield* Directory
    const live = { ...tenant, environment: "production" as const }
    const [connection] = yield* directory.connections(tenant)
    yield* directory.write({
      ...(yield* directory.contents),
      connections: [{ ...(connection as NonNullable<typeof connection>), id: "live", environment: "production" }]
    })
    const sandbox = yield* pointsman.create(caller, keyed)
    const production = yield* Effect.exit(pointsman.create({ ...caller, tenant: live }, keyed))
    // The credentials were sealed for another connection: it cannot be used, and the key was new all the same.
    assert.isTrue(production._tag === "Success" && !production.value.isReplay)
    assert.strictEqual((yield* pointsman.create(caller, keyed)).payment.id, sandbox.payment.id)
    assert.lengthOf(provider.charges, 1)
  })
})

describe("2. a replay returns the original response", () => {
  const { provider, ledger, layer } = world()
  itIn("the same request under an answered key gets the same answer, from one read", { layer }, function* () {
    const pointsman = yield* Pointsman
    const first = yield* pointsman.create(caller, keyed)
    const commits = ledger.calls.commit
    yield* TestClock.adjust(day - 1)
    const again = yield* pointsman.create(caller, keyed)
    assert.deepStrictEqual(again, { payment: first.payment, isReplay: true })
    assert.lengthOf(provider.charges, 1)
    assert.strictEqual(ledger.calls.commit, commits + 1) // The claim that found the key taken.
    assert.strictEqual(ledger.calls.claim + ledger.calls.payment, 0)
  })

  itHere("an answered key gets the same answer when no connection is left", function* (_, pointsman) {
    const first = yield* pointsman.create(caller, keyed)
    yield* deactivateAll
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { payment: first.payment, isReplay: true })
    const fresh = yield* Effect.flip(pointsman.create(caller, request({ idempotencyKey: "order-0002" })))
    assert.instanceOf(fresh, RoutingFailed)
    assert.isTrue(Option.isNone(yield* (yield* Ledger).claim(tenant, "order-0002")))
  })
})

describe("3. another body under the key is refused", () => {
  const { provider, layer } = world()
  itIn("another request under an answered key is KeyReused, and nothing is charged", { layer }, function* () {
    const pointsman = yield* Pointsman
    yield* pointsman.create(caller, keyed)
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, other)), KeyReused)
    assert.lengthOf(provider.charges, 1)
  })

  const given = {
    metadata: { a: "1", b: "2" },
    purchase: { description: "d", locale: "de", lines: [{ name: "n", quantity: 2, amountMinor: 1999 }] }
  }
  const first = { idempotencyKey: key, details: given }
  itHere("metadata in another order gets the first answer again", function* (_, pointsman) {
    const made = yield* pointsman.create(caller, request(first))
    const details = { ...given, metadata: { b: "2", a: "1" } }
    assert.deepStrictEqual(yield* pointsman.create(caller, request({ ...first, details })), { ...made, isReplay: true })
    assert.deepInclude(made.payment, given)
  })

  const { purchase } = given
  for (const change of [
    { money: { minorUnits: 2000, currency: "EUR" } },
    { money: { minorUnits: 1999, currency: "USD" } },
    { country: "BE" },
    { method: "bank" as const },
    { cardBrand: "visa" },
    { initiator: "mit" as const },
    { captureMethod: "manual" as const },
    { reference: "r" },
    { metadata: { a: "1", b: "3" } },
    { metadata: { a: "1" } },
    { metadata: null },
    { purchase: null },
    { purchase: { ...purchase, locale: null } },
    { purchase: { ...purchase, lines: null } },
    { purchase: { ...purchase, lines: [{ name: "n", quantity: 3, amountMinor: 1999 }] } },
    { simulation: { charge: "pending" as const } }
  ]) {
    itHere(`a payment with another ${JSON.stringify(change)} is KeyReused`, function* (_, pointsman) {
      yield* pointsman.create(caller, request(first))
      const details = { ...given, ...change }
      assert.instanceOf(yield* Effect.flip(pointsman.create(caller, request({ ...first, details }))), KeyReused)
    })
  }
  for (const change of [{ debug: true }, { cancelUrl: "https://shop.example/cart" }, { instruments: [] }]) {
    itHere(`a request with another ${JSON.stringify(change)} is KeyReused`, function* (_, pointsman) {
      yield* pointsman.create(caller, keyed)
      assert.instanceOf(yield* Effect.flip(pointsman.create(caller, { ...keyed, ...change })), KeyReused)
    })
  }
})

describe("4. and 6. once a provider may have it, the record answers", () => {
  itHere("a request in flight that comes again is in progress; another body is KeyReused", function* (own, pointsman) {
    const answer = yield* Deferred.make<ChargeAnswer>()
    own.provider.onCharge = () => Deferred.await(answer)
    const first = yield* Effect.forkChild(pointsman.create(caller, keyed))
    yield* TestClock.adjust(10)
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), RequestInProgress)
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, other)), KeyReused)
    yield* Deferred.succeed(answer, { _tag: "Captured", providerRef: "r" })
    const created = yield* Fiber.join(first)
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
    assert.lengthOf(own.provider.charges, 1)
  })

  itHere("a request that died mid-call is in progress for 15 minutes, then UNKNOWN, unsent", function* (own) {
    const pointsman = yield* Pointsman
    const ledger = yield* Ledger
    // A process that dies runs nothing any more: its second commit never comes, and neither does an error.
    own.ledger.beforeCommit = (number) => (number === 2 ? Effect.never : Effect.void)
    yield* Effect.forkDetach(pointsman.create(caller, keyed))
    yield* TestClock.adjust(15 * minute - 1)
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), RequestInProgress)
    assert.strictEqual((yield* pointsman.payments(tenant, { limit: 1 })).items[0]?.state, "Charging")
    yield* TestClock.adjust(1)
    const answered = yield* pointsman.create(caller, keyed)
    assert.isTrue(answered.isReplay)
    assert.strictEqual(answered.payment.state, "ChargeUnknown")
    assert.strictEqual(answered.payment.connectionId, "main")
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), answered)
    assert.deepStrictEqual(yield* pointsman.payment(tenant, answered.payment.id), answered.payment)
    const [attempt] = yield* ledger.attempts(tenant, answered.payment.id)
    assert.strictEqual(attempt?.outcome, "Unanswered")
    const timeline = yield* pointsman.timeline(tenant, answered.payment.id, { limit: 10 })
    assertFields(timeline.items, "type", "payment.created", "payment.unknown")
    assert.lengthOf(own.provider.charges, 1)
  })

  itHere("a key answered UNKNOWN records the truth when the first answer comes after all", function* (own, pointsman) {
    const written = yield* Deferred.make<void>()
    own.ledger.beforeCommit = (number) => (number === 2 ? Deferred.await(written) : Effect.void)
    const first = yield* Effect.forkChild(pointsman.create(caller, keyed))
    yield* TestClock.adjust(15 * minute)
    const answered = yield* pointsman.create(caller, keyed)
    assert.strictEqual(answered.payment.state, "ChargeUnknown")
    yield* Deferred.succeed(written, undefined)
    assert.strictEqual((yield* Fiber.join(first)).payment.state, "Captured")
    assert.strictEqual((yield* pointsman.payment(tenant, answered.payment.id)).state, "Captured")
    // The stored response is kept: a replay repeats it.
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), answered)
    assert.lengthOf(own.provider.charges, 1)
  })

  itHere("32 retries of a dead request at once all get one UNKNOWN", function* (own, pointsman) {
    own.ledger.beforeCommit = (number) => (number === 2 ? Effect.never : Effect.void)
    yield* Effect.forkDetach(pointsman.create(caller, keyed))
    yield* TestClock.adjust(15 * minute)
    const answers = yield* atOnce(32, () => pointsman.create(caller, keyed))
    for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
    const id = answers[0]?.payment.id ?? ""
    assert.lengthOf((yield* pointsman.timeline(tenant, id, { limit: 10 })).items, 2)
  })
})

describe("5. how long a key is kept", () => {
  itHere("a key 24 hours after its answer is a new request, also with another body", function* (own, pointsman) {
    const first = yield* pointsman.create(caller, keyed)
    yield* TestClock.adjust(day)
    const second = yield* pointsman.create(caller, other)
    assert.isFalse(second.isReplay)
    assert.notStrictEqual(second.payment.id, first.payment.id)
    assert.deepStrictEqual(yield* pointsman.create(caller, other), { ...second, isReplay: true })
    assert.lengthOf(own.provider.charges, 2)
  })

  itHere("the key of a payment that stays UNKNOWN never ends", function* (own, pointsman) {
    own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    const first = yield* pointsman.create(caller, keyed)
    yield* TestClock.adjust(30 * day)
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...first, isReplay: true })
    assert.lengthOf(own.provider.charges, 1)
  })

  itHere("a key answered PENDING is kept until 24 hours after its payment settled", function* (own, pointsman) {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Pending", providerRef: "ref" })
    const first = yield* pointsman.create(caller, keyed)
    yield* TestClock.adjust(30 * day)
    yield* pointsman.forgetKeys
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...first, isReplay: true })
    own.provider.onLookUpCharge = ({ money }) =>
      Effect.succeed({ _tag: "Found", state: { _tag: "Captured", providerRef: "ref", stated: money } })
    yield* pointsman.checkDue
    yield* TestClock.adjust(day - 1)
    assert.isTrue((yield* pointsman.create(caller, keyed)).isReplay)
    yield* TestClock.adjust(1)
    assert.isFalse((yield* pointsman.create(caller, keyed)).isReplay)
    assert.lengthOf(own.provider.charges, 2)
  })
})

describe("7. internal_error: nothing was sent and the key is free", () => {
  itHere("a failed first commit is NothingSent without a provider call, and a retry works", function* (own, pointsman) {
    own.ledger.onCommit = (number) => (number === 1 ? "unwritten" : undefined)
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), NothingSent)
    assert.lengthOf(own.provider.charges, 0)
    assert.isFalse((yield* pointsman.create(caller, keyed)).isReplay)
    assert.lengthOf(own.provider.charges, 1)
  })

  itHere("a claim whose commit took over 5 seconds is abandoned unsent, with a free key", function* (own, pointsman) {
    own.ledger.onCommit = (number) => (number === 1 ? 5_001 : undefined)
    assert.instanceOf(yield* endAfter(5_001, Effect.flip(pointsman.create(caller, keyed))), NothingSent)
    assert.lengthOf(own.provider.charges, 0)
    assert.strictEqual((yield* pointsman.payments(tenant, { limit: 1 })).items[0]?.state, "Failed")
    assert.isFalse((yield* pointsman.create(caller, keyed)).isReplay)
  })

  itHere("the transport must begin within 5 seconds of the claim", function* (own, pointsman) {
    yield* TestClock.adjust(1_000)
    const told: Array<number> = []
    own.provider.onCharge = (charge) =>
      Effect.andThen(BeginBy, (beginBy) => {
        told.push(beginBy)
        return approve(charge)
      })
    yield* pointsman.create(caller, keyed)
    assert.deepStrictEqual(told, [6_000])
  })

  itHere("a claim whose commit took 5 seconds is sent", function* (own, pointsman) {
    own.ledger.onCommit = (number) => (number === 1 ? 5_000 : undefined)
    assert.strictEqual((yield* endAfter(5_000, pointsman.create(caller, keyed))).payment.state, "Captured")
  })
})

describe("keys whose time is over take no room, and none with something to say goes", () => {
  const isKept = (of = key) =>
    Effect.gen(function* () {
      return Option.isSome(yield* (yield* Ledger).claim(tenant, of))
    })

  const forget = Effect.flatMap(Pointsman, ({ forgetKeys }) => forgetKeys)

  itHere("an answered key is kept for 24 hours, and deleted after", function* (own) {
    yield* (yield* Pointsman).create(caller, keyed)
    yield* TestClock.adjust(day)
    // Claimed and answered in the same millisecond: nothing is older than 24 hours yet.
    assert.strictEqual(yield* forget, 0)
    assert.isTrue(yield* isKept())
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* forget, 1)
    assert.isFalse(yield* isKept())
    const again = yield* (yield* Pointsman).create(caller, keyed)
    assert.isFalse(again.isReplay)
    assert.lengthOf(own.provider.charges, 2)
  })

  itHere("the key of an unknown result is kept as long as it is unknown, and a day after", function* (own, pointsman) {
    own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    own.provider.onLookUpCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    const { payment } = yield* pointsman.create(caller, keyed)
    yield* TestClock.adjust(10 * day)
    assert.strictEqual(yield* forget, 0)
    yield* pointsman.resolveReview({
      tenant,
      paymentId: payment.id,
      stated: chargeSays("captured", { providerRef: "ref" }),
      evidence: "the dashboard",
      by: "Jo"
    })
    yield* TestClock.adjust(day - 1)
    assert.strictEqual(yield* forget, 0)
    assert.isTrue((yield* pointsman.create(caller, keyed)).isReplay)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* forget, 1)
  })

  const dead = world({ providerTimeoutMillis: 60 * minute })
  itIn("the key of a dead request without a settlement is kept", dead, function* (_, pointsman) {
    dead.provider.onCharge = () => Effect.never
    yield* Effect.forkDetach(pointsman.create(caller, keyed), { startImmediately: true })
    yield* TestClock.adjust(30 * minute)
    yield* TestClock.adjust(5 * day)
    assert.strictEqual(yield* forget, 0)
    assert.isTrue(yield* isKept())
  })

  itHere("a key that its request gave back is deleted too", function* (own, pointsman) {
    own.ledger.onCommit = (number) => (number === 1 ? 6_000 : undefined)
    const late = yield* Effect.forkDetach(Effect.exit(pointsman.create(caller, keyed)), {
      startImmediately: true
    })
    yield* TestClock.adjust(10_000)
    yield* Fiber.join(late)
    assert.lengthOf(own.provider.charges, 0)
    assert.isTrue(yield* isKept())
    yield* TestClock.adjust(day)
    assert.strictEqual(yield* forget, 1)
  })

  itHere("each key of several batches that is over goes in one pass, though some stay", function* (own, pointsman) {
    let charges = 0
    own.provider.onCharge = ({ attemptId }) =>
      charges++ % 2 === 0
        ? Effect.fail(new Unanswered({ reason: "time-out" }))
        : Effect.succeed({ _tag: "Captured", providerRef: `ref_${attemptId}` })
    for (let number = 0; number < 450; number++) {
      yield* pointsman.create(caller, request({ idempotencyKey: `key-${number + 1000}` }))
    }
    yield* TestClock.adjust(2 * day)
    assert.strictEqual(yield* forget, 225)
    assert.strictEqual(yield* forget, 0)
    assert.isTrue(yield* isKept("key-1000"))
    assert.isFalse(yield* isKept("key-1001"))
  })

  itHere("a request that takes the key while it is forgotten keeps it", function* (_, pointsman) {
    yield* pointsman.create(caller, keyed)
    yield* TestClock.adjust(day + 1)
    const ledger = yield* Ledger
    const old = yield* ledger.oldClaims({ claimedBefore: day, limit: 10 })
    const anew = yield* pointsman.create(caller, keyed)
    assert.isFalse(anew.isReplay)
    const stale = old.map(({ claim: { key, version }, tenant }) => ({ tenant, key, version }))
    assert.strictEqual(yield* ledger.forgetClaims(stale), 0)
    assert.isTrue((yield* pointsman.create(caller, keyed)).isReplay)
  })

  itHere("the background forgets keys every hour, and a page's key once its page is over", function* (_, pointsman) {
    yield* pointsman.create(caller, hosted({ idempotencyKey: key }))
    yield* Layer.build(Pointsman.background({ everyMillis: hour }))
    yield* TestClock.adjust(day)
    assert.isTrue(yield* isKept())
    yield* TestClock.adjust(hour)
    assert.isFalse(yield* isKept())
  })
})
