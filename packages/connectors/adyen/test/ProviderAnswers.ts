import { AdyenConnector } from "@pointsman/connector-adyen"
import type { ProviderAnswer, ProviderAnswers } from "@pointsman/contracts/connector"
import type { TransportAnswer } from "@pointsman/core/connector"
import { answer, credentials, serviceError } from "./Adyen.ts"

const codes = "https://docs.adyen.com/online-payments/payment-result-codes"
const refusals = "https://docs.adyen.com/development-resources/refusal-reasons"
const errors = "https://docs.adyen.com/development-resources/error-codes"
const keys = "https://docs.adyen.com/development-resources/api-idempotency"
const modifications = "https://docs.adyen.com/online-payments/capture"

const row = (
  operation: ProviderAnswer["operation"],
  says: string,
  page: string,
  answer: TransportAnswer
): ProviderAnswer => ({ operation, says, page, answer })

const providerRef = "993617894903480A"
const amount = { currency: "EUR", value: 1234 }
const payment = (resultCode: string, fields: object = {}) =>
  answer(200, { pspReference: providerRef, merchantReference: "att_1.taken", resultCode, amount, ...fields })
const received = answer(201, {
  pspReference: "JDD6LKT8MBLZNN84",
  paymentPspReference: providerRef,
  status: "received",
  amount
})

export const providerAnswers: ProviderAnswers = {
  title: "Adyen",
  definition: AdyenConnector.definition,
  credentials,
  instrument: "shopper-1/8415718415172204",
  providerRef,
  rows: [
    ...[
      "Authorised",
      "PartiallyAuthorised",
      "Received",
      "Pending",
      "PresentToShopper",
      "Error",
      "Cancelled",
      "RedirectShopper",
      "ChallengeShopper",
      "IdentifyShopper",
      "AuthenticationFinished"
    ].map((code) => row("charge", `\`${code}\``, codes, payment(code))),
    ...["2", "5", "6", "11", "20"].map((refusalReasonCode) =>
      row("charge", `\`Refused\`, reason ${refusalReasonCode}`, refusals, payment("Refused", { refusalReasonCode }))
    ),
    ...[400, 401, 403, 422].map((status) =>
      row("charge", `any operation: error ${status}`, errors, serviceError(status, "130", "Amount invalid"))
    ),
    row(
      "charge",
      "any operation: error 422, `transient-error`",
      keys,
      serviceError(422, "130", "Try again", "validation", { "transient-error": "true" })
    ),
    row(
      "charge",
      "any operation: error 704, the key was used",
      keys,
      serviceError(422, "704", "request already processed")
    ),
    row("charge", "any operation: error 500", errors, serviceError(500, "905", "Payment details are not supported")),
    row("capture", "received", modifications, received),
    row("void", "received", modifications, received),
    row("refund", "received", modifications, received)
  ]
}
