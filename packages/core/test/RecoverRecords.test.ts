/** A store that lost its records, and providers that list what they have. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman, type Recovery, statusOf } from "@pointsman/core"
import { StorageSnapshots } from "@pointsman/core/internal"
import { Ledger, NotSent, type RefundState, Unanswered } from "@pointsman/core/ports"
import { Deferred, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { itRuns } from "./support/ItIn.ts"
import { itInListing, type ListingOptions, listingProvider } from "./support/ListingProvider.ts"
import { caller, recovered, request, tenant, world } from "./support/World.ts"

const hour = 60 * 60_000
const day = 24 * hour
/** Noon of some day, so that no test crosses midnight unless it says so. */
const noon = 100.5 * day
/** For the claims from before: 5 seconds until they are sent, and the time-out of their calls. */
const waitMillis = 35_000

/** Stores one after the other at one provider: each has lost what the one before held. */
const losing = (options: ListingOptions = {}) => {
  const provider = listingProvider(options)
  const inNewStore = <A, E>(work: Effect.Effect<A, E, Pointsman | Ledger>, at = noon) =>
    Effect.andThen(TestClock.setTime(at), work).pipe(Effect.provide(world({ provider }).layer))
  const nextStore = <A>(
    steps: () => Generator<Effect.Effect<unknown, unknown, Pointsman | Ledger>, A, never>,
    at?: number
  ) => inNewStore(Effect.gen(steps), at)
  return { provider, inNewStore, nextStore }
}

const itInLosing = (
  title: string,
  steps: (lost: ReturnType<typeof losing>) => Generator<Effect.Effect<unknown, unknown>, void, never>
) => itRuns(title, () => steps(losing()))

const recoverAll = Effect.gen(function* () {
  return yield* recovered((yield* Pointsman).recover({ since: noon - day, connectionId: null, isDryRun: false }))
})

const dryRun = Effect.gen(function* () {
  return yield* (yield* Pointsman).recover({ since: noon - day, connectionId: null, isDryRun: true })
})

const at = ({ connections }: Recovery, id = "main") => {
  const one = connections.find(({ connectionId }) => connectionId === id)
  assert.isDefined(one)
  return one
}

const eur = (count: number, amountMinor: number) => [{ currency: "EUR", count, amountMinor }]

const stored = Effect.fnUntraced(function* (id: string) {
  return Option.getOrThrow(yield* (yield* Ledger).book(tenant, id))
})

const createOne = Effect.fnUntraced(function* (overrides: Parameters<typeof request>[0] = {}) {
  return (yield* (yield* Pointsman).create(caller, request(overrides))).payment
})

/** Remembers all records; gives what puts them back. */
const takeSnapshot = Effect.flatMap(StorageSnapshots, (snapshots) => snapshots?.take ?? Effect.die("no snapshots"))

