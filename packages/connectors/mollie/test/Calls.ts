/** Requests as core makes them, and a connector over scripted answers. */
import { MollieConnector } from "@pointsman/connector-mollie"
import { scriptedConnector } from "@pointsman/contracts/connector"
import type {
  CaptureRequest,
  ChargeLookup,
  ChargeRequest,
  CheckoutRequest,
  RefundRequest,
  TransportAnswer,
  VoidRequest
} from "@pointsman/core/connector"
import { money } from "@pointsman/core/connector"
import { Redacted } from "effect"
import { apiKey } from "./Mollie.ts"

export const providerRef = "tr_5B8cwPMGnU6qLbRvo7qEZo"

export const charge: ChargeRequest = {
  attemptId: "att_1",
  attemptNumber: 1,
  paymentId: "payment_1",
  money: money(1234, "EUR"),
  country: "NL",
  method: "card",
  cardBrand: "visa",
  initiator: "mit",
  capture: true,
  reference: "order 1",
  instrument: Redacted.make("cst_8wmqcHMN4U/mdt_h3gAaD5zP"),
  simulation: null
}

const { instrument: _instrument, simulation: _simulation, ...details } = charge

export const checkout: CheckoutRequest = { ...details, returnUrl: "https://pay.shop.example/hosted/token/return" }

export const captureRequest: CaptureRequest = {
  operationId: "op_1",
  attemptId: "att_1",
  providerRef,
  money: money(1234, "EUR"),
  simulation: null
}

export const voidRequest: VoidRequest = { operationId: "op_1", attemptId: "att_1", providerRef, simulation: null }

export const refundRequest: RefundRequest = {
  refundId: "rf_1",
  attemptId: "att_1",
  providerRef,
  money: money(1234, "EUR"),
  reason: null,
  simulation: null
}

export const noon = Date.UTC(2026, 10, 21, 12, 0, 0)

export const chargeLookup: ChargeLookup = {
  attemptId: "att_1",
  providerRef: null,
  checkoutReference: null,
  sentAt: noon,
  money: money(1234, "EUR"),
  simulation: null
}

/** A connector whose requests are recorded, and answered in the order of the script. */
export const scripted = (
  answers: ReadonlyArray<TransportAnswer>,
  credentials: Readonly<Record<string, unknown>> = { apiKey }
) => scriptedConnector(MollieConnector.definition, answers, { connectionId: "mollie", credentials })
