/** Asks one provider to charge, and always comes back with what is known afterwards. */
import { Effect } from "effect"
import { askProvider } from "../../call/CallProvider.ts"
import type { Instrument } from "../../decide/CreateRequest.ts"
import { asUsable } from "../../decide/UsableAnswer.ts"
import type { ProviderCall } from "../../metrics/ProviderCall.ts"
import type { ChargeEnd } from "../../model/ProviderStatement.ts"
import type { Simulation } from "../../model/Simulation.ts"
import type { ChargeInHand } from "./NewPayment.ts"

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
  return askProvider<ChargeEnd>(
    inHand.connection,
    chargeCall("charge", inHand),
    (connector) => Effect.map(connector.charge(request), asUsable),
    beginBy
  )
}

export const chargeCall = (
  operation: "charge" | "checkout" | "complete_checkout",
  { attempt, payment }: ChargeInHand
): Omit<ProviderCall, "connectionId"> => ({ operation, paymentId: payment.id, subject: { attempt: attempt.id } })

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
