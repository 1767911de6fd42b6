/** Requests by subject: what a merchant, a provider, a customer or a stranger sends. */
import { createHmac } from "node:crypto"
import { chargeSimulations } from "@pointsman/core/internal"
import * as fc from "fast-check"
import { body, headerText, nearly, often, scratched, text, urlText } from "./Values.ts"
import {
  adyenSecret,
  httpSecret,
  type Input,
  liveKey,
  merchantAccount,
  names,
  stripeSecret,
  testKey,
  unknownKey
} from "./World.ts"

const payments = "/api/v1/payments"
/** A little more than the API reads of a merchant. */
const largestBody = 17_000
/** Of a provider it reads 1 MB; most messages are shorter, so that there can be many. */
const largestMessage = 40_000
const longMessages = [
  ...["[", '{"a":', "[[],", "1", '"', " ", "\\u0000"].map((unit) => unit.repeat(1_040_000 / unit.length)),
  JSON.stringify(Array.from({ length: 80_000 }, (_, at) => ({ [at.toString(36)]: 1 }))),
  JSON.stringify(Object.fromEntries(Array.from({ length: 80_000 }, (_, at) => [`k${at}`, 1])))
]

export const headersWith = (key: string, more: Readonly<Record<string, string>> = {}) => ({
  authorization: `Bearer ${key}`,
  "content-type": "application/json",
  ...more
})

const idempotencyKey = often(
  fc.nat().map((number) => `fuzz-request-${number}`),
  headerText(300),
  8
)

/** A short text that is accepted where one is wanted, or any other. */
const word = (largest: number) => often(fc.string({ minLength: 1, maxLength: 20 }), text(largest), 6)

export const payment = often(fc.constantFrom(...names), text(100), 8)

const createBody = fc.record(
  {
    amount: fc.integer({ min: 1, max: 100_000 }),
    currency: fc.constantFrom("EUR", "USD", "JPY", "KWD", "ISK"),
    country: fc.constantFrom("NL", "DE", "US"),
    method: fc.constantFrom("card", "bank", "wallet"),
    payment_method: fc.constantFrom("card", "ideal", "apple_pay"),
    card_brand: fc.constantFrom("visa", "mastercard"),
    reference: word(64),
    initiator: fc.constantFrom("cit", "mit"),
    capture_method: fc.constantFrom("automatic", "manual"),
    return_url: often(fc.webUrl({ withQueryParameters: true }), text(4_000), 6),
    cancel_url: fc.webUrl(),
    debug: fc.boolean(),
    instruments: fc.array(fc.record({ connection: fc.constantFrom("http", "stripe", "adyen"), token: word(200) }), {
      maxLength: 3
    }),
    simulate: fc.record(
      {
        charge: fc.constantFrom(...chargeSimulations),
        capture: fc.constantFrom("confirm", "refuse", "no_answer"),
        refund: fc.constantFrom("confirm", "refuse", "no_answer", "pending"),
        lookup: fc.constantFrom("executed", "not_executed", "no_answer")
      },
      { requiredKeys: [] }
    )
  },
  { requiredKeys: ["amount", "currency", "country"] }
)

const create: fc.Arbitrary<Input> = fc
  .record({
    key: fc.constantFrom(testKey, testKey, testKey, liveKey),
    idempotent: fc.option(idempotencyKey),
    body: body(createBody, largestBody)
  })
  .map(({ body, idempotent, key }) => ({
    method: "POST",
    path: payments,
    headers: headersWith(key, idempotent === null ? {} : { "idempotency-key": idempotent }),
    body
  }))

const operationBody = fc.record({ amount: fc.integer({ min: 1, max: 6_000 }), reason: word(200) }, { requiredKeys: [] })

const operate: fc.Arbitrary<Input> = fc
  .record({
    payment,
    operation: fc.constantFrom("capture", "void", "refunds"),
    idempotent: idempotencyKey,
    body: fc.option(body(operationBody, largestBody), { nil: undefined })
  })
  .map(({ body, idempotent, operation, payment }) => ({
    method: "POST",
    path: `${payments}/${encodeURIComponent(payment.toWellFormed()).replaceAll("%40", "@")}/${operation}`,
    headers: headersWith(testKey, { "idempotency-key": idempotent }),
    body
  }))