describe("charges that the store lost", () => {
  itInLosing("captured, authorized and voided charges are each recovered as they were", function* ({ nextStore }) {
    const before = yield* nextStore(function* () {
      const pointsman = yield* Pointsman
      const captured = yield* createOne()
      const held = yield* createOne({ details: { captureMethod: "manual" } })
      const toVoid = yield* createOne({ details: { captureMethod: "manual" } })
      const toCapture = yield* createOne({ details: { captureMethod: "manual" } })
      const order = { paymentId: toVoid.id, idempotencyKey: null }
      const { payment: voided } = yield* pointsman.void(caller, order)
      const part = { paymentId: toCapture.id, idempotencyKey: null, amountMinor: 700 }
      const { payment: inPart } = yield* pointsman.capture(caller, part)
      return [captured, held, voided, inPart]
    })
    yield* nextStore(function* () {
      const recovery = yield* recoverAll
      assert.deepInclude(at(recovery), { end: { _tag: "Complete" }, listed: 4, kept: 0, reviewed: [], changed: [] })
      assert.deepStrictEqual(at(recovery).payments, eur(4, 4 * 1999))
      for (const lost of before) {
        const { attempts, payment } = yield* stored(lost.id)
        assert.deepInclude(payment, {
          money: lost.money,
          country: lost.country,
          captureMethod: lost.captureMethod,
          reference: lost.reference,
          capturedMinor: lost.capturedMinor,
          createdAt: noon,
          review: null
        })
        assert.strictEqual(statusOf[payment.state], statusOf[lost.state])
        assert.isTrue(payment.reported?.isRecovered)
        assert.deepStrictEqual(
          attempts.map(({ id }) => id),
          lost.routing?.attempts.map(({ attemptId }) => attemptId)
        )
      }
    })
  })

  /** A first attempt whose end the store lost, with the second one, which captured unless told otherwise. */
  const withoutFirstEnd = Effect.fnUntraced(function* (
    provider: ReturnType<typeof losing>["provider"],
    executeSecond: ReturnType<typeof losing>["provider"]["onCharge"] = provider.onCharge
  ) {
    let putBack = yield* takeSnapshot
    const executed = provider.onCharge
    let executeFirst: Effect.Effect<unknown, unknown> = Effect.void
    provider.onCharge = (charge) =>
      Effect.gen(function* () {
        if (charge.connectionId !== "main") return yield* executeSecond(charge)
        putBack = yield* takeSnapshot
        executeFirst = executed(charge)
        yield* TestClock.adjust(1_000)
        return yield* new NotSent({ reason: "refused" })
      })
    yield* TestClock.setTime(noon)
    const { id } = yield* createOne()
    yield* putBack
    const [first] = (yield* stored(id)).attempts
    assert.deepStrictEqual([first?.connectionId, first?.outcome], ["main", null])
    return { id, executeFirst: Effect.ignore(executeFirst) }
  })

  const endsOf = (id: string) =>
    Effect.map(stored(id), ({ attempts }) =>
      attempts.map(({ connectionId, number, outcome }) => `${number} ${connectionId} ${outcome}`)
    )
  const checkDay = Effect.gen(function* () {
    yield* TestClock.adjust("1 day")
    while ((yield* (yield* Pointsman).checkDue) > 0) yield* TestClock.adjust("1 second")
  })

  itInListing("a lookup ends a first attempt with a lost end when the next is recovered", function* ({ provider }) {
    const { id } = yield* withoutFirstEnd(provider)
    yield* recoverAll
    assert.deepStrictEqual(yield* endsOf(id), ["1 main Unanswered", "2 backup Captured"])
    yield* checkDay
    assert.deepStrictEqual(yield* endsOf(id), ["1 main Rejected", "2 backup Captured"])
    const { payment } = yield* stored(id)
    assert.deepStrictEqual([payment.state, payment.connectionId, payment.review], ["Captured", "backup", null])
  })

  itInListing("the money of the next attempt is found while the first is in flight", function* ({ provider }) {
    const { executeFirst, id } = yield* withoutFirstEnd(provider)
    yield* recoverAll
    yield* executeFirst
    yield* checkDay
    assert.deepStrictEqual(yield* endsOf(id), ["1 main Captured", "2 backup Captured"])
    assert.deepStrictEqual((yield* stored(id)).payment.review?.reasons, ["double_charge"])
  })

  itInListing("a first attempt in flight decides when the next one is listed as declined", function* ({ provider }) {
    const { executeFirst, id } = yield* withoutFirstEnd(provider, provider.declineSoftly)
    yield* recoverAll
    yield* executeFirst
    // Its process is given up, and then it is looked up.
    yield* checkDay
    yield* checkDay
    assert.deepStrictEqual(yield* endsOf(id), ["1 main Captured"])
    const { payment } = yield* stored(id)
    assert.deepStrictEqual([payment.state, payment.connectionId, payment.review], ["Captured", "main", null])
  })

  itInListing("a payment fails if its first attempt never arrived and the next is declined", function* ({ provider }) {
    const { id } = yield* withoutFirstEnd(provider, provider.declineSoftly)
    yield* recoverAll
    // Its process is given up, and then it is looked up.
    yield* checkDay
    yield* checkDay
    assert.strictEqual((yield* stored(id)).payment.state, "Failed")
  })

  itInLosing("a repeated recovery adopts nothing and writes nothing", function* ({ inNewStore, nextStore }) {
    const { id } = yield* inNewStore(createOne())
    yield* nextStore(function* () {
      yield* recoverAll
      const once = yield* stored(id)
      assert.deepInclude(at(yield* recoverAll), { listed: 1, payments: [], changed: [], reviewed: [] })
      assert.deepStrictEqual(yield* stored(id), once)
    })
  })

  itInLosing("a charge is adopted once when a write lands between two reads of the next try", function* (lost) {
    const { inNewStore, provider } = lost
    const { id } = yield* inNewStore(createOne())
    const own = world({ provider })
    yield* TestClock.setTime(noon)
    yield* Effect.gen(function* () {
      yield* recoverAll
      const once = yield* stored(id)
      const ledger = yield* Ledger
      // The attempt is not there yet when it is asked for, and the payment is when it is.
      const late: Ledger["Service"] = { ...ledger, bookOf: () => Effect.succeedNone }
      const process = yield* own.another.pipe(Effect.provideService(Ledger, late))
      yield* recovered(process.recover({ since: noon - day, connectionId: null, isDryRun: false }))
      assert.deepStrictEqual(yield* stored(id), once)
    }).pipe(Effect.scoped, Effect.provide(own.layer))
  })

  itInLosing("a dry run reports the same, and stores nothing", function* ({ nextStore }) {
    const { id } = yield* nextStore(function* () {
      const payment = yield* createOne()
      yield* (yield* Pointsman).refund(caller, {
        paymentId: payment.id,
        idempotencyKey: null,
        amountMinor: 500,
        reason: null
      })
      return payment
    })
    yield* nextStore(function* () {
      const shown = yield* dryRun
      assert.deepInclude(at(shown), { payments: eur(1, 1999), refunds: eur(1, 500) })
      assert.isNull(shown.loss)
      assert.isTrue(Option.isNone(yield* (yield* Ledger).payment(tenant, id)))
      assert.deepStrictEqual(at(yield* recoverAll), at(shown))
    })
  })

  itInLosing("a charge voided after another connection declined it has a CANCELLED payment", function* (lost) {
    const { nextStore, provider } = lost
    const approved = provider.onCharge
    provider.onCharge = (asked) => (asked.connectionId === "main" ? provider.declineSoftly(asked) : approved(asked))
    const { id } = yield* nextStore(function* () {
      const made = yield* createOne({ details: { captureMethod: "manual" } })
      yield* (yield* Pointsman).void(caller, { paymentId: made.id, idempotencyKey: null })
      return made
    })
    yield* nextStore(function* () {
      yield* recoverAll
      const { attempts, payment } = yield* stored(id)
      assert.strictEqual(statusOf[payment.state], "CANCELLED")
      assert.sameMembers(
        attempts.map(({ connectionId, outcome }) => `${connectionId} ${outcome}`),
        ["backup Canceled", "main Declined"]
      )
    })
  })

  itRuns("two recoveries at once store one payment if the provider has no payment ids", function* () {
    const { inNewStore, provider } = losing({ knowsPayments: false })
    provider.onCharge = provider.declineSoftly
    yield* inNewStore(createOne({ details: { captureMethod: "manual" } }))
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      yield* Effect.all([recoverAll, recoverAll], { concurrency: "unbounded" })
      const all = yield* (yield* Ledger).payments(tenant, { limit: 10 })
      // One for each connection that declined it: the provider does not say that they are of one payment.
      assert.sameMembers(
        all.map(({ state, version }) => `${state} ${version}`),
        ["Declined 1", "Declined 1"]
      )
    }).pipe(Effect.provide(world({ provider, yieldBetween: true }).layer))
  })
})

