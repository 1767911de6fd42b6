// A backend in ECMAScript modules, without Effect: it takes a payment, sends it again, and closes.
import { deepStrictEqual, strictEqual } from "node:assert"
import { randomBytes } from "node:crypto"
import { sandbox } from "@pointsman/connector-sandbox"
import { createPointsman } from "@pointsman/node"
import { sqlite } from "@pointsman/storage-sqlite"

const pointsman = await createPointsman({
  storage: sqlite("payments.db"),
  connectors: [sandbox()],
  encryptionKey: randomBytes(32).toString("base64"),
  environment: "sandbox",
  log: () => {},
  workspaces: [{ id: "shop", connections: [{ id: "first", environment: "sandbox" }] }]
})
const order = { amount: 1234, currency: "EUR", country: "NL" }
const first = await pointsman.create(order, { idempotencyKey: "order-1001" })
const again = await pointsman.create(order, { idempotencyKey: "order-1001" })
deepStrictEqual([first.payment.status, first.isReplay, again.isReplay], ["CAPTURED", false, true])
strictEqual(again.payment.id, first.payment.id)
await pointsman.close()
console.log("taken")
