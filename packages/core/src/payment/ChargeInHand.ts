import type { Claim } from "../idempotency/Claim.ts"
import type { Change } from "../ports/Ledger.ts"
import type { Connection } from "../routing/Connection.ts"
import type { RoutingDecision } from "../routing/RoutingDecision.ts"
import type { Attempt } from "./Attempt.ts"
import type { Payment } from "./Payment.ts"

/** Where a charge stands: what is stored, and the attempt that is about to be sent or was sent. */
export interface ChargeInHand {
  readonly payment: Payment
  /** `null` for a request without a key. */
  readonly claim: Claim | null
  readonly connection: Connection
  readonly attempt: Attempt
  /** The attempts before it; all of them executed nothing. */
  readonly earlier: ReadonlyArray<Attempt>
}

/** Other writers can come between a read and a write only so often before something is wrong. */
export const decisionsAtMost = 5

export const withRouting = (payment: Payment, attempts: ReadonlyArray<Attempt>): Payment =>
  payment.routing === null ? payment : { ...payment, routing: withAttempts(payment.routing, attempts) }

export const withAttempts = (decision: RoutingDecision, attempts: ReadonlyArray<Attempt>): RoutingDecision => ({
  ...decision,
  attempts: attempts.map(({ id, connectionId, outcome, code }) => ({ attemptId: id, connectionId, outcome, code }))
})

/** The part of a change that moves a claim; nothing where there is none, or it stands as it stood. */
export const claimChange = (before: Claim | null, after: Claim | null): Change["claim"] =>
  before === null || after === null || before === after ? undefined : { expected: before.version, after }