describe("a hosted payment whose charge was lost", () => {
  itInLosing("a page that waits for its customer is recovered as paid, and not paid again", function* (lost) {
    const { nextStore, provider } = lost
    yield* nextStore(function* () {
      const { id } = yield* createOne({ returnUrl: "https://shop.example/done" })
      assert.strictEqual((yield* stored(id)).payment.state, "AwaitingCustomer")
      yield* provider.onCharge({
        ...{ attemptId: "att_lost", attemptNumber: 1, paymentId: id, connectionId: "main", capture: true },
        ...request().details,
        instrument: null
      })
      assert.deepInclude(at(yield* recoverAll), { payments: eur(1, 1999), reviewed: [] })
      assert.deepInclude((yield* stored(id)).payment, { state: "Captured", capturedMinor: 1999, review: null })
    })
  })
})

describe("connections with one account", () => {
  itInLosing("another connection's charge in a list stays that connection's", function* ({ nextStore, provider }) {
    const { onListCharges: list } = provider
    yield* nextStore(function* () {
      const { id } = yield* createOne()
      const before = yield* stored(id)
      provider.onListCharges = (request) => list?.({ ...request, connectionId: "main" }) ?? Effect.never
      const recovery = yield* recoverAll
      assert.deepInclude(at(recovery, "backup"), { listed: 1, payments: [], changed: [], reviewed: [], kept: 0 })
      assert.deepStrictEqual(yield* stored(id), before)
      assert.lengthOf(yield* (yield* Ledger).payments(tenant, { limit: 10 }), 1)
    })
  })
})

describe("another environment at the same provider", () => {
  itRuns("a charge that a list names elsewhere is not adopted here", function* () {
    const provider = listingProvider()
    const connections = [{ id: "main" }, { id: "live", environment: "production" as const }]
    const { onListCharges: list } = provider
    provider.onListCharges = (request) => list?.({ ...request, connectionId: "live" }) ?? Effect.never
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const live = { ...caller, tenant: { ...tenant, environment: "production" as const } }
      yield* (yield* Pointsman).create(live, request({ idempotencyKey: "order-0001" }))
      assert.deepInclude(at(yield* recoverAll), { listed: 1, payments: [], kept: 0 })
      assert.lengthOf(yield* (yield* Ledger).payments(tenant, { limit: 10 }), 0)
    }).pipe(Effect.provide(world({ provider, connections }).layer))
  })
})

