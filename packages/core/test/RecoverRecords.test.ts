/** A store that lost its records, and providers that list what they have. */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman, type Recovery, statusOf } from "@pointsman/core"
import { StorageSnapshots } from "@pointsman/core/internal"
import { type ChargeState, Ledger, NotSent, type RefundState, Unanswered } from "@pointsman/core/ports"
import { Deferred, Effect, Fiber, type Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { itIn, itRuns } from "./support/ItIn.ts"
import { type ListingOptions, listingProvider, listingWorld } from "./support/ListingProvider.ts"
import { creating, authorized as held } from "./support/Operations.ts"
import { bookOf } from "./support/Pages.ts"
import { say } from "./support/Statements.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, recovered, request, tenant, type World, world } from "./support/World.ts"

const hour = 60 * 60_000
const day = 24 * hour
/** Noon of some day, so that no test crosses midnight unless it says so. */
const noon = 100.5 * day
/** For the claims from before: 5 seconds until they are sent, and the time-out of their calls. */
const waitMillis = 35_000

type Provider = ReturnType<typeof listingProvider>
type Steps<A = unknown> = Generator<Effect.Effect<unknown, unknown, Pointsman | Ledger>, A, never>

/** Stores one after the other at one provider: each has lost what the one before held. */
const losing = (options: ListingOptions = {}) => {
  const provider = listingProvider(options)
  const inNewStore = <A, E>(work: Effect.Effect<A, E, Pointsman | Ledger>, at = noon) =>
    Effect.andThen(TestClock.setTime(at), work).pipe(Effect.provide(world({ provider }).layer))
  const nextStore = <A>(steps: () => Steps<A>, at?: number) => inNewStore(Effect.gen(steps), at)
  return { provider, inNewStore, nextStore }
}

const itInLosing = (
  title: string,
  steps: (lost: ReturnType<typeof losing>) => Generator<Effect.Effect<unknown, unknown>, void, never>
) => itRuns(title, () => steps(losing()))

/** In one store, at noon. */
const itAtNoon = (
  title: string,
  steps: (
    provider: Provider,
    pointsman: Pointsman["Service"]
  ) => Effect.fn.Return<unknown, unknown, Layer.Success<World["layer"]>>
) =>
  itIn(title, listingWorld(), function* ({ provider }, pointsman) {
    yield* TestClock.setTime(noon)
    return yield* Effect.gen(() => steps(provider, pointsman))
  })

const recover = (since = noon - day, connectionId: string | null = null) =>
  Effect.flatMap(Pointsman, (pointsman) => recovered(pointsman.recover({ since, connectionId, isDryRun: false })))
const recoverAll = recover()
const dryRun = Effect.flatMap(Pointsman, (pointsman) =>
  pointsman.recover({ since: noon - day, connectionId: null, isDryRun: true })
)

const at = ({ connections }: Pick<Recovery, "connections">, id = "main") => {
  const one = connections.find(({ connectionId }) => connectionId === id)
  assert.isDefined(one)
  return one
}

const eur = (count: number, amountMinor: number) => [{ currency: "EUR", count, amountMinor }]

const stored = (id: string) => bookOf({ tenant, id })

/** Remembers all records; gives what puts them back. */
const takeSnapshot = Effect.flatMap(StorageSnapshots, (snapshots) => snapshots?.take ?? Effect.die("no snapshots"))

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

describe("charges that the store lost", () => {
  itInLosing("captured, authorized and voided charges are each recovered as they were", function* ({ nextStore }) {
    const before = yield* nextStore(function* () {
      const [captured, kept, toVoid, toCapture] = [yield* creating(), yield* held, yield* held, yield* held]
      return [captured, kept, (yield* voidOf(toVoid.id)).payment, (yield* captureOf(toCapture.id)).payment]
    })
    yield* nextStore(function* () {
      const recovery = yield* recoverAll
      assert.deepInclude(at(recovery), { end: { _tag: "Complete" }, listed: 4, kept: 0, reviewed: [], changed: [] })
      assert.deepStrictEqual(at(recovery).payments, eur(4, 4 * 1999))
      for (const { capturedMinor, captureMethod, country, id, money, reference, ...lost } of before) {
        const { attempts, payment } = yield* stored(id)
        const same = { money, country, captureMethod, reference, capturedMinor, createdAt: noon, review: null }
        assert.deepInclude(payment, same)
        assert.strictEqual(statusOf[payment.state], statusOf[lost.state])
        assert.isTrue(payment.reported?.isRecovered)
        assertFields(attempts, "id", ...(lost.routing?.attempts.map(({ attemptId }) => attemptId) ?? []))
      }
    })
  })

  const endsOf = (id: string) =>
    Effect.map(stored(id), ({ attempts }) =>
      attempts.map(({ connectionId, number, outcome }) => `${number} ${connectionId} ${outcome}`).join(", ")
    )
  const checkDay = Effect.gen(function* () {
    yield* TestClock.adjust("1 day")
    while ((yield* (yield* Pointsman).checkDue) > 0) yield* TestClock.adjust("1 second")
  })

  // A first attempt whose end the store lost, and a second one.
  for (const [first, second, ends, becomes] of [
    ["never arrives", "captured", "1 main Rejected, 2 backup Captured", "Captured backup"],
    ["arrives late", "captured", "1 main Captured, 2 backup Captured", "Captured backup double_charge"],
    ["arrives late", "declined", "1 main Captured", "Captured main"],
    ["never arrives", "declined", "1 main Unanswered", "Failed null"]
  ] as const) {
    itAtNoon(`a first attempt that ${first} before one ${second} makes the payment ${becomes}`, function* (provider) {
      const isDeclined = second === "declined"
      let putBack = yield* takeSnapshot
      const executed = provider.onCharge
      let executeFirst: Effect.Effect<unknown, unknown> = Effect.void
      provider.onCharge = (charge) =>
        Effect.gen(function* () {
          if (charge.connectionId !== "main") return yield* (isDeclined ? provider.declineSoftly : executed)(charge)
          putBack = yield* takeSnapshot
          executeFirst = executed(charge)
          yield* TestClock.adjust(1_000)
          return yield* new NotSent({ reason: "refused" })
        })
      const { id } = yield* creating()
      yield* putBack
      assert.strictEqual(yield* endsOf(id), "1 main null")
      yield* recoverAll
      assert.strictEqual(yield* endsOf(id), isDeclined ? "1 main null" : "1 main Unanswered, 2 backup Captured")
      if (first === "arrives late") yield* Effect.ignore(executeFirst)
      // Its process is given up, and then it is looked up.
      yield* checkDay
      yield* checkDay
      const { payment } = yield* stored(id)
      assert.strictEqual(yield* endsOf(id), ends)
      const { connectionId, review, state } = payment
      assert.strictEqual([state, connectionId ?? "null", ...(review?.reasons ?? [])].join(" "), becomes)
    })
  }

  itInLosing("a repeated recovery adopts nothing and writes nothing", function* ({ inNewStore, nextStore }) {
    const { id } = yield* inNewStore(creating())
    yield* nextStore(function* () {
      yield* recoverAll
      const once = yield* stored(id)
      assert.deepInclude(at(yield* recoverAll), { listed: 1, payments: [], changed: [], reviewed: [] })
      assert.deepStrictEqual(yield* stored(id), once)
    })
  })

  itInLosing("a charge is adopted once when a write lands between two reads of the next try", function* (lost) {
    const { inNewStore, provider } = lost
    const { id } = yield* inNewStore(creating())
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

  itInLosing("a dry run reports the same, and stores nothing", function* ({ inNewStore, nextStore }) {
    const { id } = yield* inNewStore(Effect.tap(creating(), ({ id }) => refundOf(id)))
    yield* nextStore(function* () {
      const shown = yield* dryRun
      assert.deepInclude(at(shown), { payments: eur(1, 1999), refunds: eur(1, 500) })
      assert.isNull(shown.loss)
      assert.isTrue(Option.isNone(yield* (yield* Ledger).payment(tenant, id)))
      assert.deepStrictEqual(at(yield* recoverAll), at(shown))
    })
  })

  itInLosing("a charge voided after another connection declined it has a CANCELLED payment", function* (lost) {
    const { inNewStore, nextStore, provider } = lost
    const approved = provider.onCharge
    provider.onCharge = (asked) => (asked.connectionId === "main" ? provider.declineSoftly(asked) : approved(asked))
    const { id } = yield* inNewStore(Effect.tap(held, ({ id }) => voidOf(id)))
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
    yield* inNewStore(held)
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
  itAtNoon("a page that waits for its customer is recovered as paid, and not paid again", function* (provider) {
    const { id } = yield* creating({ returnUrl: "https://shop.example/done" })
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

describe("connections with one account", () => {
  itAtNoon("another connection's charge in a list stays that connection's", function* (provider) {
    const { onListCharges: list } = provider
    const { id } = yield* creating()
    const before = yield* stored(id)
    provider.onListCharges = (request) => list?.({ ...request, connectionId: "main" }) ?? Effect.never
    const recovery = yield* recoverAll
    assert.deepInclude(at(recovery, "backup"), { listed: 1, payments: [], changed: [], reviewed: [], kept: 0 })
    assert.deepStrictEqual(yield* stored(id), before)
    assert.lengthOf(yield* (yield* Ledger).payments(tenant, { limit: 10 }), 1)
  })

  const environment = "production" as const
  const provider = listingProvider()
  const both = world({ provider, connections: [{ id: "main" }, { id: "live", environment }] })
  itIn("a charge that a list names elsewhere is not adopted here", both, function* (_, pointsman) {
    yield* TestClock.setTime(noon)
    const { onListCharges: list } = provider
    provider.onListCharges = (request) => list?.({ ...request, connectionId: "live" }) ?? Effect.never
    const live = { ...caller, tenant: { ...tenant, environment } }
    yield* pointsman.create(live, request({ idempotencyKey: "order-0001" }))
    assert.deepInclude(at(yield* recoverAll), { listed: 1, payments: [], kept: 0 })
    assert.lengthOf(yield* (yield* Ledger).payments(tenant, { limit: 10 }), 0)
  })
})

describe("a walk of lists", () => {
  const bigWindow = (millis: number) => new Unanswered({ reason: `ask for less than ${millis} ms` })

  itInLosing("windows that hold too many are asked for in shorter ones, and nothing is missed", function* (lost) {
    const { inNewStore, nextStore, provider } = lost
    const hourly = Effect.andThen(creating(), TestClock.adjust("1 hour"))
    yield* inNewStore(Effect.repeat(hourly, { times: 4 }), noon - 5 * hour)
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
    yield* inNewStore(Effect.andThen(creating(), creating()))
    const { onListCharges: list } = provider
    provider.onListCharges = (request) =>
      request.cursor === null ? (list?.(request) ?? Effect.never) : Effect.fail(bigWindow(0))
    yield* nextStore(function* () {
      const { connections, loss } = yield* recoverAll
      assert.strictEqual(at({ connections }).end._tag, "Failed")
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
        const { id } = yield* held
        const capture = yield* Effect.forkChild(captureOf(id, null))
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
  /** The key's payment, by which nothing is charged. */
  const replays = Effect.fnUntraced(function* ({ id }: Payment, change?: Parameters<typeof request>[0]) {
    const { isReplay, payment } = yield* again(change)
    assert.deepStrictEqual([isReplay, payment.id], [true, id])
    return payment
  })

  const justBeforeMidnight = 101 * day - 1

  /** In a store that has recovered the charge of a lost key: nothing is charged by what `steps` ask. */
  const itInRecovered = (
    title: string,
    { charges = 1, lostAt = noon, madeAt = noon, state = undefined as ChargeState | undefined },
    steps: (first: Payment, provider: Provider, recovery: Recovery) => Steps
  ) =>
    itRuns(title, function* () {
      const { inNewStore, nextStore, provider } = losing()
      const { payment } = yield* inNewStore(again(), madeAt)
      for (const charge of provider.books.charges.values()) charge.state = state ?? charge.state
      yield* nextStore(function* () {
        const recovery = yield* recoverAll
        yield* Effect.gen(() => steps(payment, provider, recovery))
        assert.lengthOf(provider.charges, charges)
      }, lostAt)
    })

  itInRecovered("a recovered charge's payment answers its key, and nothing is charged", {}, function* (first) {
    const other = again({ details: { money: { minorUnits: 2000, currency: "EUR" } } })
    assert.strictEqual((yield* Effect.flip(other))._tag, "pointsman/KeyReused")
    for (const _ of [1, 2]) assert.deepInclude(yield* replays(first), { state: "Captured", idempotencyKey: key })
  })

  const late = { charges: 11, madeAt: justBeforeMidnight, lostAt: justBeforeMidnight }
  itInRecovered("nothing is charged by a key after midnight with an open circuit", late, function* (first, provider) {
    yield* TestClock.adjust("1 second")
    const approved = provider.onCharge
    provider.onCharge = () => Effect.fail(new NotSent({ reason: "refused" }))
    for (let tries = 0; tries < 5; tries++) yield* creating()
    provider.onCharge = approved
    yield* replays(first)
  })

  const pendingSince = { lostAt: noon + 3 * day, state: { _tag: "Pending", providerRef: "ch_1" } } as const
  itInRecovered("the payment of a charge that is pending for days answers its key", pendingSince, function* (first) {
    assert.strictEqual((yield* replays(first)).state, "ChargePending")
  })

  itInRecovered("nothing is charged by a key after another loss on the next day", {}, function* (first) {
    yield* TestClock.adjust("20 hours")
    yield* recover(noon + 19 * hour)
    yield* replays(first)
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

  itInRecovered("a key whose 24 hours are over is a new payment", { charges: 2 }, function* () {
    yield* TestClock.adjust("24 hours")
    assert.isFalse((yield* again()).isReplay)
  })

  const blank = { state: { _tag: "Captured", providerRef: "" } } as const
  itInRecovered("nothing is charged by the key of a charge that was not recorded", blank, function* (_, __, recovery) {
    assert.deepInclude(at(recovery), { payments: [], kept: 1 })
    assert.strictEqual((yield* Effect.flip(again()))._tag, "pointsman/PaymentResultUnknown")
  })

  itInRecovered("the payment of the charge answers a key that a page had", {}, function* (first) {
    yield* replays(first, { returnUrl: "https://shop.example/done" })
  })

  itInRecovered("a refund under the key of its recovered charge is sent", {}, function* ({ id }, provider) {
    assert.isFalse((yield* refundOf(id, 500, key)).isReplay)
    assert.lengthOf(provider.refunds, 1)
  })

  itRuns("a create without a loss reads nothing more than before", function* () {
    const { ledger, layer } = world({ provider: listingProvider() })
    yield* Effect.provide(again(), layer)
    const { bookOf, claim, commit } = ledger.calls
    assert.deepStrictEqual({ bookOf, claim, commit }, { bookOf: 0, claim: 0, commit: 2 })
  })
})

describe("refunds, captures and voids that the store lost", () => {
  itInLosing("keys of recovered refunds repeat their answers", function* ({ inNewStore, nextStore, provider }) {
    const refunds = (id: string) => Effect.andThen(refundOf(id), refundOf(id, null, "refund-0002"))
    const { id } = yield* inNewStore(Effect.tap(creating(), ({ id }) => refunds(id)))
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
        assert.deepStrictEqual([payment.id, isReplay], [id, true])
      }
      const other = yield* Effect.flip(refundOf(id, 400))
      assert.strictEqual(other._tag, "pointsman/KeyReused")
      assert.lengthOf(provider.refunds, 2)
    })
  })

  /** A refund that only the provider knows, of a payment on file unless told otherwise. */
  const refundedThere = Effect.fnUntraced(function* (
    { books }: Provider,
    refundId: string | null,
    minorUnits: number,
    of: { readonly _tag?: "RefundPending"; readonly providerRef?: string } = {}
  ) {
    const { id, providerRef } = yield* creating()
    books.refunds.set(`other-${minorUnits}`, {
      ...{ connectionId: "main", refundId, created: noon, money: { minorUnits, currency: "EUR" } },
      providerRef: of.providerRef ?? providerRef ?? "",
      state: { _tag: of._tag ?? "Succeeded", providerRefundId: `re_${minorUnits}` }
    })
    return id
  })
  const ours = "rf_01a1fe0b-4c10-8d52-8f3e-2b6a9d1c0e78"

  itAtNoon("a lost refund of a charge on file is recovered with the amounts as they were", function* (provider) {
    const id = yield* refundedThere(provider, ours, 500, { _tag: "RefundPending" })
    assert.deepInclude(at(yield* recoverAll), { payments: [], refunds: eur(1, 500), reviewed: [] })
    const { payment } = yield* stored(id)
    assert.deepInclude(payment, { state: "Captured", refundedMinor: 0, refundPendingMinor: 500 })
    assert.isTrue(payment.reported?.isRecovered)
  })

  for (const [what, refundId, reasons] of [
    ["of ours", ours, []],
    ["made at the provider", null, ["refund_excess"]]
  ] as const) {
    itAtNoon(`operations review the payment of a refund ${what} of more than was captured`, function* (provider) {
      const id = yield* refundedThere(provider, refundId, 2000)
      assert.deepInclude(at(yield* recoverAll), { refunds: [], reviewed: eur(1, 2000) })
      assert.deepInclude(at(yield* recoverAll), { refunds: [], reviewed: [] })
      const { payment } = yield* stored(id)
      assert.deepInclude(payment, { state: "Captured", refundedMinor: 0 })
      assert.deepStrictEqual(payment.review?.reasons, ["conflict", ...reasons])
    })
  }

  itAtNoon("a refund made at the provider is one of the payment, once, also by message", function* (provider) {
    const id = yield* refundedThere(provider, null, 100)
    assert.deepInclude(at(yield* dryRun), { refunds: eur(1, 100), reviewed: [] })
    assert.deepInclude(at(yield* recoverAll), { refunds: eur(1, 100), reviewed: [] })
    const { payment, refunds } = yield* stored(id)
    assert.deepInclude(payment, { state: "PartiallyRefunded", refundedMinor: 100, review: null })
    assertFields(refunds, ["origin", "providerRefundId"], ["provider", "re_100"])
    const charge = { providerRef: payment.providerRef ?? "" }
    const stated = { minorUnits: 100, currency: "EUR" }
    const state = (): RefundState => ({ _tag: "Succeeded", providerRefundId: "re_100", stated })
    yield* say({ tenant }, { _tag: "UnnamedRefund", charge, providerRefundId: "re_100", state }, noon)
    assert.deepInclude(at(yield* recoverAll), { refunds: [], changed: [], reviewed: [] })
    assert.deepInclude((yield* stored(id)).payment, { refundedMinor: 100, review: null })
  })

  itAtNoon("a lost refund that the record cannot take is not sent by its key", function* (provider, one) {
    const { id } = yield* creating()
    const putBack = yield* takeSnapshot
    yield* refundOf(id, 1500)
    yield* putBack
    yield* one.refund(caller, { paymentId: id, idempotencyKey: null, amountMinor: 1000, reason: null })
    assert.deepInclude(at(yield* recoverAll), { refunds: [], reviewed: eur(1, 1500) })
    const refused = yield* Effect.flip(refundOf(id, 1500))
    assert.deepInclude({ ...refused }, { _tag: "pointsman/RefundPending", retryAfterMillis: 60_000 })
    assert.lengthOf(provider.refunds, 2)
  })

  itAtNoon("our refund of a missing charge is kept for operations, once", function* (provider, { messages }) {
    yield* refundedThere(provider, "rf_1", 100, { providerRef: "ref_of_nobody" })
    for (const _ of [1, 2]) {
      assert.deepInclude(at(yield* recoverAll), { refunds: [], kept: 1 })
      const { items } = yield* messages({ outcome: "unreadable", limit: 10 })
      assert.deepStrictEqual(
        items.map(({ eventId, reason }) => [eventId, reason]),
        [["listed:refund:re_100", "provider_reference: the refunded charge is not stored here"]]
      )
    }
  })

  itAtNoon("a lookup decides a lost capture of a charge on file", function* (provider) {
    const { id, providerRef } = yield* held
    yield* provider.onCapture({
      ...{
        connectionId: "main",
        operationId: "op_lost",
        simulation: null,
        money: { minorUnits: 700, currency: "EUR" }
      },
      attemptId: (yield* stored(id)).attempts[0]?.id ?? "",
      providerRef: providerRef ?? ""
    })
    assert.deepInclude(at(yield* dryRun), { payments: [], changed: eur(1, 1999) })
    assert.strictEqual((yield* stored(id)).payment.state, "Authorized")
    assert.deepInclude(at(yield* recoverAll), { payments: [], changed: eur(1, 1999), reviewed: [] })
    assert.deepInclude((yield* stored(id)).payment, { state: "Captured", capturedMinor: 700 })
    assert.lengthOf(provider.lookUps, 1)
  })

  const recoverLost = Effect.map(recover(noon + 2 * day), (recovery) => at(recovery))
  /** Of a charge from before the loss: the lists since then have the refunds alone. */
  const loseCaptureAndRefunds = Effect.gen(function* () {
    const pointsman = yield* Pointsman
    const { id } = yield* held
    yield* TestClock.setTime(noon + 2 * day)
    const putBack = yield* takeSnapshot
    const order = { paymentId: id, idempotencyKey: null }
    yield* pointsman.capture(caller, { ...order, amountMinor: null })
    for (const amountMinor of [500, 1]) yield* pointsman.refund(caller, { ...order, amountMinor, reason: null })
    yield* putBack
    assert.strictEqual((yield* stored(id)).payment.state, "Authorized")
    return id
  })

  itAtNoon("all lost refunds of a lost capture are recorded at a lookup of its charge", function* () {
    const id = yield* loseCaptureAndRefunds
    const [listed, refunds] = [{ listed: 2, payments: [], reviewed: [] }, eur(2, 501)]
    assert.deepInclude(yield* recoverLost, { ...listed, end: { _tag: "Complete" }, refunds, changed: eur(1, 1999) })
    const amounts = { capturedMinor: 1999, refundedMinor: 501, review: null }
    assert.deepInclude((yield* stored(id)).payment, { state: "PartiallyRefunded", ...amounts })
    assert.deepInclude(yield* recoverLost, { ...listed, refunds: [], changed: [] })
  })

  itIn("a refund lost under the key of an unsent one is recorded", listingWorld(), function* ({ ledger }) {
    yield* TestClock.setTime(noon)
    const { id } = yield* creating()
    const unheardAt = ledger.calls.commit + 1
    ledger.onCommit = (number) => (number === unheardAt ? "unheard" : undefined)
    yield* Effect.flip(refundOf(id, 1))
    const refundsOf = Effect.map(stored(id), ({ refunds }) => refunds.map((one) => [one.money.minorUnits, one.stage]))
    assert.deepStrictEqual(yield* refundsOf, [[1, "Refused"]])
    const putBack = yield* takeSnapshot
    yield* refundOf(id, null)
    yield* putBack
    assert.deepInclude(at(yield* recoverAll), { refunds: eur(1, 1999), changed: [], reviewed: [] })
    assert.deepInclude((yield* stored(id)).payment, { state: "Refunded", refundedMinor: 1999, review: null })
    assert.deepStrictEqual(yield* refundsOf, [[1999, "Succeeded"]])
  })

  itAtNoon("the next recovery decides lost refunds of a lost capture without an answer", function* (provider) {
    const id = yield* loseCaptureAndRefunds
    const { onLookUpCharge } = provider
    provider.onLookUpCharge = () => Effect.fail(new Unanswered({ reason: "timeout" }))
    const { end, reviewed } = yield* recoverLost
    assert.deepStrictEqual([end._tag, reviewed], ["Failed", []])
    provider.onLookUpCharge = onLookUpCharge
    assert.deepInclude(yield* recoverLost, { end: { _tag: "Complete" }, refunds: eur(2, 501) })
    assert.deepInclude((yield* stored(id)).payment, { refundedMinor: 501, review: null })
  })

  /** A payment on file that is captured at the provider. */
  const capturedThere = Effect.fnUntraced(function* (
    { books }: Provider,
    stated?: { currency: string; minorUnits: number }
  ) {
    const { id } = yield* held
    const [charge] = [...books.charges.values()]
    assert.isDefined(charge)
    const captured = { _tag: "Captured", providerRef: charge.state.providerRef ?? "" } as const
    charge.state = stated === undefined ? captured : { ...captured, stated }
    return { id, captured }
  })

  itAtNoon("a partial lost capture has the list's amount if the lookup has none", function* (provider) {
    const { captured, id } = yield* capturedThere(provider, { minorUnits: 700, currency: "EUR" })
    provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state: captured })
    yield* recoverAll
    assert.deepInclude((yield* stored(id)).payment, { state: "Captured", capturedMinor: 700, review: null })
  })

  itAtNoon("a connection is not recovered if a lookup is not answered", function* (provider) {
    const { id } = yield* capturedThere(provider)
    provider.onLookUpCharge = () => Effect.fail(new Unanswered({ reason: "silent" }))
    const { connections, loss } = yield* recoverAll
    assert.strictEqual(at({ connections }).end._tag, "Failed")
    assert.deepInclude(loss, { recovered: ["backup"], ended: null })
    assert.strictEqual((yield* stored(id)).payment.state, "Authorized")
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
  const ended = (outcome: "recovered" | "accepted") => ({ outcome, at: noon + waitMillis })
  itAtNoon("a loss ends once all connections are recovered", function* () {
    const { loss } = yield* recoverAll
    assert.deepInclude(loss, { since: noon - day, recovered: ["backup", "main"] })
    assert.deepInclude(loss?.ended, ended("recovered"))
  })

  itIn("a loss at a provider without lists is accepted by hand", world(), function* (_, pointsman) {
    yield* TestClock.setTime(noon)
    const recovery = yield* recoverAll
    assert.deepStrictEqual(at(recovery).end, { _tag: "NoList" })
    assert.deepInclude(recovery.loss, { recovered: [], ended: null })
    assert.deepInclude(Option.getOrThrow(yield* pointsman.acceptLoss(null)).ended, ended("accepted"))
    assert.isTrue(Option.isNone(yield* pointsman.acceptLoss(null)))
    const none = yield* Effect.flip(recovered(pointsman.recover({ since: null, connectionId: null, isDryRun: false })))
    assert.strictEqual(none._tag, "pointsman/RecoveryRefused")
  })

  itAtNoon("a recovery that began later than the loss recovers no connection", function* (_, pointsman) {
    yield* recover(noon - day, "main")
    const { loss } = yield* recover(noon - 1, "backup")
    assert.deepInclude(loss, { recovered: ["main"], ended: null })
    const whole = yield* recovered(pointsman.recover({ since: null, connectionId: "backup", isDryRun: false }))
    assert.deepInclude(whole, { since: noon - day })
    assert.deepInclude(whole.loss?.ended, { outcome: "recovered" })
  })
})
