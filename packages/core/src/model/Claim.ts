import { Result } from "effect"
import { Start, step } from "../machine/Machine.ts"
import { type ClaimEvent, ClaimMachine, type ClaimState } from "./ClaimMachine.ts"
import type { Payment } from "./Payment.ts"

/** An idempotency key of one tenant, and the request that it belongs to. */
export interface Claim {
  /** 8 to 200 printable ASCII characters. */
  readonly key: string
  readonly version: number
  readonly state: ClaimState
  /** Keyed HMAC of the decoded request: the same key with another request is refused. */
  readonly fingerprint: string
  readonly paymentId: string
  /** Epoch milliseconds of the last commit that preceded a provider call. */
  readonly claimedAt: number
  readonly answeredAt: number | null
  /** The payment as it was answered; what a replay shows. */
  readonly answer: Payment | null
}

/** How long a claim without an answer counts as being worked on. */
export const defaultClaimWindowMillis = 15 * 60 * 1000
/** How long a key is kept after its answer, or after its payment settled. */
export const keyRetentionMillis = 24 * 60 * 60 * 1000

/** Moves a claim along its table; a move that the table does not have is a defect. */
export const moveClaim = (claim: Claim, on: ClaimEvent, change: Partial<Claim>): Claim => ({
  ...claim,
  ...change,
  version: claim.version + 1,
  state: Result.getOrThrowWith(step(ClaimMachine, claim.state, on), (refusal) => new Error(`${on}: ${refusal}`)).to
})

export const newClaim = (
  claim: Pick<Claim, "key" | "fingerprint" | "paymentId" | "claimedAt">,
  version = 1
): Claim => ({
  ...claim,
  version,
  state: Result.getOrThrow(step(ClaimMachine, Start, "KeyClaimed")).to,
  answeredAt: null,
  answer: null
})
