import { StripeConnector } from "@pointsman/connector-stripe"
import {
  type ByHandSituation,
  connectorSuite,
  type MessageSituation,
  type Operation,
  type Played,
  type Situation,
  type ToldByHand
} from "@pointsman/contracts/connector"
import type {
  ConnectorDefinition,
  ListedCharge,
  ListedDispute,
  ListedRefund,
  TransportAnswer,
  TransportRequest
} from "@pointsman/core/connector"
import { Effect } from "effect"
import { signed } from "./Signing.ts"
import {
  account,
  answer,
  charge,
  decline,
  dispute,
  event,
  failure,
  list,
  paymentIntent,
  refund,
  refundList,
  session
} from "./Stripe.ts"

/** Of no mode: the suite connects in both environments. */
const secretKey = "sk_of_the+contract/0123456789="

/**
 * A placeholder for our id in an object's metadata: Stripe gives back what it was given, which is the key of the
 * request.
 */
const ourId = "our_id_here"

const remembering: ConnectorDefinition = {
  ...StripeConnector.definition,
  connect: (account, transport) =>
    StripeConnector.definition.connect(account, {
      send: (request) =>
        Effect.map(transport.send(request), (given) => ({
          ...given,
          body: given.body.replaceAll(ourId, request.headers["idempotency-key"] ?? "")
        }))
    })
}

/** More than a day after the beginning of time, which is when the suite's calls were sent. */
const late = { date: "Sat, 21 Nov 2026 12:00:00 GMT" }
const early = { date: "Thu, 01 Jan 1970 00:10:00 GMT" }

/** A code of Stripe for each decline that there is one for. */
const codes: Readonly<Record<string, string>> = {
  "insufficient_funds hard": "insufficient_funds",
  "do_not_honor soft": "do_not_honor",
  "do_not_honor hard": "do_not_try_again",
  "expired_card hard": "expired_card",
  "invalid_card hard": "incorrect_number",
  "lost_or_stolen hard": "stolen_card",
  "suspected_fraud hard": "fraudulent",
  "limit_exceeded soft": "card_velocity_exceeded",
  "authentication_failed hard": "pin_try_exceeded",
  "not_permitted hard": "card_not_supported",
  "issuer_unavailable soft": "issuer_not_available",
  "invalid_request hard": "duplicate_transaction",
  "other hard": "a_code_of_tomorrow"
}

