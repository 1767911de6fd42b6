import { expectedOf, type OutcomeCounts, presumedWeight } from "../model/OutcomeCounts.ts"
import type { StrategyCandidate } from "./Strategy.ts"

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
