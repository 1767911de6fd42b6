/** A request of every kind, and the connector that sends them. */
import { AdyenConnector } from "@pointsman/connector-adyen"
import { scriptedConnector } from "@pointsman/contracts/connector"
import {
  type CaptureRequest,
  type ChargeLookup,
  type ChargeRequest,
  type CheckoutRequest,
  type Connector,
  type Environment,
  money,
  type NotSent,
  type RefundRequest,
  type TransportAnswer,
  type Unanswered,
  type VoidRequest
} from "@pointsman/core/connector"
import { Effect, Redacted } from "effect"
import { credentials } from "./Adyen.ts"

export const eur = money(1000, "EUR")
export const attemptId = "att_01a1fe08-9228-7603-b126-ec7b725f925d"
export const providerRef = "993617894903480A"

const details = {
  attemptId,
  attemptNumber: 1,
  paymentId: "01a1fe08-9228-7603-b126-ec7b725f9000",
  money: eur,
  country: "NL",
  method: "card" as const,
  cardBrand: "visa",
  initiator: "cit" as const,
  capture: true,
  reference: "order 1"
}

export const charge: ChargeRequest = {
  ...details,
  instrument: Redacted.make("shopper-1/M5N7TQ4TG5PFWR50"),
  simulation: null
}
export const checkout: CheckoutRequest = { ...details, returnUrl: "https://pay.example/hosted/t/return" }
export const capture: CaptureRequest = { operationId: "op_1", attemptId, providerRef, money: eur, simulation: null }
export const voidRequest: VoidRequest = { operationId: "op_2", attemptId, providerRef, simulation: null }
export const refund: RefundRequest = {
  refundId: "rf_1",
  attemptId,
  providerRef,
  money: eur,
  reason: "broken",
  simulation: null
}
export const chargeLookup: ChargeLookup = {
  attemptId,
  providerRef: null,
  checkoutReference: "PLE83C39B0A0DE0C1E",
  sentAt: 0,
  money: eur,
  simulation: null
}
export const connect = (
  answers: ReadonlyArray<TransportAnswer>,
  { environment = "sandbox", account = credentials }: { environment?: Environment; account?: object } = {}
) => scriptedConnector(AdyenConnector.definition, answers, { environment, credentials: account })

const missing = Effect.die(new Error("the connector has no such operation"))

export type OperationName = "charge" | "openCheckout" | "capture" | "void" | "refund" | "lookUpCharge"

/** Every operation, as a call. */
export const operations: Record<OperationName, (connector: Connector) => Effect.Effect<unknown, NotSent | Unanswered>> =
  {
    charge: (connector: Connector) => connector.charge(charge),
    openCheckout: (connector: Connector) => connector.openCheckout?.(checkout) ?? missing,
    capture: (connector: Connector) => connector.capture?.(capture) ?? missing,
    void: (connector: Connector) => connector.void?.(voidRequest) ?? missing,
    refund: (connector: Connector) => connector.refund?.(refund) ?? missing,
    lookUpCharge: (connector: Connector) => connector.lookUpCharge(chargeLookup)
  }

/** One operation against one answer. */
export const run = (operation: OperationName, answered: TransportAnswer) => {
  const { connector, requests } = connect([answered])
  return Effect.map(Effect.result(operations[operation](connector)), (result) => ({ result, requests }))
}
