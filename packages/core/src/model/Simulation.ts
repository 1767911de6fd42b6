/** What a sandbox payment asks the simulator to do; part of its record, so that late lookups report it too. */
import { type DeclineCategory, declineCategories } from "./Decline.ts"

export type ChargeSimulation =
  | "approve"
  | `decline:${DeclineCategory}`
  | `soft_decline:${DeclineCategory}`
  | "requires_authentication"
  | "technical_error"
  | "no_answer"
  | "pending"

export const chargeSimulations: ReadonlyArray<ChargeSimulation> = [
  "approve",
  ...declineCategories.map((category) => `decline:${category}` as const),
  ...declineCategories.map((category) => `soft_decline:${category}` as const),
  "requires_authentication",
  "technical_error",
  "no_answer",
  "pending"
]

export const operationSimulations = ["confirm", "refuse", "no_answer"] as const
export type OperationSimulation = (typeof operationSimulations)[number]

export const refundSimulations = ["confirm", "refuse", "no_answer", "pending"] as const
export type RefundSimulation = (typeof refundSimulations)[number]

export const lookupSimulations = ["executed", "not_executed", "no_answer"] as const
export type LookupSimulation = (typeof lookupSimulations)[number]

export interface Simulation {
  /** One outcome for every attempt, or one for each attempt in turn (the last one also applies to those after it). */
  readonly charge?: ChargeSimulation | ReadonlyArray<ChargeSimulation>
  readonly capture?: OperationSimulation
  readonly void?: OperationSimulation
  readonly refund?: RefundSimulation
  readonly lookup?: LookupSimulation
}

/** The outcome that the simulator plays for the attempt with this number, counted from 1. */
export const chargeSimulationOf = (simulation: Simulation | null, attemptNumber: number): ChargeSimulation => {
  const charge = simulation?.charge
  if (charge === undefined) return "approve"
  if (typeof charge === "string") return charge
  return charge[Math.min(attemptNumber, charge.length) - 1] ?? "approve"
}
