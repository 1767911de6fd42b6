/** The lists of a provider, from which records that the store lost are recovered. */
import { type Initiator, initiators } from "../model/Payment.ts"
import { type PaymentMethod, paymentMethods } from "../model/PaymentMethod.ts"
import type { ChargeName, ChargeState, RefundState, StatedDispute } from "../model/ProviderStatement.ts"
import type { Money } from "../money/Money.ts"
import type { Clean } from "./HideSecrets.ts"

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

/** What an entry of a list holds, or which field cannot be read; `undefined` for one that is not ours. */
export type ListEntry<Item> = { readonly item: Item } | { readonly wrongAt: string } | undefined

/**
 * The items among the entries of a page. `name`: the provider's reference of an entry. `complaint`: says of one that cannot be
 * read at which field that was, or that it shows a secret.
 */
export const listedPage = <Entry, Item>(
  { entries, nextCursor }: { readonly entries: ReadonlyArray<Entry>; readonly nextCursor: string | null },
  clean: Clean,
  {
    complaint,
    name,
    read
  }: {
    readonly read: (entry: Entry) => ListEntry<Item>
    readonly name: (entry: Entry) => unknown
    readonly complaint: (wrongAt: string | null) => string
  }
): ListedPage<Item> => {
  const items: Array<Item> = []
  const unreadable: Array<UnreadableEntry> = []
  for (const entry of entries) {
    const found = read(entry)
    if (found === undefined) continue
    if ("item" in found && !clean.shows(JSON.stringify(found.item))) items.push(found.item)
    else {
      const named = name(entry)
      const reference = typeof named === "string" && !clean.shows(named) ? named : null
      unreadable.push({ reference, reason: complaint("wrongAt" in found ? found.wrongAt : null) })
    }
  }
  return { items, unreadable, nextCursor }
}

/** What the marks of our own say that a charge was asked with, where a provider keeps them for us. */
export const markedCharge = (mark: (name: string) => string | null) =>
  ({
    // Not sent: they are drawn. The key no provider gives back.
    paymentId: null,
    idempotencyKey: null,
    reference: mark("reference"),
    country: mark("country"),
    method: oneOf(paymentMethods, mark("method")),
    cardBrand: mark("card_brand"),
    initiator: oneOf(initiators, mark("initiator"))
  }) satisfies Partial<ListedCharge>

const oneOf = <Word extends string>(words: ReadonlyArray<Word>, text: string | null): Word | null =>
  words.find((word) => word === text) ?? null
