import {
  type ByHandSituation,
  connectorSuite,
  type MessageSituation,
  type Operation,
  type Situation
} from "@pointsman/contracts/connector"
import type {
  ChargeLookup,
  ConnectorDefinition,
  ListedDispute,
  TransportAnswer,
  TransportRequest
} from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { bodyOf, seenAlone } from "./Calls.ts"
import {
  answer,
  authorization,
  authorizationId,
  baseUrl,
  capture,
  clientId,
  clientSecret,
  dispute,
  event,
  type Fields,
  failure,
  order,
  refund,
  signed,
  vaultId,
  webhookId
} from "./PayPal.ts"

/** A placeholder for our id in an object: PayPal gives back what it was given, by the id that is looked up. */
const ourId = "our_id_here"

/** Every charge that the suite looks up is this one: PayPal is asked by its own name alone. */
const underSuite: ConnectorDefinition = {
  ...seenAlone,
  connect: (account, transport) => {
    let lookedUp = ""
    const connected = seenAlone.connect(account, {
      send: (request) =>
        Effect.map(transport.send(request), (given) => ({
          ...given,
          body: given.body.replaceAll(ourId, ourIdOf(request) ?? lookedUp)
        }))
    })
    const lookingUp = <Request, A>(id: string, lookUp: (request: Request) => A, request: Request): A => {
      lookedUp = id
      return lookUp(request)
    }
    return Result.map(connected, ({ completeCheckout, lookUpCharge, lookUpOperation, lookUpRefund, ...connector }) => ({
      ...connector,
      ...(completeCheckout && {
        completeCheckout: (request) => completeCheckout({ ...request, checkoutReference: providerRef })
      }),
      lookUpCharge: (request) => lookingUp(request.attemptId, lookUpCharge, { ...request, ...namedBy(request) }),
      ...(lookUpOperation && {
        lookUpOperation: (request) => lookingUp(request.operationId, lookUpOperation, request)
      }),
      ...(lookUpRefund && { lookUpRefund: (request) => lookingUp(request.refundId, lookUpRefund, request) })
    }))
  }
}

const providerRef = "prv_charge/1 ä"
/** Of our ids, those of checkouts that are approved, and of charges that are looked up by theirs. */
const checkouts = new Set<string>()

function namedBy({ attemptId }: ChargeLookup) {
  return checkouts.has(attemptId) ? { checkoutReference: providerRef } : { providerRef }
}

const processorCodes: Readonly<Record<string, string>> = {
  "insufficient_funds hard": "5120",
  "do_not_honor soft": "0500",
  "do_not_honor hard": "PPRN",
  "expired_card hard": "5400",
  "invalid_card hard": "5180",
  "lost_or_stolen hard": "9520",
  "suspected_fraud hard": "9500",
  "limit_exceeded soft": "5710",
  "authentication_failed hard": "5650",
  "not_permitted hard": "5700",
  "issuer_unavailable soft": "5920",
  "issuer_unavailable hard": "5910",
  "cancelled_by_customer hard": "0R00",
  "invalid_request hard": "1310",
  "other hard": "9600"
}

/** Literal: a formula would repeat the connector's. */
const written: Readonly<Record<string, string>> = {
  "200 EUR": "2.00",
  "300 EUR": "3.00",
  "1234 EUR": "12.34",
  "500 JPY": "500",
  "1230 KWD": "1.230"
}

/** These are asked by the order that a customer was sent to. */
const ofCheckouts: ReadonlySet<Situation["name"]> = new Set([
  "lookup approved",
  "lookup needs customer",
  "lookup not found"
])