const merchant: fc.Arbitrary<Input> = body(
  fc.record({
    name: word(120),
    email: often(fc.emailAddress(), text(254), 6),
    country: fc.constantFrom("NL", "DE"),
    category: word(64)
  }),
  largestBody
).map((body) => ({ method: "POST", path: "/api/v1/merchants", headers: headersWith(liveKey), body }))

const attempt = fc.uuid({ version: 7 }).map((id) => `att_${id}`)
const refundId = fc.uuid({ version: 7 }).map((id) => `rf_${id}`)
const ref = fc.oneof(fc.string({ minLength: 1, maxLength: 20 }), text(300))
const seconds = fc.constantFrom(0, 0, 0, -299, -400, 400)
const hmac = (key: string | Buffer, signed: string) => createHmac("sha256", key).update(signed)
const now = () => Math.floor(Date.now() / 1_000)

const providerBody = fc.oneof(
  fc.record({
    id: ref,
    type: fc.constantFrom("charge.updated", "charge.settled", "dispute.opened", "dispute.won", "capture.failed"),
    created: fc.constant("2026-11-21T12:00:00Z"),
    data: fc.record({
      attempt_id: attempt,
      provider_reference: ref,
      status: fc.constantFrom("authorized", "captured", "declined", "pending", "canceled"),
      decline: fc.record({ code: ref, category: fc.constantFrom("insufficient_funds", "other") }),
      amount: fc.record({ amount_minor: fc.nat(), currency: fc.constant("EUR") })
    })
  }),
  fc.record({
    id: ref,
    type: fc.constant("refund.updated"),
    created: fc.constant("2026-11-21T12:00:00Z"),
    data: fc.record({ refund_id: refundId, provider_refund_id: ref, status: fc.constantFrom("succeeded", "failed") })
  })
)

const stripeBody = fc.record({
  id: ref,
  object: fc.constant("event"),
  type: fc.constantFrom(
    ...["payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.canceled", "refund.updated"],
    ...["charge.dispute.created", "charge.dispute.closed", "checkout.session.completed", "checkout.session.expired"]
  ),
  created: fc.constant(1_700_000_000),
  livemode: fc.constantFrom(true, true, false),
  data: fc.record({
    object: fc.record({
      id: fc.oneof(fc.constant("pi_3MtwBwLkdIwHu7ix28a3tqPa"), ref),
      object: fc.constantFrom("payment_intent", "refund", "dispute", "checkout.session"),
      amount: fc.nat(),
      amount_received: fc.nat(),
      amount_capturable: fc.nat(),
      currency: fc.constantFrom("eur", "jpy", "isk"),
      metadata: fc.record(
        { attempt_id: attempt, refund_id: refundId, checkout: fc.constant("true") },
        { requiredKeys: [] }
      ),
      payment_intent: ref,
      status: fc.constantFrom("succeeded", "requires_capture", "canceled", "failed", "won", "lost", "complete"),
      last_payment_error: fc.option(fc.record({ type: fc.constant("card_error"), code: ref, decline_code: ref }))
    })
  })
})

const messageBody = (base: fc.Arbitrary<unknown>) =>
  often(body(base, largestMessage), fc.constantFrom(...longMessages), 200)

const signatureHeader = (value: fc.Arbitrary<string>) =>
  fc.oneof({ weight: 6, arbitrary: value }, { weight: 2, arbitrary: scratched(value) }, headerText(8_000))

const signedMessage = (connection: string, secret: string, base: fc.Arbitrary<unknown>, header: string) =>
  fc.tuple(messageBody(base), seconds).chain(([body, shift]) => {
    const at = now() + shift
    const bytes = body.toWellFormed()
    const value = fc.constant(`t=${at},v1=${hmac(secret, `${at}.${bytes}`).digest("hex")}`)
    return signatureHeader(value).map(
      (signature): Input => ({
        method: "POST",
        path: `/api/v1/psp-webhooks/${connection}`,
        headers: { [header]: signature, "content-type": "application/json" },
        body: bytes
      })
    )
  })

