/** The rows of `provider-answers.snap.txt`: what PayPal answers, and the page that says so. */
import type { TransportAnswer } from "@pointsman/core/connector"
import { attemptId, chargeLookup, checkout, checkoutLookup, connected, operationId, refundId, sample } from "./Calls.ts"
import {
  amount,
  answer,
  authorization,
  capture,
  type Fields,
  failure,
  openedOrder,
  order,
  refund,
  token,
  tokenRefused
} from "./PayPal.ts"

const requests = { ...sample, openCheckout: checkout, lookUpCharge: chargeLookup }

const connect = (...script: ReadonlyArray<TransportAnswer>) => connected([answer(200, token()), ...script]).connector

const orders = "https://developer.paypal.com/docs/api/orders/v2/"
const statuses = "https://developer.paypal.com/api/orders/v2/definitions/order_status"
const payments = "https://developer.paypal.com/docs/api/payments/v2/"
const issues = "https://developer.paypal.com/api/rest/reference/orders/v2/errors/"
const tokens = "https://developer.paypal.com/docs/api/get-an-access-token-curl/"
const keys = "https://developer.paypal.com/api/rest/reference/idempotency/"
const codes = "https://github.com/paypal/PayPal-Ruby-Server-SDK"

const ordered = (status: number, paid: Fields | undefined, fields: Fields = {}) => [
  answer(status, order(attemptId, paid, fields))
]
const captured = (fields: Fields = {}) => ordered(201, { captures: [capture(fields)] })
const authorized = (fields: Fields = {}) => ordered(201, { authorizations: [authorization(fields)] })
const declined = (response_code: string) => captured({ status: "DECLINED", processor_response: { response_code } })
const held = answer(201, order(attemptId, { authorizations: [authorization()] }))
const taken = answer(201, order(attemptId, { captures: [capture()] }))
const ofCapture = (status: number, fields: Fields) => [
  held,
  answer(status, capture({ invoice_id: operationId, ...fields }))
]
const ofVoid = (fields: Fields) => [held, answer(200, authorization(fields))]
const ofRefund = (fields: Fields) => [taken, answer(201, refund({ custom_id: refundId, ...fields }))]
const shown = (paid: Fields) => ordered(200, paid)

const ourCapture = (status = "COMPLETED") => capture({ invoice_id: operationId, status })
const ourRefund = (status = "COMPLETED") => refund({ custom_id: refundId, status })
const partlyRefunded = capture({ status: "PARTIALLY_REFUNDED" })
const partlyCaptured = {
  authorizations: [authorization({ status: "PARTIALLY_CAPTURED" })],
  captures: [capture({ amount: amount("3.00") })]
}

