/** Asks one provider to charge, and always comes back with what is known afterwards. */
import { Effect } from "effect"
import { observeCall, type ProviderCall } from "../metrics/ProviderCall.ts"
import type { ChargeAnswer, ChargeEnd } from "../ports/Connector.ts"
import { Unanswered } from "../ports/Transport.ts"
import { callProvider } from "./CallProvider.ts"
import type { ChargeInHand } from "./ChargeInHand.ts"
import type { Instrument } from "./CreateRequest.ts"
import type { Simulation } from "./Simulation.ts"

/** What a charge is sent with, besides what is stored. */
export interface ChargeWith {
  readonly instruments: ReadonlyArray<Instrument> | null
  readonly simulation: Simulation | null
}

export const sendCharge = (
  inHand: ChargeInHand,
  { instruments, simulation }: ChargeWith,
  /** Epoch milliseconds; see `BeginBy`. */
  beginBy: number
) => {
  const instrument = instruments?.find(({ connectionId }) => connectionId === inHand.connection.id)?.token ?? null
  const request = { ...chargeDetails(inHand), instrument, simulation }
  return callProvider<ChargeEnd>(
    inHand.connection,
    (connector) => Effect.map(connector.charge(request), asUsable),
    beginBy
  ).pipe(observeCall(chargeCall("charge", inHand)))
}

export const chargeCall = (
  operation: "charge" | "checkout",
  { attempt, connection, payment }: ChargeInHand
): ProviderCall => ({
  operation,
  connectionId: connection.id,
  paymentId: payment.id,
  subject: { attempt: attempt.id }
})

/** What a charge and the opening of a checkout say alike. */
export const chargeDetails = ({ attempt, payment }: ChargeInHand) => ({
  attemptId: attempt.id,
  attemptNumber: attempt.number,
  paymentId: payment.id,
  money: payment.money,
  country: payment.country,
  method: payment.method,
  cardBrand: payment.cardBrand,
  initiator: payment.initiator,
  capture: payment.captureMethod === "automatic",
  reference: payment.reference
})

/** A connector is somebody else's code: what it says may be no answer at all. */
const answers: Readonly<Record<ChargeAnswer["_tag"], true>> = {
  Authorized: true,
  Captured: true,
  Pending: true,
  Declined: true,
  NeedsCustomer: true,
  Canceled: true,
  Rejected: true
}

/** A success that names no charge, or an amount that is none, is no answer to build on: it may have executed. */
export const asUsable = <Answer extends ChargeAnswer>(answer: Answer): Answer | Unanswered => {
  if (!Object.hasOwn(answers, answer._tag)) {
    return new Unanswered({ reason: "the connector gave an answer that is none" })
  }
  if (answer._tag !== "Authorized" && answer._tag !== "Captured" && answer._tag !== "Pending") return answer
  if (typeof answer.providerRef !== "string" || answer.providerRef === "")
    return new Unanswered({ reason: "the connector gave no provider reference" })
  return isUsableAmount(answer.stated)
    ? answer
    : new Unanswered({ reason: "the connector stated an amount that is none" })
}

export const isUsableAmount = (stated: { readonly minorUnits: number } | undefined): boolean =>
  stated === undefined || (Number.isSafeInteger(stated.minorUnits) && stated.minorUnits > 0)
