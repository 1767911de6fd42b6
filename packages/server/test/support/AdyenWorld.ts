/**
 * Adyen at a socket, by its documentation: its books, its answers and its signed webhooks; and a server in the test's own
 * process with one connection to it.
 */
import { createHmac } from "node:crypto"
import { join } from "node:path"
import { assert } from "vitest"
import { hmacKey, merchantAccount } from "../../../connectors/adyen/test/Adyen.ts"
import { runHere } from "./CommandInProcess.ts"
import { documentOf } from "./CommandProcess.ts"
import { liveKey, workspaceWith } from "./Configurations.ts"
import { sendJson, serveHttp } from "./HttpHere.ts"
import { startInProcess } from "./ServerInProcess.ts"
import { temporaryFolder } from "./ServerProcess.ts"
import { makeTurnedClock } from "./TurnedClock.ts"

export const path = "/api/v1/payments"
const apiKey = "AQE_made_up_0123456789"

interface AdyenCall {
  readonly path: string
  readonly key: string
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields that it reads.
  readonly body: any
}

/** Adyen's books: what it was asked, and an answer for each. */
const startAdyen = async () => {
  const asked: Array<AdyenCall> = []
  /** Its names of payments and of what is done to them. */
  const drawn: Array<string> = []
  const draw = () => {
    const name = `PSP${String(drawn.length + 1).padStart(13, "0")}`
    drawn.push(name)
    return name
  }
  const charges = new Map<string, { readonly pspReference: string }>()
  const { url } = await serveHttp((request, response, text) => {
    const call: AdyenCall = {
      path: request.url ?? "",
      key: String(request.headers["idempotency-key"]),
      body: text.length === 0 ? {} : JSON.parse(String(text))
    }
    asked.push(call)
    const answer = (status: number, body: object) => sendJson(response, status, body)
    const [, , , ref, operation] = call.path.split("/")
    if (request.headers["x-api-key"] !== apiKey) return answer(401, {})
    if (operation !== undefined) {
      const done = { paymentPspReference: ref, pspReference: draw(), status: "received" }
      return answer(201, { ...done, reference: call.body.reference, merchantAccount })
    }
    // A repeated key is answered with the first answer.
    const authorised = { resultCode: "Authorised", merchantReference: call.body.reference }
    const charge = charges.get(call.key) ?? { pspReference: draw(), ...authorised }
    charges.set(call.key, charge)
    return answer(200, charge)
  })
  return { url, asked, charges, drawn }
}

export const adyenConnection = ({ url }: { readonly url: string }) => ({
  id: "adyen",
  environment: "production",
  connector: "adyen",
  credentials: { apiKey, merchantAccount, baseUrl: url },
  webhookSecret: hmacKey,
  timeout: "5 seconds"
})

export interface AdyenEvent {
  readonly eventCode: string
  readonly pspReference: string
  readonly merchantReference: string
  readonly originalReference?: string
  readonly success?: string
  /** Seconds after the first; Adyen counts no finer. */
  readonly at?: number
  /** In cents; 19.99 EUR unless set. */
  readonly value?: number
  readonly reason?: string
  /** What a cancel or refund was. */
  readonly action?: "cancel" | "refund"
}

export const begun = Date.UTC(2026, 10, 21, 12)

/** As Adyen sends it, signed by the words of its documentation. */
export const webhook = (event: AdyenEvent, key = hmacKey) => {
  const { action, at = 0, originalReference = "", reason = "", success = "true", value = 1999, ...of } = event
  const amount = { value, currency: "EUR" }
  const text = [
    ...[of.pspReference, originalReference, merchantAccount, of.merchantReference, amount.value, amount.currency],
    ...[of.eventCode, success]
  ].join(":")
  const hmacSignature = createHmac("sha256", Buffer.from(key, "hex")).update(text).digest("base64")
  const item = {
    ...{ ...of, originalReference, success, amount, merchantAccountCode: merchantAccount },
    ...{ eventDate: new Date(begun + at * 1000).toISOString(), reason },
    additionalData: { hmacSignature, ...(action === undefined ? {} : { "modification.action": action }) }
  }
  return { live: "true", notificationItems: [{ NotificationRequestItem: item }] }
}

