/**
 * Suggests the payment that a row without a known name may be of: by amount, currency and time. A suggestion is for
 * people. Another shop of the account takes the same amount at the same time, so that nothing is matched, moved or
 * closed by it until an operator accepts it.
 */
import { Effect } from "effect"
import { isOtherCharge } from "../../decide/reconcile/RowStatement.ts"
import { endedWithout } from "../../model/PaymentMachine.ts"
import type { SettlementEntry } from "../../model/SettlementEntry.ts"
import { Ledger } from "../../ports/Ledger.ts"

/** How far a row's time may be from the creation of its payment: authorized before, and by another clock. */
const createdBeforeMillis = 7 * 24 * 60 * 60_000
const createdAfterMillis = 24 * 60 * 60_000
/** With the merchant's reference too: an authorization is captured within a month. */
const namedBeforeMillis = 31 * 24 * 60 * 60_000
/** Payments of one amount that are looked at: where there are more, none is suggested. */
const candidatesAtMost = 50
/** Rows that are looked for at once. */
const searches = 4

/** The entries, with what is suggested for each. */
export const withSuggestions = Effect.fnUntraced(function* (entries: ReadonlyArray<SettlementEntry>) {
  const unknown = entries.filter(mayBeSuggested)
  if (unknown.length === 0) return entries
  const found = yield* Effect.forEach(unknown, suggestedFor, { concurrency: searches })
  const byRow = new Map(unknown.map(({ rowId }, at) => [rowId, found[at] ?? null]))
  return entries.map((entry): SettlementEntry => ({ ...entry, suggestedPaymentId: byRow.get(entry.rowId) ?? null }))
})

/** A row that names an id of ours is of that one or of none. */
const mayBeSuggested = ({ kind, names, reason, result }: SettlementEntry): boolean =>
  kind === "charge" &&
  result === "missing_here" &&
  reason === "not_found" &&
  names?.attemptId === null &&
  names.operationId === null &&
  names.refundId === null

/** One payment has the merchant's reference besides, or one alone fits. */
const suggestedFor = Effect.fnUntraced(function* (entry: SettlementEntry) {
  const reference = entry.names?.reference ?? undefined
  const named = reference === undefined ? [] : yield* fitting(entry, namedBeforeMillis, reference)
  const [first, second] = named.length > 0 ? named : yield* fitting(entry, createdBeforeMillis)
  return first === undefined || second !== undefined ? null : first.id
})

const fitting = Effect.fnUntraced(function* (
  { connectionId, gross, occurredAt, providerRef, tenant }: SettlementEntry,
  beforeMillis: number,
  reference?: string
) {
  const ledger = yield* Ledger
  const found = yield* ledger.payments(tenant, {
    amountMinor: gross.minorUnits,
    currency: gross.currency,
    connectionId,
    reference,
    createdFrom: occurredAt - beforeMillis,
    createdBefore: occurredAt + createdAfterMillis,
    limit: candidatesAtMost
  })
  if (found.length === candidatesAtMost) return []
  return found.filter((payment) => !endedWithout.has(payment.state) && !isOtherCharge(providerRef, payment.providerRef))
})