describe("a walk of lists", () => {
  const bigWindow = (millis: number) => new Unanswered({ reason: `ask for less than ${millis} ms` })

  itInLosing("windows that hold too many are asked for in shorter ones, and nothing is missed", function* (lost) {
    const { nextStore, provider } = lost
    yield* nextStore(
      function* () {
        for (let hours = 0; hours < 5; hours++) {
          yield* createOne()
          yield* TestClock.adjust("1 hour")
        }
      },
      noon - 5 * (day / 24)
    )
    const { onListCharges: list } = provider
    provider.onListCharges = (request) => {
      const millis = request.createdBefore - request.createdFrom
      return millis > day / 12 ? Effect.fail(bigWindow(millis)) : (list?.(request) ?? Effect.never)
    }
    yield* nextStore(function* () {
      const recovery = yield* recoverAll
      assert.deepInclude(at(recovery), { end: { _tag: "Complete" }, listed: 5, payments: eur(5, 5 * 1999) })
    })
  })

  itRuns("a page that is never answered leaves its connection for the next recovery", function* () {
    const { inNewStore, nextStore, provider } = losing({ pageSize: 1 })
    yield* inNewStore(Effect.andThen(createOne(), createOne()))
    const { onListCharges: list } = provider
    provider.onListCharges = (request) =>
      request.cursor === null ? (list?.(request) ?? Effect.never) : Effect.fail(bigWindow(0))
    yield* nextStore(function* () {
      const { connections, loss } = yield* recoverAll
      assert.strictEqual(at({ since: 0, connections, loss }).end._tag, "Failed")
      assert.deepInclude(loss, { recovered: ["backup"], ended: null })
      provider.onListCharges = list
      const again = yield* recoverAll
      assert.deepInclude(at(again), { end: { _tag: "Complete" }, payments: eur(1, 1999) })
      assert.deepInclude(again.loss?.ended, { outcome: "recovered" })
    })
  })

  itInLosing("a payment waits for its capture in flight after a list from before it", function* (lost) {
    const { inNewStore, provider } = lost
    const { onCapture: captured } = provider
    const arrived = yield* Deferred.make<void>()
    provider.onCapture = (asked) => Effect.andThen(Deferred.await(arrived), captured(asked))
    yield* inNewStore(
      Effect.gen(function* () {
        const { id } = yield* createOne({ details: { captureMethod: "manual" } })
        const order = { paymentId: id, idempotencyKey: null, amountMinor: null }
        const capture = yield* Effect.forkChild((yield* Pointsman).capture(caller, order))
        while ((yield* stored(id)).payment.state !== "Capturing") yield* Effect.yieldNow
        assert.deepInclude(at(yield* recoverAll), { payments: [], changed: [], reviewed: [] })
        // Its time-out passed while the recovery waited.
        assert.strictEqual((yield* stored(id)).payment.state, "CaptureUnknown")
        yield* Deferred.succeed(arrived, undefined)
        yield* Fiber.await(capture)
        // A capture that was sent can't be interrupted: where an assertion fails, it would wait for ever.
      }).pipe(Effect.ensuring(Deferred.succeed(arrived, undefined)))
    )
  })
})

