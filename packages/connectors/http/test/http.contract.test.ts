import { createHmac } from "node:crypto"
import { HttpConnector } from "@pointsman/connector-http"
import {
  connectorSuite,
  type MessageSituation,
  type Played,
  type SignedMessage,
  type Situation
} from "@pointsman/contracts/connector"
import { answer, apiKey, refusal } from "./Provider.ts"

connectorSuite({
  name: "http",
  definition: HttpConnector.definition,
  credentials: { baseUrl: "https://provider.example/pointsman/", apiKey },
  secrets: [apiKey],
  brokenCredentials: [
    { credentials: undefined, field: "credentials" },
    { credentials: "https://provider.example", field: "credentials" },
    { credentials: { apiKey }, field: "credentials.baseUrl" },
    { credentials: { baseUrl: "https://provider.example" }, field: "credentials.apiKey" },
    { credentials: { baseUrl: "https://provider.example", apiKey: 12_345_678 }, field: "credentials.apiKey" },
    { credentials: { baseUrl: "https://provider.example", apiKey: "" }, field: "credentials.apiKey" },
    { credentials: { baseUrl: "https://provider.example", apiKey: "sk_two words" }, field: "credentials.apiKey" },
    { credentials: { baseUrl: "https://provider.example", apiKey: "sk_line\r\nx: y" }, field: "credentials.apiKey" },
    { credentials: { baseUrl: "provider.example", apiKey }, field: "credentials.baseUrl" },
    { credentials: { baseUrl: "ftp://provider.example", apiKey }, field: "credentials.baseUrl" },
    { credentials: { baseUrl: "https://user:password@provider.example", apiKey }, field: "credentials.baseUrl" },
    { credentials: { baseUrl: "https://provider.example/?key=value", apiKey }, field: "credentials.baseUrl" },
    { credentials: { baseUrl: "https://provider.example/#here", apiKey }, field: "credentials.baseUrl" }
  ],
  messages: {
    toleranceMillis: 300_000,
    sign: (situation, secret, signedAt) => signed(JSON.stringify(messageOf(situation)), secret, signedAt),
    signText: signed
  },
  play: (situation) => ({ answer: played(situation) }) satisfies Played,
  wire: {
    idempotencyKeyOf: (request) => request.headers["idempotency-key"],
    amountOf: (request) => JSON.parse(request.body ?? "{}").amount,
    amounts: { EUR: 1234, JPY: 500, KWD: 1230 },
    currencyOf: (request) => JSON.parse(request.body ?? "{}").currency,
    currencies: { EUR: "EUR", JPY: "JPY", KWD: "KWD" },
    checkout: {
      leadingTo: (url, { checkout }) => answer(200, { checkout_reference: checkout.reference, url }),
      returnUrlOf: (request) => JSON.parse(request.body ?? "{}").return_url
    },
    unknownStatus: (operation, situation) =>
      operation === "openCheckout"
        ? answer(200, {
            checkout_reference: situation.checkout.reference,
            url: situation.checkout.url,
            expires_at: "soon"
          })
        : isOfRefund(operation)
          ? answer(200, { provider_refund_id: situation.providerRefundId, status: "held" })
          : answer(200, { provider_reference: situation.providerRef, status: "settled" }),
    withoutReference: (operation, { checkout }) =>
      operation === "openCheckout"
        ? answer(200, { url: checkout.url })
        : answer(200, { status: isOfRefund(operation) ? "succeeded" : "captured" })
  }
})

function signed(text: string, secret: string, signedAt: number): SignedMessage {
  const t = Math.floor(signedAt / 1000)
  const tag = createHmac("sha256", secret).update(`${t}.${text}`).digest("hex")
  return { headers: { "x-service-signature": `t=${t},v1=${tag}` }, body: Buffer.from(text) }
}

function messageOf({ at, attemptId, disputeId, id, money, name, ...of }: MessageSituation) {
  const [about, word] = name.split(" ") as [string, string]
  const head = { id, created: new Date(at).toISOString() }
  const stated = word === "canceled" || word === "failed" ? {} : { amount: money.minorUnits, currency: money.currency }
  if (about === "dispute")
    return { ...head, type: `dispute.${word}`, data: { attempt_id: attemptId, dispute_id: disputeId } }
  if (about === "refund") {
    const data = { refund_id: of.refundId, provider_refund_id: of.providerRefundId, status: word, ...stated }
    return { ...head, type: "refund.updated", data }
  }
  if (word === "settled") return { ...head, type: "charge.settled", data: { attempt_id: attemptId } }
  const data = { attempt_id: attemptId, provider_reference: of.providerRef, status: word, ...stated }
  return { ...head, type: "charge.updated", data }
}

const isOfRefund = (operation: string): boolean => operation === "refund" || operation === "lookUpRefund"

function played(situation: Situation) {
  const { checkout, name, money, decline, rejection } = situation
  if (name.endsWith("rejected")) return refusal(422, rejection.code, rejection.message)
  if (name.endsWith("not found")) return refusal(404, "not_found", "Never received.")
  if (name.endsWith("not found yet")) return answer(404, { conclusive: false })
  if (name === "checkout opened") {
    return answer(200, {
      checkout_reference: checkout.reference,
      url: checkout.url,
      expires_at: new Date(checkout.expiresAt).toISOString()
    })
  }
  const [, status = ""] = /(?:charge|capture|void|look-up|refund)(?: still)? ([^ ]+(?: customer)?)$/.exec(name) ?? []
  if (name.startsWith("refund")) {
    return answer(200, {
      provider_refund_id: situation.providerRefundId,
      status,
      amount: money.minorUnits,
      currency: money.currency
    })
  }
  return answer(200, {
    provider_reference: situation.providerRef,
    status: status === "needs customer" ? "requires_authentication" : status,
    captured_amount: status === "captured" ? money.minorUnits : 0,
    amount: money.minorUnits,
    currency: money.currency,
    decline: decline === null ? null : { code: "51", category: decline.category, soft: decline.soft }
  })
}