const adyenItem = fc.record({
  eventCode: fc.constantFrom(
    ...["AUTHORISATION", "CAPTURE", "CAPTURE_FAILED", "CANCELLATION", "REFUND", "REFUND_FAILED", "CHARGEBACK"],
    ...["SETTLED", "REPORT_AVAILABLE", "NOTIFICATION_OF_CHARGEBACK"]
  ),
  pspReference: ref,
  originalReference: fc.oneof(fc.constant(""), ref),
  merchantReference: fc.oneof(
    fc.tuple(attempt, fc.constantFrom(".held", ".taken", ".taken.page", "")).map((parts) => parts.join("")),
    ref
  ),
  merchantAccountCode: fc.constantFrom(merchantAccount, merchantAccount, "Other"),
  eventDate: fc.constant("2026-11-21T12:00:00+01:00"),
  success: fc.constantFrom("true", "false"),
  reason: text(300),
  amount: fc.record({ value: fc.nat(), currency: fc.constantFrom("EUR", "ISK") }),
  additionalData: fc.dictionary(fc.constantFrom("refusalReasonCode", "modification.action", "x"), text(40))
})

const signedFields = ["pspReference", "originalReference", "merchantAccountCode", "merchantReference"]

/** Signed as Adyen signs it, with whatever the changed fields hold. */
const adyenMessage: fc.Arbitrary<Input> = fc
  .tuple(nearly(adyenItem, 4_000), fc.constantFrom("true", "false"), fc.boolean())
  .chain(([changed, live, isSigned]) => {
    const item: Record<string, unknown> =
      typeof changed === "object" && changed !== null ? { ...changed } : { eventCode: changed }
    const amount = Object(item["amount"])
    const signed = [
      ...signedFields.map((field) => item[field]),
      ...[amount.value, amount.currency, item["eventCode"], item["success"]]
    ]
      .map((value) => String(value ?? "").toWellFormed())
      .join(":")
    const hmacSignature = hmac(Buffer.from(adyenSecret, "hex"), signed).digest("base64")
    const whole = {
      ...item,
      additionalData: { ...Object(item["additionalData"]), ...(isSigned ? { hmacSignature } : {}) }
    }
    const message = { live, notificationItems: [{ NotificationRequestItem: whole }] }
    return often(fc.constant(JSON.stringify(message)), messageBody(fc.constant(message)), 8)
  })
  .map((body) => ({
    method: "POST",
    path: "/api/v1/psp-webhooks/adyen",
    headers: { "content-type": "application/json" },
    body
  }))

const message: fc.Arbitrary<Input> = fc.oneof(
  signedMessage("http", httpSecret, providerBody, "x-service-signature"),
  signedMessage("stripe", stripeSecret, stripeBody, "stripe-signature"),
  adyenMessage
)

const cursor = fc.oneof(
  fc.uuid(),
  fc.uuid().map((id) => `evt_${id}`),
  fc.uuid().map((id) => `mer_${id}`),
  urlText(9_000)
)

