import { createHmac } from "node:crypto"
import { MollieConnector } from "@pointsman/connector-mollie"
import {
  type ByHandSituation,
  brokenCredentials,
  connectorSuite,
  givingBack,
  type MessageSituation,
  type Operation,
  ourId,
  type Situation
} from "@pointsman/contracts/connector"
import type {
  ConnectorDefinition,
  ListedCharge,
  ListedDispute,
  ListedRefund,
  Money,
  TransportAnswer,
  TransportRequest
} from "@pointsman/core/connector"
import {
  answer,
  apiKey,
  capture,
  chargeback,
  event,
  type Fields,
  failure,
  list,
  opened,
  payment,
  profile,
  refund
} from "./Mollie.ts"

/** A key is of one mode, and an object names it: in production both are of the other one. */
const inEither: ConnectorDefinition = {
  ...MollieConnector.definition,
  connect: (account, transport) =>
    MollieConnector.definition.connect(account.environment === "production" ? inLiveMode(account) : account, transport)
}

const inLiveMode = <Account extends { readonly credentials: unknown }>(account: Account): Account => ({
  ...account,
  credentials: JSON.parse(JSON.stringify(account.credentials).replace("test_", "live_"))
})

/** More than an hour after the beginning of time, which is when the suite's calls were sent. */
const late = { date: "Sat, 21 Nov 2026 12:00:00 GMT" }
const early = { date: "Thu, 01 Jan 1970 00:10:00 GMT" }

/** A reason of Mollie for each decline that there is one for. */
const reasons: Readonly<Record<string, string>> = {
  "insufficient_funds hard": "insufficient_funds",
  "do_not_honor soft": "refused_by_issuer",
  "expired_card hard": "card_expired",
  "invalid_card hard": "invalid_card_number",
  "suspected_fraud hard": "possible_fraud",
  "authentication_failed hard": "authentication_failed",
  "not_permitted hard": "invalid_card_type",
  "issuer_unavailable soft": "authentication_unavailable_acs",
  "other hard": "a_reason_of_tomorrow"
}

const sign = (text: string, secret: string) => ({
  headers: { "x-mollie-signature": `sha256=${createHmac("sha256", secret).update(text).digest("hex")}` },
  body: new TextEncoder().encode(text)
})

/** Literal: a formula would repeat the connector's. */
const written: Readonly<Record<string, string>> = {
  "1234 EUR": "12.34",
  "1200 EUR": "12.00",
  "200 EUR": "2.00",
  "300 EUR": "3.00",
  "500 EUR": "5.00",
  "500 JPY": "500",
  "1230 KWD": "1.230"
}

const amountOf = ({ currency, minorUnits }: Money) => ({ currency, value: written[`${minorUnits} ${currency}`] })

const form = (text: string) => ({
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new TextEncoder().encode(text)
})

const lacks: ReadonlyArray<Situation["name"]> = [
  // A capture that failed leaves the hold as it was: the issuer's refusal is not told.
  "capture declined",
  // An authorization that is gone is an error to a capture.
  "capture canceled",
  // A release is accepted, and its outcome looked up.
  "void canceled",
  "void still authorized",
  "void declined",
  "void captured",
  // On a charge without a browser, `failed` is the end; a page is open until it is paid or over.
  "lookup needs customer",
  // Mollie has no word for a capture that it would try again.
  "operation lookup failed for now"
]