connectorSuite({
  name: "paypal",
  definition: underSuite,
  credentials: { clientId, clientSecret, baseUrl: `${baseUrl}/` },
  secrets: [clientSecret],
  instrument: vaultId,
  cannotBeAsked: { voids: true },
  account: {
    is: { id: "WDJJHEBZ4X2LY", mode: "test" },
    answer: answer(200, { user_id: "https://www.paypal.com/webapps/auth/identity/user/1", payer_id: "WDJJHEBZ4X2LY" })
  },
  disputes: {
    // The list has summaries: each dispute is read after it.
    answers: (disputes) => [
      answer(200, {
        items: disputes.map(({ disputeId }) => ({ dispute_id: disputeId, status: "OPEN" })),
        links: [{ href: `${baseUrl}/v1/customer/disputes`, rel: "self", method: "GET" }]
      }),
      ...disputes.map((one) => answer(200, disputeOf(one)))
    ],
    told: ({ status, ...listed }) => ({ ...listed, ...(listed.verdict === "opened" && status && { status }) })
  },
  brokenCredentials: [
    { credentials: undefined, field: "credentials" },
    { credentials: clientSecret, field: "credentials" },
    { credentials: {}, field: "credentials.clientId" },
    { credentials: { clientId: "", clientSecret }, field: "credentials.clientId" },
    { credentials: { clientId: "a:b", clientSecret }, field: "credentials.clientId" },
    { credentials: { clientId: "two words", clientSecret }, field: "credentials.clientId" },
    { credentials: { clientId }, field: "credentials.clientSecret" },
    { credentials: { clientId, clientSecret: "" }, field: "credentials.clientSecret" },
    { credentials: { clientId, clientSecret: "line\r\nx: y" }, field: "credentials.clientSecret" },
    { credentials: { clientId, clientSecret, baseUrl: "paypal.example" }, field: "credentials.baseUrl" },
    { credentials: { clientId, clientSecret, baseUrl: "http://paypal.example" }, field: "credentials.baseUrl" },
    { credentials: { clientId, clientSecret, baseUrl: "https://a:b@paypal.example" }, field: "credentials.baseUrl" },
    { credentials: { clientId, clientSecret, secret: clientSecret }, field: "credentials.secret" },
    { credentials: { clientId, clientSecret, webhookId: "1" }, field: "credentials.webhookId" }
  ],
  play: (situation) => {
    if (ofCheckouts.has(situation.name)) checkouts.add(situation.attemptId)
    const played = answerTo(situation)
    return played === undefined ? undefined : { answer: played }
  },
  lacks: [
    "charge canceled",
    "capture still authorized",
    "capture canceled",
    "void captured",
    // It tries nothing again by itself.
    "operation lookup failed for now",
    // Of a direct charge, PayPal does not say how soon its order shows what was done.
    "lookup not found yet",
    "operation lookup not found",
    "refund lookup not found"
  ],
  messages: {
    toleranceMillis: 4 * 24 * 60 * 60 * 1000,
    secrets: { right: webhookId, wrong: ["", `${webhookId}0`, webhookId.slice(0, -1), webhookId.toLowerCase()] },
    sign: (situation, secret, signedAt) => {
      const message = messageOf(situation)
      return message === undefined ? undefined : signed(JSON.stringify(message), secret, signedAt)
    },
    signText: (text, secret, signedAt) => signed(text, secret, signedAt)
  },
  byHand: {
    messages: (of, secret, signedAt) => eventsByHand(of).map((one) => signed(JSON.stringify(one), secret, signedAt)),
    lookUp: (of) => {
      const { captures = [], refunds = [], authorizations } = paymentsByHand(of)
      return [answer(200, order(of.attemptId, { captures, refunds, authorizations }, { id: providerRef }))]
    },
    // https://developer.paypal.com/docs/api/transaction-search/v1/#transactions_get
    rows: ({ attemptId, providerRefundId }) => {
      const paidBack = { transaction_amount: { currency_code: "EUR", value: "-2.00" }, transaction_status: "S" }
      const at = { transaction_initiation_date: "2026-11-21T12:00:05+0000", custom_field: attemptId }
      const row = { transaction_id: providerRefundId, transaction_event_code: "T1107", ...paidBack, ...at }
      const last_refreshed_datetime = "2026-11-21T15:59:59+0000"
      return [
        answer(200, { transaction_details: [{ transaction_info: row }], last_refreshed_datetime, total_pages: 1 })
      ]
    }
  },
  wire: {
    idempotencyKeyOf: ourIdOf,
    amountOf: (request) => amountIn(request)?.["value"],
    amounts: { EUR: "12.34", JPY: "500", KWD: null },
    currencyOf: (request) => amountIn(request)?.["currency_code"],
    currencies: { EUR: "EUR", JPY: "JPY", KWD: null },
    checkout: {
      leadingTo: (address, situation) => openedAt(situation, address),
      returnUrlOf: (request) => contextIn(request)?.["return_url"]
    },
    unknownStatus: (operation, situation) => spoiled(operation, situation, { status: "SETTLED" }),
    withoutReference: (operation, situation) =>
      operation === "lookUpOperation"
        ? spoiled(operation, situation, { invoice_id: undefined })
        : spoiled(operation, situation, { id: undefined })
  }
})

