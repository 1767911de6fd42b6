/** A connection to a Checkout.com that answers by a script, and what it is asked. */
import { CheckoutConnector } from "@pointsman/connector-checkout"
import { scriptedConnector } from "@pointsman/contracts/connector"
import {
  type CaptureRequest,
  type ChargeLookup,
  type ChargeRequest,
  type CheckoutRequest,
  type ConnectorAccount,
  money,
  type OperationLookup,
  type RefundLookup,
  type RefundRequest,
  type TransportAnswer,
  type TransportRequest,
  type VoidRequest
} from "@pointsman/core/connector"
import { Redacted } from "effect"
import { instrument, credentials as ofSandbox, paymentId } from "./Checkout.ts"

export const eur = money(1234, "EUR")

export const attemptId = "att_01a1b2c3-d4e5-7f60-8123-456789abcdef"
export const operationId = "op_01a1b2c3-d4e5-7f60-8123-456789abcdef"
export const refundId = "rf_01a1b2c3-d4e5-7f60-8123-456789abcdef"
/** Of these three: the UUID in base 36, computed by hand with `bc`. */
const digits = "03h6tbwsv3x51uhe0a2qcl1bj"
export const reference = `a${digits}`
export const captureReference = `c${digits}`
export const voidReference = `v${digits}`
export const refundReference = `r${digits}`

const details = {
  attemptId,
  attemptNumber: 1,
  paymentId: "pay_1",
  money: eur,
  country: "NL",
  method: "card" as const,
  cardBrand: "visa",
  initiator: "cit" as const,
  capture: true,
  reference: "order 1"
}
export const charge: ChargeRequest = { ...details, instrument: Redacted.make(instrument), simulation: null }
export const checkout: CheckoutRequest = { ...details, returnUrl: "https://pay.example/hosted/t/return" }
const ofCharge = { attemptId, providerRef: paymentId, money: eur, simulation: null }
export const capture: CaptureRequest = { ...ofCharge, operationId }
export const voidRequest: VoidRequest = { operationId, attemptId, providerRef: paymentId, simulation: null }
export const refundRequest: RefundRequest = { ...ofCharge, refundId, reason: "broken" }

const sentAt = Date.UTC(2026, 10, 21, 12, 0, 0)
export const chargeLookup: ChargeLookup = { ...ofCharge, providerRef: null, checkoutReference: null, sentAt }
export const captureLookup: OperationLookup = { ...ofCharge, operationId, kind: "capture", sentAt }
export const voidLookup: OperationLookup = { ...captureLookup, kind: "void" }
export const refundLookup: RefundLookup = { ...ofCharge, refundId, providerRefundId: null, sentAt }

export const timeoutMillis = 4_321

export const connected = (
  script: ReadonlyArray<TransportAnswer>,
  { credentials = ofSandbox, environment = "sandbox" }: Partial<ConnectorAccount> = {}
) => scriptedConnector(CheckoutConnector.definition, script, { environment, credentials, timeoutMillis })

export const bodyOf = (request: TransportRequest | undefined): Readonly<Record<string, unknown>> =>
  JSON.parse(request?.body ?? "null")
