/** The rows of `provider-answers.snap.txt`: what Adyen answers, and the page that says so. */

import type { TransportAnswer } from "@pointsman/core/connector"
import { answer, merchantAccount, serviceError } from "./Adyen.ts"
import { attemptId, connect as connectTo, linkId, providerRef, sample } from "./Requests.ts"

const connect = (...script: ReadonlyArray<TransportAnswer>) => connectTo(script).connector

const results = "https://docs.adyen.com/online-payments/payment-result-codes"
const refusals = "https://docs.adyen.com/development-resources/refusal-reasons"
const errors = "https://docs.adyen.com/development-resources/response-handling"
const keys = "https://docs.adyen.com/development-resources/api-idempotency"
const explorer = "https://docs.adyen.com/api-explorer/Checkout/72"

const amount = { value: 1000, currency: "EUR" }
const payment = (resultCode: string, fields: object = {}) => [
  answer(200, { resultCode, pspReference: providerRef, merchantReference: `${attemptId}.taken`, amount, ...fields })
]
const refused = (refusalReasonCode: string) => payment("Refused", { amount: undefined, refusalReasonCode })
const received = (word: string, more: object = {}) => [
  answer(201, {
    ...{ merchantAccount, pspReference: "QFQTPCQ8HXSKGK82", paymentPspReference: providerRef, status: "received" },
    ...{ reference: `${attemptId}.${word}.op_1`, ...more }
  })
]
const url = "https://test.adyen.link/PLE83C39B0A0DE0C1E"
const link = (status: string, code = 200) => [
  answer(code, {
    id: linkId,
    url,
    merchantAccount,
    amount,
    reference: `${attemptId}.taken.page`,
    reusable: false,
    status
  })
]

const rows = [
  ["charge", "`Authorised`", payment("Authorised"), results],
  [
    "charge",
    "`PartiallyAuthorised`",
    payment("PartiallyAuthorised", { amount: { value: 700, currency: "EUR" } }),
    results
  ],
  ["charge", "`Received`", payment("Received"), results],
  ["charge", "`Pending`", payment("Pending"), results],
  ["charge", "`PresentToShopper`", payment("PresentToShopper"), results],
  ["charge", "`Cancelled`", payment("Cancelled", { amount: undefined }), results],
  ["charge", "`RedirectShopper`", payment("RedirectShopper", { amount: undefined }), results],
  ["charge", "`ChallengeShopper`", payment("ChallengeShopper", { amount: undefined }), results],
  ["charge", "`IdentifyShopper`", payment("IdentifyShopper", { amount: undefined }), results],
  ["charge", "`Error`", payment("Error", { amount: undefined, refusalReasonCode: "4" }), results],
  ["charge", "`Refused`, 2", refused("2"), refusals],
  ["charge", "`Refused`, 5", refused("5"), refusals],
  ["charge", "`Refused`, 9", refused("9"), refusals],
  ["charge", "`Refused`, 12", refused("12"), refusals],
  ["charge", "`Refused`, 46", refused("46"), refusals],
  ["charge", "`AuthenticationNotRequired`", payment("AuthenticationNotRequired"), results],
  ["charge", "the answer to another attempt", payment("Authorised", { merchantReference: "att_2.taken" }), keys],
  ["charge", "401 `security`", [serviceError(401, "000", "HTTP Status Response - Unauthorized", "security")], errors],
  ["charge", "422 `validation`", [serviceError(422, "14_0408", "Invalid amount")], errors],
  [
    "charge",
    "422, transient",
    [serviceError(422, "703", "required", "validation", { "transient-error": "true" })],
    keys
  ],
  ["charge", "422, key in use (704)", [serviceError(422, "704", "request already processed")], keys],
  ["charge", "429", [answer(429, {})], errors],
  ["charge", "500 `internal`", [serviceError(500, "905", "Payment details are not supported", "internal")], errors],
  ["openCheckout", "a link", link("active", 201), `${explorer}/post/paymentLinks`],
  ["openCheckout", "422 `validation`", [serviceError(422, "130", "Reference Missing")], errors],
  ["capture", "`received`", received("take", { amount }), `${explorer}/post/payments/(paymentPspReference)/captures`],
  ["capture", "422 `validation`", [serviceError(422, "167", "Original pspReference required")], errors],
  ["capture", "500", [answer(500, {})], errors],
  ["void", "`received`", received("void"), `${explorer}/post/payments/(paymentPspReference)/cancels`],
  ["void", "500", [answer(500, {})], errors],
  ["refund", "`received`", received("refund", { amount }), `${explorer}/post/payments/(paymentPspReference)/refunds`],
  ["refund", "500", [answer(500, {})], errors],
  ["lookUpCharge", "a link: `active`", link("active"), `${explorer}/get/paymentLinks/(linkId)`],
  ["lookUpCharge", "a link: `paymentPending`", link("paymentPending"), `${explorer}/get/paymentLinks/(linkId)`],
  ["lookUpCharge", "a link: `paid`", link("paid"), `${explorer}/get/paymentLinks/(linkId)`],
  ["lookUpCharge", "a link: `completed`", link("completed"), `${explorer}/get/paymentLinks/(linkId)`],
  ["lookUpCharge", "a link: `expired`", link("expired"), `${explorer}/get/paymentLinks/(linkId)`]
] as const

export const providerAnswers = { requests: sample, connect, rows }
