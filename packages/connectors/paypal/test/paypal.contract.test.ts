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
  ChargeLookup,
  ConnectorDefinition,
  ListedDispute,
  TransportAnswer,
  TransportRequest
} from "@pointsman/core/connector"
import { Result } from "effect"
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

/** Every charge that the suite looks up is this one: PayPal is asked by its own name alone. */
const underSuite: ConnectorDefinition = {
  ...seenAlone,
  connect: (account, transport) =>
    Result.map(
      givingBack(seenAlone, ourIdOf).connect(account, transport),
      ({ completeCheckout, lookUpCharge, ...connector }) => ({
        ...connector,
        ...(completeCheckout && {
          completeCheckout: (request) => completeCheckout({ ...request, checkoutReference: providerRef })
        }),
        lookUpCharge: (request) => lookUpCharge({ ...request, ...namedBy(request) })
      })
    )
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
  brokenCredentials: brokenCredentials(
    { clientId, clientSecret },
    {
      clientId: [undefined, "", "a:b", "two words"],
      clientSecret: [undefined, "", "line\r\nx: y"],
      secret: [clientSecret],
      webhookId: ["1"]
    }
  ),

  play: (situation) => {
    if (ofCheckouts.has(situation.name)) checkouts.add(situation.attemptId)
    const answer = answerTo(situation)
    return answer && { answer }
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
  const [ofOrder, ofPayment] = "id" in lost ? [lost, {}] : [{}, lost]
  const ofCapture = capture({ amount, invoice_id: ourId, ...lost })
  const ofRefund = refund({ amount, id: situation.providerRefundId, custom_id: ourId, ...lost })
  const paid = orderOf({ captures: [capture({ amount, ...ofPayment })] }, ofOrder)
  const spoilt: Readonly<Record<Operation, TransportAnswer>> = {
    charge: answer(201, paid),
    completeCheckout: answer(201, paid),
    lookUpCharge: answer(200, paid),
    capture: answer(201, ofCapture),
    void: answer(200, authorization({ status: "VOIDED", ...lost })),
    refund: answer(201, ofRefund),
    lookUpOperation: answer(200, orderOf({ captures: [ofCapture] })),
    lookUpRefund: answer(200, orderOf({ captures: [capture({ amount })], refunds: [ofRefund] })),
    openCheckout: openedAt(situation, situation.checkout.url, "id" in lost ? lost : { status: "VOIDED" })
  }
  return spoilt[operation]
}

function answerTo(situation: Situation): TransportAnswer | undefined {
  const { decline, name, providerRefundId, rejection } = situation
  const [, asked = "", outcome = ""] = /^(operation lookup|refund lookup|\w+) (.*)$/u.exec(name) ?? []
  const amount = amountOf(situation)
  const code = decline === null ? undefined : processorCodes[`${decline.category} ${decline.soft ? "soft" : "hard"}`]
  const ofProcessor = { processor_response: { response_code: "5120" } }
  const status = asked === "lookup" ? 200 : 201
  const ofCharge = (payments: Fields) => answer(status, orderOf(payments))
  const captured = (fields: Fields = {}) => ofCharge({ captures: [capture({ amount, ...fields })] })
  const ofOrder = (status: string) => answer(asked === "charge" ? 201 : 200, orderOf(undefined, { status }))
  const ofCapture = (fields: Fields) => capture({ amount, invoice_id: ourId, ...fields })
  const ofVoid = (fields: Fields) => answer(200, authorization({ id: authorizationId, amount, ...fields }))
  const ofRefund = (fields: Fields = {}) => refund({ amount, id: providerRefundId, custom_id: ourId, ...fields })
  const shown = (payments: Fields) => answer(200, orderOf(payments))
  const authorized = { authorizations: [authorization({ amount })] }
  const failed = { status: "DECLINED", status_details: { reason: rejection.message } }
  if (outcome === "rejected") return failure(422, rejection.code, rejection.message)
  if (["charge", "completion", "lookup"].includes(asked)) {
    const declined = { status: "DECLINED", processor_response: { response_code: code } }
    const answers: Readonly<Record<string, TransportAnswer | undefined>> = {
      authorized: ofCharge(authorized),
      captured: captured(),
      pending: captured({ status: "PENDING", status_details: { reason: "PENDING_REVIEW" } }),
      declined: code === undefined ? undefined : captured(declined),
      "needs customer": ofOrder("PAYER_ACTION_REQUIRED"),
      ...(asked === "lookup" && {
        approved: ofOrder("APPROVED"),
        canceled: shown({ authorizations: [authorization({ amount, status: "VOIDED" })] }),
        "not found": failure(404, "INVALID_RESOURCE_ID")
      })
    }
    return answers[outcome]
  }
  const answers: Partial<Record<typeof name, TransportAnswer>> = {
    "checkout opened": openedAt(situation, situation.checkout.url),
    "capture captured": answer(201, ofCapture({})),
    "capture pending": answer(201, ofCapture({ status: "PENDING" })),
    "capture declined": answer(201, ofCapture({ status: "DECLINED", ...ofProcessor })),
    "void canceled": ofVoid({ status: "VOIDED" }),
    "void pending": ofVoid({ status: "PENDING" }),
    "void still authorized": ofVoid({ status: "CREATED" }),
    "void declined": ofVoid({ status: "DENIED", ...ofProcessor }),
    "refund succeeded": answer(201, ofRefund()),
    "refund pending": answer(201, ofRefund({ status: "PENDING", status_details: { reason: "ECHECK" } })),
    "refund failed": answer(201, ofRefund({ status: "FAILED" })),
    "operation lookup confirmed": shown({ captures: [ofCapture({})] }),
    "operation lookup pending": shown({ captures: [ofCapture({ status: "PENDING" })] }),
    "operation lookup failed": shown({ captures: [ofCapture(failed)] }),
    "operation lookup not found yet": shown(authorized),
    "refund lookup succeeded": shown({ refunds: [ofRefund()] }),
    "refund lookup pending": shown({ refunds: [ofRefund({ status: "PENDING" })] }),
    "refund lookup failed": shown({ refunds: [ofRefund({ status: "FAILED" })] }),
    "refund lookup not found yet": shown({ captures: [capture({ amount })] })
  }
  return answers[name]
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
  const decided = (outcome_code: string) => disputed("RESOLVED", { dispute_outcome: { outcome_code } })
  // There is no event for a refund that failed; PayPal tries nothing again, and its payouts name no payment.
  const told: Partial<Record<typeof name, ReturnType<typeof event>>> = {
    "charge authorized": tell("PAYMENT.AUTHORIZATION.CREATED", authorization(ofCharge)),
    "charge captured": tell("PAYMENT.CAPTURE.COMPLETED", capture(ofCharge)),
    "charge canceled": tell("PAYMENT.AUTHORIZATION.VOIDED", authorization({ ...ofCharge, status: "VOIDED" })),
    "refund succeeded": tell("PAYMENT.CAPTURE.REFUNDED", refund({ amount, custom_id: refundId })),
    "operation confirmed": tell("PAYMENT.CAPTURE.COMPLETED", capture(ofOperation)),
    "operation pending": tell("PAYMENT.CAPTURE.PENDING", capture({ ...ofOperation, status: "PENDING" })),
    "operation failed": tell("PAYMENT.CAPTURE.DECLINED", capture({ ...ofOperation, status: "DECLINED" })),
    "dispute opened": disputed("CREATED"),
    "dispute updated": disputed("UPDATED", { status: "UNDER_REVIEW" }),
    "dispute won": decided("RESOLVED_SELLER_FAVOUR"),
    "dispute lost": decided("RESOLVED_BUYER_FAVOUR")
  }
  return told[name]
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
