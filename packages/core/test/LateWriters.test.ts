/** Processes that froze and wake up, other sources that were first, and commits that complete when no caller waits. */
import { assert, describe, it } from "@effect/vitest"
import { NothingSent, type Payment, PaymentResultUnknown, Pointsman, RequestInProgress } from "@pointsman/core"
import { applyChargeFact, type ChargeFact, moveClaim, StorageSnapshots } from "@pointsman/core/internal"
import { type Change, Ledger, NotSent } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Deferred, Effect, Fiber, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { attemptsOf, comeBack, liveCaller, paged } from "./support/Pages.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const key = "order-0001"
const keyed = request({ idempotencyKey: key })
const minute = 60_000
const hour = 60 * minute

const endsOf = (payment: Payment) =>
  Effect.map(attemptsOf(payment), (attempts) => attempts.map(({ number, outcome }) => `${number} ${outcome}`))

/** A write of another process, on what is stored now. */
const anotherWriter = (
  paymentId: string,
  move: (stored: Payment) => Pick<Change, "events"> & { readonly payment: Payment }
) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const stored = Option.getOrThrow(yield* ledger.payment(tenant, paymentId))
    const { payment, events } = move(stored)
    yield* ledger.commit({ tenant, payment: { expected: stored.version, after: payment }, attempts: [], events })
  }).pipe(Effect.orDie)

const told = (paymentId: string, fact: ChargeFact) =>
  anotherWriter(paymentId, (stored) => Result.getOrThrow(applyChargeFact(stored, fact, stored.updatedAt)))

describe("a process that goes on while its store loses records", () => {
  for (const [what, isHosted] of [
    ["the end of its first attempt", false],
    ["its first attempt", true]
  ] as const) {
    const connections = [
      { id: "main", environment: "production" },
      { id: "backup", environment: "production" }
    ] as const
    const losing = world(isHosted ? { connections } : {})
    it.effect(`both are stored with their ends when ${what} is lost and its second one ends`, () =>
      Effect.gen(function* () {
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
      }).pipe(Effect.provide(losing.layer))
    )
  }
})

describe("a process that froze while its store lost what it had claimed", () => {
  const forgotten = world()
  it.effect("a page that wakes writes nothing of its attempt, and is used again", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const snapshots = yield* StorageSnapshots
      assert(snapshots !== undefined)
      const { payment, token } = yield* paged(caller)
      const putBack = yield* snapshots.take
      const approval = pointsman.actOnHostedPage(token, { _tag: "Approve" })
      forgotten.ledger.onCommit = (number) => (number === 2 ? 6_000 : undefined)
      const frozen = yield* Effect.forkDetach(approval)
      yield* TestClock.adjust(1)
      yield* putBack
      yield* TestClock.adjust(6_000)
      assert.strictEqual((yield* Fiber.join(frozen)).payment.state, "AwaitingCustomer")
      assert.deepStrictEqual(yield* endsOf(payment), [])
      assert.strictEqual((yield* approval).payment.state, "Captured")
      assert.deepStrictEqual(yield* endsOf(payment), ["1 Captured"])
      assert.lengthOf(forgotten.provider.charges, 1)
    }).pipe(Effect.provide(forgotten.layer))
  )
})

describe("a process that froze after its claim was written", () => {
  const woken = world({ providerTimeoutMillis: 48 * hour })
  it.effect("a process that wakes leaves the claim of another request under its key", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const ledger = yield* Ledger
      woken.ledger.onCommit = (number) => (number === 1 ? 48 * hour : undefined)
      const frozen = yield* Effect.forkDetach(pointsman.create(caller, keyed))
      yield* TestClock.adjust(15 * minute)
      const { payment: first } = yield* pointsman.create(caller, keyed)
      assert.strictEqual(first.state, "ChargeUnknown")
      // A lookup finds nothing; a day later the key is free.
      yield* anotherWriter(first.id, (stored) => ({
        payment: { ...stored, state: "Failed", version: stored.version + 1, settledAt: 15 * minute },
        events: []
      }))
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
    }).pipe(Effect.provide(woken.layer))
  )

  const answered = world()
  it.effect("a process that wakes after a retry's UNKNOWN sends nothing, and the key stays so", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      answered.ledger.onCommit = (number) => (number === 1 ? 16 * minute : undefined)
      const frozen = yield* Effect.forkDetach(pointsman.create(caller, keyed))
      yield* TestClock.adjust(15 * minute)
      const replay = yield* pointsman.create(caller, keyed)
      assert.strictEqual(replay.payment.state, "ChargeUnknown")
      assert.strictEqual(replay.payment.routing?.attempts[0]?.outcome, "Unanswered")
      yield* TestClock.adjust(minute)
      // It knows for certain that nothing was sent; the key was answered, so it is not given back.
      assert.strictEqual((yield* Fiber.join(frozen)).payment.state, "Failed")
      assert.deepStrictEqual(yield* pointsman.create(caller, keyed), replay)
      assert.lengthOf(answered.provider.charges, 0)
    }).pipe(Effect.provide(answered.layer))
  )

  const released = world()
  it.effect("a retry is a new request if the key is released while it would answer UNKNOWN", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const ledger = yield* Ledger
      // The first commit is written and its process hangs; the third one is the retry's UNKNOWN.
      released.ledger.onCommit = (number) => (number === 1 ? 24 * hour : undefined)
      released.ledger.beforeCommit = (number, change) =>
        number !== 3
          ? Effect.void
          : Effect.gen(function* () {
              released.ledger.beforeCommit = () => Effect.void
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
      assert.lengthOf(released.provider.charges, 1)
    }).pipe(Effect.provide(released.layer))
  )
})

