/** A refund: one call to the provider that took the money, and an entry of the refund ledger. */
import { Result } from "effect"
import { Start, step } from "../machine/Machine.ts"
import type { Money } from "../money/Money.ts"
import type { Payment } from "./Payment.ts"
import { type RefundEvent, RefundMachine, type RefundStage } from "./RefundMachine.ts"

/** What a refund's request was answered, for the 24 hours in which a repeat is answered exactly so. */
export type RefundReply =
  | { readonly _tag: "Done"; readonly payment: Payment }
  | { readonly _tag: "RefundPending" }
  | { readonly _tag: "Refused"; readonly message: string }
  | { readonly _tag: "ResultUnknown" }
  | { readonly _tag: "StateUnconfirmed" }

/** How long a refund's stored answer is replayed; after that its record answers. */
export const refundReplayMillis = 24 * 60 * 60 * 1000

/** Who asked for it: this API, or the merchant at the provider, in its dashboard for example. */
export type RefundOrigin = "api" | "provider"

export interface Refund {
  /** `rf_` and a UUID; one that we ask for has it as the provider's idempotency key. See `call/CallIds.ts`. */
  readonly id: string
  /**
   * Drawn by the request that wrote it first: requests under one key derive the same id. `null` once it moved on, other
   * than where its key is free again, and where no request of ours wrote it.
   */
  readonly claimedBy: string | null
  readonly paymentId: string
  readonly origin: RefundOrigin
  readonly stage: RefundStage
  /** What is given back: as asked for, at most what was left; after the provider's word, what it says. */
  readonly money: Money
  /** As it was asked for; `null` for all that is left, which is a value of its own. */
  readonly requestedMinor: number | null
  readonly reason: string | null
  /** Names this refund among those of its payment, for good. */
  readonly idempotencyKey: string | null
  readonly connectionId: string
  /** The charge at the provider. */
  readonly providerRef: string
  readonly providerRefundId: string | null
  /** The time-out of its call: a lookup may say "never received" only when twice this has passed. */
  readonly timeoutMillis: number
  /** Epoch milliseconds; written before the request goes out. Of one that was made at the provider, by its clock where it dates it. */
  readonly sentAt: number
  /** When its request was answered. */
  readonly answeredAt: number | null
  /**
   * When it was known whether the money went back. Of a refund that failed after it was accepted, and of one that is
   * pending again, when the provider stated the failure, by its clock where it dates it.
   */
  readonly settledAt: number | null
  /** The provider's raw code; `keyUsedCode` where it had the idempotency key before. */
  readonly code: string | null
  /** Why the provider did not do it, or why there is no answer; for people, and free of secrets. */
  readonly failureReason: string | null
  readonly reply: RefundReply | null
}

/** Its request ended unsent, and its key is free. */
export const isGivenBack = ({ idempotencyKey, stage }: Refund): boolean =>
  stage === "Refused" && idempotencyKey === null

/** Moves a refund along its table; what the table says where no row takes the fact. */
export const moveRefund = (refund: Refund, on: RefundEvent, change: Partial<Refund>) =>
  Result.map(step(RefundMachine, refund.stage, on), (row) => ({
    refund: { ...refund, ...change, ...(refund.idempotencyKey !== null && { claimedBy: null }), stage: row.to },
    emits: row.emits
  }))

const firstRefundStage: RefundStage = Result.getOrThrow(step(RefundMachine, Start, "RefundClaimed")).to

/** What a refund has before its request is sent. */
export const begunRefund = {
  stage: firstRefundStage,
  providerRefundId: null,
  answeredAt: null,
  settledAt: null,
  code: null,
  failureReason: null,
  reply: null
} as const

/** The total to which a refund's amount counts. A stage without one does not compile. */
export const columnOf = {
  Sending: "pending",
  Pending: "pending",
  Unknown: "pending",
  Succeeded: "refunded",
  Refused: "nothing",
  Failed: "nothing",
  Reversed: "nothing"
} as const satisfies Record<RefundStage, "pending" | "refunded" | "nothing">

/** The entries with one of them written or replaced. */
export const withRefund = (refunds: ReadonlyArray<Refund>, refund: Refund): ReadonlyArray<Refund> => [
  ...refunds.filter(({ id }) => id !== refund.id),
  refund
]