connectorSuite({
  name: "mollie",
  definition: givingBack(inEither, keyOf),
  credentials: { apiKey, baseUrl: "https://mollie.example/" },
  secrets: [apiKey],
  instrument: "cst_ofTheContract/mdt_ofTheContract",
  cannotBeAsked: { voids: true },
  account: { is: { id: "pfl_QkEhN94Ba", mode: "test" }, answer: answer(200, profile()) },
  brokenCredentials: brokenCredentials(
    { apiKey },
    {
      apiKey: [
        ...[undefined, 12_345_678, "", "test_two words", "test_line\r\nx: y", "access_0123456789", "live_0123456789"]
      ],
      webhookUrl: ["http://pay.shop.example/hook", `https://pay.shop.example/${"x".repeat(1_024)}`],
      profile: ["pfl_0123456789"]
    }
  ),

  play: (situation) => {
    const answer = lacks.includes(situation.name) ? undefined : answerTo(situation)
    return answer && { answer }
  },
  lacks,
  lists: {
    // From a cursor on, a list is asked for in the order of time; to find the window's beginning, the other way.
    charges: ({ hasMore, items }) =>
      answer(200, list("payments", ordered(items.map(paymentOf), hasMore), hasMore ? "tr_next" : null)),
    refunds: ({ hasMore, items }) =>
      answer(200, list("refunds", ordered(items.map(refundOf), hasMore), hasMore ? "re_next" : null)),
    untold: ["paymentId", "idempotencyKey"]
  },
  disputes: {
    answers: (disputes) => [answer(200, list("chargebacks", disputes.map(chargebackOf).toReversed()))],
    // A chargeback took the money, and there is no deadline; what is returned is won, and nothing is called lost.
    told: ({ at, disputeId, money, ...dispute }) => ({
      ...{ charge: { providerRef: paymentOfDispute(dispute) }, disputeId, verdict: "opened", at },
      ...(money && { money })
    })
  },
  messages: {
    toleranceMillis: null,
    sign: (situation, secret) => {
      const message = messageOf(situation)
      return message === undefined ? undefined : sign(JSON.stringify(message), secret)
    },
    signText: sign
  },
  hints: {
    reference: "tr_5B8cwPMGnU6qLbRvo7qEZo",
    message: form("id=tr_5B8cwPMGnU6qLbRvo7qEZo"),
    others: [
      form("id=ord_kEn1PlbGa"),
      form("id=tr_5B8cwPMGnU6qLbRvo7qEZo&x=1"),
      form("id=tr_../../v2/profiles/me"),
      form("ID=tr_5B8cwPMGnU6qLbRvo7qEZo"),
      { ...form("id=tr_5B8cwPMGnU6qLbRvo7qEZo"), headers: { "x-mollie-signature": "sha256=00" } }
    ],
    captured: ({ at, attemptId, money }) =>
      answer(
        200,
        payment({ amount: amountOf(money), metadata: { attempt_id: attemptId }, paidAt: new Date(at).toISOString() })
      ),
    foreign: answer(200, payment({ metadata: { order_id: "12345" }, _embedded: { chargebacks: [chargeback()] } })),
    unknown: failure(404, { title: "Not Found", detail: "No payment exists with token tr_5B8cwPMGnU6qLbRvo7qEZo." })
  },
  byHand: {
    messages: (of, secret) => {
      const told = eventsByHand(of).map((one) => sign(JSON.stringify(one), secret))
      // Of captures the payment has the total.
      return of.captures.length > 0 ? { changed: told } : told
    },
    hints: (of) => [answer(200, paymentByHand({ ...of, providerRef: "tr_5B8cwPMGnU6qLbRvo7qEZo" }))],
    lookUp: (of) => [answer(200, paymentByHand(of))],
    rows: () => ({ lacks: "settlements need a token of their own: `Reports.test.ts` reads them" })
  },
  wire: {
    idempotencyKeyOf: keyOf,
    amountOf: (request) => bodyOf(request).amount?.["value"],
    amounts: { EUR: "12.34", JPY: "500", KWD: "1.230" },
    currencyOf: (request) => bodyOf(request).amount?.["currency"],
    currencies: { EUR: "EUR", JPY: "JPY", KWD: "KWD" },
    withoutBody: ["void"],
    checkout: {
      leadingTo: (url, { checkout }) => answer(201, opened(openedFields(checkout.reference), url)),
      returnUrlOf: (request) => bodyOf(request).redirectUrl
    },
    unknownStatus: (operation, situation) => spoiled(operation, situation, { status: "settled" }),
    withoutReference: (operation, situation) => spoiled(operation, situation, { id: undefined })
  }
})

function bodyOf({ body = "{}" }: TransportRequest): { readonly amount?: Fields; readonly redirectUrl?: string } {
  return JSON.parse(body)
}

