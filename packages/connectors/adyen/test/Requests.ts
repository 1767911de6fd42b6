/** A request of every kind, and the connector that sends them. */
import { AdyenConnector } from "@pointsman/connector-adyen"
import { asksOf, endsOver, paymentRequests, scriptedConnector } from "@pointsman/contracts/connector"
import { type Environment, money, type TransportAnswer } from "@pointsman/core/connector"
import { credentials } from "./Adyen.ts"

export const eur = money(1000, "EUR")
export const attemptId = "att_01a1fe08-9228-7603-b126-ec7b725f925d"
export const providerRef = "993617894903480A"
export const linkId = "PLE83C39B0A0DE0C1E"

const requests = paymentRequests({
  ...{ attemptId, voidId: "op_2", providerRef, money: eur, instrument: "shopper-1/M5N7TQ4TG5PFWR50" }
})
/** A charge is looked up by its page. */
export const sample = { ...requests, lookUpCharge: { ...requests.lookUpCharge, checkoutReference: linkId } }
export const asks = asksOf(sample)

export const connect = (
  answers: ReadonlyArray<TransportAnswer>,
  { environment = "sandbox", account = credentials }: { environment?: Environment; account?: object } = {}
) => scriptedConnector(AdyenConnector.definition, answers, { environment, credentials: account })

export const { answersWith, isNotSent, requestOf, unanswers } = endsOver(connect)
