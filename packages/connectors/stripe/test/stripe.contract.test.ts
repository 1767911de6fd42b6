import { StripeConnector } from "@pointsman/connector-stripe"
import {
  type ByHandSituation,
  brokenCredentials,
  connectorSuite,
  givingBack,
  type MessageSituation,
  type Operation,
  ourId,
  type Situation,
  type ToldByHand
} from "@pointsman/contracts/connector"
import type {
  ListedCharge,
  ListedDispute,
  ListedRefund,
  TransportAnswer,
  TransportRequest
} from "@pointsman/core/connector"
import { signed } from "./Signing.ts"
import {
  account,
  answer,
  charge,
  decline,
  dispute,
  event,
  type Fields,
  failure,
  list,
  paymentIntent,
  refund,
  refundList,
  session
} from "./Stripe.ts"

/** Of no mode: the suite connects in both environments. */
const secretKey = "sk_of_the+contract/0123456789="

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

const lacks: ReadonlyArray<Situation["name"]> = [
  // A payment that is created and confirmed in one request cannot have been cancelled meanwhile.
  "charge canceled",
  // What is not captured is released.
  "capture still authorized",
  // A cancellation is done or refused.
  "void pending",
  "void still authorized",
  "void declined"
]

connectorSuite({
  name: "stripe",
  definition: givingBack(StripeConnector.definition, keyOf),
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
  brokenCredentials: brokenCredentials(
    { secretKey },
    {
      secretKey: [
        ...[undefined, 12_345_678, "", "sk_two words", "sk_line\r\nx: y", "pk_test_0123456789"],
        ...["whsec_0123456789", "sk_live_0123456789", "rk_live_0123456789"]
      ],
      account: ["ba_0123456789", "acct_1\r\nx: y"],
      acount: ["acct_0123456789"]
    }
  ),

  play: (situation) => {
    const answer = lacks.includes(situation.name) ? undefined : answerTo(situation)
    return answer && { answer }
  },
  lacks,
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
    rows: (of) => {
      const at = of.at / 1000
      const moved = {
        amount: -200,
        available_on: at,
        created: at,
        currency: "eur",
        exchange_rate: null,
        fee: 0,
        net: -200
      }
      const named = {
        object: "balance_transaction",
        id: "txn_1",
        reporting_category: "refund",
        source: refundByHand(of)
      }
      return [answer(200, list([{ ...moved, ...named }], false, "/v1/balance_transactions"))]
    }
  },
  wire: {
    idempotencyKeyOf: keyOf,
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
      spoiled(operation, situation, { status: "settled", ...(operation === "openCheckout" && { expires_at: "soon" }) }),
    withoutReference: (operation, situation) => spoiled(operation, situation, { id: undefined })
  }
})

function field(request: TransportRequest, name: string): string | undefined {
  return new URLSearchParams(request.body).get(name) ?? undefined
}