function openedFields(id: string): Fields {
  return { id, metadata: { attempt_id: ourId, checkout: "true" } }
}

function objectOf(operation: Operation, situation: Situation, fields: Fields): Fields {
  const { money, providerRef, providerRefundId } = situation
  const amount = amountOf(money)
  switch (operation) {
    case "refund":
    case "lookUpRefund":
      return refund({ id: providerRefundId, amount, paymentId: providerRef, metadata: { refund_id: ourId }, ...fields })
    case "capture":
    case "lookUpOperation":
      return capture({ amount, paymentId: providerRef, metadata: { operation_id: ourId }, ...fields })
    default:
      return payment({ id: providerRef, amount, metadata: { attempt_id: ourId }, ...fields })
  }
}

function spoiled(operation: Operation, situation: Situation, fields: Fields): TransportAnswer {
  return operation === "openCheckout"
    ? answer(201, opened({ ...openedFields(situation.checkout.reference), ...fields }))
    : shaped(operation, objectOf(operation, situation, fields))
}

const lists: Partial<Record<Operation, "payments" | "refunds" | "captures">> = {
  lookUpCharge: "payments",
  lookUpOperation: "captures",
  lookUpRefund: "refunds"
}

/** Looked up without a reference, an object is found in a list. */
function shaped(operation: Operation, object: unknown): TransportAnswer {
  const name = lists[operation]
  return name === undefined ? answer(201, object) : answer(200, list(name, [object]), late)
}

function keyOf({ headers }: TransportRequest): string | undefined {
  return headers["idempotency-key"]
}

function answerTo(situation: Situation): TransportAnswer | undefined {
  const { checkout, decline, name, operation, rejection } = situation
  const found = (status: string, fields: Fields = {}) =>
    shaped(operation, objectOf(operation, situation, { status, ...fields }))
  const none = (headers: Readonly<Record<string, string>>) =>
    answer(200, list(lists[operation] ?? "payments", []), headers)
  const reason = decline === null ? undefined : reasons[`${decline.category} ${decline.soft ? "soft" : "hard"}`]
  switch (name.replace(/^((operation|refund) lookup|\w+) /u, "")) {
    case "opened":
      return answer(201, opened(openedFields(checkout.reference), checkout.url))
    case "rejected":
      return failure(422, { title: rejection.code, detail: rejection.message, field: "amount" })
    case "authorized":
      return found("authorized", { captureMode: "manual", paidAt: undefined })
    case "captured":
      return found(operation === "capture" ? "succeeded" : "paid")
    case "pending":
      return operation === "void" ? answer(202, "") : found(/refund$/iu.test(operation) ? "queued" : "pending")
    case "needs customer":
      return found("failed", { details: { failureReason: "authentication_required" } })
    case "canceled":
      return found("canceled")
    case "declined":
      return reason === undefined ? undefined : found("failed", { details: { failureReason: reason } })
    case "still authorized":
    case "failed":
      return found("failed")
    case "succeeded":
      return found("refunded")
    case "confirmed":
      return found("succeeded")
    case "not found":
      return none(late)
    case "not found yet":
      return none(early)
    default:
      return undefined
  }
}

function messageOf(situation: MessageSituation): Fields | undefined {
  const { at, attemptId, disputeId, id, money, name, operationId, providerRef, providerRefundId, refundId } = situation
  const amount = amountOf(money)
  const head = { id, createdAt: new Date(at).toISOString() }
  const charge = (status: string) =>
    event(`payment.${status}`, payment({ id: providerRef, amount, status, metadata: { attempt_id: attemptId } }), head)
  const captured = (status: string) =>
    event(`capture.${status}`, capture({ amount, status, metadata: { operation_id: operationId } }), head)
  const refunded = (status: string) =>
    event(`refund.${status}`, refund({ id: providerRefundId, amount, status, metadata: { refund_id: refundId } }), head)
  const disputed = (fields: Fields) => chargeback({ id: disputeId, paymentId: providerRef, ...fields })
  // Mollie pays totals out; a capture has no message while it is pending, and a chargeback none between its two.
  const told: Partial<Record<typeof name, Fields>> = {
    "charge authorized": charge("authorized"),
    "charge captured": charge("paid"),
    "charge canceled": charge("canceled"),
    "refund succeeded": refunded("refunded"),
    "refund failed": refunded("failed"),
    "operation confirmed": captured("succeeded"),
    "operation failed": captured("failed"),
    "dispute opened": event("chargeback.received", disputed({}), head),
    "dispute won": event("chargeback.reversed", disputed({ reversedAt: head.createdAt }), head)
  }
  return told[name]
}