describe("what may be said of a key", () => {
  for (const fault of ["unwritten", "lost"] as const) {
    const { ledger, layer, provider } = world()
    it.effect(`a charged key gives the stored answer when its retry's commit is ${fault}`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const first = yield* pointsman.create(caller, keyed)
        ledger.onCommit = (number) => (number === 3 ? fault : undefined)
        assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...first, isReplay: true })
        assert.lengthOf(provider.charges, 1)
      }).pipe(Effect.provide(layer))
    )
  }

  const blind = world()
  it.effect("a store that neither writes nor reads leads to no claim that nothing was sent", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      yield* pointsman.create(caller, keyed)
      blind.ledger.onCommit = () => "unwritten"
      blind.ledger.canRead = () => false
      assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), PaymentResultUnknown)
      assert.instanceOf(yield* Effect.flip(pointsman.create(caller, request())), NothingSent)
    }).pipe(Effect.provide(blind.layer))
  )

  const landing = world()
  it.effect("a first commit that lands when it was given up cannot: its place is taken", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      landing.ledger.onCommit = (number) => (number === 1 ? { landsAfter: 1_000 } : undefined)
      assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), NothingSent)
      yield* TestClock.adjust(2_000)
      const [abandoned] = (yield* pointsman.payments(tenant, { limit: 10 })).items
      assert.strictEqual(abandoned?.state, "Failed")
      const created = yield* pointsman.create(caller, keyed)
      assert.deepStrictEqual([created.isReplay, created.payment.state], [false, "Captured"])
      assert.lengthOf(landing.provider.charges, 1)
    }).pipe(Effect.provide(landing.layer))
  )
})

describe("a first commit of unknown fate", () => {
  const faults = [
    ["lost", "unheard"],
    ["unheard", "unheard"],
    ["lost", "lost"],
    ["unheard", "lost"],
    ["lost", "unwritten"],
    ["unheard", "unwritten", "unheard"],
    ["lost", { landsAfter: 10 }]
  ] as const
  for (const each of faults) {
    const { ledger, layer, provider } = world()
    it.effect(`${JSON.stringify(each)} leaves one abandoned payment, announced once; a free key`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        ledger.onCommit = (number) => each[number - 1]
        const first = yield* Effect.forkChild(Effect.flip(pointsman.create(caller, keyed)))
        yield* TestClock.adjust(minute)
        assert.instanceOf(yield* Fiber.join(first), NothingSent)
        const { items } = yield* pointsman.payments(tenant, { limit: 10 })
        assert.deepStrictEqual(
          items.map(({ state }) => state),
          ["Failed"]
        )
        const timeline = yield* pointsman.timeline(tenant, items[0]?.id ?? "", { limit: 10 })
        assert.deepStrictEqual(
          timeline.items.map(({ type }) => type),
          ["payment.created", "payment.failed"]
        )
        ledger.onCommit = () => undefined
        const created = yield* pointsman.create(caller, keyed)
        assert.deepStrictEqual([created.isReplay, created.payment.state], [false, "Captured"])
        assert.lengthOf(provider.charges, 1)
      }).pipe(Effect.provide(layer))
    )
  }

  const unread = world()
  it.effect("a record that cannot be read at first is read again, and the key is free", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      unread.ledger.onCommit = (number) => (number === 1 ? "unheard" : undefined)
      unread.ledger.canRead = (method) => method !== "payment" || unread.ledger.calls.payment > 2
      const first = yield* Effect.forkChild(Effect.flip(pointsman.create(caller, keyed)))
      yield* TestClock.adjust(minute)
      assert.instanceOf(yield* Fiber.join(first), NothingSent)
      assert.isFalse((yield* pointsman.create(caller, keyed)).isReplay)
      assert.lengthOf(unread.provider.charges, 1)
    }).pipe(Effect.provide(unread.layer))
  )
})

