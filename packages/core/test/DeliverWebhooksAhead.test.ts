/** Deliveries that are taken before there is a place for them, in simulated time. */
import { assert } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Deliveries, Directory } from "@pointsman/core/ports"
import { type ScriptedSender, scriptedSender } from "@pointsman/core/testing"
import { Effect, Latch, Layer } from "effect"
import { DeliverySettings } from "../src/ports/PaymentSettings.ts"
import { background, drawn, pass, second, settle } from "./support/Delivering.ts"
import { itIn } from "./support/ItIn.ts"
import { created } from "./support/Operations.ts"
import { tenant, world } from "./support/World.ts"

const endpoints = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `hook-${index}`, events: ["payment.captured"] as const }))

/** Few places, and the defaults besides. */
const withSettings = (own: Partial<DeliverySettings>) =>
  Layer.effect(
    DeliverySettings,
    Effect.map(DeliverySettings, (settings) => ({ ...settings, ...own }))
  )

const given = (
  count: number,
  settings: Partial<DeliverySettings>,
  onSend: ScriptedSender["onSend"],
  store = Layer.effect(Deliveries, Deliveries)
) => {
  const sender = scriptedSender()
  sender.onSend = onSend
  const own = world({ sender, webhookEndpoints: endpoints(count) })
  return { sender, layer: Layer.provide(drawn(own.layerOver(store)), withSettings(settings)) }
}

/** A payment was created before the background begins. */
const begin = Effect.andThen(created(), Effect.andThen(background, settle))

let isSilent = false
const store = Layer.effect(
  Deliveries,
  Effect.map(Deliveries, (deliveries) => ({
    ...deliveries,
    takeDue: (query) => (isSilent ? Effect.never : deliveries.takeDue(query)),
    record: (records) => (isSilent ? Effect.never : deliveries.record(records))
  }))
)
const answers = Latch.makeUnsafe()
const short = given(20, { atOnce: 4 }, () => Effect.as(answers.await, 200), store)
itIn("the next message waits for no store when a receiver answers and places are short", short, function* ({ sender }) {
  yield* begin
  assert.lengthOf(sender.sent, 4)
  isSilent = true
  yield* answers.open
  yield* settle
  // As many again as places: what follows waits until these are recorded.
  assert.lengthOf(sender.sent, 8)
  const ids = sender.sent.map(({ headers }) => headers["x-service-delivery-id"])
  assert.strictEqual(new Set(ids).size, 8)
})

// The one that hangs keeps the only place for longer than the lease.
const times = { slowAfterMillis: 10 * second, leaseMillis: 8 * second, timeoutMillis: 11 * second }
const leased = given(2, { atOnce: 1, ...times }, ({ url }) =>
  url.endsWith("/hook-0") ? Effect.never : Effect.succeed(200)
)
itIn("the next taker sends a message that waited for half of its lease", leased, function* ({ sender }, pointsman) {
  yield* begin
  for (const seconds of [1, 9, 30]) yield* pass(seconds * second)
  const { items } = yield* pointsman.deliveries(tenant, { limit: 10 })
  const [delivered] = items.filter(({ endpointId }) => endpointId === "hook-1")
  assert.strictEqual(delivered?.state, "Delivered")
  assert.lengthOf(
    sender.sent.filter(({ url }) => url.endsWith("/hook-1")),
    1
  )
  // Those before were taken, and left when their lease could end before an answer.
  const attempts = yield* pointsman.deliveryAttempts(tenant, delivered?.id ?? "")
  assert.isAbove(attempts.length, 1)
  assert.deepStrictEqual(
    attempts.map(({ end }) => end?._tag),
    [...attempts.slice(1).map(() => undefined), "Answered"]
  )
})

const waits = Latch.makeUnsafe()
const withdrawing = given(2, { atOnce: 1 }, () => Effect.as(waits.await, 200))
itIn("nothing is sent to an endpoint withdrawn while a message waits for a place", withdrawing, function* ({ sender }) {
  yield* begin
  const [first] = sender.sent
  assert.lengthOf(sender.sent, 1)
  const directory = yield* Directory
  const { webhookEndpoints, ...others } = yield* directory.contents
  const withdrawn = webhookEndpoints.map((one) => (first?.url === one.url ? one : { ...one, active: false }))
  yield* directory.write({ ...others, webhookEndpoints: withdrawn })
  yield* pass(2 * second)
  yield* waits.open
  yield* pass(second)
  assert.lengthOf(sender.sent, 1)
  const { items } = yield* (yield* Pointsman).deliveries(tenant, { limit: 10 })
  assert.deepStrictEqual(items.map(({ state }) => state).toSorted(), ["Delivered", "GivenUp"])
})
