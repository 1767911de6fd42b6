// A backend in ECMAScript modules, without Effect: it takes a payment, sends it again, and closes. Bundlers make
// ECMAScript modules and CommonJS of it, so it awaits inside of a function.
import { deepStrictEqual, strictEqual } from "node:assert"
import { randomBytes } from "node:crypto"
import { createPointsman } from "@pointsman/node"
import { adyen } from "@pointsman/node/adyen"
import { http } from "@pointsman/node/http"
import { postgres } from "@pointsman/node/postgres"
import { sandbox } from "@pointsman/node/sandbox"
import { sqlite } from "@pointsman/node/sqlite"
import { stripe } from "@pointsman/node/stripe"

const pay = async () => {
  strictEqual(postgres("postgres://user@localhost/shop").name, "PostgreSQL localhost/shop")
  const pointsman = await createPointsman({
    storage: sqlite("payments.db"),
    connectors: [sandbox(), stripe, adyen, http],
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
  await pointsman.operators.add({ login: "jo", role: "support" })
  const { url } = await pointsman.operators.createLink("jo", { consoleUrl: "http://shop.example/desk" })
  const desk = await pointsman.console({ mount: "/desk" })
  strictEqual((await desk.handler(new Request(url))).status, 200)
  await pointsman.close()
  console.log("taken")
}
pay()
