/** A connection to a PayPal that answers by a script, and what it is asked. */
import { scriptedConnector } from "@pointsman/contracts/connector"
import {
  type CaptureRequest,
  type ChargeLookup,
  type ChargeRequest,
  type CheckoutRequest,
  type CompletionRequest,
  type Connector,
  type ConnectorAccount,
  type ConnectorDefinition,
  money,
  type OperationLookup,
  type RefundLookup,
  type RefundRequest,
  type TransportAnswer,
  type TransportRequest,
  type VoidRequest
} from "@pointsman/core/connector"
import { Redacted, Result } from "effect"
import { definition, credentials as ofSandbox, orderId, vaultId, withoutOrders, withoutTokens } from "./PayPal.ts"

export const eur = money(1234, "EUR")

export const attemptId = "att_01a1b2c3-d4e5-7f60-8123-456789abcdef"
export const operationId = "op_01a1b2c3-d4e5-7f60-8123-456789abcdef"
export const refundId = "rf_01a1b2c3-d4e5-7f60-8123-456789abcdef"

export const charge: ChargeRequest = {
  attemptId,
  attemptNumber: 1,
  paymentId: "pay_1",
  money: eur,
  country: "NL",
  method: "card",
  cardBrand: "visa",
  initiator: "cit",
  capture: true,
  reference: "order 1",
  instrument: Redacted.make(vaultId),
  simulation: null
}
export const returnUrl = "https://pay.shop.example/hosted/token/return"
const { instrument: _i, simulation: _s, ...details } = charge
export const checkout: CheckoutRequest = { ...details, method: "wallet", returnUrl }
export const completion: CompletionRequest = { attemptId, checkoutReference: orderId, money: eur, capture: true }
const ofCharge = { attemptId, providerRef: orderId, money: eur, simulation: null }
export const capturing: CaptureRequest = { ...ofCharge, operationId }
export const voiding: VoidRequest = { operationId, attemptId, providerRef: orderId, simulation: null }
export const refunding: RefundRequest = { ...ofCharge, refundId, reason: "broken" }

const sentAt = Date.UTC(2026, 10, 21, 12, 0, 0)
export const chargeLookup: ChargeLookup = { ...ofCharge, checkoutReference: null, sentAt }
export const checkoutLookup: ChargeLookup = { ...chargeLookup, providerRef: null, checkoutReference: orderId }
export const captureLookup: OperationLookup = { ...ofCharge, operationId, kind: "capture", sentAt }
export const refundLookup: RefundLookup = { ...ofCharge, refundId, providerRefundId: null, sentAt }

export const timeoutMillis = 4_321

/** `requests`: every request, those for tokens and orders too. */
export const connected = (
  script: ReadonlyArray<TransportAnswer>,
  { credentials = ofSandbox, environment = "sandbox" }: Partial<ConnectorAccount> = {}
) => scriptedConnector(definition, script, { environment, credentials, timeoutMillis })

/**
 * The connector, seen without its requests for tokens and certificates; and its captures, voids and refunds without the order
 * that they read first. What is left of each is the request that may move money.
 */
export const seenAlone: ConnectorDefinition = {
  ...definition,
  connect: (account, transport) =>
    Result.map(
      Result.all([
        definition.connect(account, withoutTokens(transport)),
        definition.connect(account, withoutOrders(transport))
      ]),
      ([plain, changing]): Connector => ({
        ...plain,
        ...(changing.capture && { capture: changing.capture }),
        ...(changing.void && { void: changing.void }),
        ...(changing.refund && { refund: changing.refund })
      })
    )
}

export const bodyOf = (request: TransportRequest | undefined): Readonly<Record<string, unknown>> =>
  JSON.parse(request?.body ?? "null")