connectorSuite({
  name: "stripe",
  definition: remembering,
  credentials: { secretKey, baseUrl: "https://stripe.example/" },
  secrets: [secretKey],
  lists: {
    charges: ({ hasMore, items }) =>
      answer(200, list(items.map((item, at) => intentOf(item, at === 0)).toReversed(), hasMore)),
    refunds: ({ hasMore, items }) => answer(200, refundList(items.map(refundOf).toReversed(), hasMore)),
    // A payment's id is drawn, and Stripe compares parameters; the key it gives back in no list.
    untold: ["paymentId", "idempotencyKey"]
  },
  disputes: {
    answers: (disputes) => [answer(200, list(disputes.map(disputeOf).toReversed(), false, "/v1/disputes"))],
    // It has no time of its last change.
    told: (dispute) => ({ ...dispute, charge: { providerRef: paymentOf(dispute) }, ...ofReason, at: null })
  },
  account: { is: { id: account().id, mode: "test" }, answer: answer(200, account()) },
  brokenCredentials: [
    { credentials: undefined, field: "credentials" },
    { credentials: "sk_test_0123456789", field: "credentials" },
    { credentials: {}, field: "credentials.secretKey" },
    { credentials: { secretKey: 12_345_678 }, field: "credentials.secretKey" },
    { credentials: { secretKey: "" }, field: "credentials.secretKey" },
    { credentials: { secretKey: "sk_two words" }, field: "credentials.secretKey" },
    { credentials: { secretKey: "sk_line\r\nx: y" }, field: "credentials.secretKey" },
    { credentials: { secretKey: "pk_test_0123456789" }, field: "credentials.secretKey" },
    { credentials: { secretKey: "whsec_0123456789" }, field: "credentials.secretKey" },
    { credentials: { secretKey: "sk_live_0123456789" }, field: "credentials.secretKey" },
    { credentials: { secretKey: "rk_live_0123456789" }, field: "credentials.secretKey" },
    { credentials: { secretKey, baseUrl: "stripe.example" }, field: "credentials.baseUrl" },
    { credentials: { secretKey, baseUrl: "http://stripe.example" }, field: "credentials.baseUrl" },
    { credentials: { secretKey, baseUrl: "http://127.0.0.1.stripe.example" }, field: "credentials.baseUrl" },
    { credentials: { secretKey, baseUrl: "ftp://127.0.0.1" }, field: "credentials.baseUrl" },
    { credentials: { secretKey, baseUrl: "https://user:password@stripe.example" }, field: "credentials.baseUrl" },
    { credentials: { secretKey, baseUrl: "https://stripe.example/?key=value" }, field: "credentials.baseUrl" },
    { credentials: { secretKey, baseUrl: "https://stripe.example/#here" }, field: "credentials.baseUrl" },
    { credentials: { secretKey, account: "ba_0123456789" }, field: "credentials.account" },
    { credentials: { secretKey, account: "acct_1\r\nx: y" }, field: "credentials.account" },
    { credentials: { secretKey, acount: "acct_0123456789" }, field: "credentials.acount" }
  ],
  play: (situation) => {
    const played = answerTo(situation)
    return played === undefined ? undefined : ({ answer: played } satisfies Played)
  },
  lacks: [
    // A payment that is created and confirmed in one request cannot have been cancelled meanwhile.
    "charge canceled",
    // What is not captured is released.
    "capture still authorized",
    // A cancellation is done or refused.
    "void pending",
    "void still authorized",
    "void declined"
  ],
  messages: {
    toleranceMillis: 300_000,
    sign: (situation, secret, signedAt) => {
      const message = messageOf(situation)
      return message === undefined ? undefined : signed(JSON.stringify(message), secret, signedAt)
    },
    signText: signed
  },
  byHand: {
    messages: (of, secret, signedAt) => {
      const told = eventByHand(of)
      return "lacks" in told ? told : [signed(JSON.stringify(told), secret, signedAt)]
    },
    lookUp: lookedUpByHand,
    // https://docs.stripe.com/api/balance_transactions/object
    rows: ({ at, providerRef, providerRefundId }) => {
      const transaction = {
        object: "balance_transaction",
        id: "txn_1",
        amount: -200,
        available_on: at / 1000,
        created: at / 1000,
        currency: "eur",
        fee: 0
      }
      const source = refund({ id: providerRefundId, amount: 200, metadata: {}, payment_intent: providerRef })
      const row = { ...transaction, exchange_rate: null, net: -200, reporting_category: "refund", source }
      return [answer(200, list([row], false, "/v1/balance_transactions"))]
    }
  },
  wire: {
    idempotencyKeyOf: (request) => request.headers["idempotency-key"],
    amountOf: (request) =>
      field(request, "amount") ??
      field(request, "amount_to_capture") ??
      field(request, "line_items[0][price_data][unit_amount]"),
    amounts: { EUR: "1234", JPY: "500", KWD: "1230" },
    currencyOf: (request) => field(request, "currency") ?? field(request, "line_items[0][price_data][currency]"),
    currencies: { EUR: "eur", JPY: "jpy", KWD: "kwd" },
    checkout: {
      leadingTo: (url, { checkout }) => answer(200, session({ id: checkout.reference, url })),
      returnUrlOf: (request) => field(request, "success_url")
    },
    unknownStatus: (operation, situation) =>
      operation === "openCheckout"
        ? answer(200, session({ id: situation.checkout.reference, url: situation.checkout.url, expires_at: "soon" }))
        : shaped(operation, chargeOrRefund(operation, situation, { status: "settled" })),
    withoutReference: (operation, situation) =>
      operation === "openCheckout"
        ? answer(200, session({ id: undefined, url: situation.checkout.url }))
        : shaped(operation, chargeOrRefund(operation, situation, { id: undefined }))
  }
})

function field(request: TransportRequest, name: string): string | undefined {
  return new URLSearchParams(request.body).get(name) ?? undefined
}

function chargeOrRefund(operation: Operation, situation: Situation, fields: Readonly<Record<string, unknown>>) {
  const { minorUnits: amount, currency } = situation.money
  const common = { amount, currency: currency.toLowerCase() }
  return operation === "refund" || operation === "lookUpRefund"
    ? refund({ ...common, id: situation.providerRefundId, metadata: { refund_id: ourId }, ...fields })
    : paymentIntent({ ...common, id: situation.providerRef, metadata: { attempt_id: ourId }, ...fields })
}