describe("a message that came before the answer", () => {
  const held: ChargeFact = { on: "ChargeAuthorized", connectionId: "main", providerRef: "r", amountMinor: 1999 }

  const captured = world()
  it.effect("a reported authorization becomes CAPTURED when the answer says captured", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      captured.ledger.beforeCommit = (number, change) =>
        number === 2 ? Effect.provideService(told(change.payment.after.id, held), Ledger, ledger) : Effect.void
      const ledger = yield* Ledger
      captured.provider.onCharge = () => Effect.succeed({ _tag: "Captured", providerRef: "r" })
      const manual = request({ details: { captureMethod: "manual" } })
      const { payment } = yield* pointsman.create(caller, manual)
      assert.deepInclude(payment, { state: "Captured", capturedMinor: 1999 })
    }).pipe(Effect.provide(captured.layer))
  )

  const lookalike = world()
  it.effect("our lost commit is still written after a message's: attempt and answer", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const ledger = yield* Ledger
      const taken: ChargeFact = { on: "ChargeCaptured", connectionId: "main", providerRef: "r", amountMinor: 1999 }
      lookalike.ledger.onCommit = (number) => (number === 2 ? "lost" : undefined)
      lookalike.ledger.beforeCommit = (number, change) =>
        number === 2 ? Effect.provideService(told(change.payment.after.id, taken), Ledger, ledger) : Effect.void
      const created = yield* pointsman.create(caller, keyed)
      assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
      const attempts = yield* ledger.attempts(tenant, created.payment.id)
      assert.deepStrictEqual(
        attempts.map(({ outcome }) => outcome),
        ["Captured"]
      )
    }).pipe(Effect.provide(lookalike.layer))
  )

  const twice = world()
  it.effect("the timeline reports both when the first attempt was charged as well", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const ledger = yield* Ledger
      const taken: ChargeFact = { on: "ChargeCaptured", connectionId: "main", providerRef: "r", amountMinor: 1999 }
      twice.provider.onCharge = (charge) =>
        charge.connectionId === "backup"
          ? approve(charge)
          : Effect.succeed({ _tag: "Declined", providerRef: "r", category: "do_not_honor", code: "05", soft: true })
      twice.ledger.beforeCommit = (number, change) =>
        number === 3 ? Effect.provideService(told(change.payment.after.id, taken), Ledger, ledger) : Effect.void
      const { payment } = yield* pointsman.create(caller, keyed)
      assert.deepInclude(payment, { state: "Captured", connectionId: "main" })
      const { items } = yield* pointsman.timeline(tenant, payment.id, { limit: 10 })
      assert.deepStrictEqual(
        items.map(({ type }) => type),
        ["payment.created", "payment.captured", "payment.conflict"]
      )
      assert.deepInclude(items[2]?.data, { connection_id: "backup" })
    }).pipe(Effect.provide(twice.layer))
  )
})

describe("a claim that is worked on", () => {
  const failover = world({ providerTimeoutMillis: 14 * minute })
  it.effect("the claim of a second attempt is fresh from its commit on", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
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
    }).pipe(Effect.provide(failover.layer))
  )

  const died = world()
  it.effect("a death in the second attempt is UNKNOWN at that connection; no third call", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const ledger = yield* Ledger
      died.provider.onCharge = (charge) =>
        charge.connectionId === "main"
          ? Effect.succeed({ _tag: "Rejected", code: "busy", message: "Busy." } as const)
          : approve(charge)
      died.ledger.beforeCommit = (number) => (number === 3 ? Effect.never : Effect.void)
      yield* Effect.forkDetach(pointsman.create(caller, keyed))
      yield* TestClock.adjust(15 * minute)
      const { payment } = yield* pointsman.create(caller, keyed)
      assert.deepInclude(payment, { state: "ChargeUnknown", connectionId: "backup" })
      const attempts = yield* ledger.attempts(tenant, payment.id)
      assert.deepStrictEqual(
        attempts.map(({ outcome }) => outcome),
        ["Rejected", "Unanswered"]
      )
      assert.lengthOf(died.provider.charges, 2)
    }).pipe(Effect.provide(died.layer))
  )
})
