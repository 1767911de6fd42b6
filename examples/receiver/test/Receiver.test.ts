import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Event } from "@pointsman/node"
import { assert, describe, it, onTestFinished } from "vitest"
import { shopFolder } from "../../express/test/support/ShopProcess.ts"
import { openOrders } from "../src/Orders.ts"
import { receiver } from "../src/Receiver.ts"
import { startReceiver } from "./support/ReceiverProcess.ts"

const secret = "whsec_of_the_example"
const common = (number: number) => ({
  id: `evt_01a1fe08-9226-7266-a33a-e3e7f160900${number}`,
  created: "2026-11-22T09:00:00.000Z"
})
const payment = {
  payment_id: "pay",
  reference: null,
  payment_status: "CAPTURED",
  environment: "sandbox",
  amount: 1999,
  currency: "EUR"
} as const
const captured: Event = { ...common(1), type: "payment.captured", data: payment }
const refunded: Event = {
  ...common(2),
  type: "payment.refunded",
  data: {
    ...payment,
    payment_status: "REFUNDED",
    refund_id: "rf_1",
    origin: "api",
    refund_amount: 1999,
    refunded_total: 1999,
    refund_pending_amount: 0
  }
}

const send = async (url: string, what: unknown, key = secret): Promise<number> => {
  const body = JSON.stringify(what)
  const time = Math.floor(Date.now() / 1000)
  const tag = createHmac("sha256", key).update(`${time}.${body}`).digest("hex")
  const headers = { "content-type": "application/json", "x-service-signature": `t=${time},v1=${tag}` }
  return (await fetch(url, { method: "POST", headers, body })).status
}

const listening = async (file: string) => {
  const orders = openOrders(file)
  const server = createServer(receiver(orders, [secret, "the secret before"]))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    orders.close()
  })
  return { orders, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks` }
}

describe("what is received", () => {
  it("a delivery sent twice is acted on once and accepted twice", async () => {
    const { orders, url } = await listening(join(shopFolder(), "orders.db"))
    assert.deepStrictEqual([await send(url, captured), await send(url, captured, "the secret before")], [204, 204])
    assert.deepStrictEqual(orders.tasks(), ["ship pay"])
  })

  it("each of two events out of order is processed and the later one wins", async () => {
    const { orders, url } = await listening(join(shopFolder(), "orders.db"))
    for (const one of [refunded, captured, refunded]) assert.strictEqual(await send(url, one), 204)
    assert.deepStrictEqual(orders.tasks(), ["thank for trying pay", "ship pay"])
    assert.strictEqual(orders.statusOf("pay"), "payment.refunded")
  })

  it("a delivery received many times at once is acted on once", async () => {
    const { orders, url } = await listening(join(shopFolder(), "orders.db"))
    const statuses = await Promise.all(Array.from({ length: 10 }, () => send(url, captured)))
    assert.deepStrictEqual([...new Set(statuses)], [204])
    assert.deepStrictEqual(orders.tasks(), ["ship pay"])
  })

  it("a wrong signature is refused and nothing is done", async () => {
    const { orders, url } = await listening(join(shopFolder(), "orders.db"))
    assert.strictEqual(await send(url, captured, "another"), 400)
    assert.deepStrictEqual(orders.tasks(), [])
  })

  it("all of a step that fails halfway is done once when the event comes again", async () => {
    const { orders, url } = await listening(join(shopFolder(), "orders.db"))
    // The table takes no order without a status: the event is noted as seen, and what follows from it breaks.
    assert.throws(() => orders.receive({ ...captured, type: null as never }), /NOT NULL/u)
    assert.deepStrictEqual(orders.tasks(), [])
    assert.strictEqual(await send(url, captured), 204)
    assert.deepStrictEqual(orders.tasks(), ["ship pay"])
  })
})

it("what the program acted on stays done after a kill and a start", async () => {
  const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const file = join(shopFolder(), "orders.db")
  const first = await startReceiver(main, file, secret)
  assert.strictEqual(await send(first.url, captured), 204)
  await first.kill()
  const second = await startReceiver(main, file, secret)
  assert.strictEqual(await send(second.url, captured), 204)
  assert.strictEqual(await send(second.url, refunded), 204)
  await second.kill()
  const orders = openOrders(file)
  assert.deepStrictEqual(orders.tasks(), ["ship pay", "thank for trying pay"])
  orders.close()
})
