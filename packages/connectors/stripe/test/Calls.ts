/** A connection to a Stripe that answers by a script, and what it is asked. */
import { StripeConnector } from "@pointsman/connector-stripe"
import { scriptedConnector } from "@pointsman/contracts/connector"
import {
  type CaptureRequest,
  type ChargeLookup,
  type ChargeRequest,
  type CheckoutRequest,
  type ConnectorAccount,
  money,
  type RefundLookup,
  type RefundRequest,
  type TransportAnswer,
  type TransportRequest,
  type VoidRequest
} from "@pointsman/core/connector"
import { Redacted } from "effect"
import { secretKey } from "./Stripe.ts"

export const eur = money(1234, "EUR")

const details = {
  attemptId: "att_1",
  attemptNumber: 1,
  paymentId: "pay_1",
  money: eur,
  country: "NL",
  method: "card" as const,
  cardBrand: "visa",
  initiator: "mit" as const,
  capture: true,
  reference: "order 1"
}
export const charge: ChargeRequest = { ...details, instrument: Redacted.make("cus_1/pm_1"), simulation: null }
export const checkout: CheckoutRequest = { ...details, returnUrl: "https://pay.example/hosted/t/return" }
export const capture: CaptureRequest = {
  operationId: "op_1",
  attemptId: "att_1",
  providerRef: "pi_1",
  money: eur,
  simulation: null
}
export const voidRequest: VoidRequest = {
  operationId: "op_2",
  attemptId: "att_1",
  providerRef: "pi_1",
  simulation: null
}
export const refundRequest: RefundRequest = {
  refundId: "rf_1",
  attemptId: "att_1",
  providerRef: "pi_1",
  money: eur,
  reason: "broken",
  simulation: null
}
/** Sent at noon, so that a day later is noon of the next day. */
export const sentAt = Date.UTC(2026, 10, 21, 12, 0, 0)
export const chargeLookup: ChargeLookup = {
  attemptId: "att_1",
  providerRef: null,
  checkoutReference: null,
  sentAt,
  money: eur,
  simulation: null
}
export const refundLookup: RefundLookup = {
  refundId: "rf_1",
  providerRefundId: null,
  providerRef: "pi_1",
  sentAt,
  money: eur,
  simulation: null
}

export const timeoutMillis = 4_321

export const connected = (
  script: ReadonlyArray<TransportAnswer>,
  { credentials = { secretKey }, environment = "sandbox" }: Partial<ConnectorAccount> = {}
) => scriptedConnector(StripeConnector.definition, script, { environment, credentials, timeoutMillis })

export const formOf = (request: TransportRequest | undefined): URLSearchParams => new URLSearchParams(request?.body)
