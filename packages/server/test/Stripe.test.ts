/**
 * Payments at Stripe, from the API to Stripe's signed webhooks: whatever order the webhooks come in, and twice, the payment
 * ends where Stripe's own books say. Stripe is played at a socket, by its documentation.
 */
import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it, onTestFinished } from "vitest"
import { liveKey } from "./support/Configurations.ts"
import { startInProcess } from "./support/ServerInProcess.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { makeTurnedClock } from "./support/TurnedClock.ts"

const path = "/api/v1/payments"
const secretKey = "sk_live_made_up_0123456789"
const secret = "whsec_made_up_0123456789"
const begun = Date.UTC(2026, 10, 21, 12)

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
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const url = new URL(request.url ?? "", "http://stripe.example")
      const target = `${request.method} ${url.pathname.slice("/v1/".length)}`
      const form = new URLSearchParams(Buffer.concat(chunks).toString("utf8"))
      asked.push({ target, form })
      const answer = (status: number, body: object) =>
        response
          .writeHead(status, { "content-type": "application/json", date: new Date(begun).toUTCString() })
          .end(JSON.stringify(body))
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
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, make, payments, refunds, sessions }
}

let events = 0

const start = async () => {
  const stripe = await startStripe()
  const turned = makeTurnedClock(begun)
  const server = await startInProcess({
    folder: temporaryFolder(),
    turned,
    environment: { POINTSMAN_RATE_LIMIT: "off" },
    configuration: {
      workspaces: [
        {
          id: "acme",
          name: "Acme",
          country: "NL",
          keys: [{ environment: "production", secret: liveKey }],
          connections: [
            {
              id: "stripe",
              environment: "production",
              connector: "stripe",
              credentials: { secretKey, baseUrl: stripe.url },
              webhookSecret: secret,
              timeout: "5 seconds"
            }
          ]
        }
      ]
    }
  })
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
  const send = async (type: string, object: object, signedWith = secret) => {
    const text = JSON.stringify({
      ...{ id: `evt_${++events}`, object: "event", created: begun / 1000, livemode: true, type },
      data: { object }
    })
    const time = begun / 1000
    const tag = createHmac("sha256", signedWith).update(`${time}.${text}`).digest("hex")
    const headers = { "content-type": "application/json", "stripe-signature": `t=${time},v1=${tag}` }
    return (await fetch(webhooks, { method: "POST", headers, body: text })).status
  }
  return {
    ...{ stripe, server, request, create, send },
    statusOf: async (id: string): Promise<string> => (await request("GET", `${path}/${id}`)).body.data.status,
    hearAll: async (told: ReadonlyArray<readonly [string, object]>) => {
      for (const [type, object] of [...told, ...told]) assert.strictEqual(await send(type, object), 200)
    }
  }
}

