// A backend in ECMAScript modules, without Effect: it takes a payment, sends it again, and closes. Bundlers make
// ECMAScript modules and CommonJS of it, so it awaits inside of a function.
import { deepStrictEqual, strictEqual } from "node:assert"
import { randomBytes } from "node:crypto"
import { createPointsman } from "@pointsman/node"
import { adyen } from "@pointsman/node/adyen"
import { checkout } from "@pointsman/node/checkout"
import { http } from "@pointsman/node/http"
import { postgres } from "@pointsman/node/postgres"
import { sandbox } from "@pointsman/node/sandbox"
import { sqlite } from "@pointsman/node/sqlite"
import { stripe } from "@pointsman/node/stripe"

const pay = async () => {
  const lines = []
  strictEqual(postgres("postgres://user@localhost/shop").name, "PostgreSQL localhost/shop")
  const pointsman = await createPointsman({
    storage: sqlite("payments.db"),
    connectors: [sandbox(), stripe, adyen, checkout, http],
    encryptionKey: randomBytes(32).toString("base64"),
    environment: "sandbox",
    log: ({ message }) => lines.push(message),
    workspaces: [{ id: "shop", connections: [{ id: "first", environment: "sandbox" }] }]
  })
  const order = { amount: 1234, currency: "EUR", country: "NL" }
  const first = await pointsman.create(order, { idempotencyKey: "order-1001" })
  const again = await pointsman.create(order, { idempotencyKey: "order-1001" })
  deepStrictEqual([first.payment.status, first.isReplay, again.isReplay], ["CAPTURED", false, true])
  strictEqual(again.payment.id, first.payment.id)
  // Read by a thread, for which a bundle has no file.
  const found = await pointsman.payments({ amount: 1234, currency: "EUR" })
  deepStrictEqual(
    found.data.map(({ id }) => id),
    [first.payment.id]
  )
  await pointsman.operators.add({ login: "jo", role: "support" })
  const { url } = await pointsman.operators.createLink("jo", { consoleUrl: "http://shop.example/desk" })
  const oidc = { issuer: "http://127.0.0.1:1", clientId: "desk", clientSecret: randomBytes(32).toString("base64") }
  const desk = await pointsman.console({ mount: "/desk", oidc })
  strictEqual((await desk.handler(new Request(url))).status, 200)
  // What loads the libraries of OpenID Connect and of passkeys: an issuer that is down, and a response that is none.
  strictEqual((await desk.handler(new Request("http://shop.example/desk/sign-in/oidc"))).status, 502)
  const origin = "http://shop.example"
  const signedIn = await desk.handler(new Request(url, { method: "POST", headers: { origin } }))
  const cookie = signedIn.headers.get("set-cookie")?.split(";", 1)[0] ?? ""
  const post = (path, body) =>
    desk.handler(
      new Request(`${origin}/desk/api${path}`, {
        method: "POST",
        headers: { origin, cookie, "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    )
  const { data } = await (await post("/passkeys/options", {})).json()
  const response = {
    id: "AA",
    rawId: "AA",
    type: "public-key",
    response: { clientDataJSON: "AA", attestationObject: "AA" }
  }
  const added = await post("/passkeys", { name: "key", challenge: data.challenge, response })
  deepStrictEqual([added.status, (await added.json()).error.code], [409, "passkey_refused"])
  strictEqual(lines.includes("the response of a passkey was refused"), true)
  await pointsman.close()
  console.log("taken")
}
pay()