describe("keys that the store lost", () => {
  const key = "order-0001"
  const again = Effect.fnUntraced(function* (change: Parameters<typeof request>[0] = {}) {
    return yield* (yield* Pointsman).create(caller, request({ idempotencyKey: key, ...change }))
  })

  const justBeforeMidnight = 101 * day - 1

  itInLosing("a recovered charge's payment answers its key, and nothing is charged", function* (lost) {
    const { inNewStore, nextStore, provider } = lost
    const first = yield* inNewStore(again())
    yield* nextStore(function* () {
      yield* recoverAll
      const other = again({ details: { money: { minorUnits: 2000, currency: "EUR" } } })
      assert.strictEqual((yield* Effect.flip(other))._tag, "pointsman/KeyReused")
      for (const _ of [1, 2]) {
        const { isReplay, payment } = yield* again()
        assert.isTrue(isReplay)
        assert.deepInclude(payment, { id: first.payment.id, state: "Captured", idempotencyKey: key })
      }
      assert.lengthOf(provider.charges, 1)
    })
  })

  itInLosing("nothing is charged by a key after midnight and with an open circuit", function* (lost) {
    const { inNewStore, nextStore, provider } = lost
    const first = yield* inNewStore(again(), justBeforeMidnight)
    yield* nextStore(function* () {
      yield* recoverAll
      yield* TestClock.adjust("1 second")
      const approved = provider.onCharge
      provider.onCharge = () => Effect.fail(new NotSent({ reason: "refused" }))
      for (let tries = 0; tries < 5; tries++) yield* createOne()
      provider.onCharge = approved
      const sent = provider.charges.length
      const { isReplay, payment } = yield* again()
      assert.deepStrictEqual([isReplay, payment.id], [true, first.payment.id])
      assert.lengthOf(provider.charges, sent)
    }, justBeforeMidnight)
  })

  itInLosing("the payment of a charge that is pending for days answers its key", function* (lost) {
    const { inNewStore, nextStore, provider } = lost
    const first = yield* inNewStore(again())
    for (const charge of provider.books.charges.values()) charge.state = { _tag: "Pending", providerRef: "ch_1" }
    yield* nextStore(
      function* () {
        yield* recoverAll
        const { isReplay, payment } = yield* again()
        assert.isTrue(isReplay)
        assert.deepInclude(payment, { id: first.payment.id, state: "ChargePending" })
        assert.lengthOf(provider.charges, 1)
      },
      noon + 3 * day
    )
  })

  itInLosing("nothing is charged by a key after another loss on the next day", function* (lost) {
    const { inNewStore, nextStore, provider } = lost
    const first = yield* inNewStore(again())
    yield* nextStore(function* () {
      yield* recoverAll
      yield* TestClock.adjust("20 hours")
      yield* recovered((yield* Pointsman).recover({ since: noon + 19 * hour, connectionId: null, isDryRun: false }))
      const { isReplay, payment } = yield* again()
      assert.deepStrictEqual([isReplay, payment.id], [true, first.payment.id])
      assert.lengthOf(provider.charges, 1)
    })
  })

  itRuns("the payment that holds money answers a key of two at two connections", function* () {
    const { inNewStore, nextStore, provider } = losing({ knowsPayments: false })
    const approved = provider.onCharge
    provider.onCharge = (asked) => (asked.connectionId === "main" ? provider.declineSoftly(asked) : approved(asked))
    yield* inNewStore(again())
    yield* nextStore(function* () {
      yield* recoverAll
      const { payment } = yield* again()
      assert.deepInclude(payment, { state: "Captured", connectionId: "backup" })
      assert.lengthOf(provider.charges, 2)
    })
  })

  itInLosing("a key whose 24 hours are over is a new payment", function* ({ inNewStore, nextStore, provider }) {
    yield* inNewStore(again())
    yield* nextStore(function* () {
      yield* recoverAll
      yield* TestClock.adjust("24 hours")
      assert.isFalse((yield* again()).isReplay)
      assert.lengthOf(provider.charges, 2)
    })
  })

  itInLosing("nothing is charged by the key of a charge that could not be recorded", function* (lost) {
    const { inNewStore, nextStore, provider } = lost
    yield* inNewStore(again())
    for (const charge of provider.books.charges.values()) {
      charge.state = { _tag: "Captured", providerRef: "" }
    }
    yield* nextStore(function* () {
      assert.deepInclude(at(yield* recoverAll), { payments: [], kept: 1 })
      assert.strictEqual((yield* Effect.flip(again()))._tag, "pointsman/PaymentResultUnknown")
      assert.lengthOf(provider.charges, 1)
    })
  })

  itInLosing("the payment of the charge answers a key that a page had", function* (lost) {
    const { inNewStore, nextStore, provider } = lost
    const first = yield* inNewStore(again())
    yield* nextStore(function* () {
      yield* recoverAll
      const { isReplay, payment } = yield* again({ returnUrl: "https://shop.example/done" })
      assert.deepStrictEqual([isReplay, payment.id], [true, first.payment.id])
      assert.lengthOf(provider.charges, 1)
    })
  })

  itInLosing("a refund under the key of its recovered charge is sent", function* ({ inNewStore, nextStore, provider }) {
    const first = yield* inNewStore(again())
    yield* nextStore(function* () {
      yield* recoverAll
      const order = { paymentId: first.payment.id, idempotencyKey: key, amountMinor: 500, reason: null }
      assert.isFalse((yield* (yield* Pointsman).refund(caller, order)).isReplay)
      assert.lengthOf(provider.refunds, 1)
    })
  })

  itRuns("a create without a loss reads nothing more than before", function* () {
    const { ledger, layer } = world({ provider: listingProvider() })
    yield* Effect.provide(again(), layer)
    const { bookOf, claim, commit } = ledger.calls
    assert.deepStrictEqual({ bookOf, claim, commit }, { bookOf: 0, claim: 0, commit: 2 })
  })
})

