/** A connection to a Checkout.com that answers by a script, and what it is asked. */
import { CheckoutConnector } from "@pointsman/connector-checkout"
import { asksOf, endsOver, paymentRequests, scriptedConnector } from "@pointsman/contracts/connector"
import {
  type ConnectorAccount,
  money,
  type OperationLookup,
  type TransportAnswer,
  type TransportRequest
} from "@pointsman/core/connector"
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

export const sample = paymentRequests({
  ...{ attemptId, captureId: operationId, refundId, providerRef: paymentId, instrument }
})
export const voidLookup: OperationLookup = { ...sample.lookUpOperation, kind: "void" }
export const asks = asksOf(sample)

export const timeoutMillis = 4_321

export const connected = (
  script: ReadonlyArray<TransportAnswer>,
  { credentials = ofSandbox, environment = "sandbox" }: Partial<ConnectorAccount> = {}
) => scriptedConnector(CheckoutConnector.definition, script, { environment, credentials, timeoutMillis })

export const { answersWith, isNotSent, requestOf, unanswers } = endsOver(connected)

export const bodyOf = (request: TransportRequest | undefined): Readonly<Record<string, unknown>> =>
  JSON.parse(request?.body ?? "null")