function chargeOrRefund(operation: Operation, situation: Situation, fields: Fields) {
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

function spoiled(operation: Operation, situation: Situation, fields: Fields): TransportAnswer {
  const { reference: id, url } = situation.checkout
  return operation === "openCheckout"
    ? answer(200, session({ id, url, ...fields }))
    : shaped(operation, chargeOrRefund(operation, situation, fields))
}

function keyOf({ headers }: TransportRequest): string | undefined {
  return headers["idempotency-key"]
}

function answerTo(situation: Situation): TransportAnswer | undefined {
  const { checkout, decline: declined, money, name, operation, providerRef, rejection } = situation
  const outcome = name.replace(/^(refund lookup|\w+) /u, "")
  const isLookUp = operation.startsWith("lookUp")
  const isRefund = /refund$/iu.test(operation)
  const found = (fields: Fields) => shaped(operation, chargeOrRefund(operation, situation, fields))
  const unexpected = (fields: Fields) =>
    failure(400, {
      code: "payment_intent_unexpected_state",
      payment_intent: chargeOrRefund(operation, situation, fields)
    })
  const code = declined === null ? undefined : codes[`${declined.category} ${declined.soft ? "soft" : "hard"}`]
  const received = { status: "succeeded", amount_received: money.minorUnits }
  const error = { type: "card_error", code: "card_declined", decline_code: code }
  switch (outcome) {
    case "opened": {
      const { expiresAt, reference: id, url } = checkout
      return answer(200, session({ id, url, expires_at: Math.floor(expiresAt / 1000) }))
    }
    case "rejected":
      return failure(400, rejection)
    case "authorized":
      return found({ status: "requires_capture", amount_capturable: money.minorUnits })
    case "captured":
      return operation === "void" ? unexpected(received) : found(received)
    case "pending":
      return found({ status: isRefund ? "pending" : "processing" })
    case "needs customer":
      return isLookUp
        ? found({ status: "requires_action" })
        : decline("authentication_not_handled", { id: providerRef }, { code: "authentication_required" })
    case "declined":
      if (code === undefined) return undefined
      return isLookUp
        ? found({ status: "requires_payment_method", last_payment_error: error })
        : decline(code, { id: providerRef, ...(operation === "capture" ? { status: "requires_capture" } : {}) })
    case "canceled":
      return operation === "capture" ? unexpected({ status: "canceled" }) : found({ status: "canceled" })
    case "succeeded":
      return found({ status: "succeeded" })
    case "failed":
      return found({ status: "failed", failure_reason: "expired_or_canceled_card" })
    case "not found":
    case "not found yet":
      return answer(200, isRefund ? refundList([]) : list([]), outcome === "not found" ? late : early)
    default:
      return undefined
  }
}

function messageOf(situation: MessageSituation) {
  const { at, attemptId, disputeId, id, money, name, providerRef, providerRefundId, refundId } = situation
  const amount = money.minorUnits
  const intent = (fields: Fields) =>
    paymentIntent({ id: providerRef, amount, metadata: { attempt_id: attemptId }, ...fields })
  const refunded = (status: string) =>
    refund({ id: providerRefundId, amount, status, metadata: { refund_id: refundId } })
  const disputed = (status: string) => dispute({ id: disputeId, status, payment_intent: providerRef })
  const told: Partial<Record<typeof name, readonly [type: string, object: object]>> = {
    "charge authorized": [
      "payment_intent.amount_capturable_updated",
      intent({ status: "requires_capture", amount_capturable: amount })
    ],
    "charge captured": ["payment_intent.succeeded", intent({ status: "succeeded", amount_received: amount })],
    "charge canceled": ["payment_intent.canceled", intent({ status: "canceled" })],
    "refund succeeded": ["refund.updated", refunded("succeeded")],
    "refund failed": ["refund.failed", refunded("failed")],
    "dispute opened": ["charge.dispute.created", disputed("needs_response")],
    "dispute updated": ["charge.dispute.updated", disputed("under_review")],
    "dispute won": ["charge.dispute.closed", disputed("won")],
    "dispute lost": ["charge.dispute.closed", disputed("lost")]
  }
  // Of a capture, Stripe tells the payment without our operation id, and its payouts name no charges.
  const [type, object] = told[name] ?? []
  return type === undefined ? undefined : event(type, object, { id, created: at / 1000 })
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

function refundByHand({ name, providerRef, providerRefundId: id, refunded }: ByHandSituation) {
  const status = name === "refund" ? "succeeded" : "pending"
  return refund({ id, amount: refunded.minorUnits, metadata: {}, payment_intent: providerRef, status })
}

function eventByHand(of: ByHandSituation) {
  const metadata = { attempt_id: of.attemptId }
  if (of.name === "two captures") return capturedOnce
  if (of.name.endsWith("refund")) return event("refund.created", refundByHand(of))
  if (of.name !== "capture") {
    return event("payment_intent.canceled", paymentIntent({ id: of.providerRef, metadata, ...canceledByHand }))
  }
  const taken = { amount_captured: of.captures[0]?.money.minorUnits, metadata, payment_intent: of.providerRef }
  return event("charge.captured", charge(taken))
}

function lookedUpByHand(of: ByHandSituation): ToldByHand<TransportAnswer> {
  const shown = (fields: object) =>
    answer(200, paymentIntent({ id: of.providerRef, metadata: { attempt_id: of.attemptId }, ...fields }))
  if (of.name === "two captures") return capturedOnce
  if (of.name === "capture") return [shown({ status: "succeeded", amount_received: of.captures[0]?.money.minorUnits })]
  if (of.name === "void" || of.name === "expiry") return [shown(canceledByHand)]
  const amount_refunded = of.refunded.minorUnits
  return [
    shown({ amount_received: 1234, latest_charge: charge({ amount_refunded }) }),
    answer(200, refundList([refundByHand(of)]))
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
