/**
 * What is stored of a row of a provider's report: the money that moved, the payment that it belongs to, and whether our
 * records say the same. `missing_there` is an entry without a row: a payment that no report has.
 */
import type { ReportNames, ReportRow, ReportRowKind, SignedMoney } from "./ReportRow.ts"
import type { Tenant } from "./Tenant.ts"

/**
 * What comparing a row with our records gave.
 *
 * - `matched`: both say the same
 * - `amount_differs`: another amount or currency
 * - `missing_here`: no payment, or no refund, of ours is the row's
 * - `missing_there`: a captured payment that the reports of its period do not have
 * - `status_differs`: the row says that money moved, and our records do not, or the other way round
 * - `duplicate`: the payment or the refund has such a row already, or the report has the same row twice
 * - `fee_differs`: the fee is not the connection's, or gross, fee and net do not add up
 */
export const differenceResults = [
  "amount_differs",
  "missing_here",
  "missing_there",
  "status_differs",
  "duplicate",
  "fee_differs"
] as const
export const settlementResults = ["matched", ...differenceResults] as const
export type SettlementResult = (typeof settlementResults)[number]

/**
 * How the payment was found.
 *
 * - `by_id`: by an id of ours, or by the provider's name of the charge or the refund
 * - `accepted`: an operator accepted the payment that was suggested
 * - `same_row`: by the row's own id, which the report has twice with the same contents: it moves no money again
 * - `ambiguous`: more than one payment could be meant, so none is
 * - `not_found`: no payment could be meant
 * - `no_payment`: the row belongs to no payment, such as a payout
 */
export const matchReasons = ["by_id", "accepted", "same_row", "ambiguous", "not_found", "no_payment"] as const
export type MatchReason = (typeof matchReasons)[number]

/** What ended a difference. */
export interface Closing {
  /**
   * `row`: a later row. `statement`: our records took what the row says. `comparison`: it was compared again, and our
   * records say the same by then. `person`: a person explained it.
   */
  readonly by: "row" | "statement" | "comparison" | "person"
  /**
   * The id of that row, or what the person wrote. Of a comparison, the row id of the entry that took the place of this one.
   * Empty for a statement, and for a comparison that replaced nothing.
   */
  readonly note: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** That the provider sent the row again with other contents, or that it was matched later with another record. */
export interface Corrected {
  /** The row id of the entry that counts instead: the newest one when this was written. */
  readonly by: string
  /** When the first newer version was stored, in epoch milliseconds. */
  readonly at: number
}

/** Its money and times are the row's. Of a `missing_there`, `gross` is what is captured here. */
export interface SettlementEntry
  extends Pick<ReportRow, "gross" | "converted" | "fee" | "net" | "payoutId" | "occurredAt" | "settledAt"> {
  readonly tenant: Tenant
  readonly connectionId: string
  /**
   * Unique with tenant and connection: the provider's id of the movement. Of a newer version of it, or of the same row at a
   * second place of a report, that id with `#` and the place; of an entry that was matched later with another record, the
   * former entry's with `#` and the place; of a `missing_there`, `missing:` and the payment's id, and where it is missing
   * again, with `#` and when the money was captured.
   */
  readonly rowId: string
  readonly runId: string
  /** The row's place in its report, counted from 1; 0 for an entry without a row. */
  readonly number: number
  /** When the provider generated the last report that has the row with these contents, in epoch milliseconds. */
  readonly generatedAt: number
  readonly kind: ReportRowKind
  readonly result: SettlementResult
  readonly reason: MatchReason
  readonly paymentId: string | null
  /** The payment that a row of none may be of, by amount and time, for people to accept; else `null`. */
  readonly suggestedPaymentId: string | null
  readonly refundId: string | null
  /** The provider's. */
  readonly disputeId: string | null
  readonly providerRef: string | null
  /** All that the row names; `null` without a row. */
  readonly names: ReportNames | null
  /** When the entry was stored, in epoch milliseconds. */
  readonly recordedAt: number
  /** `null` for the newest version of a row, which is the one that counts. */
  readonly corrected: Corrected | null
  /** What our records said instead, for people; `null` for what matched. */
  readonly expected: string | null
  /** When the difference was found, in epoch milliseconds; `null` for what matched. */
  readonly openedAt: number | null
  /** `null` while the difference is open. An older version is closed by the row that corrects it. */
  readonly closed: Closing | null
}

/** The row id of the entry of a payment that no report has. */
export const missingRowId = (paymentId: string): string => `missing:${paymentId}`

/** The same of a payment that was missing before, and was captured again. */
export const missingAgainRowId = (paymentId: string, capturedAt: number): string =>
  `${missingRowId(paymentId)}#${capturedAt}`

/** A further entry of a row that was read at the place. */
export const placeRowId = (rowId: string, { number, runId }: Pick<SettlementEntry, "runId" | "number">): string =>
  `${rowId}#${runId}.${number}`

/** Whether the entry is one of the row, in whichever version. */
export const isEntryOfRow = (entryId: string, rowId: string): boolean =>
  entryId === rowId || entryId.startsWith(`${rowId}#`)

export const isDifference = ({ result }: Pick<SettlementEntry, "result">): boolean => result !== "matched"

/** What is known of the money of a payment or a refund after the provider settled it. */
export interface Settlement {
  readonly connectionId: string
  /** `null` until it is paid out. */
  readonly payoutId: string | null
  /** In minor units of `currency`; `null` where the report has no fees. */
  readonly feeMinor: number | null
  readonly netMinor: number | null
  /** Of the payout. */
  readonly currency: string
  /** Epoch milliseconds. */
  readonly settledAt: number | null
}

/**
 * From the entries of one kind of one payment, or of one refund; `undefined` where there is none. Duplicates and versions
 * that were corrected do not count.
 * Of several, fees and nets of one currency are added up, and the last one names the payout.
 */
export const settlementOf = (entries: ReadonlyArray<SettlementEntry>): Settlement | undefined => {
  const counted = entries
    .filter(({ corrected, number, result }) => number > 0 && result !== "duplicate" && corrected === null)
    .toSorted((a, b) => a.occurredAt - b.occurredAt || (a.rowId < b.rowId ? -1 : 1))
  const last = counted.at(-1)
  if (last === undefined) return undefined
  const currency = payoutCurrency(last)
  const same = counted.filter((one) => payoutCurrency(one) === currency)
  const sum = (take: (entry: SettlementEntry) => SignedMoney | null): number | null =>
    same.reduce<number | null>((total, one) => {
      const amount = take(one)
      return amount === null || total === null ? null : total + amount.minorUnits
    }, 0)
  return {
    connectionId: last.connectionId,
    payoutId: last.payoutId,
    feeMinor: sum(({ fee }) => fee),
    netMinor: sum(({ net }) => net),
    currency,
    settledAt: last.settledAt
  }
}

/** That of the payout, where the report names it. */
export const payoutCurrency = ({ converted, gross, net }: SettlementEntry): string =>
  (net ?? converted ?? gross).currency
