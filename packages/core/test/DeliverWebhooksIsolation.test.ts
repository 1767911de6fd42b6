/**
 * Endpoints that hang take nothing of the others, in simulated time: 300 endpoints with eight events each, receivers that
 * answer after a tenth of a second, and one or a hundred that never do. What is counted is who holds the 128 places for
 * attempts, and when the others have all of theirs. The controls show that it is the limit of each endpoint that does it
 * for one; for many it is that a slow attempt gives its place away.
 */
import { assert } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Deliveries } from "@pointsman/core/ports"
import { scriptedSender } from "@pointsman/core/testing"
import { Effect, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import { background, drawn, second } from "./support/Delivering.ts"
import { itIn } from "./support/ItIn.ts"
import { caller, request, world } from "./support/World.ts"

const endpoints = 300
const eventsEach = 8
const others = (endpoints - 1) * eventsEach
const places = 128
const placesPerEndpoint = 4
/** Places, while one endpoint holds all of its own. */
const left = places - placesPerEndpoint
const timeout = 15 * second
/** Milliseconds. */
const answersAfter = 100

/** As far as every fiber can come at this moment. Far fewer turns do; the rounds of these tests are many. */
const settle = Effect.repeat(Effect.yieldNow, { times: 100 })
const pass = (millis: number) => Effect.andThen(TestClock.adjust(millis), settle)

interface Scene {
  readonly hangs: boolean
  /** How many of the endpoints may hang, from the 150th on: 1 unless set. */
  readonly hanging?: number
  /** Events that wait from before all others, and for the one that hangs alone. */
  readonly backlog?: number
  /** The store hands out for one endpoint whatever it hands out. */
  readonly unlimited?: boolean
  /** The store records nothing before it is open. */
  readonly recordable?: Latch.Latch
}

const scene = ({ backlog = 0, hanging = 1, hangs, recordable, unlimited = false }: Scene) => {
  const mayHang = new Set(Array.from({ length: hanging }, (_, index) => `https://merchant.example/hook-${150 + index}`))
  const sender = scriptedSender()
  const underWay = { hung: 0, others: 0 }
  const arrived = { hung: 0, others: 0 }
  const most = { atOnce: 0, toOneOther: 0 }
  const toOne = new Map<string, number>()
  // All who are asked by now answer together: a clock that woke them one by one would look for work after each.
  let answers = Latch.makeUnsafe()
  sender.onSend = ({ url }) => {
    const who = mayHang.has(url) ? "hung" : "others"
    const begun = Effect.sync(() => {
      underWay[who] += 1
      toOne.set(url, (toOne.get(url) ?? 0) + 1)
      most.atOnce = Math.max(most.atOnce, underWay.hung + underWay.others)
      if (who === "others") most.toOneOther = Math.max(most.toOneOther, toOne.get(url) ?? 0)
    })
    const ended = Effect.sync(() => {
      underWay[who] -= 1
      toOne.set(url, (toOne.get(url) ?? 0) - 1)
    })
    const answered = Effect.suspend(() => (who === "hung" && hangs ? Effect.never : answers.await))
    return Effect.acquireUseRelease(
      begun,
      () => answered,
      () => ended
    ).pipe(
      Effect.map(() => {
        arrived[who] += 1
        return 200
      })
    )
  }
  const own = world({
    sender,
    webhookEndpoints: Array.from({ length: endpoints }, (_, index) => ({
      id: `hook-${index}`,
      events: index === 150 ? ["payment.captured", "payment.authorized"] : ["payment.captured"]
    }))
  })
  const store = Layer.effect(
    Deliveries,
    Effect.map(Deliveries, (deliveries) => ({
      ...deliveries,
      takeDue: (query) => deliveries.takeDue(unlimited ? { ...query, limitPerEndpoint: query.limit } : query),
      record: (records) => Effect.andThen(recordable?.await ?? Effect.void, deliveries.record(records))
    }))
  )
  const create = (captureMethod: "automatic" | "manual") =>
    Effect.andThen(Pointsman, (pointsman) => pointsman.create(caller, request({ details: { captureMethod } })))
  return {
    layer: drawn(own.layerOver(store)),
    underWay,
    arrived,
    most,
    sentToHung: () => sender.sent.filter(({ url }) => mayHang.has(url)).length,
    /** An event for each endpoint. */
    event: create("automatic"),
    begin: Effect.gen(function* () {
      for (let index = 0; index < backlog; index++) yield* create("manual")
      if (backlog > 0) yield* pass(second)
      for (let index = 0; index < eventsEach; index++) yield* create("automatic")
      yield* background
      yield* settle
    }),
    /** Lets a tenth of a second pass, and those answer who were asked before. */
    round: Effect.gen(function* () {
      const asked = answers
      answers = Latch.makeUnsafe()
      yield* TestClock.adjust(answersAfter)
      yield* asked.open
      yield* settle
    })
  }
}

const none = scene({ hangs: false })
itIn("every place is taken without one that hangs, and again once free", none, function* (own) {
  const { arrived, begin, round, underWay } = own
  yield* begin
  for (let rounds = 0; rounds < 10; rounds++) {
    assert.strictEqual(arrived.hung + arrived.others, rounds * places)
    assert.strictEqual(underWay.hung + underWay.others, places)
    yield* round
  }
})

const silent = scene({ hangs: true })
itIn("a silent endpoint holds its four places, and the others have all the rest", silent, function* (own) {
  const { arrived, begin, event, most, round, sentToHung, underWay } = own
  yield* begin
  let rounds = 0
  while (arrived.others < others) {
    // No place is free while anybody waits, and the one that hangs has no more than its own, and those not for long.
    assert.isAtMost(underWay.hung, placesPerEndpoint)
    assert.isAtLeast(underWay.others, Math.min(left, others - arrived.others))
    yield* round
    rounds += 1
  }
  assert.strictEqual(underWay.hung, placesPerEndpoint)
  // All of the others' before the end of its first attempt, as fast as the places that are left allow.
  assert.isBelow(rounds * answersAfter, timeout)
  assert.isAtMost(rounds, Math.ceil(others / left))
  assert.deepStrictEqual(arrived, { hung: 0, others })
  // Once it is slow, the others have all places.
  assert.strictEqual(most.atOnce, places + placesPerEndpoint)
  assert.isAtMost(most.toOneOther, placesPerEndpoint)

  // It goes on to hang, and a new event has the same places as ever.
  const forOne = Math.ceil((endpoints - 1) / left)
  for (const times of [1, 2, 3]) {
    yield* pass(timeout - forOne * answersAfter)
    yield* event
    yield* settle
    for (let done = 0; done < forOne; done++) {
      assert.strictEqual(underWay.hung, placesPerEndpoint)
      yield* round
    }
    assert.deepStrictEqual(arrived, { hung: 0, others: others + times * (endpoints - 1) })
    assert.strictEqual(sentToHung(), (times + 1) * placesPerEndpoint)
  }
  assert.strictEqual(most.atOnce, places + placesPerEndpoint)
})

const waiting = scene({ hangs: true, backlog: places })
itIn("an endpoint with more waiting than places holds four of them all the same", waiting, function* (own) {
  const { arrived, begin, round, underWay } = own
  yield* begin
  yield* Effect.repeat(round, { times: 9 })
  assert.deepStrictEqual(underWay, { hung: placesPerEndpoint, others: places })
  assert.strictEqual(arrived.hung, 0)
  assert.isAtLeast(arrived.others, 10 * left)
})

const hanging = 100
const many = scene({ hangs: true, hanging })
itIn("others have all of theirs before the first timeout beside a hundred", many, function* (own) {
  const { arrived, begin, most, round, underWay } = own
  yield* begin
  let rounds = 0
  while (arrived.others < (endpoints - hanging) * eventsEach && rounds * answersAfter < timeout) {
    yield* round
    rounds += 1
  }
  assert.deepStrictEqual(arrived, { hung: 0, others: (endpoints - hanging) * eventsEach })
  assert.strictEqual(underWay.hung, hanging * placesPerEndpoint)
  assert.isAtMost(most.atOnce, 1_024)
})

const recordable = Latch.makeUnsafe()
const slow = scene({ hangs: false, recordable })
itIn("no more is sent than a store that is slow to record can keep up with", slow, function* (own) {
  const { arrived, begin, round } = own
  yield* begin
  // Far longer than it takes until an attempt is slow.
  yield* Effect.repeat(round, { times: 99 })
  // Those of the places, and as many that wait for their record.
  assert.strictEqual(arrived.hung + arrived.others, 2 * places)
  yield* recordable.open
  yield* Effect.repeat(round, { times: 99 })
  assert.strictEqual(arrived.hung + arrived.others, endpoints * eventsEach)
})

const endless = scene({ hangs: true, unlimited: true })
itIn("control: a store without limits lets a hanging endpoint hold more at each event", endless, function* (own) {
  const { begin, round, underWay } = own
  yield* begin
  yield* Effect.repeat(round, { times: 24 })
  assert.isAbove(underWay.hung, placesPerEndpoint)
})

const alone = scene({ hangs: true, backlog: places, unlimited: true })
itIn("only the hanging endpoint is served at first by a store without limits (control)", alone, function* (own) {
  const { arrived, begin, round, underWay } = own
  yield* begin
  yield* Effect.repeat(round, { times: 8 })
  assert.deepStrictEqual(underWay, { hung: places, others: 0 })
  assert.deepStrictEqual(arrived, { hung: 0, others: 0 })
})