function ordered(items: ReadonlyArray<Fields>, isAscending: boolean): ReadonlyArray<Fields> {
  return isAscending ? items : items.toReversed()
}

function paymentOf({ capture, money, state, ...item }: ListedCharge): Fields {
  const { attemptId, cardBrand, country, created, initiator, method, reference } = item
  const marks = { attempt_id: attemptId, reference, country, method, card_brand: cardBrand, initiator }
  const stated = "stated" in state ? state.stated : undefined
  return payment({
    id: state.providerRef,
    amount: amountOf(money),
    ...(capture === true
      ? { status: "paid", amountCaptured: stated === undefined ? undefined : amountOf(stated) }
      : { status: "authorized", captureMode: "manual" }),
    metadata: Object.fromEntries(Object.entries(marks).filter(([, text]) => text !== null)),
    createdAt: new Date(created).toISOString()
  })
}

function refundOf({ created, money, providerRef, refundId, state }: ListedRefund): Fields {
  return refund({
    id: state.providerRefundId,
    amount: amountOf(money),
    status: state._tag === "Succeeded" ? "refunded" : "pending",
    metadata: refundId === null ? null : { refund_id: refundId },
    paymentId: providerRef,
    createdAt: new Date(created).toISOString()
  })
}

function paymentOfDispute({ charge }: Pick<ListedDispute, "charge">): string {
  return "attemptId" in charge ? charge.attemptId.replace("att_", "prv_") : charge.providerRef
}

function chargebackOf(listed: ListedDispute) {
  const { at, disputeId, money } = listed
  const value = money?.currency === "JPY" ? String(money.minorUnits) : ((money?.minorUnits ?? 0) / 100).toFixed(2)
  return chargeback({
    ...{ id: disputeId, paymentId: paymentOfDispute(listed), createdAt: new Date(at ?? 0).toISOString() },
    amount: { currency: money?.currency, value }
  })
}

/** Without metadata, as Mollie's dashboard makes it. */
function refundByHand({ name, providerRef, providerRefundId, refunded }: ByHandSituation): Fields {
  const status = name === "refund" ? "refunded" : "pending"
  const amount = amountOf(refunded)
  return refund({ id: providerRefundId, paymentId: providerRef, amount, status, metadata: null })
}

function paymentByHand(of: ByHandSituation): Fields {
  const { attemptId, captures, name, providerRef: id } = of
  const shown = (fields: Fields) => payment({ id, metadata: { attempt_id: attemptId }, ...fields })
  if (name === "void") return shown({ status: "canceled" })
  if (name === "expiry") return shown({ status: "expired" })
  const last = captures.at(-1)
  return last === undefined
    ? shown({ amountRefunded: amountOf(of.refunded), _embedded: { refunds: [refundByHand(of)] } })
    : shown({ status: "authorized", captureMode: "manual", amountCaptured: amountOf(last.total) })
}

function eventsByHand(of: ByHandSituation): ReadonlyArray<Fields> {
  const { captures, name, providerRef: paymentId } = of
  if (name === "void" || name === "expiry") {
    return [event(name === "void" ? "payment.canceled" : "payment.expired", paymentByHand(of))]
  }
  if (captures.length === 0) return [event(`refund.${refundByHand(of)["status"]}`, refundByHand(of))]
  return captures.map(({ id, money }) =>
    event("capture.succeeded", capture({ id, paymentId, amount: amountOf(money), metadata: null }))
  )
}
