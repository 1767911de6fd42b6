/** The lists of a provider, from which records that the store lost are recovered. */
import type { Initiator } from "../model/Payment.ts"
import type { PaymentMethod } from "../model/PaymentMethod.ts"
import type { ChargeName, ChargeState, RefundState, StatedDispute } from "../model/ProviderStatement.ts"
import type { Money } from "../money/Money.ts"

/** One page of a list. */
export interface ListRequest {
  /**
   * What the provider created at this time or later, and before `createdBefore`: epoch milliseconds by the provider's
   * clock. A provider that counts in seconds widens both ends to whole seconds.
   */
  readonly createdFrom: number
  readonly createdBefore: number
  /** `nextCursor` of the page before, in the same window; `null` for the first page. */
  readonly cursor: string | null
}

/** Oldest first, within the page and over the pages. */
export interface ListedPage<Item> {
  readonly items: ReadonlyArray<Item>
  /** Entries that may be ours and could not be read: for operators to review. */
  readonly unreadable: ReadonlyArray<UnreadableEntry>
  /** `null` for the last page. An empty page may have another one after it. */
  readonly nextCursor: string | null
}

export interface UnreadableEntry {
  /** The provider's reference of the charge, refund or dispute; `null` where that is what could not be read. */
  readonly reference: string | null
  /** Which field could not be read, never its value. */
  readonly reason: string
}

/** A charge of ours as the provider keeps it. `null`: it was not told, or does not give it back. */
export interface ListedCharge {
  /** Of ours, and so the only name by which the payment can be found: entries without it are not ours. */
  readonly attemptId: string
  /** A provider that compares the parameters of requests with one idempotency key is not told it: it is drawn. */
  readonly paymentId: string | null
  /** The key that the request carried: the attempt id, as far as it was ours. */
  readonly idempotencyKey: string | null
  readonly reference: string | null
  readonly country: string | null
  readonly method: PaymentMethod | null
  readonly cardBrand: string | null
  readonly initiator: Initiator | null
  /** As in `ChargeRequest`. */
  readonly capture: boolean | null
  /** The amount of the charge; what was captured of it is in `state`. */
  readonly money: Money
  /** As a lookup would find it now. */
  readonly state: ChargeState
  /** When the provider created it: epoch milliseconds by the provider's clock. */
  readonly created: number
}

/** A refund as the provider keeps it. */
export interface ListedRefund {
  /** Ours; `null` for a refund that was made by other means, on the provider's own pages for example. */
  readonly refundId: string | null
  /** Of the charge that is refunded, which is ours or anybody's. */
  readonly providerRef: string
  readonly money: Money
  /** As a lookup would find it now. */
  readonly state: RefundState
  /** When the provider created it: epoch milliseconds by the provider's clock. */
  readonly created: number
}

/** A dispute as the provider keeps it now, and the charge that it is of, which is ours or anybody's. */
export interface ListedDispute extends StatedDispute {
  readonly charge: ChargeName
  /** Since when it is so: epoch milliseconds by the provider's clock; `null` where the list does not say. */
  readonly at: number | null
}
