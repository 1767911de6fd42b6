import type { StrategyCandidate } from "./Strategy.ts"

/** A candidate of mode `auto`, with the success rate that is expected of its next charge. */
export interface Scored extends StrategyCandidate {
  readonly score: number
}

/** As many outcomes as what is presumed of a connection weighs. */
export const presumedWeight = 10
