/** The rows of `provider-answers.snap.txt`: what Adyen answers, and the page that says so. */

import type { TransportAnswer } from "@pointsman/core/connector"
import { answer, serviceError } from "./Adyen.ts"
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
const received = [
  answer(201, { pspReference: "QFQTPCQ8HXSKGK82", paymentPspReference: providerRef, status: "received" })
]
const link = (status: string) => [
  answer(200, { id: linkId, reference: `${attemptId}.taken.page`, merchantAccount: "PointsmanNL", status })
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
  ["charge", "`Cancelled`", payment("Cancelled", { amount: undefined }), results],
  ["charge", "`RedirectShopper`", payment("RedirectShopper", { amount: undefined }), results],
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
  [
    "openCheckout",
    "a link",
    [
      answer(201, {
        id: linkId,
        url: "https://test.adyen.link/PL",
        status: "active",
        reference: `${attemptId}.taken.page`
      })
    ],
    `${explorer}/post/paymentLinks`
  ],
  ["openCheckout", "422 `validation`", [serviceError(422, "130", "Reference Missing")], errors],
  ["capture", "`received`", received, `${explorer}/post/payments/(paymentPspReference)/captures`],
  ["capture", "422 `validation`", [serviceError(422, "167", "Original pspReference required")], errors],
  ["capture", "500", [answer(500, {})], errors],
  ["void", "`received`", received, `${explorer}/post/payments/(paymentPspReference)/cancels`],
  ["void", "500", [answer(500, {})], errors],
  ["refund", "`received`", received, `${explorer}/post/payments/(paymentPspReference)/refunds`],
  ["refund", "500", [answer(500, {})], errors],
  ["lookUpCharge", "a link: `active`", link("active"), `${explorer}/get/paymentLinks/(linkId)`],
  ["lookUpCharge", "a link: `completed`", link("completed"), `${explorer}/get/paymentLinks/(linkId)`],
  ["lookUpCharge", "a link: `expired`", link("expired"), `${explorer}/get/paymentLinks/(linkId)`]
] as const

export const providerAnswers = { requests: sample, connect, rows }
