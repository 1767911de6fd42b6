/** One report as it is read: its progress and its results. A run that was killed continues from here. */
import type { UnreadableRow } from "./ReportRow.ts"
import type { SettlementEntry, SettlementResult } from "./SettlementEntry.ts"
import { settlementResults } from "./SettlementEntry.ts"
import type { Tenant } from "./Tenant.ts"

/**
 * - `reading`: rows are read and compared
 * - `matching_missing`: payments without a row are looked for
 * - `done`
 * - `failed`: the report cannot be read further; the same file continues once that is fixed
 */
export const runStates = ["reading", "matching_missing", "done", "failed"] as const
export type RunState = (typeof runStates)[number]

/**
 * Sums of one currency, in minor units. A row counts in the currency of its payout alone: an amount that was converted is
 * counted as converted, so that each currency adds up by itself.
 */
export interface MoneySums {
  readonly grossMinor: number
  readonly feeMinor: number
  readonly netMinor: number
}

export interface ReconciliationRun {
  /** `rec_` and a UUIDv7. */
  readonly id: string
  readonly tenant: Tenant
  readonly connectionId: string
  /** By its name. */
  readonly format: string
  /** Without its folder. */
  readonly fileName: string
  /** SHA-256 of the file, in lower-case hexadecimal: the same file is one run. */
  readonly sha256: string
  /** Counts the writes, from 1. A write carries the version that it was decided on. */
  readonly version: number
  readonly state: RunState
  /** Records of the report that are stored, counted from its beginning. */
  readonly rowsDone: number
  /** Records whose statements are applied as well; never more than `rowsDone`. */
  readonly rowsApplied: number
  /** Rows that an earlier report had with the same contents, or that a report which was generated later had. */
  readonly rowsKnown: number
  readonly rowsUnreadable: number
  /** The first of them. */
  readonly unreadable: ReadonlyArray<UnreadableRow>
  /** Entries of this run by their result. */
  readonly counts: Readonly<Record<SettlementResult, number>>
  /** Of the entries with a row, by currency. */
  readonly sums: Readonly<Record<string, MoneySums>>
  /** The first and the last time of a row, in epoch milliseconds; `null` while there is none. */
  readonly period: { readonly from: number; readonly until: number } | null
  /** Payments captured in this time are looked for, those up to `after` were; none where `until` is before `from`. */
  readonly missing: { readonly from: number; readonly until: number; readonly after: string } | null
  /** Why it failed; `null` unless it did. */
  readonly failure: string | null
  /** Epoch milliseconds. */
  readonly startedAt: number
  readonly endedAt: number | null
}

/** Which run reads reports of a connection: one at a time, so that the versions of a row follow one another. */
export interface RunLease {
  readonly runId: string
  /** The process that reads. */
  readonly holder: string
  /** By its name, without its folder. */
  readonly fileName: string
  /** When this process began, in epoch milliseconds. */
  readonly since: number
  /** Once this time is over, another run may take it; epoch milliseconds. Each batch moves it. */
  readonly until: number
}

/** Unreadable rows that a run remembers. */
export const unreadableAtMost = 20

export const newRun = (
  named: Pick<ReconciliationRun, "id" | "tenant" | "connectionId" | "format" | "fileName" | "sha256">,
  now: number
): ReconciliationRun => ({
  ...named,
  version: 1,
  state: "reading",
  rowsDone: 0,
  rowsApplied: 0,
  rowsKnown: 0,
  rowsUnreadable: 0,
  unreadable: [],
  counts: Object.fromEntries(settlementResults.map((result) => [result, 0])) as ReconciliationRun["counts"],
  sums: {},
  period: null,
  missing: null,
  failure: null,
  startedAt: now,
  endedAt: null
})

/** The run with more entries: its counts, sums and period. */
export const withEntries = (
  run: ReconciliationRun,
  entries: ReadonlyArray<SettlementEntry>
): Pick<ReconciliationRun, "counts" | "sums" | "period"> => {
  const counts: Record<SettlementResult, number> = { ...run.counts }
  const sums: Record<string, MoneySums> = { ...run.sums }
  let { period } = run
  const add = (currency: string, more: Partial<MoneySums>) => {
    const { feeMinor, grossMinor, netMinor } = sums[currency] ?? { grossMinor: 0, feeMinor: 0, netMinor: 0 }
    sums[currency] = {
      grossMinor: grossMinor + (more.grossMinor ?? 0),
      feeMinor: feeMinor + (more.feeMinor ?? 0),
      netMinor: netMinor + (more.netMinor ?? 0)
    }
  }
  for (const { converted, fee, gross, net, number, occurredAt, result } of entries) {
    counts[result] += 1
    if (number === 0) continue
    const moved = converted ?? gross
    add(moved.currency, { grossMinor: moved.minorUnits })
    if (fee !== null) add(fee.currency, { feeMinor: fee.minorUnits })
    if (net !== null) add(net.currency, { netMinor: net.minorUnits })
    period = {
      from: Math.min(period?.from ?? occurredAt, occurredAt),
      until: Math.max(period?.until ?? occurredAt, occurredAt)
    }
  }
  return { counts, sums, period }
}
