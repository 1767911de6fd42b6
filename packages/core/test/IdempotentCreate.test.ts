import { assert, describe } from "@effect/vitest"
import { KeyReused, NothingSent, Pointsman, RequestInProgress, RoutingFailed } from "@pointsman/core"
import { BeginBy, type ChargeAnswer, Directory, Ledger, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Deferred, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { assertFields, atOnce, endAfter } from "./support/Steps.ts"
import { caller, request, runOut, tenant, world } from "./support/World.ts"

const key = "order-0001"
const keyed = request({ idempotencyKey: key })
const other = request({ idempotencyKey: key, details: { reference: "another order" } })
const minute = 60_000
const hour = 60 * minute

/** The seven rules of "Idempotency rules (payment creation)", in their order. */
describe("1. the key is scoped to the workspace and the environment", () => {
  itIn("the same key in production is another key", world(), function* ({ provider }, pointsman) {
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
    yield* TestClock.adjust(24 * hour - 1)
    const again = yield* pointsman.create(caller, keyed)
    assert.deepStrictEqual(again, { payment: first.payment, isReplay: true })
    assert.lengthOf(provider.charges, 1)
    assert.strictEqual(ledger.calls.commit, commits + 1) // The claim that found the key taken.
    assert.strictEqual(ledger.calls.claim + ledger.calls.payment, 0)
  })

  itIn("an answered key gets the same answer when no connection is left", world(), function* (_, pointsman) {
    const directory = yield* Directory
    const first = yield* pointsman.create(caller, keyed)
    const connections = yield* directory.connections(tenant)
    yield* directory.write({
      ...(yield* directory.contents),
      connections: connections.map((connection) => ({ ...connection, active: false }))
    })
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

  const fields = [
    { details: { money: { minorUnits: 2000, currency: "EUR" } } },
    { details: { money: { minorUnits: 1999, currency: "USD" } } },
    { details: { country: "BE" } },
    { details: { method: "bank" as const } },
    { details: { cardBrand: "visa" } },
    { details: { initiator: "mit" as const } },
    { details: { captureMethod: "manual" as const } },
    { details: { reference: "r" } },
    { details: { metadata: { a: "1" } } },
    { details: { purchase: { description: "d", locale: null, lines: null } } },
    { details: { simulation: { charge: "pending" as const } } },
    { debug: true },
    { cancelUrl: "https://shop.example/cart" },
    { instruments: [] }
  ]
  for (const change of fields) {
    itIn(`another ${JSON.stringify(change)} is KeyReused`, world(), function* (_, pointsman) {
      yield* pointsman.create(caller, keyed)
      const failure = yield* Effect.flip(pointsman.create(caller, request({ idempotencyKey: key, ...change })))
      assert.instanceOf(failure, KeyReused)
    })
  }

  const given = {
    metadata: { a: "1", b: "2" },
    purchase: { description: "d", locale: "de", lines: [{ name: "n", quantity: 2, amountMinor: 1999 }] }
  }
  itIn("metadata in another order gets the first answer again", world(), function* (_, pointsman) {
    const made = yield* pointsman.create(caller, request({ idempotencyKey: key, details: given }))
    const details = { ...given, metadata: { b: "2", a: "1" } }
    const again = yield* pointsman.create(caller, request({ idempotencyKey: key, details }))
    assert.deepStrictEqual(again, { ...made, isReplay: true })
    assert.deepInclude(made.payment, given)
  })
  for (const change of [
    { metadata: { a: "1", b: "3" } },
    { metadata: { a: "1" } },
    { metadata: null },
    { purchase: { ...given.purchase, locale: null } },
    { purchase: { ...given.purchase, lines: null } },
    { purchase: { ...given.purchase, lines: [{ name: "n", quantity: 3, amountMinor: 1999 }] } }
  ]) {
    itIn(`metadata or lines ${JSON.stringify(change)} are KeyReused`, world(), function* (_, pointsman) {
      yield* pointsman.create(caller, request({ idempotencyKey: key, details: given }))
      const details = { ...given, ...change }
      const failure = yield* Effect.flip(pointsman.create(caller, request({ idempotencyKey: key, details })))
      assert.instanceOf(failure, KeyReused)
    })
  }
})

describe("4. and 6. once a provider may have it, the record answers", () => {
  itIn("a request in flight that comes again is in progress; another body is KeyReused", world(), function* (own) {
    const pointsman = yield* Pointsman
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

  itIn("a request that died mid-call is in progress for 15 minutes, then UNKNOWN, unsent", world(), function* (own) {
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

  itIn("a key answered UNKNOWN records the truth when the first answer comes after all", world(), function* (own) {
    const pointsman = yield* Pointsman
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

  itIn("32 retries of a dead request at once all get one UNKNOWN", world(), function* (own, pointsman) {
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
  itIn("a key 24 hours after its answer is a new request, also with another body", world(), function* (own, pointsman) {
    const first = yield* pointsman.create(caller, keyed)
    yield* TestClock.adjust(24 * hour)
    const second = yield* pointsman.create(caller, other)
    assert.isFalse(second.isReplay)
    assert.notStrictEqual(second.payment.id, first.payment.id)
    assert.deepStrictEqual(yield* pointsman.create(caller, other), { ...second, isReplay: true })
    assert.lengthOf(own.provider.charges, 2)
  })

  itIn("the key of a payment that stays UNKNOWN never ends", world(), function* (own, pointsman) {
    own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    const first = yield* pointsman.create(caller, keyed)
    yield* TestClock.adjust(30 * 24 * hour)
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...first, isReplay: true })
    assert.lengthOf(own.provider.charges, 1)
  })

  itIn("a key answered PENDING is kept until 24 hours after its payment settled", world(), function* (own, pointsman) {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Pending", providerRef: "ref" })
    const first = yield* pointsman.create(caller, keyed)
    yield* TestClock.adjust(30 * 24 * hour)
    yield* pointsman.forgetKeys
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...first, isReplay: true })
    own.provider.onLookUpCharge = ({ money }) =>
      Effect.succeed({ _tag: "Found", state: { _tag: "Captured", providerRef: "ref", stated: money } })
    yield* pointsman.checkDue
    yield* TestClock.adjust(24 * hour - 1)
    assert.isTrue((yield* pointsman.create(caller, keyed)).isReplay)
    yield* TestClock.adjust(1)
    assert.isFalse((yield* pointsman.create(caller, keyed)).isReplay)
    assert.lengthOf(own.provider.charges, 2)
  })
})

describe("7. internal_error: nothing was sent and the key is free", () => {
  itIn("a failed first commit is NothingSent without a provider call, and a retry works", world(), function* (own) {
    const pointsman = yield* Pointsman
    own.ledger.onCommit = (number) => (number === 1 ? "unwritten" : undefined)
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), NothingSent)
    assert.lengthOf(own.provider.charges, 0)
    assert.isFalse((yield* pointsman.create(caller, keyed)).isReplay)
    assert.lengthOf(own.provider.charges, 1)
  })

  for (const fault of ["lost", "unheard"] as const) {
    const { provider, ledger, layer } = world()
    itIn(`a first commit with a lost answer (${fault}) sends nothing and frees the key`, { layer }, function* () {
      const pointsman = yield* Pointsman
      ledger.onCommit = (number) => (number === 1 ? fault : undefined)
      assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), NothingSent)
      assert.lengthOf(provider.charges, 0)
      const again = yield* pointsman.create(caller, other)
      assert.isFalse(again.isReplay)
      assert.strictEqual(again.payment.state, "Captured")
      assert.lengthOf(provider.charges, 1)
    })
  }

  itIn("a claim whose commit took over 5 seconds is abandoned unsent, with a free key", world(), function* (own) {
    const pointsman = yield* Pointsman
    own.ledger.onCommit = (number) => (number === 1 ? 5_001 : undefined)
    assert.instanceOf(yield* endAfter(5_001, Effect.flip(pointsman.create(caller, keyed))), NothingSent)
    assert.lengthOf(own.provider.charges, 0)
    assert.strictEqual((yield* pointsman.payments(tenant, { limit: 1 })).items[0]?.state, "Failed")
    assert.isFalse((yield* pointsman.create(caller, keyed)).isReplay)
  })

  itIn("the transport must begin within 5 seconds of the claim", world(), function* (own, pointsman) {
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

  itIn("a claim whose commit took 5 seconds is sent", world(), function* (own, pointsman) {
    own.ledger.onCommit = (number) => (number === 1 ? 5_000 : undefined)
    assert.strictEqual((yield* endAfter(5_000, pointsman.create(caller, keyed))).payment.state, "Captured")
  })
})

describe("racing claims", () => {
  const { provider, layer } = world({ yieldBetween: true })
  itIn("64 requests under one key of a slow provider make one call, 10 times in a row", { layer }, function* () {
    const pointsman = yield* Pointsman
    provider.onCharge = (charge) =>
      Effect.as(Effect.sleep(20), { _tag: "Captured", providerRef: charge.attemptId } as const)
    for (let round = 0; round < 10; round++) {
      provider.charges.length = 0
      const same = request({ idempotencyKey: `round-${String(round).padStart(4, "0")}` })
      const fiber = yield* Effect.forkChild(atOnce(64, () => Effect.exit(pointsman.create(caller, same))))
      const exits = yield* runOut(fiber)
      assert.lengthOf(provider.charges, 1)
      assert.strictEqual(exits.filter((exit) => exit._tag === "Success" && !exit.value.isReplay).length, 1)
    }
  })

  const unsafe = world({ yieldBetween: true })
  itIn("control: keys that are looked up and written without a guard charge repeatedly", unsafe, function* () {
    const pointsman = yield* Pointsman
    const ledger = yield* Ledger
    unsafe.provider.onCharge = (charge) =>
      Effect.as(Effect.sleep(20), { _tag: "Captured", providerRef: charge.attemptId } as const)
    const readThenCharge = Effect.gen(function* () {
      const claim = yield* ledger.claim(tenant, key)
      if (Option.isSome(claim)) return
      yield* Effect.yieldNow
      yield* pointsman.create(caller, request())
    })
    const fiber = yield* Effect.forkChild(atOnce(64, () => readThenCharge))
    yield* runOut(fiber)
    assert.isAbove(unsafe.provider.charges.length, 1)
  })
})
