import { buffer } from "node:stream/consumers"
import { assert, it } from "vitest"
import { type Event, type VerifiedWebhook, webhooks } from "../src/index.ts"
import { listening } from "./support/Listening.ts"
import { open, order, shop } from "./support/Shop.ts"

/** A result is looked for at once, because nobody waits for real time here. */
const soon = {
  claimWindowMillis: 2,
  providerTimeoutMillis: 1,
  checkIntervals: { unknownMillis: 1 }
}

const unknown = { ...order, simulate: { charge: "no_answer", lookup: "executed" } } as const

it("given a result that nobody knows, when the background runs, then the provider's record settles it", async () => {
  const { pointsman } = await open(soon)
  const { payment } = await pointsman.create(unknown, { idempotencyKey: "order-1001" })
  assert.strictEqual(payment.status, "UNKNOWN")
  let events: ReadonlyArray<Event> = []
  do {
    await new Promise((resolve) => setTimeout(resolve, 50))
    events = (await pointsman.timeline(payment.id)).data
  } while (!events.some(({ type }) => type === "payment.captured"))
  assert.strictEqual((await pointsman.payment(payment.id)).status, "CAPTURED")
})

it("given no background, when it is swept by hand, then the payment is settled then and not before", async () => {
  const { pointsman } = await open({ ...soon, background: false })
  const { payment } = await pointsman.create(unknown)
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.strictEqual((await pointsman.payment(payment.id)).status, "UNKNOWN")
  assert.strictEqual(await pointsman.sweep(), 1)
  assert.strictEqual((await pointsman.payment(payment.id)).status, "CAPTURED")
})

it("given a webhook, when a payment is made, then its receiver can verify it, and the delivery says so", async () => {
  const received = Promise.withResolvers<VerifiedWebhook>()
  const url = await listening(async (request, response) => {
    const body = await buffer(request)
    received.resolve(await webhooks.verify({ body, headers: request.headers, secret: ["old", "whsec_test"] }))
    response.writeHead(204).end()
  })
  const { pointsman } = await open({
    allowPrivateWebhooks: true,
    workspaces: [
      { ...shop, webhooks: [{ environment: "sandbox", url, events: ["payment.captured"], secret: "whsec_test" }] }
    ]
  })
  const { payment } = await pointsman.create(order)
  const { deliveryId, event } = await received.promise
  assert.strictEqual(event.type, "payment.captured")
  assert.deepStrictEqual(event, (await pointsman.events({ type: "payment.captured" })).data[0])
  assert.strictEqual(event.data["payment_id"], payment.id)
  let [delivery] = (await pointsman.deliveries()).data
  while (delivery?.status !== "delivered") {
    await new Promise((resolve) => setTimeout(resolve, 20))
    delivery = (await pointsman.deliveries()).data[0]
  }
  assert.strictEqual(delivery.id, deliveryId)
  const [attempt] = await pointsman.deliveryAttempts(delivery.id)
  assert.strictEqual(attempt?.response_status, 204)
})