const ordersOf = <A>(list: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  list.length === 0
    ? [[]]
    : list.flatMap((one, at) => ordersOf(list.toSpliced(at, 1)).map((others) => [one, ...others]))

describe("payments at Stripe", () => {
  it("given webhooks in every order, and twice, then each payment ends where Stripe's books say", async () => {
    const { create, hearAll, request, statusOf, stripe } = await start()

    // Held, and captured or cancelled later.
    for (const operation of ["capture", "void"] as const) {
      for (const late of [true, false]) {
        const { id, made, status } = await create({ capture_method: "manual" })
        assert.strictEqual(status, "AUTHORIZED")
        assert.strictEqual((await request("POST", `${path}/${id}/${operation}`)).status, 200)
        const type = operation === "capture" ? "payment_intent.succeeded" : "payment_intent.canceled"
        const told: ReadonlyArray<readonly [string, object]> = [
          [type, stripe.payments.get(made.id) ?? {}],
          ["payment_intent.amount_capturable_updated", made]
        ]
        await hearAll(late ? told : told.toReversed())
        assert.strictEqual(await statusOf(id), operation === "capture" ? "CAPTURED" : "CANCELLED")
      }
    }

    // Refunded, once: accepted, and done by the webhook.
    for (const order of ordersOf(["payment_intent.succeeded", "refund.created", "refund.updated"])) {
      const { id, made, status } = await create()
      assert.strictEqual(status, "CAPTURED")
      await request("POST", `${path}/${id}/refunds`)
      const refund = [...stripe.refunds.values()].find(({ payment_intent }) => payment_intent === made.id)
      const objects: Record<string, object> = {
        "payment_intent.succeeded": made,
        "refund.created": refund ?? {},
        "refund.updated": { ...refund, status: "succeeded" }
      }
      await hearAll(order.map((type) => [type, objects[type] ?? {}]))
      assert.strictEqual(await statusOf(id), "REFUNDED", order.join(", "))
    }

    // A dispute names the payment by Stripe's reference alone.
    for (const [verdict, expected] of [
      ["won", "CAPTURED"],
      ["lost", "CHARGEBACK"]
    ] as const) {
      for (const order of ordersOf(["charge.dispute.created", "charge.dispute.funds_withdrawn", verdict])) {
        const { id, made } = await create()
        const dispute = { id: `du_${id}`, object: "dispute", payment_intent: made.id, status: "needs_response" }
        await hearAll(
          order.map((type) =>
            type === verdict ? ["charge.dispute.closed", { ...dispute, status: verdict }] : [type, dispute]
          )
        )
        assert.strictEqual(await statusOf(id), expected, order.join(", "))
      }
    }
  })

  it("given a charge that Stripe never answered, then it is UNKNOWN until Stripe's webhook tells", async () => {
    const { create, hearAll, statusOf } = await start()
    const { id, made } = await create({ amount: 4040 })
    assert.strictEqual(await statusOf(id), "UNKNOWN")
    await hearAll([["payment_intent.succeeded", made]])
    assert.strictEqual(await statusOf(id), "CAPTURED")
  })

  it("given a charge that Stripe neither answered nor reports, then it is found in the list by our id", async () => {
    const { create, server, statusOf, stripe } = await start()
    const { id } = await create({ amount: 4040 })
    stripe.make(4040, false, { attempt_id: "att_of_another_shop" })
    await server.live([begun + 60_000, begun + 300_000])
    assert.strictEqual(await statusOf(id), "CAPTURED")
    assert.isTrue(stripe.asked.some(({ target }) => target === "GET payment_intents"))
  })

  it("given Stripe's page, when cards are refused there and one is not, in any order, then it is CAPTURED", async () => {
    const { create, hearAll, statusOf, stripe } = await start()
    const openPage = async () => {
      const { id, pageUrl } = await create({ instruments: undefined, return_url: "https://shop.example/thanks" })
      const opened = await fetch(pageUrl, {
        method: "POST",
        redirect: "manual",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: "action=continue"
      })
      assert.match(opened.headers.get("location") ?? "", /^https:\/\/checkout\.stripe\.com\/c\/pay\/cs_\d+$/)
      const session = [...stripe.sessions.values()].at(-1) ?? { id: "" }
      const metadata = { ...Object(session["metadata"]), checkout: "true" }
      return { id, session, metadata }
    }
    const refused = {
      ...{ status: "requires_payment_method", amount_received: 0 },
      last_payment_error: { type: "card_error", code: "card_declined", decline_code: "do_not_honor" }
    }
    for (const order of ordersOf(["refused", "paid", "completed"])) {
      const { id, metadata, session } = await openPage()
      const made = stripe.make(1999, false, metadata)
      const paid = { ...session, status: "complete", payment_status: "paid", payment_intent: made.id }
      const told: Record<string, readonly [string, object]> = {
        refused: ["payment_intent.payment_failed", { ...made, ...refused }],
        paid: ["payment_intent.succeeded", made],
        completed: ["checkout.session.completed", paid]
      }
      await hearAll(order.map((one) => told[one] ?? ["", {}]))
      assert.strictEqual(await statusOf(id), "CAPTURED", order.join(", "))
    }
    const { id, metadata, session } = await openPage()
    await hearAll([["payment_intent.payment_failed", { ...stripe.make(1999, false, metadata), ...refused }]])
    assert.strictEqual(await statusOf(id), "REQUIRES_ACTION")
    await hearAll([["checkout.session.expired", { ...session, status: "expired" }]])
    assert.strictEqual(await statusOf(id), "CANCELLED")
  })

  it("given a customer who comes back from Stripe's page, then Stripe is asked for what was paid on it", async () => {
    const { create, statusOf, stripe } = await start()
    const { id, pageUrl } = await create({ instruments: undefined, return_url: "https://shop.example/thanks" })
    const headers = { "content-type": "application/x-www-form-urlencoded" }
    await fetch(pageUrl, { method: "POST", redirect: "manual", headers, body: "action=continue" })
    const returnUrl = stripe.asked.at(-1)?.form.get("success_url") ?? ""
    const session = [...stripe.sessions.values()].at(-1) ?? { id: "" }
    await fetch(returnUrl, { redirect: "manual" })
    assert.strictEqual(await statusOf(id), "REQUIRES_ACTION")
    const made = stripe.make(1999, false, { ...Object(session["metadata"]), checkout: "true" })
    stripe.sessions.set(session.id, { ...session, status: "complete", payment_intent: made })
    const returned = await fetch(returnUrl, { redirect: "manual" })
    assert.strictEqual(await statusOf(id), "CAPTURED")
    assert.match(returned.headers.get("location") ?? "", /^https:\/\/shop\.example\/thanks\?/)
  })

  it("given a webhook that another secret signed, then 401, and nothing moves", async () => {
    const { create, send, statusOf } = await start()
    const { id, made } = await create({ capture_method: "manual" })
    const captured = { ...made, status: "succeeded", amount_received: 1999 }
    assert.strictEqual(await send("payment_intent.succeeded", captured, "whsec_another"), 401)
    assert.strictEqual(await statusOf(id), "AUTHORIZED")
  })
})
