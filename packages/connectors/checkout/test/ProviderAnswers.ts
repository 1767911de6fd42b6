/** The rows of `provider-answers.snap.txt`: what Checkout.com answers, and the page that says so. */
import { captureReference, connected, reference, refundReference, sample, voidLookup, voidReference } from "./Calls.ts"
import {
  accepted,
  acceptedPayment,
  action,
  answer,
  authorization,
  capturedPayment,
  failure,
  link,
  list,
  openedLink,
  payment,
  paymentId
} from "./Checkout.ts"

const connect = (...script: Parameters<typeof connected>[0]) => connected(script).connector

const payments = "https://api-reference.checkout.com/tag/Payments"
const authenticate = "https://www.checkout.com/docs/payments/authenticate-payments"
const links = "https://api-reference.checkout.com/tag/Payment-Links"
const codes = "https://www.checkout.com/docs/resources/codes/response-codes"
const keys = "https://www.checkout.com/docs/payments/manage-payments/retry-a-payment"
const conflicts =
  "https://support.checkout.com/hc/en-us/articles/24570669653010-Why-did-I-receive-a-409-HTTP-response-to-my-idempotent-API-request-instead-of-429"
const listed = "https://www.checkout.com/docs/payments/manage-payments/get-a-list-of-payments"
const actions = "https://www.checkout.com/docs/payouts/get-payout-actions"
const statuses = "https://github.com/checkout/checkout-sdk-net"

const onPage = { ...sample.lookUpCharge, checkoutReference: "pl_ok1itj8ykm3eyk1toywr6uwlwe" }
const page = (fields: Readonly<Record<string, unknown>>) => answer(200, link({ reference, ...fields }))
const redirect = { _links: { redirect: { href: "https://3ds.example/" } } }
const charged = (fields: Readonly<Record<string, unknown>>) => [answer(201, payment({ reference, ...fields }))]
const ofAction = (fields: Readonly<Record<string, unknown>>) => [answer(200, [action(fields), authorization])]
const ofCapture = (fields: object = {}) => ofAction({ reference: captureReference, ...fields })
const ofRefund = (fields: object = {}) => ofAction({ type: "Refund", reference: refundReference, ...fields })
const shown = (...all: ReadonlyArray<unknown>) => [answer(200, list(...all))]
const declined = { status: "Declined", response_code: "20005" }
const captured = (amount = 1234, status = "Captured") => capturedPayment(amount, { reference, status })

