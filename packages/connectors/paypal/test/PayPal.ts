/** PayPal's objects as its pages and its description show them, and the way in which it signs. */
import { createSign } from "node:crypto"
import { readFileSync } from "node:fs"
import { definitionTrusting } from "@pointsman/connector-paypal"
import { answering, type SignedMessage } from "@pointsman/contracts/connector"
import type { Transport, TransportRequest } from "@pointsman/core/connector"
import { Effect } from "effect"

export const clientId = "AZDxjDScFpQtjWTOUtWKbyN_bDt4OgqaF4eYXlewfBP4-8aqX3PiV8e1GWU6liB2CUXlkA59kJXE7M6R"
export const clientSecret = "EGnHDxD_qRPdaLdZz8iCr8N7_MzF-YHPTkjs6NKYQvQSBngp4PTTVWkPZRbL"
export const accessToken =
  "A21AAFEpH4PsADK7qSS7pSRsgzfENtu-Q1ysgEDVDESseMHBYXVJYE8ovjj68elIDy8nF26AwPhfXTIeWAZHSLIsQkSYz9ifg"
export const baseUrl = "https://paypal.example"
export const credentials = { clientId, clientSecret, baseUrl: `${baseUrl}/` }
export const vaultId = "8kk8451t"
export const orderId = "5O190127TN364715T"
export const authorizationId = "0VF52814937998046"
export const captureId = "2GG279541U471931P"
export const refundReference = "1JU08902781691411"
export const webhookId = "1JE4291016473214C"

export type Fields = Readonly<Record<string, unknown>>

export const answer = answering()

export const amount = (value = "12.34", currency_code = "EUR") => ({ currency_code, value })

/** https://developer.paypal.com/api/rest/authentication/ */
export const token = (fields: Fields = {}) => ({
  scope:
    "https://uri.paypal.com/services/payments/realtimepayment https://uri.paypal.com/services/payments/refund openid",
  access_token: accessToken,
  token_type: "Bearer",
  app_id: "APP-80W284485P519543T",
  expires_in: 31_668,
  nonce: "2020-04-03T15:35:36ZaYZlGvEkV4yVSz8g6bAKFoGSEzuy3CQcz3ljhibkOHg",
  ...fields
})

const links = (path: string) => [{ href: `https://api-m.paypal.com${path}`, rel: "self", method: "GET" }]

/** https://developer.paypal.com/docs/api/payments/v2/#captures_get */
export const capture = (fields: Fields = {}) => ({
  id: captureId,
  status: "COMPLETED",
  amount: amount(),
  create_time: "2026-11-21T12:00:00Z",
  links: links(`/v2/payments/captures/${captureId}`),
  ...fields
})

/** https://developer.paypal.com/docs/api/payments/v2/#authorizations_get */
export const authorization = (fields: Fields = {}) => ({
  id: authorizationId,
  status: "CREATED",
  amount: amount(),
  create_time: "2026-11-21T12:00:00Z",
  links: links(`/v2/payments/authorizations/${authorizationId}`),
  ...fields
})

/** https://developer.paypal.com/docs/api/payments/v2/#refunds_get */
export const refund = (fields: Fields = {}) => ({
  id: refundReference,
  status: "COMPLETED",
  amount: amount(),
  note_to_payer: "broken",
  create_time: "2026-11-21T12:00:00Z",
  links: links(`/v2/payments/refunds/${refundReference}`),
  ...fields
})

/** https://developer.paypal.com/docs/api/orders/v2/#orders_get */
export const order = (customId: string, payments: Fields | undefined, fields: Fields = {}) => ({
  id: orderId,
  intent: "CAPTURE",
  status: "COMPLETED",
  payment_source: { paypal: { email_address: "customer@example.com", account_id: "QYR5Z8XDVJNXQ" } },
  purchase_units: [
    {
      reference_id: "default",
      amount: amount(),
      payee: { email_address: "merchant@example.com", merchant_id: "X5XAHHCG636FA" },
      custom_id: customId,
      invoice_id: customId,
      ...(payments === undefined ? {} : { payments })
    }
  ],
  payer: { name: { given_name: "Firstname" }, email_address: "customer@example.com", payer_id: "QYR5Z8XDVJNXQ" },
  create_time: "2026-11-21T12:00:00Z",
  links: links(`/v2/checkout/orders/${orderId}`),
  ...fields
})

export const approvalUrl = `https://www.paypal.com/checkoutnow?token=${orderId}`

/** An order that its customer has to approve (https://developer.paypal.com/api/orders/v2/definitions/order_status). */
export const openedOrder = (customId: string, fields: Fields = {}) =>
  order(customId, undefined, {
    status: "PAYER_ACTION_REQUIRED",
    links: [...links(`/v2/checkout/orders/${orderId}`), { href: approvalUrl, rel: "payer-action", method: "GET" }],
    ...fields
  })

/** `error_400` and so on: the name that PayPal's description gives for a status. */
const names: Readonly<Record<number, string>> = {
  400: "INVALID_REQUEST",
  401: "AUTHENTICATION_FAILURE",
  403: "NOT_AUTHORIZED",
  404: "RESOURCE_NOT_FOUND",
  409: "RESOURCE_CONFLICT",
  422: "UNPROCESSABLE_ENTITY",
  429: "RATE_LIMIT_REACHED",
  500: "INTERNAL_SERVER_ERROR",
  503: "SERVICE_UNAVAILABLE"
}

