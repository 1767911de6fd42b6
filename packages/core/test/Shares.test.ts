/**
 * One provider's trouble is its own: what a connection whose provider hangs takes of the background's checks, and one that
 * floods of the storage.
 */
import { assert, describe } from "@effect/vitest"
import { Metrics, Pointsman, type VerifiedMessage } from "@pointsman/core"
import { NotSent, Unanswered } from "@pointsman/core/ports"
import { Effect, Fiber, Latch, Metric } from "effect"
import { TestClock } from "effect/testing"
import { minute, pass, second, settle } from "./support/Delivering.ts"
import { itIn } from "./support/ItIn.ts"
import { messageOf, ofAttempt } from "./support/Messages.ts"
import { created, operate } from "./support/Operations.ts"
import { attemptIdOf } from "./support/Pages.ts"
import { tenant, type World, world } from "./support/World.ts"

const share = 16
const timeout = 30 * second
const silent = Effect.fail(new Unanswered({ reason: "time-out" }))

/** Euros go to a provider that hangs when it is asked for anything again, dollars to one that answers. */
const scene = (options: { readonly hanging?: number; readonly lookUpsPerConnection?: number } = {}) => {
  const hanging = Array.from({ length: options.hanging ?? 1 }, (_, index) => `hanging-${index}`)
  const own = world({
    ...(options.lookUpsPerConnection === undefined ? {} : { lookUpsPerConnection: options.lookUpsPerConnection }),
    connections: [
      ...hanging.map((id, index) => ({ id, supports: { currencies: ["EUR"], amount: { EUR: amounts(index) } } })),
      { id: "other", supports: { currencies: ["USD"] } }
    ]
  })

  const underWay = { hanging: 0, other: 0 }
  const most = { hanging: 0, other: 0 }
  const lookUp = ({ connectionId }: { readonly connectionId: string }) => {
    const who = connectionId === "other" ? "other" : "hanging"
    return Effect.acquireUseRelease(
      Effect.sync(() => {
        underWay[who] += 1
        most[who] = Math.max(most[who], underWay[who])
      }),
      () =>
        who === "hanging"
          ? Effect.andThen(Effect.sleep(timeout), silent)
          : Effect.succeed({ _tag: "NotFound", conclusive: false } as const),
      () =>
        Effect.sync(() => {
          underWay[who] -= 1
        })
    )
  }
  own.provider.onLookUpCharge = lookUp
  own.provider.onLookUpRefund = lookUp
  return { own, underWay, most }
}

/** Each of several connections for the amounts that no other takes. */
const amounts = (index: number) => ({ min: 1_000 + index, max: 1_000 + index })
const create = (currency: "EUR" | "USD", index = 0) =>
  created({ money: { minorUnits: 1_000 + index, currency }, captureMethod: "manual" })

/** How payments come to wait for a lookup: by a provider that does not answer it. */
const openOnes = {
  charges: Effect.asVoid(create("EUR")),
  captures: Effect.flatMap(create("EUR"), ({ id }) => operate("capture", id)),
  voids: Effect.flatMap(create("EUR"), ({ id }) => operate("void", id)),
  refunds: Effect.flatMap(create("EUR"), ({ id }) => Effect.andThen(operate("capture", id), operate("refund", id)))
}
const silences = {
  charges: { onCharge: () => silent },
  captures: { onCapture: () => silent },
  voids: { onVoid: () => silent },
  refunds: { onRefund: () => silent }
}

const start = Effect.flatMap(Pointsman, (pointsman) =>
  Effect.forkScoped(pointsman.keepChecking(second), { startImmediately: true })
)

const askedAtOther = ({ provider }: World) => provider.lookUps.filter(({ connectionId }) => connectionId === "other")

describe("a provider that hangs", () => {
  for (const what of ["charges", "captures", "voids", "refunds"] as const) {
    const { most, own, underWay } = scene()
    itIn(`200 ${what} take their share, and another's unknown is asked in time`, own, function* () {
      Object.assign(own.provider, silences[what])
      yield* Effect.repeat(openOnes[what], { times: 199 })
      // Refunds are looked up once a day.
      if (what === "refunds") yield* TestClock.adjust(24 * 60 * minute)
      yield* start
      yield* pass(minute)
      assert.strictEqual(underWay.hanging, share)
      own.provider.onCharge = () => silent
      yield* create("USD")
      yield* pass(minute - 1)
      assert.lengthOf(askedAtOther(own), 0)
      yield* pass(1 + second)
      assert.lengthOf(askedAtOther(own), 1)
      assert.strictEqual(most.hanging, share)
    })
  }

  const many = scene()
  itIn("others' are asked on their schedule beside 1,000 unknown payments", many.own, function* () {
    many.own.provider.onCharge = () => silent
    yield* Effect.repeat(create("EUR"), { times: 999 })
    yield* start
    yield* pass(10 * second)
    yield* create("USD")
    const expected = [minute, 5 * minute]
    let passed = 0
    for (const [index, at] of expected.entries()) {
      for (; passed < at - 5 * second; passed += 5 * second) yield* pass(5 * second)
      for (; passed < at - second; passed += second) yield* pass(second)
      assert.lengthOf(askedAtOther(many.own), index)
      // Another look at what is due may be a second away.
      for (; passed <= at; passed += second) yield* pass(second)
      assert.lengthOf(askedAtOther(many.own), index + 1)
    }
    assert.strictEqual(many.most.hanging, share)
    // It goes on at what hangs: a share for each time-out.
    assert.isAbove(many.own.provider.lookUps.length, 8 * share)
  })

  const dozens = scene({ hanging: 40 })
  itIn("another's unknown is asked in seconds beside forty with more than their shares", dozens.own, function* () {
    dozens.own.provider.onCharge = () => silent
    for (let count = 0; count < 20; count++) {
      for (let index = 0; index < 40; index++) yield* create("EUR", index)
    }
    yield* create("USD")
    yield* start
    yield* TestClock.adjust(minute)
    for (let passed = 0; passed < 5; passed++) yield* pass(second)
    assert.lengthOf(askedAtOther(dozens.own), 1)
    for (let passed = 0; passed < 15; passed++) yield* pass(second)
    assert.strictEqual(dozens.underWay.hanging, 40 * share)
  })

  const set = scene({ lookUpsPerConnection: 3 })
  itIn("a share of 3 asks no more at once, and one batch asks others as well", set.own, function* (_, pointsman) {
    set.own.provider.onCharge = () => silent
    yield* Effect.repeat(create("EUR"), { times: 20 })
    yield* Effect.repeat(create("USD"), { times: 20 })
    yield* TestClock.adjust(minute)
    yield* Effect.forkScoped(pointsman.checkDue)
    yield* settle
    assert.deepStrictEqual([set.underWay.hanging, askedAtOther(set.own).length], [3, 3])
    yield* start
    yield* pass(20 * second)
    assert.strictEqual(set.most.hanging, 6)
    assert.lengthOf(askedAtOther(set.own), 21)
  })

  const fast = scene()
  itIn("none of 500 at a provider that answers waits for the next look at what is due", fast.own, function* () {
    fast.own.provider.onCharge = () => silent
    yield* Effect.repeat(create("USD"), { times: 499 })
    yield* TestClock.adjust(minute)
    yield* start
    yield* Effect.repeat(settle, { times: 50 })
    assert.lengthOf(askedAtOther(fast.own), 500)
  })
})