/** Looked up without a reference, an object is found in a list. */
function shaped(operation: Operation, object: unknown): TransportAnswer {
  return answer(
    200,
    operation === "lookUpCharge" ? list([object]) : operation === "lookUpRefund" ? refundList([object]) : object,
    late
  )
}

function operationOf(name: string): Operation {
  if (name.startsWith("refund lookup")) return "lookUpRefund"
  if (name.startsWith("lookup")) return "lookUpCharge"
  return name.split(" ")[0] as Operation
}

function answerTo(situation: Situation): TransportAnswer | undefined {
  const { checkout, decline: declined, money, name, providerRef, rejection } = situation
  const operation = operationOf(name)
  const amount = money.minorUnits
  const found = (fields: Readonly<Record<string, unknown>>) =>
    shaped(operation, chargeOrRefund(operation, situation, fields))
  const unexpected = (fields: Readonly<Record<string, unknown>>) =>
    failure(400, {
      code: "payment_intent_unexpected_state",
      payment_intent: chargeOrRefund(operation, situation, fields)
    })
  const code = declined === null ? undefined : codes[`${declined.category} ${declined.soft ? "soft" : "hard"}`]
  switch (name) {
    case "checkout opened": {
      const expires_at = Math.floor(checkout.expiresAt / 1000)
      return answer(200, session({ id: checkout.reference, url: checkout.url, expires_at }))
    }
    case "charge rejected":
    case "checkout rejected":
    case "capture rejected":
    case "void rejected":
    case "refund rejected":
      return failure(400, { code: rejection.code, message: rejection.message })
    case "charge authorized":
    case "lookup authorized":
      return found({ status: "requires_capture", amount_capturable: amount })
    case "charge captured":
    case "capture captured":
    case "lookup captured":
      return found({ status: "succeeded", amount_received: amount })
    case "charge pending":
    case "capture pending":
    case "lookup pending":
      return found({ status: "processing" })
    case "charge needs customer":
      return decline("authentication_not_handled", { id: providerRef }, { code: "authentication_required" })
    case "lookup needs customer":
      return found({ status: "requires_action" })
    case "charge declined":
      return code === undefined ? undefined : decline(code, { id: providerRef })
    case "capture declined":
      return code === undefined ? undefined : decline(code, { id: providerRef, status: "requires_capture" })
    case "lookup declined":
      return code === undefined
        ? undefined
        : found({
            status: "requires_payment_method",
            last_payment_error: { type: "card_error", code: "card_declined", decline_code: code }
          })
    case "void canceled":
    case "lookup canceled":
      return found({ status: "canceled" })
    case "capture canceled":
      return unexpected({ status: "canceled" })
    case "void captured":
      return unexpected({ status: "succeeded", amount_received: amount })
    case "refund succeeded":
    case "refund lookup succeeded":
      return found({ status: "succeeded" })
    case "refund pending":
    case "refund lookup pending":
      return found({ status: "pending" })
    case "refund failed":
    case "refund lookup failed":
      return found({ status: "failed", failure_reason: "expired_or_canceled_card" })
    case "lookup not found":
    case "refund lookup not found":
      return answer(200, name.startsWith("refund") ? refundList([]) : list([]), late)
    case "lookup not found yet":
    case "refund lookup not found yet":
      return answer(200, name.startsWith("refund") ? refundList([]) : list([]), early)
    default:
      return undefined
  }
}

function messageOf(situation: MessageSituation) {
  const { at, attemptId, disputeId, id, money, name, providerRef, providerRefundId, refundId } = situation
  const amount = money.minorUnits
  const head = { id, created: at / 1000 }
  const intent = (fields: Readonly<Record<string, unknown>>) =>
    paymentIntent({ id: providerRef, amount, metadata: { attempt_id: attemptId }, ...fields })
  const refunded = (status: string) =>
    refund({ id: providerRefundId, amount, status, metadata: { refund_id: refundId } })
  const disputed = (status: string) => dispute({ id: disputeId, status, payment_intent: providerRef })
  switch (name) {
    case "charge authorized": {
      const object = intent({ status: "requires_capture", amount_capturable: amount })
      return event("payment_intent.amount_capturable_updated", object, head)
    }
    case "charge captured":
      return event("payment_intent.succeeded", intent({ status: "succeeded", amount_received: amount }), head)
    case "charge canceled":
      return event("payment_intent.canceled", intent({ status: "canceled" }), head)
    case "refund succeeded":
      return event("refund.updated", refunded("succeeded"), head)
    case "refund failed":
      return event("refund.failed", refunded("failed"), head)
    // Stripe reports a capture and a cancellation on the payment, without our operation id.
    case "operation confirmed":
    case "operation pending":
    case "operation failed":
    case "operation failed for now":
      return undefined
    // Stripe pays out totals, without naming the charges in them.
    case "charge settled":
      return undefined
    case "dispute opened":
      return event("charge.dispute.created", disputed("needs_response"), head)
    case "dispute updated":
      return event("charge.dispute.updated", disputed("under_review"), head)
    case "dispute won":
      return event("charge.dispute.closed", disputed("won"), head)
    case "dispute lost":
      return event("charge.dispute.closed", disputed("lost"), head)
  }
}

