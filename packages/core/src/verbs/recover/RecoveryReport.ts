/** What a recovery found at one connection, and what it did. */
import type { ListEnd } from "../../call/Lists.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { Money } from "../../money/Money.ts"

/** How many, and how much, in one currency. */
export interface RecoveredAmount {
  readonly currency: string
  readonly count: number
  /** Minor units. */
  readonly amountMinor: number
}

/** What may have happened at a provider without a list of it. */
export const unaskedFacts = ["charges", "refunds", "disputes", "payouts"] as const
export type UnaskedFact = (typeof unaskedFacts)[number]

export interface ConnectionRecovery {
  readonly tenant: Tenant
  readonly connectionId: string
  /** `NoList`: only kept messages were weighed. Anything but `Complete` leaves the connection unrecovered. */
  readonly end: ListEnd
  /** What the provider does not list, so that it may have happened unknown. Only its reports contain payouts. */
  readonly unasked: ReadonlyArray<UnaskedFact>
  /** Charges, refunds and disputes that the provider listed and that are ours. */
  readonly listed: number
  /** Charges, refunds and disputes that were not stored and are now. */
  readonly payments: ReadonlyArray<RecoveredAmount>
  readonly refunds: ReadonlyArray<RecoveredAmount>
  readonly disputes: ReadonlyArray<RecoveredAmount>
  /** Stored, and the provider stated something else; a lookup decided. Of a dry run: it would. */
  readonly changed: ReadonlyArray<RecoveredAmount>
  /** Payments that operations review because of it. */
  readonly reviewed: ReadonlyArray<RecoveredAmount>
  /** Entries without a payment of ours that are kept with the provider's messages. */
  readonly kept: number
}

const kinds = ["payments", "refunds", "disputes", "changed", "reviewed"] as const
export type RecoveredKind = (typeof kinds)[number]

/** Counts while a connection is recovered. */
export const makeTally = () => {
  const amounts = new Map<RecoveredKind, Map<string, RecoveredAmount>>(kinds.map((kind) => [kind, new Map()]))
  const counts = { listed: 0, kept: 0 }
  return {
    counts,
    add: (kind: RecoveredKind, { currency, minorUnits }: Money) => {
      const ofKind = amounts.get(kind)
      const before = ofKind?.get(currency) ?? { currency, count: 0, amountMinor: 0 }
      ofKind?.set(currency, { currency, count: before.count + 1, amountMinor: before.amountMinor + minorUnits })
    },
    of: (kind: RecoveredKind): ReadonlyArray<RecoveredAmount> =>
      [...(amounts.get(kind)?.values() ?? [])].toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
  }
}
export type Tally = ReturnType<typeof makeTally>
