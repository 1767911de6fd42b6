/**
 * Finds captured payments that no report has, once the provider's own delay is over. A report says something about its
 * own period alone. A payment that was captured less than the delay before the report's last row may be in the next
 * one.
 */
import { Clock, Effect, Option } from "effect"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { type ReconciliationRun, withEntries } from "../../model/ReconciliationRun.ts"
import { missingAgainRowId, missingRowId, type SettlementEntry } from "../../model/SettlementEntry.ts"
import { idsFrom } from "../../ports/Ids.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { Settlements } from "../../ports/Settlements.ts"
import { writeBatch } from "./WriteBatch.ts"

/** Payments looked at with one read: a store in the process stops for some 20 ms. */
const lookedAtOnce = 5_000
/** An authorization is captured within a month. */
const captureWithinMillis = 31 * 24 * 60 * 60_000
/** Of the first report: its first rows may be of payments that were answered before it began. */
const edgeMillis = 60 * 60_000
/** Runs of the connection that are read for where the last one ended. */
const runsAtMost = 100

export const findMissing = Effect.fnUntraced(function* (holder: string, read: ReconciliationRun, delayMillis: number) {
  const settlements = yield* Settlements
  const { connectionId, tenant } = read
  const window = read.missing ?? (yield* windowOf(read, delayMillis))
  let run = read
  if (window !== null && window.from <= window.until) {
    let after = window.after
    for (;;) {
      const query = { tenant, connectionId, ...window, after, captureWithinMillis, limit: lookedAtOnce }
      const { next, payments } = yield* settlements.unreported(query)
      const entries = yield* missingOf(run, payments, window)
      after = next ?? after
      const missing = { from: window.from, until: window.until, after }
      run = yield* writeBatch(holder, run, { ...run, ...withEntries(run, entries), missing }, { ...nothing, entries })
      // Payments that were created after the window cannot be in it.
      if (next === null || next >= idsFrom(window.until + 1)) break
    }
  }
  const endedAt = yield* Clock.currentTimeMillis
  return yield* writeBatch(holder, run, { ...run, missing: run.missing ?? window, state: "done", endedAt }, nothing)
})

const nothing = { entries: [], closes: [], corrections: [] }

/**
 * From where the last report ended, or from this one's first row, whichever is earlier. A window that holds nothing yet
 * ends before it begins, so that the next report continues from there, however many had no rows between.
 */
const windowOf = Effect.fnUntraced(function* (
  { connectionId, id, period, tenant }: ReconciliationRun,
  delayMillis: number
) {
  const settlements = yield* Settlements
  const runs = yield* settlements.runs({ tenant, connectionId, limit: runsAtMost })
  const ends = runs.flatMap((one) => (one.id === id || one.state !== "done" ? [] : (one.missing?.until ?? [])))
  const end = ends.length === 0 ? undefined : Math.max(...ends)
  if (period === null) return end === undefined ? null : windowFrom(end + 1, end)
  const from = end === undefined ? period.from + edgeMillis : Math.min(period.from, end + 1)
  const now = yield* Clock.currentTimeMillis
  return windowFrom(from, Math.min(period.until, now) - delayMillis)
})

const windowFrom = (from: number, until: number) => ({
  from,
  until: Math.max(from - 1, until),
  after: idsFrom(Math.max(0, from - captureWithinMillis))
})

/** A payment that is captured by a request of its own is missing by the time of that request. */
const missingOf = Effect.fnUntraced(function* (
  run: ReconciliationRun,
  payments: ReadonlyArray<Payment>,
  { from, until }: { readonly from: number; readonly until: number }
) {
  const ledger = yield* Ledger
  const settlements = yield* Settlements
  const now = yield* Clock.currentTimeMillis
  const ids = payments.map(({ id }) => missingRowId(id))
  const known = ids.length === 0 ? [] : yield* settlements.known(run.tenant, run.connectionId, ids)
  const before = new Set(known.map(({ rowId }) => rowId))
  const entries: Array<SettlementEntry> = []
  for (const payment of payments) {
    const book =
      payment.captureMethod === "automatic"
        ? undefined
        : Option.getOrUndefined(yield* ledger.book(payment.tenant, payment.id))
    const capturedAt = capturedAtOf(payment, book)
    if (capturedAt < from || capturedAt > until) continue
    const first = missingRowId(payment.id)
    const rowId = before.has(first) ? missingAgainRowId(payment.id, capturedAt) : first
    entries.push(missingEntry(run, payment, { rowId, capturedAt, now }))
  }
  return entries
})

const capturedAtOf = ({ createdAt, settledAt }: Payment, book: PaymentBook | undefined): number => {
  const captures = (book?.operations ?? []).filter(({ kind, outcome }) => kind === "capture" && outcome === "Confirmed")
  return Math.max(settledAt ?? createdAt, ...captures.map(({ answeredAt, sentAt }) => answeredAt ?? sentAt))
}

const missingEntry = (
  run: ReconciliationRun,
  payment: Payment,
  { capturedAt, now, rowId }: { readonly rowId: string; readonly capturedAt: number; readonly now: number }
): SettlementEntry => ({
  tenant: run.tenant,
  connectionId: run.connectionId,
  rowId,
  runId: run.id,
  number: 0,
  generatedAt: run.startedAt,
  kind: "charge",
  result: "missing_there",
  reason: "not_found",
  paymentId: payment.id,
  suggestedPaymentId: null,
  refundId: null,
  disputeId: null,
  providerRef: payment.providerRef,
  names: null,
  gross: { minorUnits: payment.capturedMinor, currency: payment.money.currency },
  converted: null,
  fee: null,
  net: null,
  payoutId: null,
  occurredAt: capturedAt,
  settledAt: null,
  recordedAt: now,
  corrected: null,
  expected: payment.state,
  openedAt: now,
  closed: null
})