/**
 * "If the authorization expires before you capture the funds, the funds are released and the payment status changes to
 * canceled" (https://docs.stripe.com/payments/place-a-hold-on-a-payment-method), as after a cancellation.
 */
const canceledByHand = { status: "canceled" } as const

const capturedOnce = {
  lacks:
    "a payment is captured again only where its request said so (https://docs.stripe.com/payments/multicapture), and ours does not"
}

function eventByHand({ attemptId, captures, name, providerRef, ...of }: ByHandSituation) {
  const metadata = { attempt_id: attemptId }
  switch (name) {
    case "refund":
    case "pending refund": {
      const made = {
        id: of.providerRefundId,
        amount: of.refunded.minorUnits,
        metadata: {},
        payment_intent: providerRef
      }
      return event("refund.created", refund({ ...made, status: name === "refund" ? "succeeded" : "pending" }))
    }
    case "capture":
      return event(
        "charge.captured",
        charge({ amount_captured: captures[0]?.money.minorUnits, metadata, payment_intent: providerRef })
      )
    case "two captures":
      return capturedOnce
    default:
      return event("payment_intent.canceled", paymentIntent({ id: providerRef, metadata, ...canceledByHand }))
  }
}

function lookedUpByHand({
  attemptId,
  captures,
  name,
  providerRef,
  ...of
}: ByHandSituation): ToldByHand<TransportAnswer> {
  if (name === "two captures") return capturedOnce
  const shown = (fields: object) =>
    answer(200, paymentIntent({ id: providerRef, metadata: { attempt_id: attemptId }, ...fields }))
  if (name === "capture") return [shown({ status: "succeeded", amount_received: captures[0]?.money.minorUnits })]
  if (name === "void" || name === "expiry") return [shown(canceledByHand)]
  const amount = of.refunded.minorUnits
  const status = name === "refund" ? "succeeded" : "pending"
  return [
    shown({ amount_received: 1234, latest_charge: charge({ amount_refunded: amount }) }),
    answer(200, refundList([refund({ id: of.providerRefundId, amount, status, metadata: {} })]))
  ]
}

function intentOf(item: ListedCharge, isTaken: boolean) {
  const { attemptId, cardBrand, country, created, initiator, method, money, reference, state } = item
  const amount = "stated" in state ? state.stated?.minorUnits : undefined
  const marks = { attempt_id: attemptId, reference, country, method, card_brand: cardBrand, initiator }
  return paymentIntent({
    id: state.providerRef,
    amount: money.minorUnits,
    currency: money.currency.toLowerCase(),
    ...(isTaken
      ? { status: "succeeded", amount_received: amount, capture_method: "automatic" }
      : { status: "requires_capture", amount_capturable: amount, capture_method: "manual" }),
    metadata: Object.fromEntries(Object.entries(marks).filter(([, text]) => text !== null)),
    created: created / 1000
  })
}

function refundOf({ created, money, providerRef, refundId, state }: ListedRefund) {
  return refund({
    id: state.providerRefundId,
    amount: money.minorUnits,
    status: state._tag === "Succeeded" ? "succeeded" : "pending",
    metadata: refundId === null ? {} : { refund_id: refundId },
    payment_intent: providerRef,
    created: created / 1000
  })
}

const ofReason = { reason: "other", providerReason: "general" } as const

function paymentOf({ charge }: ListedDispute): string {
  return "attemptId" in charge ? charge.attemptId.replace("att_", "prv_") : charge.providerRef
}

function disputeOf(listed: ListedDispute) {
  const { disputeId, dueBy = 0, money, status } = listed
  return dispute({
    ...{ id: disputeId, payment_intent: paymentOf(listed), status },
    ...{ amount: money?.minorUnits, currency: money?.currency.toLowerCase() },
    evidence_details: { due_by: dueBy / 1000 }
  })
}
