/**
 * Stripe at a socket, by its documentation: its books, its answers and its signed webhooks; and a server in the test's own
 * process with one connection to it.
 */
import { createHmac } from "node:crypto"
import { assert } from "vitest"
import { configurationAt, liveKey } from "./Configurations.ts"
import { sendJson, serveHttp } from "./HttpHere.ts"
import { startInProcess } from "./ServerInProcess.ts"
import { temporaryFolder } from "./ServerProcess.ts"
import { makeTurnedClock } from "./TurnedClock.ts"

export const path = "/api/v1/payments"
const secretKey = "sk_live_made_up_0123456789"
const secret = "whsec_made_up_0123456789"
export const begun = Date.UTC(2026, 10, 21, 12)

type Stored = Record<string, unknown> & { readonly id: string }

interface Asked {
  readonly target: string
  readonly form: URLSearchParams
}

/** Stripe's books; a charge of 40.40 is made and never answered. */
const startStripe = async () => {
  const asked: Array<Asked> = []
  const payments = new Map<string, Stored>()
  const refunds = new Map<string, Stored>()
  const sessions = new Map<string, Stored>()
  let drawn = 0
  const metadataOf = (form: URLSearchParams, prefix = "metadata") =>
    Object.fromEntries(
      [...form].flatMap(([name, value]) => {
        const key = name.startsWith(`${prefix}[`) ? name.slice(prefix.length + 1, -1) : undefined
        return key === undefined ? [] : [[key, value]]
      })
    )
  const changed = (payment: Stored, fields: Record<string, unknown>): Stored => {
    const after = { ...payment, ...fields }
    payments.set(payment.id, after)
    return after
  }
  const make = (amount: number, isHeld: boolean, metadata: Record<string, unknown>): Stored => {
    const id = `pi_${++drawn}`
    return changed(
      { id },
      {
        ...{ object: "payment_intent", amount, currency: "eur", created: begun / 1000, livemode: true, metadata },
        ...(isHeld
          ? { status: "requires_capture", amount_capturable: amount, amount_received: 0 }
          : { status: "succeeded", amount_capturable: 0, amount_received: amount })
      }
    )
  }
  const server = await serveHttp((request, response, bytes) => {
    const url = new URL(request.url ?? "", "http://stripe.example")
    const target = `${request.method} ${url.pathname.slice("/v1/".length)}`
    const form = new URLSearchParams(String(bytes))
    asked.push({ target, form })
    const date = new Date(begun).toUTCString()
    const answer = (status: number, body: object) => sendJson(response, status, body, { date })
    if (request.headers.authorization !== `Bearer ${secretKey}`) return answer(401, { error: { type: "x" } })
    const [, resource, ref = "", operation] = /^(?:GET|POST) (checkout\/sessions|\w+)(?:\/(\w+))?(?:\/(\w+))?$/.exec(
      target
    ) ?? [undefined, ""]
    const payment = payments.get(ref)
    if (target === "POST payment_intents") {
      const made = make(Number(form.get("amount")), form.get("capture_method") === "manual", metadataOf(form))
      return made["amount"] === 4040 ? request.socket.destroy() : answer(200, made)
    }
    if (target === "GET payment_intents") {
      const within = ({ created }: Stored) =>
        Number(created) >= Number(url.searchParams.get("created[gte]")) &&
        Number(created) <= Number(url.searchParams.get("created[lte]"))
      return answer(200, {
        object: "list",
        url: "/v1/payment_intents",
        data: [...payments.values()].filter(within),
        has_more: false
      })
    }
    if (payment !== undefined && operation === "capture") {
      const amount_received = Number(form.get("amount_to_capture"))
      return answer(200, changed(payment, { status: "succeeded", amount_capturable: 0, amount_received }))
    }
    if (payment !== undefined && operation === "cancel") return answer(200, changed(payment, { status: "canceled" }))
    if (payment !== undefined) return answer(200, payment)
    const known = refunds.get(ref)
    if (known !== undefined) return answer(200, known)
    if (resource === "refunds") {
      const refund = {
        ...{ id: `re_${++drawn}`, object: "refund", amount: Number(form.get("amount")), currency: "eur" },
        ...{ metadata: metadataOf(form), payment_intent: form.get("payment_intent"), status: "pending" }
      }
      refunds.set(refund.id, refund)
      return answer(200, refund)
    }
    const session = sessions.get(ref)
    if (session !== undefined) return answer(200, session)
    if (target === "POST checkout/sessions") {
      const session = {
        ...{ id: `cs_${++drawn}`, object: "checkout.session", status: "open", payment_intent: null },
        ...{ url: `https://checkout.stripe.com/c/pay/cs_${drawn}`, expires_at: Number(form.get("expires_at")) },
        ...{ metadata: metadataOf(form), amount_total: 1999, currency: "eur", payment_status: "unpaid" }
      }
      sessions.set(session.id, session)
      return answer(200, session)
    }
    return answer(404, { error: { type: "invalid_request_error", code: "resource_missing" } })
  })
  return { url: server.url, asked, make, payments, refunds, sessions }
}

let events = 0

export const startStripeWorld = async () => {
  const stripe = await startStripe()
  const turned = makeTurnedClock(begun)
  const folder = temporaryFolder()
  const connection = {
    ...{ id: "stripe", environment: "production", connector: "stripe", webhookSecret: secret, timeout: "5 seconds" },
    credentials: { secretKey, baseUrl: stripe.url }
  }
  const environment = { POINTSMAN_RATE_LIMIT: "off" }
  const server = await startInProcess({ folder, turned, environment, configuration: configurationAt(connection) })
  let keys = 0
  const request = (method: string, at: string, body?: object) =>
    server.request(method, at, { key: liveKey, idempotencyKey: `request-of-the-test-${++keys}`, body })
  const create = async (change: object = {}) => {
    const instruments = [{ connection: "stripe", token: "cus_1/pm_1" }]
    const before = new Set([...stripe.payments.values()].map((one) => one["id"]))
    const { body } = await request("POST", path, {
      ...{ amount: 1999, currency: "EUR", country: "NL", instruments },
      ...change
    })
    // An unknown result is an error response, which names the payment.
    const { next_action, payment_id, status } = body.data ?? body.error
    const id = String(payment_id)
    const made = [...stripe.payments.values()].find((one) => !before.has(one["id"]))
    return { id, status, pageUrl: next_action?.url as string, made: made ?? { id: "" } }
  }
  const page = await create({ instruments: undefined, return_url: "https://shop.example/thanks" })
  const webhooks = `${new URL(page.pageUrl).origin}/api/v1/psp-webhooks/stripe`
  /** As Stripe sends it, signed by the words of its documentation. */
  const send = async (type: string, object: object) => {
    const text = JSON.stringify({
      ...{ id: `evt_${++events}`, object: "event", created: begun / 1000, livemode: true, type },
      api_version: "2026-10-28.endive",
      data: { object }
    })
    const time = Math.floor(turned.now() / 1000)
    const tag = createHmac("sha256", secret).update(`${time}.${text}`).digest("hex")
    const headers = { "content-type": "application/json", "stripe-signature": `t=${time},v1=${tag}` }
    return (await fetch(webhooks, { method: "POST", headers, body: text })).status
  }
  return {
    ...{ stripe, server, folder, request, create },
    statusOf: async (id: string): Promise<string> => (await request("GET", `${path}/${id}`)).body.data.status,
    hearAll: async (told: ReadonlyArray<readonly [string, object]>) => {
      for (const [type, object] of [...told, ...told]) assert.strictEqual(await send(type, object), 200)
    }
  }
}
