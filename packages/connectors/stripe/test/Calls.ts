/** A connection to a Stripe that answers by a script, and what it is asked. */
import { StripeConnector } from "@pointsman/connector-stripe"
import { askingOf, asksOf, endsOver, paymentRequests, scriptedConnector } from "@pointsman/contracts/connector"
import { type ConnectorAccount, money, type TransportAnswer, type TransportRequest } from "@pointsman/core/connector"
import { secretKey } from "./Stripe.ts"

export const eur = money(1234, "EUR")

export const sample = paymentRequests({
  ...{ providerRef: "pi_1", instrument: "cus_1/pm_1", voidId: "op_2", initiator: "mit" }
})
export const asks = asksOf(sample)
export const asking = askingOf(sample)
/** Sent at noon, so that a day later is noon of the next day. */
export const { sentAt } = sample.lookUpCharge

export const timeoutMillis = 4_321

export const connected = (
  script: ReadonlyArray<TransportAnswer>,
  { credentials = { secretKey }, environment = "sandbox" }: Partial<ConnectorAccount> = {}
) => scriptedConnector(StripeConnector.definition, script, { environment, credentials, timeoutMillis })

export const { answersWith, requestOf, tagOf, unanswers } = endsOver(connected)

/** What Stripe's code `do_not_honor` means. */
export const declinedSoftly = {
  ...{ _tag: "Declined", category: "do_not_honor", normalized: "do_not_honor", code: "do_not_honor", soft: true }
}

export const formOf = (request: TransportRequest | undefined): URLSearchParams => new URLSearchParams(request?.body)