export const startAdyenWorld = async () => {
  const adyen = await startAdyen()
  const folder = temporaryFolder()
  const server = await startInProcess({
    folder,
    turned: makeTurnedClock(begun),
    environment: { POINTSMAN_RATE_LIMIT: "off" },
    configuration: { workspaces: [{ ...workspaceWith([]), connections: [adyenConnection(adyen)], routing: {} }] }
  })
  let keys = 0
  /** What Adyen was asked for last: by our reference, and of which of its payments. */
  const lastAsked = () => {
    const { body, path: at } = adyen.asked.at(-1) ?? { body: {}, path: "" }
    return { merchantReference: String(body.reference), originalReference: at.split("/")[3] ?? "" }
  }
  const request = (method: string, at: string, body?: object) =>
    server.request(method, at, { key: liveKey, idempotencyKey: `request-of-the-test-${++keys}`, body })
  const create = async (change: object = {}) => {
    const instruments = [{ connection: "adyen", token: "shopper-1/M5N7TQ4TG5PFWR50" }]
    const body = { amount: 1999, currency: "EUR", country: "NL", instruments, ...change }
    const { body: created } = await request("POST", path, body)
    // An unknown result is an error response, which names the payment.
    const { next_action, payment_id, status } = created.data ?? created.error
    return { id: String(payment_id), status, reference: lastAsked().merchantReference, nextAction: next_action }
  }
  return {
    adyen,
    create,
    folder,
    lastAsked,
    request,
    read: async (id: string) => (await request("GET", `${path}/${id}`)).body.data,
    eventsOf: async (id: string, type: string): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
      const { data } = (await request("GET", `${path}/${id}/events`)).body
      return data
        .filter((event: { readonly type: string }) => event.type === type)
        .map(({ data: of }: { readonly data: object }) => of)
    },
    statusOf: async (id: string): Promise<string> => (await request("GET", `${path}/${id}`)).body.data.status,
    hear: async (event: AdyenEvent) => {
      const answer = await server.request("POST", "/api/v1/psp-webhooks/adyen", { key: null, body: webhook(event) })
      assert.strictEqual(answer.status, 200)
    }
  }
}

type Seen = Pick<Awaited<ReturnType<typeof startAdyenWorld>>, "folder" | "request">

const run = async ({ folder }: Seen, ...words: ReadonlyArray<string>) => {
  const environment = { POINTSMAN_DATABASE_URL: `sqlite:${join(folder, "pointsman.db")}` }
  return documentOf(await runHere(folder, [...words, "--json"], environment)).data
}

/**
 * The status, the amounts in cents (captured, refunded, being refunded), why it is reviewed, how often its timeline has an
 * event that reports a contradiction, and what the timeline ends with.
 */
export const paymentSeen = async (seen: Seen, id: string) => {
  const at = `${path}/${id}`
  const { data: payment } = (await seen.request("GET", at)).body
  const { data: events } = (await seen.request("GET", `${at}/events`)).body
  const reviews = await run(seen, "unknown", "list")
  const review = reviews.find((one: { readonly payment_id: string }) => one.payment_id === id)?.review
  const types: ReadonlyArray<string> = events.map(({ type }: { readonly type: string }) => type)
  return {
    status: payment.status,
    amounts: [payment.captured_amount, payment.refunded_amount, payment.refund_pending_amount],
    review: review?.reasons ?? null,
    conflicts: types.filter((type) => type === "payment.conflict").length,
    last: types.at(-1)
  }
}

/** The outcomes of the provider's messages about a payment, oldest first; of all without one. */
export const outcomesSeen = async (seen: Seen, id?: string): Promise<ReadonlyArray<string>> => {
  const found = await run(seen, "messages", "list", ...(id === undefined ? [] : ["--payment", id]))
  return found.toReversed().map(({ outcome }: { readonly outcome: string }) => outcome)
}
