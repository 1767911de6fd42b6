/** The rows of `provider-answers.snap.txt`: what Stripe answers, and the page that says so. */
import type { TransportAnswer } from "@pointsman/core/connector"
import { connected, sample } from "./Calls.ts"
import { answer, decline, failure, list, paymentIntent, refund, refundList, session } from "./Stripe.ts"

const connect = (...script: ReadonlyArray<TransportAnswer>) => connected(script).connector

const intents = "https://docs.stripe.com/payments/paymentintents/lifecycle"
const declines = "https://docs.stripe.com/declines/codes"
const errors = "https://docs.stripe.com/error-low-level"
const keys = "https://docs.stripe.com/api/idempotent_requests"
const pages = "https://docs.stripe.com/api/checkout/sessions/object"
const refunds = "https://docs.stripe.com/api/refunds/object"
const limits = "https://docs.stripe.com/rate-limits"

const intent = (status: string, fields: object = {}) => [
  answer(200, paymentIntent({ status, amount_received: 1234, amount_capturable: 1234, ...fields }))
]
const unexpected = (status: string) => [
  failure(400, {
    code: "payment_intent_unexpected_state",
    payment_intent: paymentIntent({ id: "pi_1", status, amount_received: 1234 })
  })
]
const refunded = (status: string) => [answer(200, refund({ status, amount: 1234, metadata: { refund_id: "rf_1" } }))]
/** More than a day after the call was sent. */
const late = { date: "Mon, 23 Nov 2026 12:00:00 GMT" }
const early = { date: "Sat, 21 Nov 2026 12:10:00 GMT" }
const none = [answer(200, list([]), late), answer(200, { ...list([]), url: "/v1/payment_intents/search" }, late)]
const noneYet = [answer(200, list([]), early), answer(200, { ...list([]), url: "/v1/payment_intents/search" }, early)]
const onPage = { ...sample.lookUpCharge, checkoutReference: "cs_1" }
const page = (fields: object) => [answer(200, session({ id: "cs_1", payment_intent: null, ...fields }))]

const rows = [
  ["charge", "`succeeded`", intent("succeeded"), intents],
  ["charge", "`requires_capture`", intent("requires_capture"), intents],
  ["charge", "`processing`", intent("processing"), intents],
  ["charge", "`requires_action`", intent("requires_action"), intents],
  ["charge", "`canceled`", intent("canceled"), intents],
  ["charge", "402 `do_not_honor`", [decline("do_not_honor", { id: "pi_1" })], declines],
  ["charge", "402 `insufficient_funds`", [decline("insufficient_funds", { id: "pi_1" })], declines],
  ["charge", "402 `stolen_card`", [decline("stolen_card", { id: "pi_1" })], declines],
  ["charge", "402 `authentication_required`", [decline("authentication_required", { id: "pi_1" })], declines],
  ["charge", "402, an unlisted code", [decline("a_code_of_tomorrow", { id: "pi_1" })], declines],
  ["charge", "the payment of another attempt", intent("succeeded", { metadata: { attempt_id: "att_2" } }), keys],
  ["charge", "400 `invalid_request_error`", [failure(400, { code: "amount_too_small" })], errors],
  ["charge", "400 `idempotency_error`", [failure(400, { type: "idempotency_error" })], keys],
  ["charge", "409", [failure(409, { code: "lock_timeout" })], errors],
  ["charge", "429 `rate_limit`", [failure(429, { code: "rate_limit" })], limits],
  ["charge", "429 `lock_timeout`", [failure(429, { code: "lock_timeout" })], limits],
  ["charge", "500", [failure(500, {})], errors],
  ["openCheckout", "a session", [answer(200, session({ url: "https://checkout.stripe.com/c/pay/cs_1" }))], pages],
  ["openCheckout", "400 `invalid_request_error`", [failure(400, {})], errors],
  ["capture", "`succeeded`", intent("succeeded"), intents],
  ["capture", "already `canceled`", unexpected("canceled"), intents],
  ["capture", "500", [failure(500, {})], errors],
  ["void", "`canceled`", intent("canceled"), intents],
  ["void", "already `succeeded`", unexpected("succeeded"), intents],
  ["void", "500", [failure(500, {})], errors],
  ["refund", "`succeeded`", refunded("succeeded"), refunds],
  ["refund", "`pending`", refunded("pending"), refunds],
  ["refund", "`failed`", refunded("failed"), refunds],
  ["refund", "400 `invalid_request_error`", [failure(400, { code: "charge_already_refunded" })], errors],
  ["refund", "500", [failure(500, {})], errors],
  [
    "lookUpCharge",
    "`succeeded`, in the list",
    [answer(200, list([paymentIntent({ amount_received: 1234 })]))],
    intents
  ],
  ["lookUpCharge", "no payment, a day later", none, errors],
  ["lookUpCharge", "no payment, before that", noneYet, errors],
  ["lookUpCharge", "a session: `open`", page({ status: "open" }), pages, onPage],
  ["lookUpCharge", "a session: `expired`", page({ status: "expired" }), pages, onPage],
  ["lookUpRefund", "`succeeded`, in the list", [answer(200, refundList([refund()]))], refunds],
  [
    "lookUpRefund",
    "`succeeded`, by its id, made by hand",
    [answer(200, refund({ metadata: {} }))],
    refunds,
    { ...sample.lookUpRefund, providerRefundId: refund().id }
  ],
  ["lookUpRefund", "no refund, a day later", [answer(200, refundList([]), late)], errors]
] as const

export const providerAnswers = { requests: sample, connect, rows }