describe("refunds, captures and voids that the store lost", () => {
  const refundOf = Effect.fnUntraced(function* (
    paymentId: string,
    amountMinor: number | null = 500,
    key = "refund-0001"
  ) {
    return yield* (yield* Pointsman).refund(caller, { paymentId, idempotencyKey: key, amountMinor, reason: null })
  })

  const captureOf = Effect.fnUntraced(function* (paymentId: string, amountMinor: number | null = 700) {
    return yield* (yield* Pointsman).capture(caller, { paymentId, idempotencyKey: "capture-0001", amountMinor })
  })

  const voidOf = Effect.fnUntraced(function* (paymentId: string) {
    return yield* (yield* Pointsman).void(caller, { paymentId, idempotencyKey: "void-00001" })
  })

  const held = createOne({ details: { captureMethod: "manual" } })

  itInLosing("keys of recovered refunds repeat their answers", function* ({ nextStore, provider }) {
    const { id } = yield* nextStore(function* () {
      const payment = yield* createOne()
      yield* refundOf(payment.id)
      yield* refundOf(payment.id, null, "refund-0002")
      return payment
    })
    yield* nextStore(function* () {
      const recovery = yield* recoverAll
      assert.deepInclude(at(recovery), { payments: eur(1, 1999), refunds: eur(2, 1999), reviewed: [], kept: 0 })
      const { payment, refunds } = yield* stored(id)
      assert.deepInclude(payment, { state: "Refunded", refundedMinor: 1999, refundPendingMinor: 0 })
      assert.sameMembers(
        refunds.map(({ id }) => id),
        provider.refunds.map(({ refundId }) => refundId)
      )
      for (const [amount, key] of [
        [500, "refund-0001"],
        [null, "refund-0002"]
      ] as const) {
        const { isReplay, payment } = yield* refundOf(id, amount, key)
        assert.deepInclude(payment, { id, refundedMinor: payment.refundedMinor })
        assert.isTrue(isReplay)
      }
      const other = yield* Effect.flip(refundOf(id, 400))
      assert.strictEqual(other._tag, "pointsman/KeyReused")
      assert.lengthOf(provider.refunds, 2)
    })
  })

  itInLosing("a lost refund of a charge on file is recovered with the amounts as they were", function* (lost) {
    const { nextStore, provider } = lost
    yield* nextStore(function* () {
      const { id } = yield* createOne()
      const { attempts } = yield* stored(id)
      const refundId = "rf_01a1fe0b-4c10-8d52-8f3e-2b6a9d1c0e77"
      provider.books.refunds.set(refundId, {
        connectionId: "main",
        refundId,
        providerRef: attempts[0]?.providerRef ?? "",
        money: { minorUnits: 500, currency: "EUR" },
        created: noon,
        state: { _tag: "RefundPending", providerRefundId: "re_1" }
      })
      assert.deepInclude(at(yield* recoverAll), { payments: [], refunds: eur(1, 500), reviewed: [] })
      const { payment } = yield* stored(id)
      assert.deepInclude(payment, { state: "Captured", refundedMinor: 0, refundPendingMinor: 500 })
      assert.isTrue(payment.reported?.isRecovered)
    })
  })

  /** A refund of a payment that the provider alone knows. */
  const refundedThere = Effect.fnUntraced(function* (
    { books }: ReturnType<typeof losing>["provider"],
    refundId: string | null,
    minorUnits: number
  ) {
    const { id } = yield* createOne()
    books.refunds.set(`other-${minorUnits}`, {
      connectionId: "main",
      refundId,
      providerRef: (yield* stored(id)).payment.providerRef ?? "",
      money: { minorUnits, currency: "EUR" },
      created: noon,
      state: { _tag: "Succeeded", providerRefundId: `re_${minorUnits}` }
    })
    return id
  })

  for (const [what, refundId, reasons] of [
    ["of ours", "rf_01a1fe0b-4c10-8d52-8f3e-2b6a9d1c0e78", []],
    ["made at the provider", null, ["refund_excess"]]
  ] as const) {
    itInLosing(`operations review the payment of a refund ${what} of more than was captured`, function* (lost) {
      const { nextStore, provider } = lost
      yield* nextStore(function* () {
        const id = yield* refundedThere(provider, refundId, 2000)
        assert.deepInclude(at(yield* recoverAll), { refunds: [], reviewed: eur(1, 2000) })
        assert.deepInclude(at(yield* recoverAll), { refunds: [], reviewed: [] })
        const { payment } = yield* stored(id)
        assert.deepInclude(payment, { state: "Captured", refundedMinor: 0 })
        assert.deepStrictEqual(payment.review?.reasons, ["conflict", ...reasons])
      })
    })
  }

  itInLosing("a refund made at the provider is one of the payment, once, also by message", function* (lost) {
    const { nextStore, provider } = lost
    yield* nextStore(function* () {
      const id = yield* refundedThere(provider, null, 100)
      assert.deepInclude(at(yield* dryRun), { refunds: eur(1, 100), reviewed: [] })
      assert.deepInclude(at(yield* recoverAll), { refunds: eur(1, 100), reviewed: [] })
      const { payment, refunds } = yield* stored(id)
      assert.deepInclude(payment, { state: "PartiallyRefunded", refundedMinor: 100, review: null })
      assert.deepStrictEqual(
        refunds.map(({ origin, providerRefundId }) => [origin, providerRefundId]),
        [["provider", "re_100"]]
      )
      const charge = { providerRef: payment.providerRef ?? "" }
      const state = { _tag: "Succeeded", providerRefundId: "re_100", stated: { minorUnits: 100, currency: "EUR" } }
      yield* (yield* Pointsman).recordMessage({
        ...{ connectionId: "main", tenant, receivedAt: noon, body: "{}", reason: null },
        message: {
          id: "msg_1",
          at: noon,
          about: { _tag: "UnnamedRefund", charge, providerRefundId: "re_100", state: () => state as RefundState }
        }
      })
      assert.deepInclude(at(yield* recoverAll), { refunds: [], changed: [], reviewed: [] })
      assert.deepInclude((yield* stored(id)).payment, { refundedMinor: 100, review: null })
    })
  })

  itInListing("a lost refund that the record cannot take is not sent by its key", function* ({ provider }) {
    yield* TestClock.setTime(noon)
    const { id } = yield* createOne()
    const putBack = yield* takeSnapshot
    yield* refundOf(id, 1500)
    yield* putBack
    const order = { paymentId: id, idempotencyKey: null, amountMinor: 1000, reason: null }
    yield* (yield* Pointsman).refund(caller, order)
    assert.deepInclude(at(yield* recoverAll), { refunds: [], reviewed: eur(1, 1500) })
    const refused = yield* Effect.flip(refundOf(id, 1500))
    assert.deepInclude({ ...refused }, { _tag: "pointsman/RefundPending", retryAfterMillis: 60_000 })
    assert.lengthOf(provider.refunds, 2)
  })

  itInLosing("our refund of a missing charge is kept for operations, once", function* ({ nextStore, provider }) {
    provider.books.refunds.set("rf_1", {
      connectionId: "main",
      refundId: "rf_1",
      providerRef: "ref_of_nobody",
      money: { minorUnits: 100, currency: "EUR" },
      created: noon,
      state: { _tag: "Succeeded", providerRefundId: "re_1" }
    })
    yield* nextStore(function* () {
      for (const _ of [1, 2]) {
        assert.deepInclude(at(yield* recoverAll), { refunds: [], kept: 1 })
        const { items } = yield* (yield* Pointsman).messages({ outcome: "unreadable", limit: 10 })
        assert.deepStrictEqual(
          items.map(({ eventId, reason }) => [eventId, reason]),
          [["listed:refund:re_1", "provider_reference: the refunded charge is not stored here"]]
        )
      }
    })
  })

  itInLosing("a lookup decides a lost capture of a charge on file", function* ({ nextStore, provider }) {
    yield* nextStore(function* () {
      const { id } = yield* held
      const [attempt] = (yield* stored(id)).attempts
      yield* provider.onCapture({
        connectionId: "main",
        operationId: "op_lost",
        attemptId: attempt?.id ?? "",
        providerRef: attempt?.providerRef ?? "",
        money: { minorUnits: 700, currency: "EUR" },
        simulation: null
      })
      assert.deepInclude(at(yield* dryRun), { payments: [], changed: eur(1, 1999) })
      assert.strictEqual((yield* stored(id)).payment.state, "Authorized")
      assert.deepInclude(at(yield* recoverAll), { payments: [], changed: eur(1, 1999), reviewed: [] })
      assert.deepInclude((yield* stored(id)).payment, { state: "Captured", capturedMinor: 700 })
      assert.lengthOf(provider.lookUps, 1)
    })
  })

  const lostAt = noon + 2 * day
  const recoverLost = Effect.gen(function* () {
    return at(yield* recovered((yield* Pointsman).recover({ since: lostAt, connectionId: null, isDryRun: false })))
  })

  /** Of a charge from before the loss: the lists since then have the refunds alone. */
  const loseCaptureAndRefunds = Effect.gen(function* () {
    const pointsman = yield* Pointsman
    yield* TestClock.setTime(noon)
    const { id } = yield* held
    yield* TestClock.setTime(lostAt)
    const putBack = yield* takeSnapshot
    const order = { paymentId: id, idempotencyKey: null }
    yield* pointsman.capture(caller, { ...order, amountMinor: null })
    for (const amountMinor of [500, 1]) yield* pointsman.refund(caller, { ...order, amountMinor, reason: null })
    yield* putBack
    assert.strictEqual((yield* stored(id)).payment.state, "Authorized")
    return id
  })

  itInListing("all lost refunds of a lost capture are recorded at a lookup of its charge", function* () {
    const id = yield* loseCaptureAndRefunds
    const [listed, refunds] = [{ listed: 2, payments: [], reviewed: [] }, eur(2, 501)]
    assert.deepInclude(yield* recoverLost, { ...listed, end: { _tag: "Complete" }, refunds, changed: eur(1, 1999) })
    const { payment } = yield* stored(id)
    assert.deepInclude(payment, {
      state: "PartiallyRefunded",
      capturedMinor: 1999,
      refundedMinor: 501,
      review: null
    })
    assert.deepInclude(yield* recoverLost, { ...listed, refunds: [], changed: [] })
  })

  it.effect("a refund lost under the key of an unsent one is recorded", () => {
    const { provider } = losing()
    const own = world({ provider })
    return Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const { id } = yield* createOne()
      const unheardAt = own.ledger.calls.commit + 1
      own.ledger.onCommit = (number) => (number === unheardAt ? "unheard" : undefined)
      const pointsman = yield* Pointsman
      const order = { paymentId: id, idempotencyKey: "refund-0001", reason: null }
      yield* Effect.flip(pointsman.refund(caller, { ...order, amountMinor: 1 }))
      const refundsOf = Effect.map(stored(id), ({ refunds }) => refunds.map((one) => [one.money.minorUnits, one.stage]))
      assert.deepStrictEqual(yield* refundsOf, [[1, "Refused"]])
      const putBack = yield* takeSnapshot
      yield* pointsman.refund(caller, { ...order, amountMinor: null })
      yield* putBack
      assert.deepInclude(at(yield* recoverAll), { refunds: eur(1, 1999), changed: [], reviewed: [] })
      assert.deepInclude((yield* stored(id)).payment, { state: "Refunded", refundedMinor: 1999, review: null })
      assert.deepStrictEqual(yield* refundsOf, [[1999, "Succeeded"]])
    }).pipe(Effect.provide(own.layer))
  })

  itInListing("the next recovery decides lost refunds of a lost capture without an answer", function* ({ provider }) {
    const id = yield* loseCaptureAndRefunds
    const { onLookUpCharge } = provider
    provider.onLookUpCharge = () => Effect.fail(new Unanswered({ reason: "timeout" }))
    const { end, reviewed } = yield* recoverLost
    assert.deepStrictEqual([end._tag, reviewed], ["Failed", []])
    provider.onLookUpCharge = onLookUpCharge
    assert.deepInclude(yield* recoverLost, { end: { _tag: "Complete" }, refunds: eur(2, 501) })
    assert.deepInclude((yield* stored(id)).payment, { refundedMinor: 501, review: null })
  })

  itInLosing("a partial lost capture has the list's amount if the lookup has none", function* (lost) {
    const { nextStore, provider } = lost
    yield* nextStore(function* () {
      const { id } = yield* held
      const charge = [...provider.books.charges.values()][0]
      assert.isDefined(charge)
      const captured = { _tag: "Captured", providerRef: charge.state.providerRef ?? "" } as const
      charge.state = { ...captured, stated: { minorUnits: 700, currency: "EUR" } }
      provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state: captured })
      yield* recoverAll
      assert.deepInclude((yield* stored(id)).payment, { state: "Captured", capturedMinor: 700, review: null })
    })
  })

  itInLosing("a connection is not recovered if a lookup is not answered", function* ({ nextStore, provider }) {
    yield* nextStore(function* () {
      const { id } = yield* held
      const charge = [...provider.books.charges.values()][0]
      assert.isDefined(charge)
      charge.state = { _tag: "Captured", providerRef: charge.state.providerRef ?? "" }
      provider.onLookUpCharge = () => Effect.fail(new Unanswered({ reason: "silent" }))
      const { loss, ...recovery } = yield* recoverAll
      assert.strictEqual(at({ loss, ...recovery }).end._tag, "Failed")
      assert.deepInclude(loss, { recovered: ["backup"], ended: null })
      assert.strictEqual((yield* stored(id)).payment.state, "Authorized")
    })
  })

  itInLosing("the provider's record answers repeated keys of a capture and a void", function* (lost) {
    const { nextStore, provider } = lost
    const [captured, voided] = yield* nextStore(function* () {
      const payments = [yield* held, yield* held] as const
      yield* captureOf(payments[0].id)
      yield* voidOf(payments[1].id)
      return payments
    })
    yield* nextStore(function* () {
      yield* recoverAll
      assert.strictEqual((yield* Effect.flip(captureOf(captured.id, 600)))._tag, "pointsman/KeyReused")
      for (const _ of [1, 2]) {
        assert.deepInclude((yield* captureOf(captured.id)).payment, { state: "Captured", capturedMinor: 700 })
        assert.deepInclude((yield* voidOf(voided.id)).payment, { state: "Cancelled" })
      }
      assert.lengthOf(provider.captures, 1)
      assert.lengthOf(provider.voids, 1)
      assert.lengthOf(provider.operationLookUps, 3)
    })
  })
})