const rows = [
  ["charge", "`Authorized`", charged({}), payments],
  ["charge", "`Authorized`, of a part", charged({ balances: { total_authorized: 1000 } }), payments],
  ["charge", "`Captured`", [answer(201, captured())], statuses],
  ["charge", "`Captured`, without balances", charged({ status: "Captured", balances: undefined }), statuses],
  ["charge", "`Pending`", charged({ status: "Pending" }), payments],
  ["charge", "`Pending`, with a redirect", charged({ status: "Pending", ...redirect }), payments],
  ["charge", "202 `Pending`, with a redirect", [answer(202, acceptedPayment({ reference }))], authenticate],
  ["charge", "202 `Pending`", [answer(202, acceptedPayment({ reference, _links: {} }))], authenticate],
  ["charge", "`Retry Scheduled`", charged({ status: "Retry Scheduled" }), statuses],
  ["charge", "`Declined`, 20005", charged({ status: "Declined", response_code: "20005" }), codes],
  ["charge", "`Declined`, 20051", charged({ status: "Declined", response_code: "20051" }), codes],
  ["charge", "`Declined`, 20068", charged({ status: "Declined", response_code: "20068" }), codes],
  ["charge", "`Declined`, 20154", charged({ status: "Declined", response_code: "20154" }), codes],
  ["charge", "`Declined`, 30041", charged({ status: "Declined", response_code: "30041" }), codes],
  ["charge", "`Declined`, 40101", charged({ status: "Declined", response_code: "40101" }), codes],
  ["charge", "`Declined`, an unlisted code", charged({ status: "Declined", response_code: "20999" }), codes],
  ["charge", "`Canceled`", charged({ status: "Canceled" }), statuses],
  ["charge", "`Card Verified`", charged({ status: "Card Verified" }), statuses],
  ["charge", "the answer to another attempt", charged({ reference: "a0000000000000000000000001" }), keys],
  ["charge", "401", [answer(401, "")], codes],
  ["charge", "403", [answer(403, "")], codes],
  ["charge", "422 `request_invalid`", [failure(422, ["amount_invalid"])], codes],
  ["charge", "422 `processing_error`", [failure(422, ["declined"], "processing_error")], codes],
  ["charge", "409", [answer(409, "")], conflicts],
  ["charge", "429", [failure(429, ["too_many_requests"])], keys],
  ["charge", "500", [answer(500, "")], codes],
  ["openCheckout", "a link", [answer(201, openedLink())], links],
  ["openCheckout", "a link without its end", [answer(201, openedLink({ expires_on: undefined }))], links],
  ["openCheckout", "422 `request_invalid`", [failure(422, ["payment_methods_not_available"])], codes],
  ["capture", "202", [answer(202, accepted({ reference: captureReference }))], payments],
  ["capture", "403", [answer(403, "")], payments],
  ["capture", "404", [answer(404, "")], payments],
  ["capture", "500", [answer(500, "")], codes],
  ["void", "202", [answer(202, accepted({ reference: voidReference }))], payments],
  ["void", "403", [answer(403, "")], payments],
  ["void", "500", [answer(500, "")], codes],
  ["refund", "202", [answer(202, accepted({ reference: refundReference }))], payments],
  ["refund", "403", [answer(403, "")], payments],
  ["refund", "422 `request_invalid`", [failure(422, ["refund_amount_exceeds_balance"])], codes],
  ["refund", "500", [answer(500, "")], codes],
  ["lookUpCharge", "`Captured`", shown(captured()), listed],
  ["lookUpCharge", "`Partially Refunded`", shown(captured(1234, "Partially Refunded")), listed],
  ["lookUpCharge", "`Voided`", shown(payment({ reference, status: "Voided" })), listed],
  ["lookUpCharge", "`Voided`, after a capture of a part", shown(captured(300, "Voided")), listed],
  ["lookUpCharge", "two payments that are alive", shown(payment({ reference }), payment({ reference })), listed],
  ["lookUpCharge", "no payment", shown(), listed],
  ["lookUpCharge", "404", [answer(404, "")], listed],
  ["lookUpCharge", "a link: `Active`", [page({})], links, onPage],
  ["lookUpCharge", "a link: `Expired`", [page({ status: "Expired" })], links, onPage],
  [
    "lookUpCharge",
    "a link: `Payment Received`, and its payment `Captured`",
    [page({ status: "Payment Received", payment_id: paymentId }), answer(200, captured())],
    links,
    onPage
  ],
  [
    "lookUpCharge",
    "a link: `Active`, and a payment on it `Declined`",
    [page({ payment_id: paymentId }), answer(200, payment({ reference, ...declined }))],
    links,
    onPage
  ],
  ["lookUpOperation", "a `Capture`, approved", ofCapture(), actions],
  ["lookUpOperation", "a `Capture`, not approved", ofCapture({ approved: false }), actions],
  ["lookUpOperation", "a `Capture`, under way", ofCapture({ approved: undefined }), actions],
  ["lookUpOperation", "a `Capture` without a reference", ofAction({}), actions],
  ["lookUpOperation", "no `Capture`", [answer(200, [authorization])], actions],
  ["lookUpOperation", "a `Void`, approved", ofAction({ type: "Void", reference: voidReference }), actions, voidLookup],
  ["lookUpRefund", "a `Refund`, approved", ofRefund(), actions],
  ["lookUpRefund", "a `Refund`, not approved", ofRefund({ approved: false }), actions],
  ["lookUpRefund", "no `Refund`", [answer(200, [authorization])], actions]
] as const

export const providerAnswers = { requests: sample, connect, rows }
