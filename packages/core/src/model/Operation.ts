/** A capture or a void: one call to the provider that holds the money. */
import type { Money } from "../money/Money.ts"
import type { Payment } from "./Payment.ts"

export const operationKinds = ["capture", "void"] as const
export type OperationKind = (typeof operationKinds)[number]

/**
 * How an operation ended. `Accepted`: the provider is still at work on it. `Conflicted`: the provider states the
 * opposite, or executed an earlier one instead. `NotFound`: a late lookup says that it never arrived. `Abandoned`: it was
 * written and never sent. `Failed`: the provider accepted or confirmed it, and stated later that it failed.
 */
export const operationOutcomes = [
  "Confirmed",
  "Accepted",
  "Refused",
  "Conflicted",
  "Unanswered",
  "NotFound",
  "Abandoned",
  "Failed"
] as const
export type OperationOutcome = (typeof operationOutcomes)[number]

/** What the provider had said when its answer could not be recorded. */
export type Said = "confirmed" | "refused" | "no answer"

/** What a request was answered, so that the same key is answered the same way again. */
export type OperationReply =
  | { readonly _tag: "Done"; readonly payment: Payment }
  | { readonly _tag: "ResultUnknown" }
  | { readonly _tag: "StateUnconfirmed"; readonly said: Said }
  | { readonly _tag: "StateConflict" }

/** Its id is the provider's idempotency key. */
export interface Operation {
  /** `op_` and a UUID; see `call/CallIds.ts`. */
  readonly id: string
  /**
   * Drawn by the request that wrote it first: requests under one key derive the same id. `null` once it was answered, and
   * where no request of ours wrote it.
   */
  readonly claimedBy: string | null
  readonly paymentId: string
  readonly kind: OperationKind
  /** Names this operation among those of its payment and kind, for as long as it is in flight or has a reply. */
  readonly idempotencyKey: string | null
  /** As it was asked for; `null` for all of the authorization, which is a value of its own. */
  readonly requestedMinor: number | null
  /** What is captured, or released. */
  readonly money: Money
  readonly connectionId: string
  /** The charge at the provider. */
  readonly providerRef: string
  /** The time-out of its call: a lookup may say "never received" only when twice this has passed. */
  readonly timeoutMillis: number
  /** Epoch milliseconds; written before the request goes out. */
  readonly sentAt: number
  readonly answeredAt: number | null
  /** `null` while the call is in flight, or its process died. */
  readonly outcome: OperationOutcome | null
  /** The provider's raw code; `keyUsedCode` where it had the idempotency key before. */
  readonly code: string | null
  /** What the provider said when it refused, or why there is no answer; for people, and free of secrets. */
  readonly reason: string | null
  /** `null` until its request was answered, and for good where the provider refused: the key is free again. */
  readonly reply: OperationReply | null
}