describe("the connection that a check asks", () => {
  const own = world()
  const last = () => own.ledger.changes.at(-1)
  itIn("a payment's attempt is the one with the money, the last one, or none", own, function* () {
    const asked: Array<ReadonlyArray<unknown>> = []
    own.ledger.beforeCommit = (_, { checkAt, checkedConnection, payment: { after } }) =>
      Effect.sync(() => void asked.push([after.state, checkAt === null ? "unchecked" : checkedConnection]))
    own.provider.onCharge = ({ connectionId }) =>
      connectionId === "main" ? Effect.fail(new NotSent({ reason: "refused" })) : silent
    yield* create("EUR")
    assert.deepStrictEqual(asked, [
      // It may only have died: nobody is asked.
      ["Charging", null],
      ["Charging", null],
      ["ChargeUnknown", "backup"]
    ])
    assert.strictEqual(last()?.tenant, tenant)
  })
})

describe("a provider that sends many messages at once", () => {
  const flooded = world({
    connections: [
      { id: "flooding", supports: { currencies: ["EUR"] } },
      { id: "other", supports: { currencies: ["USD"] } }
    ]
  })
  itIn("100 that are slow to record take one share, and others continue", flooded, function* (own, pointsman) {
    own.provider.onCharge = () => silent
    const messages: Array<VerifiedMessage> = []
    for (let index = 0; index <= 100; index++) {
      const payment = yield* create(index < 100 ? "EUR" : "USD")
      const { attemptId = "", connectionId = "" } = payment.routing?.attempts[0] ?? {}
      const about = ofAttempt({ id: attemptId }, { _tag: "Captured", providerRef: `ref_${attemptId}` })
      messages.push(messageOf(about, { connectionId }))
    }
    const recordable = Latch.makeUnsafe()
    let begun = 0
    own.ledger.beforeCommit = (_, { message }) => {
      if (message?.after.connectionId !== "flooding") return Effect.void
      begun += 1
      return recordable.await
    }
    const waiting = Effect.map(Metric.value(Metrics.messagesWaiting("flooding")), ({ value }) => value)
    const flood = yield* Effect.forkScoped(
      Effect.forEach(messages.slice(0, 100), pointsman.recordMessage, { concurrency: "unbounded", discard: true })
    )
    yield* settle
    assert.deepStrictEqual([begun, yield* waiting], [share, 100 - share])
    yield* Effect.forEach(messages.slice(100), pointsman.recordMessage)
    assert.strictEqual(begun, share)
    yield* recordable.open
    yield* Fiber.join(flood)
    assert.deepStrictEqual([begun, yield* waiting], [100, 0])
    const settled = yield* pointsman.payments(tenant, { states: ["Captured"], limit: 200 })
    assert.lengthOf(settled.items, 101)
  })

  itIn("more than may wait are refused, and taken once those before are gone", world(), function* (own, pointsman) {
    const attemptId = attemptIdOf(yield* create("EUR"))
    const settled = (at: number) => messageOf({ _tag: "Settled", charge: { attemptId }, state: null }, { at })
    own.ledger.beforeCommit = () => Effect.never
    const first = yield* Effect.forEach(Array(share + 4_096).keys(), (number) =>
      Effect.forkScoped(pointsman.recordMessage(settled(number)), { startImmediately: true })
    )
    const refused = yield* Effect.forkScoped(Effect.flip(pointsman.recordMessage(settled(10_000))))
    yield* settle
    assert.isDefined(refused.pollUnsafe())
    assert.deepInclude(yield* Fiber.join(refused), { _tag: "pointsman/StorageError", operation: "recordMessage" })
    yield* Fiber.interruptAll(first)
    own.ledger.beforeCommit = () => Effect.void
    yield* pointsman.recordMessage(settled(10_001))
  })
})