const query = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom("limit", "before", "after", "status", "expand", "look", "step"), urlText(100)),
      cursor
    ),
    { maxLength: 4 }
  )
  .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map((pair) => pair.join("=").replaceAll("?", "")).join("&")}`))

const path = fc.oneof(
  fc.constantFrom(payments, "/api/v1/events", "/api/v1/merchants", "/api/v1/openapi.json", "/hosted/x", "/"),
  payment.map((id) => `${payments}/${encodeURI(id.toWellFormed())}`),
  payment.map((id) => `${payments}/${encodeURI(id.toWellFormed())}/events`),
  urlText(3_000).map((text) => `/api/v1/${text}`),
  urlText(3_000).map((text) => `/${text}`)
)

const methods = ["GET", "GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] as const

const look: fc.Arbitrary<Input> = fc
  .record({ method: fc.constantFrom(...methods), path, query, key: fc.constantFrom(testKey, liveKey) })
  .map(({ key, method, path, query }) => ({ method, path: path + query, headers: headersWith(key), body: undefined }))

const authorization = fc.oneof(
  scratched(fc.constantFrom(testKey, liveKey, unknownKey).map((key) => `Bearer ${key}`)),
  headerText(8_000),
  headerText(8_000).map((value) => `Bearer ${value}`),
  headerText(100).map((value) => `Basic ${value}`)
)

const mediaType = fc.oneof(
  scratched(
    fc.constantFrom("application/json; charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data")
  ),
  headerText(8_000)
)

const anyHeaders = fc.record(
  {
    authorization,
    "idempotency-key": headerText(8_000),
    "content-type": mediaType,
    "content-encoding": fc.oneof(fc.constantFrom("gzip", "identity"), headerText(100)),
    accept: headerText(8_000),
    "accept-encoding": headerText(8_000),
    "accept-language": fc.oneof(
      scratched(fc.constantFrom("nl-NL,nl;q=0.9,en;q=0.8", "de-DE-u-nu-thai;q=0.000,*")),
      headerText(8_000)
    ),
    "if-none-match": headerText(8_000),
    "x-forwarded-for": headerText(8_000),
    "x-forwarded-proto": headerText(100),
    "x-forwarded-host": headerText(100),
    "x-request-id": headerText(8_000),
    forwarded: headerText(8_000),
    traceparent: fc.oneof(
      scratched(fc.constant("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")),
      headerText(8_000)
    ),
    tracestate: headerText(8_000),
    b3: headerText(1_000),
    cookie: headerText(8_000),
    origin: headerText(1_000)
  },
  { requiredKeys: [] }
)

const headers: fc.Arbitrary<Input> = fc
  .record({
    headers: anyHeaders,
    isAuthorized: fc.boolean(),
    at: fc.constantFrom<readonly [string, string]>(
      ...([
        ["POST", payments],
        ["GET", payments],
        ["GET", "/hosted/token-@hosted-1"],
        ["POST", "/hosted/token-@hosted-2"],
        ["GET", "/api/v1/openapi.json"],
        ["POST", "/api/v1/psp-webhooks/http"]
      ] as const)
    )
  })
  .map(({ at: [method, path], headers, isAuthorized }) => ({
    method,
    path,
    headers: {
      ...(isAuthorized ? { authorization: `Bearer ${testKey}` } : {}),
      ...(headers as Record<string, string>)
    },
    body: method === "POST" ? '{"amount":1999,"currency":"EUR","country":"NL"}' : undefined
  }))

const form: fc.Arbitrary<Input> = fc
  .record({
    token: fc.oneof(
      fc.constantFrom(...names.filter((name) => name.startsWith("@hosted"))).map((name) => `token-${name}`),
      urlText(300)
    ),
    tail: fc.constantFrom("", "", "", "/return", "?step=challenge", "?look=3"),
    body: scratched(
      fc.oneof(
        fc.constantFrom("action=approve", "action=cancel", "action=decline&reason=other", "action=confirm_challenge"),
        fc
          .array(fc.tuple(urlText(50), urlText(1_100)), { maxLength: 3 })
          .map((pairs) => pairs.map((pair) => pair.join("=")).join("&"))
      )
    ),
    type: often(fc.constant("application/x-www-form-urlencoded"), mediaType, 5)
  })
  .map(({ body, tail, token, type }) => ({
    method: "POST",
    path: `/hosted/${token}${tail}`,
    headers: { "content-type": type },
    body
  }))

/** By subject, with their shares of all inputs in hundredths. */
export const subjects: ReadonlyArray<readonly [name: string, hundredths: number, inputs: fc.Arbitrary<Input>]> = [
  ["bodies of creates", 24, create],
  ["captures, voids and refunds", 12, operate],
  ["merchants", 6, merchant],
  ["messages of providers", 18, message],
  ["paths, queries and cursors", 12, look],
  ["headers", 10, headers],
  ["forms of hosted pages", 6, form]
]
