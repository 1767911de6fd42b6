import { createHmac } from "node:crypto"
import { HttpConnector } from "@pointsman/connector-http"
import {
  type ByHandSituation,
  brokenCredentials,
  connectorSuite,
  type MessageSituation,
  type Played,
  type SignedMessage,
  type Situation
} from "@pointsman/contracts/connector"
import type { ListedCharge, ListedDispute, ListedRefund, Money } from "@pointsman/core/connector"
import { answer, apiKey, neverReceived, refusal } from "./Provider.ts"

connectorSuite({
  name: "http",
  definition: HttpConnector.definition,
  credentials: { baseUrl: "https://provider.example/pointsman/", apiKey },
  secrets: [apiKey],
  brokenCredentials: [
    ...brokenCredentials(
      { baseUrl: "https://provider.example", apiKey },
      {
        baseUrl: [
          ...[undefined, "provider.example", "ftp://provider.example", "https://user:password@provider.example"],
          ...["https://provider.example/?key=value", "https://provider.example/#here"]
        ],
        apiKey: [undefined, 12_345_678, "", "sk_two words", "sk_line\r\nx: y"]
      }
    ),
    {
      credentials: { baseUrl: "https://provider.example", apiKey, baseURL: "https://other.example" },
      field: "credentials.baseURL: unknown field; expected baseUrl and apiKey"
    }
  ],

  lists: {
    charges: ({ hasMore, items }) =>
      answer(200, { charges: items.map(listedCharge), next_cursor: hasMore ? "prv_cursor_2" : null }),
    refunds: ({ hasMore, items }) =>
      answer(200, { refunds: items.map(listedRefund), ...(hasMore ? { next_cursor: "prv_cursor_2" } : {}) })
  },
  disputes: {
    answers: (disputes) => [answer(200, { disputes: disputes.map(listedDispute) })],
    told: (dispute) => dispute
  },
  account: { is: { id: "acme-live-7", mode: null }, answer: answer(200, { account: "acme-live-7" }) },
  messages: {
    toleranceMillis: 300_000,
    sign: (situation, secret, signedAt) => {
      const message = messageOf(situation)
      return message === undefined ? undefined : signed(JSON.stringify(message), secret, signedAt)
    },
    signText: signed
  },
  byHand: {
    messages: (of, secret, signedAt) =>
      messagesByHand(of).map((message) => signed(JSON.stringify(message), secret, signedAt)),
    lookUp: (of) => {
      const refunds = of.name.endsWith("refund") ? [refundByHand(of)] : null
      return [answer(200, { ...chargeByHand(of, of.captures.at(-1)?.total ?? of.money), refunds })]
    },
    rows: ({ at, providerRef, providerRefundId }) => {
      const names = { row_id: "mv_1", provider_reference: providerRef, provider_refund_id: providerRefundId }
      const occurred_at = new Date(at).toISOString()
      return [answer(200, { rows: [{ ...names, kind: "refund", gross: -200, currency: "EUR", occurred_at }] })]
    }
  },
  play: (situation) => {
    const answered = played(situation)
    return answered === undefined ? undefined : ({ answer: answered } satisfies Played)
  },
  // An adapter that will try again says `pending`.
  lacks: ["operation lookup failed for now"],
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
        : operation === "lookUpOperation"
          ? answer(200, { ...operationOf(situation), status: "succeeded" })
          : isOfRefund(operation)
            ? answer(200, { provider_refund_id: situation.providerRefundId, status: "held" })
            : answer(200, { provider_reference: situation.providerRef, status: "settled" }),
    withoutReference: (operation, situation) =>
      operation === "openCheckout"
        ? answer(200, { url: situation.checkout.url })
        : operation === "lookUpOperation"
          ? answer(200, { ...operationOf(situation), operation_id: undefined })
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
  if (about === "operation") {
    if (word === "failed" && name.endsWith("for now")) return undefined
    const data = { operation_id: of.operationId, kind: "capture", status: word, updated: head.created, ...stated }
    return { ...head, type: "operation.updated", data }
  }
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

/** What an operation is looked up as, but for its status. */
function operationOf({ kind, operationId }: Situation) {
  return { operation_id: operationId, kind, status: "confirmed", updated: "2026-11-21T12:00:00Z" }
}

/** Our id of what is looked up, under its name. */
function idOf({ attemptId, name, operationId, refundId }: Situation) {
  if (name.startsWith("operation")) return { operation_id: operationId }
  return name.startsWith("refund") ? { refund_id: refundId } : { attempt_id: attemptId }
}

function played(situation: Situation) {
  const { checkout, name, money, decline, rejection } = situation
  if (name.endsWith("rejected")) return refusal(422, rejection.code, rejection.message)
  if (name.endsWith("not found")) return neverReceived(idOf(situation))
  if (name.endsWith("not found yet")) return neverReceived({ ...idOf(situation), conclusive: false })
  switch (name) {
    case "operation lookup confirmed":
      return answer(200, { ...operationOf(situation), amount: money.minorUnits, currency: money.currency })
    case "operation lookup pending":
      return answer(200, { ...operationOf(situation), status: "pending" })
    case "operation lookup failed":
      return answer(200, { ...operationOf(situation), status: "failed", failure_reason: rejection.message })
    case "operation lookup failed for now":
      return undefined
  }
  if (name === "checkout opened") {
    return answer(200, {
      checkout_reference: checkout.reference,
      url: checkout.url,
      expires_at: new Date(checkout.expiresAt).toISOString()
    })
  }
  const [, status = ""] = /(?:charge|capture|void|lookup|refund)(?: still)? ([^ ]+(?: customer)?)$/.exec(name) ?? []
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

function listedCharge({ created, money, state, ...told }: ListedCharge) {
  return {
    provider_reference: state.providerRef,
    status: state._tag.toLowerCase(),
    captured_amount: state._tag === "Captured" ? state.stated?.minorUnits : 0,
    amount: money.minorUnits,
    currency: money.currency,
    attempt_id: told.attemptId,
    payment_id: told.paymentId,
    idempotency_key: told.idempotencyKey,
    reference: told.reference,
    country: told.country,
    method: told.method,
    card_brand: told.cardBrand,
    initiator: told.initiator,
    capture: told.capture,
    created: new Date(created).toISOString()
  }
}

function listedRefund({ created, money, providerRef, refundId, state }: ListedRefund) {
  return {
    refund_id: refundId,
    provider_reference: providerRef,
    provider_refund_id: state.providerRefundId,
    status: state._tag === "Succeeded" ? "succeeded" : "pending",
    amount: money.minorUnits,
    currency: money.currency,
    created: new Date(created).toISOString()
  }
}

function listedDispute({ at, charge, disputeId, dueBy, money, status }: ListedDispute) {
  return {
    ...{ dispute_id: disputeId, attempt_id: "attemptId" in charge ? charge.attemptId : null, status },
    ...{ amount: money?.minorUnits, currency: money?.currency, updated: new Date(at ?? 0).toISOString() },
    ...(dueBy === undefined ? {} : { evidence_due_by: new Date(dueBy).toISOString() })
  }
}

function refundByHand({ name, providerRefundId, refunded }: ByHandSituation) {
  const stated = { amount: refunded.minorUnits, currency: refunded.currency }
  return { provider_refund_id: providerRefundId, status: name === "refund" ? "succeeded" : "pending", ...stated }
}

/** An authorization that expired is canceled too. */
function chargeByHand({ attemptId, money, name, providerRef }: ByHandSituation, captured: Money) {
  const names = { attempt_id: attemptId, provider_reference: providerRef }
  if (name === "void" || name === "expiry") return { ...names, status: "canceled" }
  const stated = { amount: money.minorUnits, currency: money.currency, captured_amount: captured.minorUnits }
  return { ...names, status: "captured", ...stated }
}

function messagesByHand(of: ByHandSituation) {
  const head = { id: "msg_by_hand", created: new Date(of.at).toISOString() }
  if (of.name.endsWith("refund")) {
    return [{ ...head, type: "refund.updated", data: { provider_reference: of.providerRef, ...refundByHand(of) } }]
  }
  const totals = of.captures.length === 0 ? [of.money] : of.captures.map(({ total }) => total)
  return totals.map((total) => ({ ...head, type: "charge.updated", data: chargeByHand(of, total) }))
}
