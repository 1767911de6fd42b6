/** Which lookups of closed payments an hour may make, and what their answers mean for the record. Pure. */
import type { PaymentState } from "../model/PaymentMachine.ts"
import type { Interpretation } from "./interpret/Interpretation.ts"

/** Nothing is expected of the provider any more, and money was moved or held. */
export const provableStates = [
  "Captured",
  "PartiallyRefunded",
  "Refunded",
  "Settled",
  "Voided"
] as const satisfies ReadonlyArray<PaymentState>

const hourMillis = 60 * 60_000
const hoursOfDay = 24

interface ProofHour {
  /** Lookups of each connection. */
  readonly quota: number
  /** Epoch milliseconds: the end of the hour. */
  readonly until: number
}

/** The day's lookups are spread over its hours (UTC) and add up to it exactly. */
export const proofHour = (now: number, lookUpsPerDay: number): ProofHour => {
  const hour = Math.floor(now / hourMillis)
  const before = (count: number) => Math.floor((count * lookUpsPerDay) / hoursOfDay)
  const ofDay = hour % hoursOfDay
  return { quota: before(ofDay + 1) - before(ofDay), until: (hour + 1) * hourMillis }
}

/**
 * `agreed`: the provider's record says the same. `differs`: it says something else, which is recorded. `unanswered`: it was
 * asked and nothing is known. `unsupported`: it cannot be asked.
 */
export const proofResults = ["agreed", "differs", "unanswered", "unsupported"] as const
export type ProofResult = (typeof proofResults)[number]

export const proofResultOf = (meaning: Interpretation): ProofResult => {
  switch (meaning._tag) {
    case "Confirms":
    case "Older":
    case "Waits":
      return "agreed"
    case "Moves":
    case "Contradicts":
      return "differs"
    case "TooEarly":
    case "Malformed":
      return "unanswered"
  }
}