export const failure = (status: number, issue?: string, description = "See the issue.", fields: Fields = {}) =>
  answer(status, {
    name: names[status],
    message: "The requested action could not be performed.",
    debug_id: "b1d1f06c7246c",
    ...(issue === undefined ? {} : { details: [{ issue, description }] }),
    links: [],
    ...fields
  })

/** What PayPal answers to a token that has ended. */
export const tokenRefused = answer(401, {
  error: "invalid_token",
  error_description: "The token passed in was not found in the system"
})

// Messages.

/** https://developer.paypal.com/api/rest/webhooks/rest/ */
export const event = (event_type: string, resource: Fields, fields: Fields = {}) => ({
  id: "WH-58D329510W468432D-8HN650336L201105X",
  event_version: "1.0",
  create_time: "2026-11-21T12:00:00.000Z",
  resource_type: "capture",
  resource_version: "2.0",
  event_type,
  summary: "Payment completed for EUR 12.34 EUR",
  resource,
  links: [],
  ...fields
})

export const related = { supplementary_data: { related_ids: { order_id: orderId } } }

/** `dispute` of PayPal's description, as `CUSTOMER.DISPUTE.CREATED` has it. */
export const dispute = (custom: string | undefined, fields: Fields = {}) => ({
  dispute_id: "PP-000-042-663-135",
  create_time: "2026-11-21T11:59:59.000Z",
  update_time: "2026-11-21T11:59:59.000Z",
  disputed_transactions: [
    {
      seller_transaction_id: captureId,
      ...(custom === undefined ? {} : { custom }),
      seller: { merchant_id: "X5XAHHCG636FA", name: "Test Store" },
      buyer: { name: "Firstname Lastname" },
      items: [],
      seller_protection_eligible: true
    }
  ],
  reason: "MERCHANDISE_OR_SERVICE_NOT_RECEIVED",
  dispute_channel: "INTERNAL",
  dispute_amount: amount(),
  dispute_life_cycle_stage: "INQUIRY",
  status: "OPEN",
  messages: [{ posted_by: "BUYER", time_posted: "2026-11-21T11:59:59.000Z", content: "Where is it?" }],
  ...fields
})

export const pem = (name: string): string => readFileSync(new URL(`certificates/${name}`, import.meta.url), "utf8")

/** Certificates for these tests alone: a root, one below it, and PayPal's in different states. All of these have one key. */
export const chains = {
  good: `${pem("leaf.pem")}${pem("inter.pem")}`,
  withoutIntermediate: pem("leaf.pem"),
  ofAnotherName: `${pem("evil.pem")}${pem("inter.pem")}`,
  expired: `${pem("expired.pem")}${pem("inter.pem")}`,
  ofAnotherRoot: pem("foreign.pem"),
  byNoAuthority: `${pem("byleaf.pem")}${pem("leaf.pem")}${pem("inter.pem")}`
} as const

const key = pem("leaf.key")

/** The connector, with the tests' root instead of Node's. */
export const definition = definitionTrusting(() => [pem("root.pem")])

export const certificateUrl = "https://api.sandbox.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77"

/** In production. */
export const liveCertificateUrl = certificateUrl.replace(".sandbox.", ".")

/** CRC-32 bit by bit (ISO 3309), by other means than the connector's. */
export const crc = (bytes: Uint8Array): number => {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0)
  }
  return (sum ^ 0xffffffff) >>> 0
}

export const signed = (text: string, webhook: string, at: number, url = certificateUrl): SignedMessage => {
  const body = new TextEncoder().encode(text)
  const id = "69cd13f0-d67a-11e5-baa3-778b53f4ae55"
  const time = new Date(at).toISOString()
  const signer = createSign("RSA-SHA256").update(`${id}|${time}|${webhook}|${crc(body)}`)
  return {
    headers: {
      "paypal-auth-algo": "SHA256withRSA",
      "paypal-cert-url": url,
      "paypal-transmission-id": id,
      "paypal-transmission-sig": signer.sign(key, "base64"),
      "paypal-transmission-time": time
    },
    body
  }
}

// What is asked besides the operation.

export const isTokenRequest = ({ url }: TransportRequest): boolean => url.endsWith("/v1/oauth2/token")

/** A transport whose requests for tokens and certificates are answered here: they move no money. */
export const withoutTokens = (transport: Transport["Service"]): Transport["Service"] => ({
  send: (request) => {
    if (isTokenRequest(request)) return Effect.succeed(answer(200, token()))
    if (request.url.includes("/v1/notifications/certs/")) {
      return Effect.succeed(request.url === certificateUrl ? answer(200, chains.good) : answer(404, ""))
    }
    return transport.send(request)
  }
})

/** The same, where the order that an operation reads first is answered here too. */
export const withoutOrders = (transport: Transport["Service"]): Transport["Service"] =>
  withoutTokens({
    send: (request) => {
      const [, id] = /\/v2\/checkout\/orders\/([^/]+)$/u.exec(request.url) ?? []
      if (request.method !== "GET" || id === undefined) return transport.send(request)
      const payments = { authorizations: [authorization({ status: "CAPTURED" })], captures: [capture()] }
      return Effect.succeed(answer(200, order("att_1", payments, { id: decodeURIComponent(id) })))
    }
  })