/** Another id than that of the opening, made of it. */
function ourIdOf({ headers }: TransportRequest): string | undefined {
  return headers["paypal-request-id"]?.replace(/-completion$/u, "")
}

function openedAt(situation: Situation, address: string, fields: Fields = {}): TransportAnswer {
  const { checkout } = situation
  return answer(
    201,
    order(ourId, undefined, {
      id: checkout.reference,
      status: "PAYER_ACTION_REQUIRED",
      create_time: new Date(checkout.expiresAt - 6 * 60 * 60 * 1000).toISOString(),
      links: [{ href: address, rel: "payer-action", method: "GET" }],
      ...fields
    })
  )
}

function contextIn(request: TransportRequest): Fields | undefined {
  const { payment_source: source } = bodyOf(request) as { readonly payment_source?: { readonly paypal?: Fields } }
  return source?.paypal?.["experience_context"] as Fields | undefined
}

function amountIn(request: TransportRequest): Fields | undefined {
  const { amount, purchase_units: units } = bodyOf(request)
  const [unit] = (units ?? []) as ReadonlyArray<{ readonly amount: Fields }>
  return unit?.amount ?? (amount as Fields | undefined)
}

function amountOf({ money: { currency, minorUnits } }: Pick<Situation, "money">) {
  return { currency_code: currency, value: written[`${minorUnits} ${currency}`] }
}

function orderOf(payments: Fields | undefined, fields: Fields = {}) {
  return order(ourId, payments, { id: providerRef, ...fields })
}

function spoiled(operation: Operation, situation: Situation, lost: Fields): TransportAnswer {
  const amount = amountOf(situation)
  const ofCapture = { amount, invoice_id: ourId }
  switch (operation) {
    case "charge":
    case "lookUpCharge": {
      const isId = "id" in lost
      const payments = { captures: [capture({ amount, ...(isId ? {} : lost) })] }
      return answer(operation === "charge" ? 201 : 200, orderOf(payments, isId ? lost : {}))
    }
    case "capture":
      return answer(201, capture({ ...ofCapture, ...lost }))
    case "void":
      return answer(200, authorization({ status: "VOIDED", ...lost }))
    case "refund":
      return answer(201, refund({ amount, id: situation.providerRefundId, ...lost }))
    case "lookUpOperation":
      return answer(200, orderOf({ captures: [capture({ ...ofCapture, ...lost })] }))
    case "lookUpRefund":
      return answer(
        200,
        orderOf({
          captures: [capture({ amount })],
          refunds: [refund({ amount, id: situation.providerRefundId, custom_id: ourId, ...lost })]
        })
      )
    case "openCheckout":
      return openedAt(situation, situation.checkout.url, "id" in lost ? lost : { status: "VOIDED" })
    case "completeCheckout": {
      const isId = "id" in lost
      return answer(201, orderOf({ captures: [capture({ amount, ...(isId ? {} : lost) })] }, isId ? lost : {}))
    }
  }
}

