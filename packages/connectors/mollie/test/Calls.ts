/** Requests as core makes them, and a connector over scripted answers. */
import { MollieConnector } from "@pointsman/connector-mollie"
import { askingOf, asksOf, endsOver, paymentRequests, scriptedConnector } from "@pointsman/contracts/connector"
import type { TransportAnswer } from "@pointsman/core/connector"
import { apiKey } from "./Mollie.ts"

export const providerRef = "tr_5B8cwPMGnU6qLbRvo7qEZo"

export const details = { providerRef, instrument: "cst_8wmqcHMN4U/mdt_h3gAaD5zP", initiator: "mit" } as const
export const sample = paymentRequests(details)
export const asks = asksOf(sample)
export const asking = askingOf(sample)
export const noon = sample.lookUpCharge.sentAt

/** A connector whose requests are recorded, and answered in the order of the script. */
export const scripted = (
  answers: ReadonlyArray<TransportAnswer>,
  credentials: Readonly<Record<string, unknown>> = { apiKey }
) => scriptedConnector(MollieConnector.definition, answers, { connectionId: "mollie", credentials })

export const { answersWith, requestOf, tagOf, unanswers } = endsOver(scripted)
