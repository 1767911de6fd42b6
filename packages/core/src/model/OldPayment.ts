import type { Dispute } from "./Dispute.ts"
import type { Event } from "./Event.ts"
import type { PaymentBook } from "./PaymentBook.ts"
import type { SettlementEntry } from "./SettlementEntry.ts"

/** All that is stored of a payment: its row with metadata, its attempts, operations and refunds, and its timeline. */
export interface WholePayment {
  readonly book: PaymentBook
  /** Oldest first. */
  readonly events: ReadonlyArray<Event>
  /** Oldest first, without the evidence that is kept for them. Read for the removal; absent where there are none. */
  readonly disputes?: ReadonlyArray<Dispute> | undefined
  /** What is stored of rows of reports about it, in the order of their times. Read and absent as `disputes`. */
  readonly settlements?: ReadonlyArray<SettlementEntry> | undefined
}

/** A payment that is old enough to be looked at; `whyKept` decides whether it may leave the store. */
export interface OldPayment extends WholePayment {
  /** Deliveries of its events that are due or being sent. */
  readonly openDeliveries: number
  /** Messages about it that are not decided, or that could not be read. */
  readonly openMessages: number
}
