/**
 * In which order the connections that can take a payment are asked. A strategy is pure, so that a decision can be
 * explained and made again: what it draws comes from the payment's id, and what it knows is in its input.
 *
 * It orders and no more: which connections may take a payment, how far a payment travels and what follows an unknown
 * result are not its to decide.
 */
import { Context } from "effect"
import { expectedOf, type OutcomeCounts, presumedWeight } from "../model/OutcomeCounts.ts"
import type { PaymentDetails } from "../model/Payment.ts"
import type { Fee, RouteValue } from "../model/RoutingDecision.ts"
import type { CandidateRates } from "../model/SuccessRate.ts"

export interface RoutingStrategy {
  /** As settings name it (`strategy`), and as decisions do. */
  readonly name: string
  readonly order: (question: StrategyQuestion) => StrategyAnswer
}

export interface StrategyQuestion {
  readonly payment: PaymentDetails
  /** Those that can take the payment and whose circuits let it through, in the configured order or by priority. */
  readonly candidates: ReadonlyArray<StrategyCandidate>
  /** A number in [0, 1) that this payment always draws for this purpose; it is stored with the decision. */
  readonly draw: (purpose: string) => number
}

export interface StrategyCandidate {
  readonly connectionId: string
  readonly name: string
  readonly priority: number
  /** How its charges ended lately in production; nothing in the sandbox. */
  readonly rates: CandidateRates
  /** What it would charge for the payment; absent where that is unknown. */
  readonly fee?: Fee | undefined
}

export interface StrategyAnswer {
  /** Connection ids, best first. One that is left out is not asked; one that is no candidate is passed over. */
  readonly order: ReadonlyArray<string>
  /** What they were ordered by, by connection id; for explanations. */
  readonly scores?: Readonly<Record<string, number>> | undefined
  /** What mode `auto` weighed besides, by connection id, where its objective is value. */
  readonly values?: Readonly<Record<string, RouteValue>> | undefined
  /** Why the order is another one than the scores suggest, as one sentence. */
  readonly note?: string | undefined
}

/** The strategies that settings may name, besides what is built in. */
export const RoutingStrategies = Context.Reference<ReadonlyArray<RoutingStrategy>>(
  "pointsman/routing/RoutingStrategies",
  { defaultValue: () => [] }
)

/** The weights of a connection and of a payment's segment at it, which a score is made of. */
export interface ScoredWeights {
  readonly connection: OutcomeCounts
  readonly segment: OutcomeCounts
}

/** A candidate of mode `auto`, with the success rate that is expected of its next charge. */
export interface Scored extends StrategyCandidate {
  readonly score: number
  readonly scoredBy: ScoredWeights
}

/** `connectionWeight`: as many outcomes as the rate of the connection weighs in a segment. */
export const expectedRate = ({ connection, segment }: ScoredWeights, connectionWeight = presumedWeight): number =>
  expectedOf(segment, expectedOf(connection), connectionWeight)
