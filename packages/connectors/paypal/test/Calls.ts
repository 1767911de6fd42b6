/** A connection to a PayPal that answers by a script, and what it is asked. */
import { askingOf, asksOf, endsOver, paymentRequests, scriptedConnector } from "@pointsman/contracts/connector"
import {
  type ChargeLookup,
  type CheckoutRequest,
  type Connector,
  type ConnectorAccount,
  type ConnectorDefinition,
  money,
  type TransportAnswer,
  type TransportRequest
} from "@pointsman/core/connector"
import { Result } from "effect"
import {
  answer,
  definition,
  credentials as ofSandbox,
  orderId,
  token,
  vaultId,
  withoutOrders,
  withoutTokens
} from "./PayPal.ts"

export const eur = money(1234, "EUR")

export const attemptId = "att_01a1b2c3-d4e5-7f60-8123-456789abcdef"
export const operationId = "op_01a1b2c3-d4e5-7f60-8123-456789abcdef"
export const refundId = "rf_01a1b2c3-d4e5-7f60-8123-456789abcdef"

export const sample = paymentRequests({
  ...{ attemptId, captureId: operationId, refundId, providerRef: orderId, instrument: vaultId }
})
export const checkout: CheckoutRequest = { ...sample.openCheckout, method: "wallet" }
/** By the order's id, and by that of the order that is a page. */
export const chargeLookup: ChargeLookup = { ...sample.lookUpCharge, providerRef: orderId }
export const checkoutLookup: ChargeLookup = { ...sample.lookUpCharge, checkoutReference: orderId }
const requests = { ...sample, openCheckout: checkout, lookUpCharge: chargeLookup }
export const asks = asksOf(requests)
export const asking = askingOf(requests)

export const timeoutMillis = 4_321

/** `requests`: every request, those for tokens and orders too. */
export const connected = (
  script: ReadonlyArray<TransportAnswer>,
  { credentials = ofSandbox, environment = "sandbox" }: Partial<ConnectorAccount> = {}
) => scriptedConnector(definition, script, { environment, credentials, timeoutMillis })

export const { answersWith, isNotSent, requestOf, tagOf, unanswers } = endsOver(connected, [answer(200, token())])

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