function answerTo(situation: Situation): TransportAnswer | undefined {
  const { decline, name, providerRefundId, rejection } = situation
  const amount = amountOf(situation)
  const processor_response = {
    response_code:
      decline === null ? undefined : processorCodes[`${decline.category} ${decline.soft ? "soft" : "hard"}`]
  }
  const status = name.startsWith("lookup") ? 200 : 201
  const captured = (fields: Fields = {}) => answer(status, orderOf({ captures: [capture({ amount, ...fields })] }))
  const ofCapture = (fields: Fields) => answer(201, capture({ amount, invoice_id: ourId, ...fields }))
  const voided = (fields: Fields) => answer(200, authorization({ id: authorizationId, amount, ...fields }))
  const refunded = (fields: Fields) =>
    answer(201, refund({ amount, id: providerRefundId, custom_id: ourId, ...fields }))
  const shown = (payments: Fields) => answer(200, orderOf(payments))
  switch (name) {
    case "charge rejected":
    case "capture rejected":
    case "void rejected":
    case "refund rejected":
    case "checkout rejected":
    case "completion rejected":
      return failure(422, rejection.code, rejection.message)
    case "checkout opened":
      return openedAt(situation, situation.checkout.url)
    case "lookup approved":
      return answer(200, orderOf(undefined, { status: "APPROVED" }))
    case "lookup needs customer":
      return answer(200, orderOf(undefined, { status: "PAYER_ACTION_REQUIRED" }))
    case "lookup not found":
      return failure(404, "INVALID_RESOURCE_ID")
    case "charge authorized":
    case "completion authorized":
    case "lookup authorized":
      return answer(status, orderOf({ authorizations: [authorization({ amount })] }))
    case "charge captured":
    case "completion captured":
    case "lookup captured":
      return captured()
    case "charge pending":
    case "completion pending":
    case "lookup pending":
      return captured({ status: "PENDING", status_details: { reason: "PENDING_REVIEW" } })
    case "charge declined":
    case "completion declined":
    case "lookup declined":
      return processor_response.response_code === undefined
        ? undefined
        : captured({ status: "DECLINED", processor_response })
    case "charge needs customer":
      return answer(201, orderOf(undefined, { status: "PAYER_ACTION_REQUIRED" }))
    case "lookup canceled":
      return answer(200, orderOf({ authorizations: [authorization({ amount, status: "VOIDED" })] }))
    case "capture captured":
      return ofCapture({})
    case "capture pending":
      return ofCapture({ status: "PENDING" })
    case "capture declined":
      return ofCapture({ status: "DECLINED", processor_response: { response_code: "5120" } })
    case "void canceled":
      return voided({ status: "VOIDED" })
    case "void pending":
      return voided({ status: "PENDING" })
    case "void still authorized":
      return voided({ status: "CREATED" })
    case "void declined":
      return voided({ status: "DENIED", processor_response: { response_code: "5120" } })
    case "refund succeeded":
      return refunded({})
    case "refund pending":
      return refunded({ status: "PENDING", status_details: { reason: "ECHECK" } })
    case "refund failed":
      return refunded({ status: "FAILED" })
    case "operation lookup confirmed":
      return shown({ captures: [capture({ amount, invoice_id: ourId })] })
    case "operation lookup pending":
      return shown({ captures: [capture({ amount, invoice_id: ourId, status: "PENDING" })] })
    case "operation lookup failed":
      return shown({
        captures: [
          capture({ amount, invoice_id: ourId, status: "DECLINED", status_details: { reason: rejection.message } })
        ]
      })
    case "operation lookup not found yet":
      return shown({ authorizations: [authorization({ amount })] })
    case "refund lookup succeeded":
      return shown({ refunds: [refund({ amount, id: providerRefundId, custom_id: ourId })] })
    case "refund lookup pending":
      return shown({ refunds: [refund({ amount, id: providerRefundId, custom_id: ourId, status: "PENDING" })] })
    case "refund lookup failed":
      return shown({ refunds: [refund({ amount, id: providerRefundId, custom_id: ourId, status: "FAILED" })] })
    case "refund lookup not found yet":
      return shown({ captures: [capture({ amount })] })
    default:
      return undefined
  }
}

