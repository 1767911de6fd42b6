/** Deliveries that are taken before there is a place for them, in simulated time. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Deliveries, Directory } from "@pointsman/core/ports"
import { scriptedSender } from "@pointsman/core/testing"
import { Effect, Latch, Layer } from "effect"
import { DeliverySettings } from "../src/ports/PaymentSettings.ts"
import { background, drawing, pass, second, settle } from "./support/Delivering.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const create = Effect.andThen(Pointsman, (pointsman) => pointsman.create(caller, request()))

const endpoints = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `hook-${index}`, events: ["payment.captured"] as const }))

/** Few places, and the defaults besides. */
const withSettings = (own: Partial<DeliverySettings>) =>
  Layer.effect(
    DeliverySettings,
    Effect.map(DeliverySettings, (settings) => ({ ...settings, ...own }))
  )

describe("deliveries that are taken ahead", () => {
  it.effect("the next message waits for no store when a receiver answers and places are short", () => {
    const sender = scriptedSender()
    const answers = Latch.makeUnsafe()
    sender.onSend = () => Effect.as(answers.await, 200)
    const own = world({ sender, webhookEndpoints: endpoints(20) })
    let isSilent = false
    const store = Layer.effect(
      Deliveries,
      Effect.map(Deliveries, (deliveries) => ({
        ...deliveries,
        takeDue: (query) => (isSilent ? Effect.never : deliveries.takeDue(query)),
        record: (records) => (isSilent ? Effect.never : deliveries.record(records))
      }))
    )
    return Effect.gen(function* () {
      yield* create
      yield* background
      yield* settle
      assert.lengthOf(sender.sent, 4)
      isSilent = true
      yield* answers.open
      yield* settle
      // As many again as places: what follows waits until these are recorded.
      assert.lengthOf(sender.sent, 8)
      const ids = sender.sent.map(({ headers }) => headers["x-service-delivery-id"])
      assert.strictEqual(new Set(ids).size, 8)
    }).pipe(Effect.provide(Layer.provide(own.layerOver(store), withSettings({ atOnce: 4 }))), drawing(0.5))
  })

  it.effect("the next taker sends a message that waited for half of its lease", () => {
    const sender = scriptedSender()
    sender.onSend = ({ url }) => (url.endsWith("/hook-0") ? Effect.never : Effect.succeed(200))
    const own = world({ sender, webhookEndpoints: endpoints(2) })
    // The one that hangs keeps the only place for longer than the lease.
    const settings = { atOnce: 1, slowAfterMillis: 10 * second, leaseMillis: 8 * second, timeoutMillis: 11 * second }
    return Effect.gen(function* () {
      yield* create
      yield* background
      yield* settle
      yield* pass(second)
      yield* pass(9 * second)
      yield* pass(30 * second)
      const pointsman = yield* Pointsman
      const { items } = yield* pointsman.deliveries(tenant, { limit: 10 })
      const [delivered] = items.filter(({ endpointId }) => endpointId === "hook-1")
      assert.strictEqual(delivered?.state, "Delivered")
      const sent = sender.sent.filter(({ url }) => url.endsWith("/hook-1"))
      assert.lengthOf(sent, 1)
      // Those before were taken, and left when their lease could end before an answer.
      const attempts = yield* pointsman.deliveryAttempts(tenant, delivered?.id ?? "")
      assert.isAbove(attempts.length, 1)
      assert.deepStrictEqual(
        attempts.map(({ end }) => end?._tag),
        [...attempts.slice(1).map(() => undefined), "Answered"]
      )
    }).pipe(Effect.provide(Layer.provide(own.layer, withSettings(settings))), drawing(0.5))
  })

  it.effect("nothing is sent to an endpoint withdrawn while a message waits for a place", () => {
    const sender = scriptedSender()
    const answers = Latch.makeUnsafe()
    sender.onSend = () => Effect.as(answers.await, 200)
    const own = world({ sender, webhookEndpoints: endpoints(2) })
    return Effect.gen(function* () {
      yield* create
      yield* background
      yield* settle
      const [first] = sender.sent
      assert.lengthOf(sender.sent, 1)
      const directory = yield* Directory
      const { webhookEndpoints, ...others } = yield* directory.contents
      const withdrawn = webhookEndpoints.map((one) => (first?.url === one.url ? one : { ...one, active: false }))
      yield* directory.write({ ...others, webhookEndpoints: withdrawn })
      yield* pass(2 * second)
      yield* answers.open
      yield* pass(second)
      assert.lengthOf(sender.sent, 1)
      const { items } = yield* (yield* Pointsman).deliveries(tenant, { limit: 10 })
      assert.deepStrictEqual(items.map(({ state }) => state).toSorted(), ["Delivered", "GivenUp"])
    }).pipe(Effect.provide(Layer.provide(own.layer, withSettings({ atOnce: 1 }))), drawing(0.5))
  })
})