describe("a known loss", () => {
  itInLosing("a loss ends once all are recovered; without lists it is accepted by hand", function* ({ nextStore }) {
    yield* nextStore(function* () {
      const { loss } = yield* recoverAll
      assert.deepInclude(loss, {
        since: noon - day,
        recovered: ["backup", "main"],
        ended: { outcome: "recovered", at: noon + waitMillis }
      })
    })
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const pointsman = yield* Pointsman
      const recovery = yield* recoverAll
      assert.deepStrictEqual(at(recovery).end, { _tag: "NoList" })
      assert.deepInclude(recovery.loss, { recovered: [], ended: null })
      assert.deepInclude(Option.getOrThrow(yield* pointsman.acceptLoss(null)), {
        ended: { outcome: "accepted", at: noon + waitMillis }
      })
      assert.isTrue(Option.isNone(yield* pointsman.acceptLoss(null)))
      const none = yield* Effect.flip(
        recovered(pointsman.recover({ since: null, connectionId: null, isDryRun: false }))
      )
      assert.strictEqual(none._tag, "pointsman/RecoveryRefused")
    }).pipe(Effect.provide(world().layer))
  })

  itInLosing("a recovery that began later than the loss recovers no connection", function* ({ nextStore }) {
    yield* nextStore(function* () {
      const pointsman = yield* Pointsman
      yield* recovered(pointsman.recover({ since: noon - day, connectionId: "main", isDryRun: false }))
      const { loss } = yield* recovered(pointsman.recover({ since: noon - 1, connectionId: "backup", isDryRun: false }))
      assert.deepInclude(loss, { recovered: ["main"], ended: null })
      const whole = yield* recovered(pointsman.recover({ since: null, connectionId: "backup", isDryRun: false }))
      assert.deepInclude(whole, { since: noon - day })
      assert.deepInclude(whole.loss?.ended, { outcome: "recovered" })
    })
  })
})