function messageOf(situation: MessageSituation) {
  const { at, attemptId, disputeId, id, name, operationId, refundId } = situation
  const tell = (type: string, resource: Fields) =>
    event(type, resource, { id, create_time: new Date(at).toISOString() })
  const supplementary_data = { related_ids: { order_id: situation.providerRef } }
  const amount = amountOf(situation)
  const ofCharge = { amount, custom_id: attemptId, invoice_id: attemptId, supplementary_data }
  const ofOperation = { ...ofCharge, invoice_id: operationId }
  const disputed = (type: string, fields: Fields = {}) =>
    tell(`CUSTOMER.DISPUTE.${type}`, dispute(attemptId, { dispute_id: disputeId, ...fields }))
  switch (name) {
    case "charge authorized":
      return tell("PAYMENT.AUTHORIZATION.CREATED", authorization(ofCharge))
    case "charge captured":
      return tell("PAYMENT.CAPTURE.COMPLETED", capture(ofCharge))
    case "charge canceled":
      return tell("PAYMENT.AUTHORIZATION.VOIDED", authorization({ ...ofCharge, status: "VOIDED" }))
    case "refund succeeded":
      return tell("PAYMENT.CAPTURE.REFUNDED", refund({ amount, custom_id: refundId }))
    case "operation confirmed":
      return tell("PAYMENT.CAPTURE.COMPLETED", capture(ofOperation))
    case "operation pending":
      return tell("PAYMENT.CAPTURE.PENDING", capture({ ...ofOperation, status: "PENDING" }))
    case "operation failed":
      return tell("PAYMENT.CAPTURE.DECLINED", capture({ ...ofOperation, status: "DECLINED" }))
    // There is no event for a refund that failed; PayPal tries nothing again, and its payouts name no payment.
    case "refund failed":
    case "operation failed for now":
    case "charge settled":
      return undefined
    case "dispute opened":
      return disputed("CREATED")
    case "dispute updated":
      return disputed("UPDATED", { status: "UNDER_REVIEW" })
    case "dispute won":
      return disputed("RESOLVED", { dispute_outcome: { outcome_code: "RESOLVED_SELLER_FAVOUR" } })
    case "dispute lost":
      return disputed("RESOLVED", { dispute_outcome: { outcome_code: "RESOLVED_BUYER_FAVOUR" } })
  }
}

function disputeOf({ at, charge, disputeId, dueBy, money, verdict }: ListedDispute) {
  const value = money?.currency === "JPY" ? String(money.minorUnits) : ((money?.minorUnits ?? 0) / 100).toFixed(2)
  return dispute("attemptId" in charge ? charge.attemptId : undefined, {
    ...{ dispute_id: disputeId, update_time: new Date(at ?? 0).toISOString() },
    ...{ dispute_amount: { currency_code: money?.currency, value }, status: verdict === "lost" ? "RESOLVED" : "OPEN" },
    ...(verdict === "lost" ? { dispute_outcome: { outcome_code: "RESOLVED_BUYER_FAVOUR" } } : {}),
    ...(dueBy === undefined ? {} : { seller_response_due_date: new Date(dueBy).toISOString() })
  })
}

/** On PayPal's pages: a refund has the names of its capture, and a capture those of its authorization. */
function paymentsByHand({ attemptId: custom_id, captures, name, ...of }: ByHandSituation) {
  const supplementary_data = { related_ids: { order_id: of.providerRef } }
  const names = { custom_id, invoice_id: custom_id, supplementary_data }
  if (captures.length > 0) {
    const authorizations = [authorization({ status: "PARTIALLY_CAPTURED" })]
    return { authorizations, captures: captures.map((one) => capture({ ...names, id: one.id, amount: amountOf(one) })) }
  }
  // PayPal voids what is not captured within 30 days, by the same event
  // (https://developer.paypal.com/limited-release/commerce-platform/webhooks).
  if (name === "void" || name === "expiry") return { authorizations: [authorization({ ...names, status: "VOIDED" })] }
  const status = name === "refund" ? "COMPLETED" : "PENDING"
  const made = refund({ custom_id, id: of.providerRefundId, amount: amountOf({ money: of.refunded }), status })
  return { captures: [capture({ ...names, status: "PARTIALLY_REFUNDED" })], refunds: [made] }
}

function eventsByHand(of: ByHandSituation) {
  const { authorizations = [], captures = [], refunds } = paymentsByHand(of)
  if (refunds !== undefined) return refunds.map((one) => event("PAYMENT.CAPTURE.REFUNDED", one))
  return captures.length > 0
    ? captures.map((one) => event("PAYMENT.CAPTURE.COMPLETED", one))
    : authorizations.map((one) => event("PAYMENT.AUTHORIZATION.VOIDED", one))
}
