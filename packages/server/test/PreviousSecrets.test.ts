/** While a provider's webhook secret is rotated: messages signed with either secret, by each connector's scheme, at a socket. */
import { createHmac } from "node:crypto"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import {
  clientId,
  clientSecret,
  liveCertificateUrl,
  signed as signedByPayPal
} from "../../connectors/paypal/test/PayPal.ts"
import { connector as payPal } from "./support/journeys/PayPalConnector.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

interface Scheme {
  readonly connector?: string
  readonly credentials: object
  /** New, previous, and nobody's. */
  readonly secrets: readonly [string, string, string]
  readonly sign: (secret: string) => { readonly headers: object; readonly body: string }
}

const baseUrl = "http://127.0.0.1:9"
const whsec = ["whsec_new_0123456789", "whsec_previous_0123456789", "whsec_of_nobody_0123456789"] as const
// Signed, and about nothing that is here: it is stored.
const body = JSON.stringify({ id: "evt_1" })

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text)

const timed = (header: string) => (secret: string) => {
  const seconds = Math.floor(Date.now() / 1000)
  return { headers: { [header]: `t=${seconds},v1=${hmac(secret, `${seconds}.${body}`).digest("hex")}` }, body }
}

const adyenItem = (secret: string) => {
  const named = { pspReference: "PSP1", merchantAccountCode: "ShopNL", merchantReference: "order", success: "true" }
  const text = `PSP1::ShopNL:order:1999:EUR:AUTHORISATION:true`
  const hmacSignature = hmac(Buffer.from(secret, "hex"), text).digest("base64")
  const of = { ...named, eventCode: "AUTHORISATION", eventDate: new Date().toISOString() }
  const item = { ...of, amount: { value: 1999, currency: "EUR" }, additionalData: { hmacSignature } }
  return { headers: {}, body: JSON.stringify({ live: "true", notificationItems: [{ NotificationRequestItem: item }] }) }
}

const schemes: Readonly<Record<string, Scheme>> = {
  http: { credentials: { baseUrl, apiKey: "pk_made_up" }, secrets: whsec, sign: timed("x-service-signature") },
  stripe: { credentials: { baseUrl, secretKey: "sk_live_made_up" }, secrets: whsec, sign: timed("stripe-signature") },
  adyen: {
    credentials: { baseUrl, apiKey: "AQE_made_up", merchantAccount: "ShopNL", liveUrlPrefix: "1797a841fbb37ca7-Shop" },
    secrets: ["11".repeat(32), "22".repeat(32), "33".repeat(32)],
    sign: adyenItem
  },
  checkout: {
    credentials: { baseUrl, secretKey: "sk_made_up", prefix: "vkuhvk4v" },
    secrets: whsec,
    sign: (secret) => ({ headers: { "cko-signature": hmac(secret, body).digest("hex") }, body })
  },
  mollie: {
    credentials: { baseUrl, apiKey: "live_made_up_0123456789012345678901" },
    secrets: whsec,
    sign: (secret) => ({ headers: { "x-mollie-signature": `sha256=${hmac(secret, body).digest("hex")}` }, body })
  },
  paypal: {
    connector: payPal.name,
    credentials: { baseUrl, clientId, clientSecret },
    secrets: ["1JE4291016473214C", "2JE4291016473214C", "3JE4291016473214C"],
    sign: (webhookId) => ({ ...signedByPayPal(body, webhookId, Date.now(), liveCertificateUrl), body })
  }
}

const configurationOf = (hasPrevious: boolean) => ({
  connectors: [fileURLToPath(new URL("support/journeys/PayPalConnector.ts", import.meta.url))],
  workspaces: [
    {
      ...{ id: "acme", name: "Acme", country: "NL" },
      connections: Object.entries(schemes).map(([id, { connector = id, credentials, secrets }]) => ({
        ...{ id, connector, credentials, environment: "production", webhookSecret: secrets[0] },
        ...(hasPrevious ? { previousWebhookSecret: secrets[1] } : {})
      }))
    }
  ]
})

const statuses = async (server: ServerHere, id: string, { secrets, sign }: Scheme) => {
  const found: Array<number> = []
  for (const secret of secrets) {
    const { body, headers } = sign(secret)
    const init = { method: "POST", headers: { "content-type": "application/json", ...headers }, body }
    found.push((await fetch(`${server.url}/api/v1/psp-webhooks/${id}`, init)).status)
  }
  return found
}

describe("a rotated webhook secret", () => {
  it("a previous secret is refused once removed, beside new and unknown ones", async () => {
    const folder = temporaryFolder()
    const serve = (hasPrevious: boolean) => startServerHere({ folder, configuration: configurationOf(hasPrevious) })
    const rotating = await serve(true)
    for (const [id, scheme] of Object.entries(schemes)) {
      assert.deepStrictEqual(await statuses(rotating, id, scheme), [200, 200, 401], id)
    }
    const printed = await rotating.stop()
    const rotated = await serve(false)
    for (const [id, scheme] of Object.entries(schemes)) {
      assert.deepStrictEqual(await statuses(rotated, id, scheme), [200, 401, 401], id)
    }
    const { stderr, stdout } = await rotated.stop()
    const all = printed.stdout + printed.stderr + stdout + stderr
    for (const { secrets } of Object.values(schemes)) for (const secret of secrets) assert.notInclude(all, secret)
  })
})