const rows = [
  ["charge", "a capture, `COMPLETED`", captured(), orders],
  ["charge", "a capture, `PENDING`", captured({ status: "PENDING" }), orders],
  ["charge", "a capture, `DECLINED`, 5120", declined("5120"), codes],
  ["charge", "a capture, `DECLINED`, 0500", declined("0500"), codes],
  ["charge", "a capture, `DECLINED`, 5910", declined("5910"), codes],
  ["charge", "a capture, `DECLINED`, 9520", declined("9520"), codes],
  ["charge", "a capture, `DECLINED`, an unlisted code", declined("ZZZZ"), codes],
  ["charge", "a capture, `FAILED`", captured({ status: "FAILED" }), orders],
  ["charge", "an authorization, `CREATED`", authorized(), orders],
  ["charge", "an authorization, `PENDING`", authorized({ status: "PENDING" }), orders],
  ["charge", "an authorization, `DENIED`", authorized({ status: "DENIED" }), orders],
  ["charge", "an order `PAYER_ACTION_REQUIRED`", ordered(201, undefined, { status: "PAYER_ACTION_REQUIRED" }), orders],
  ["charge", "an order `COMPLETED`, without payments", ordered(201, undefined), orders],
  ["charge", "the order of another attempt", [answer(200, order("att_2", { captures: [capture()] }))], keys],
  ["charge", "401 `invalid_token`, twice", [tokenRefused, answer(200, token()), tokenRefused], tokens],
  ["charge", "401 `AUTHENTICATION_FAILURE`", [failure(401)], orders],
  ["charge", "403 `NOT_AUTHORIZED`", [failure(403, "PERMISSION_DENIED")], orders],
  ["charge", "400 `INVALID_REQUEST`", [failure(400, "INVALID_PARAMETER_VALUE")], orders],
  ["charge", "422 `PAYEE_ACCOUNT_RESTRICTED`", [failure(422, "PAYEE_ACCOUNT_RESTRICTED")], issues],
  ["charge", "422 `INSTRUMENT_DECLINED`", [failure(422, "INSTRUMENT_DECLINED")], issues],
  ["charge", "422 `CARD_EXPIRED`", [failure(422, "CARD_EXPIRED")], issues],
  ["charge", "422 `TRANSACTION_LIMIT_EXCEEDED`", [failure(422, "TRANSACTION_LIMIT_EXCEEDED")], issues],
  ["charge", "422 `PAYER_ACTION_REQUIRED`", [failure(422, "PAYER_ACTION_REQUIRED")], issues],
  ["charge", "422 `DUPLICATE_INVOICE_ID`", [failure(422, "DUPLICATE_INVOICE_ID")], issues],
  ["charge", "409", [failure(409, "PREVIOUS_REQUEST_IN_PROGRESS")], payments],
  ["charge", "429", [failure(429)], orders],
  ["charge", "500", [failure(500)], orders],
  ["openCheckout", "an order `PAYER_ACTION_REQUIRED` with a link", [answer(201, openedOrder(attemptId))], statuses],
  ["openCheckout", "an order without a link", [answer(201, openedOrder(attemptId, { links: [] }))], statuses],
  ["openCheckout", "422 `PAYEE_ACCOUNT_RESTRICTED`", [failure(422, "PAYEE_ACCOUNT_RESTRICTED")], issues],
  ["openCheckout", "500", [failure(500)], orders],
  ["completeCheckout", "a capture, `COMPLETED`", captured(), orders],
  ["completeCheckout", "a capture, `PENDING`", captured({ status: "PENDING" }), orders],
  ["completeCheckout", "an authorization, `CREATED`", authorized(), orders],
  ["completeCheckout", "the order as it was before, `APPROVED`", ordered(200, undefined, { status: "APPROVED" }), keys],
  ["completeCheckout", "422 `INSTRUMENT_DECLINED`", [failure(422, "INSTRUMENT_DECLINED")], issues],
  ["completeCheckout", "422 `PAYER_ACTION_REQUIRED`", [failure(422, "PAYER_ACTION_REQUIRED")], issues],
  ["completeCheckout", "422 `ORDER_NOT_APPROVED`", [failure(422, "ORDER_NOT_APPROVED")], issues],
  ["completeCheckout", "422 `ORDER_ALREADY_CAPTURED`", [failure(422, "ORDER_ALREADY_CAPTURED")], issues],
  ["completeCheckout", "404, after the order's time", [failure(404, "INVALID_RESOURCE_ID")], orders],
  ["completeCheckout", "500", [failure(500)], orders],
  ["capture", "`COMPLETED`", ofCapture(201, {}), payments],
  ["capture", "`PENDING`", ofCapture(201, { status: "PENDING" }), payments],
  ["capture", "`DECLINED`", ofCapture(201, { status: "DECLINED" }), payments],
  ["capture", "a capture with another invoice id", [held, answer(201, capture({ invoice_id: "op_2" }))], payments],
  ["capture", "422 `AUTHORIZATION_VOIDED`", [held, failure(422, "AUTHORIZATION_VOIDED")], payments],
  ["capture", "422 `AUTHORIZATION_ALREADY_CAPTURED`", [held, failure(422, "AUTHORIZATION_ALREADY_CAPTURED")], payments],
  ["capture", "500", [held, failure(500)], payments],
  ["capture", "500 to the order that is read first", [failure(500)], payments],
  ["void", "`VOIDED`", ofVoid({ status: "VOIDED" }), payments],
  ["void", "422 `PREVIOUSLY_CAPTURED`", [held, failure(422, "PREVIOUSLY_CAPTURED")], payments],
  ["void", "422 `PREVIOUSLY_VOIDED`", [held, failure(422, "PREVIOUSLY_VOIDED")], payments],
  ["void", "409", [held, failure(409, "PREVIOUS_REQUEST_IN_PROGRESS")], payments],
  ["refund", "`COMPLETED`", ofRefund({}), payments],
  ["refund", "`PENDING`", ofRefund({ status: "PENDING" }), payments],
  ["refund", "`FAILED`", ofRefund({ status: "FAILED" }), payments],
  ["refund", "422 `REFUND_AMOUNT_EXCEEDED`", [taken, failure(422, "REFUND_AMOUNT_EXCEEDED")], payments],
  ["refund", "422 `CAPTURE_FULLY_REFUNDED`", [taken, failure(422, "CAPTURE_FULLY_REFUNDED")], payments],
  ["refund", "an order whose capture is pending", captured({ status: "PENDING" }), payments],
  ["lookUpCharge", "a capture, `PARTIALLY_REFUNDED`", shown({ captures: [partlyRefunded] }), orders],
  [
    "lookUpCharge",
    "an authorization, `VOIDED`",
    shown({ authorizations: [authorization({ status: "VOIDED" })] }),
    orders
  ],
  ["lookUpCharge", "an authorization, `PARTIALLY_CAPTURED`, and its capture", shown(partlyCaptured), orders],
  ["lookUpCharge", "an order `CREATED`, without payments", ordered(200, undefined, { status: "CREATED" }), orders],
  ["lookUpCharge", "404", [failure(404, "INVALID_RESOURCE_ID")], orders],
  ["lookUpCharge", "nothing: the order is unknown", [], orders, { ...chargeLookup, providerRef: null }],
  ...(
    [
      ["an order `PAYER_ACTION_REQUIRED`", [answer(200, openedOrder(attemptId))], statuses],
      ["an order `APPROVED`, without payments", ordered(200, undefined, { status: "APPROVED" }), statuses],
      ["a capture, `COMPLETED`", captured(), orders],
      ["404", [failure(404, "INVALID_RESOURCE_ID")], orders]
    ] as const
  ).map(([says, answers, page]) => ["lookUpCharge", `of a checkout: ${says}`, answers, page, checkoutLookup] as const),
  ["lookUpOperation", "our capture, `COMPLETED`", shown({ captures: [ourCapture()] }), orders],
  ["lookUpOperation", "our capture, `DECLINED`", shown({ captures: [ourCapture("DECLINED")] }), orders],
  ["lookUpOperation", "a capture without an invoice id", shown({ captures: [capture()] }), orders],
  ["lookUpOperation", "no capture", shown({ authorizations: [authorization()] }), orders],
  ["lookUpRefund", "our refund, `COMPLETED`", shown({ refunds: [ourRefund()] }), orders],
  ["lookUpRefund", "our refund, `FAILED`", shown({ refunds: [ourRefund("FAILED")] }), orders],
  ["lookUpRefund", "no refund", shown({ captures: [capture()] }), orders]
] as const

export const providerAnswers = { requests, connect, rows }
