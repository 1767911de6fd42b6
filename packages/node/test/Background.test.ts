import { buffer } from "node:stream/consumers"
import { StorageError, type StorageHandle } from "@pointsman/core/ports"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { type Event, type VerifiedWebhook, webhooks } from "../src/index.ts"
import { listening } from "./support/Listening.ts"
import { memoryWith, open, order, shop } from "./support/Shop.ts"

/** A result is looked for at once, because nobody waits for real time here. */
const soon = {
  claimWindowMillis: 2,
  providerTimeoutMillis: 1,
  checkIntervals: { unknownMillis: 1 }
}

const unknown = { ...order, simulate: { charge: "no_answer", lookup: "executed" } } as const

it("the provider's record settles an unknown result by the background jobs", async () => {
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

it("a call that checks what is due settles a payment without a background", async () => {
  const { pointsman } = await open({ ...soon, background: false })
  const { payment } = await pointsman.create(unknown)
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.strictEqual((await pointsman.payment(payment.id)).status, "UNKNOWN")
  assert.strictEqual(await pointsman.checkDue(), 1)
  assert.strictEqual((await pointsman.payment(payment.id)).status, "CAPTURED")
})

it("a webhook can be verified by its receiver, and the delivery says so", async () => {
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

it("the background continues all the same when its log fails", async () => {
  const told: Array<string> = []
  const { pointsman } = await open({
    ...soon,
    storage: failingTwice(),
    log: ({ message }) => {
      told.push(message)
      if (told.length > 1) return Promise.reject(new Error("the log is far away"))
      throw new Error("the log is broken")
    }
  })
  const { payment } = await pointsman.create(unknown)
  let status = payment.status
  while (status === "UNKNOWN") {
    await new Promise((resolve) => setTimeout(resolve, 50))
    status = (await pointsman.payment(payment.id)).status
  }
  assert.strictEqual(status, "CAPTURED")
  assert.isAtLeast(told.length, 2)
})

/** A store that fails the first two looks for what is due. */
const failingTwice = (): StorageHandle => {
  let failures = 0
  return memoryWith((ledger) => ({
    takeDue: (query) =>
      Effect.suspend(() => {
        if (failures === 2) return ledger.takeDue(query)
        failures += 1
        return Effect.fail(new StorageError({ operation: "takeDue", cause: new Error("the disk is away") }))
      })
  }))
}
