/** Asks one provider to charge, and always comes back with what is known afterwards. */
import { Effect } from "effect"
import type { ChargeAnswer, ChargeEnd, ChargeRequest } from "../ports/Connector.ts"
import { Unanswered } from "../ports/Transport.ts"
import type { Connection } from "../routing/Connection.ts"
import { callProvider } from "./CallProvider.ts"

export const sendCharge = (
  connection: Connection,
  request: ChargeRequest,
  /** Epoch milliseconds; see `BeginBy`. */
  beginBy: number
) => callProvider<ChargeEnd>(connection, (connector) => Effect.map(connector.charge(request), asUsable), beginBy)

/** A success that names no charge, or an amount that is none, is no answer to build on: it may have executed. */
const asUsable = (answer: ChargeAnswer): ChargeEnd => {
  if (answer._tag !== "Authorized" && answer._tag !== "Captured" && answer._tag !== "Pending") return answer
  if (answer.providerRef === "") return new Unanswered({ reason: "the connector gave no provider reference" })
  return isUsableAmount(answer.stated)
    ? answer
    : new Unanswered({ reason: "the connector stated an amount that is no whole number of minor units" })
}

export const isUsableAmount = (stated: { readonly minorUnits: number } | undefined): boolean =>
  stated === undefined || (Number.isSafeInteger(stated.minorUnits) && stated.minorUnits >= 0)
