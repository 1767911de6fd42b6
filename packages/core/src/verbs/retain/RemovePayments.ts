/**
 * Removes the closed payments of a tenant whose time is over, oldest first and a batch at a time. What must happen
 * first, such as an archive, has succeeded before anything is removed; what was written since it was read stays. A payment
 * that took money stays for as long as it may be disputed. A sweep does not read those that are too young for that: there
 * may be months of them, and it runs every hour.
 */
import { Clock, Effect } from "effect"
import { type KeptReason, statesWithoutMoney, whyKept } from "../../decide/MayLeave.ts"
import type { OldPayment, WholePayment } from "../../model/PaymentBook.ts"
import { mostDisputes } from "../../model/Reported.ts"
import { disputeWindowMillis } from "../../model/RetentionTimes.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { ArchiveService } from "../../ports/Archive.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { BeforeRemoval, type OldPaymentQuery, Retention } from "../../ports/Retention.ts"
import { Settlements } from "../../ports/Settlements.ts"
import { StorageError } from "../../ports/StorageError.ts"

/** Payments that are read, archived and removed at once: with its entries some hundred rows of a payment at most. */
const usualBatch = 50

export interface RemovalOrder {
  readonly tenant: Tenant
  /** In milliseconds; `null`: for good. */
  readonly retentionMillis: number | null
  /** Whether to count what would leave, and to remove nothing. */
  readonly isDryRun: boolean
  /** After each batch: others get their turn. */
  readonly pause: Effect.Effect<void>
  /** Asked before each batch; the removal ends where it says `false`. */
  readonly goesOn: Effect.Effect<boolean, StorageError>
}

export interface PaymentRemoval {
  /** How many left, or would. */
  readonly payments: number
  /** How many old ones stay, by the reason. A removal reads none, and counts none, that can only be `dispute_window`. */
  readonly kept: Readonly<Partial<Record<KeptReason, number>>>
}

export const removePayments = Effect.fnUntraced(function* (order: RemovalOrder) {
  const { goesOn, isDryRun, pause, retentionMillis, tenant } = order
  const retention = yield* Retention
  const batch = retention.paymentsAtOnce ?? usualBatch
  const kept: Partial<Record<KeptReason, number>> = {}
  let payments = 0
  if (retentionMillis === null) return { payments, kept } satisfies PaymentRemoval
  const now = yield* Clock.currentTimeMillis
  const [first, ...inStates] = queriesOf(retentionMillis, isDryRun, now)
  for (const query of [first, ...inStates]) {
    let after: string | undefined
    while (yield* goesOn) {
      const old: ReadonlyArray<OldPayment> = yield* retention.oldPayments({ tenant, ...query, after, limit: batch })
      after = old.at(-1)?.book.payment.id
      const leaving: Array<OldPayment> = []
      for (const one of old) {
        // The first query found it, too.
        if (query !== first && one.book.payment.createdAt < first.createdBefore) continue
        const reason = whyKept(one, retentionMillis, now)
        if (reason === undefined) leaving.push(one)
        else kept[reason] = (kept[reason] ?? 0) + 1
      }
      payments += isDryRun ? leaving.length : yield* removeBatch(tenant, leaving)
      if (old.length < batch) break
      yield* pause
    }
  }
  return { payments, kept } satisfies PaymentRemoval
})

type Query = Pick<OldPaymentQuery, "createdBefore" | "state">

/** A dry run counts all that stay. */
const queriesOf = (retentionMillis: number, isDryRun: boolean, now: number): readonly [Query, ...Array<Query>] => {
  const createdBefore = now - retentionMillis
  if (isDryRun || retentionMillis >= disputeWindowMillis) return [{ createdBefore }]
  // One that is exactly as old as the window may leave.
  const undisputed = { createdBefore: now - disputeWindowMillis + 1 }
  return [undisputed, ...statesWithoutMoney.map((state) => ({ createdBefore, state }))]
}

const removeBatch = Effect.fnUntraced(function* (tenant: Tenant, leaving: ReadonlyArray<OldPayment>) {
  if (leaving.length === 0) return 0
  const retention = yield* Retention
  const beforeRemoval = yield* BeforeRemoval
  const disputed = yield* Effect.forEach(leaving, withDisputes)
  yield* beforeRemoval(yield* withSettlements(tenant, disputed))
  const removed = yield* retention.remove(
    leaving.map(({ book: { payment } }) => ({ tenant, paymentId: payment.id, version: payment.version }))
  )
  return removed.length
})

/**
 * Rows of reports leave with their payment. One that a report brings between this read and the removal leaves too, and is not
 * among these: the report that has it may be read again, and its row then belongs to no payment.
 */
const withSettlements = Effect.fnUntraced(function* (tenant: Tenant, leaving: ReadonlyArray<WholePayment>) {
  const { entriesOf } = yield* Settlements
  const entries = yield* entriesOf(
    tenant,
    leaving.map(({ book }) => book.payment.id)
  )
  const byPayment = Map.groupBy(entries, ({ paymentId }) => paymentId)
  return leaving.map((one): WholePayment => {
    const settlements = byPayment.get(one.book.payment.id)
    return settlements === undefined ? one : { ...one, settlements }
  })
})

/** A dispute changes with its payment's version, so that the removal finds out about a later change. */
const withDisputes = Effect.fnUntraced(function* (old: OldPayment) {
  const { id, reported, tenant } = old.book.payment
  const mayHave = (reported?.disputes.length ?? 0) > 0 || old.events.some(({ type }) => type.startsWith("dispute."))
  if (!mayHave) return old
  const found = yield* (yield* Ledger).disputes(tenant, { paymentId: id, limit: mostDisputes })
  const disputes = found.map((dispute) => ({ ...dispute, evidence: null })).sort((a, b) => (a.id < b.id ? -1 : 1))
  return disputes.length === 0 ? old : ({ ...old, disputes } satisfies WholePayment)
})

/** What leaves is archived first, where an archive is configured. `before`: what else succeeds before a removal. */
export const archiveFirst =
  (
    archive: ArchiveService | undefined,
    before: (payments: ReadonlyArray<WholePayment>) => Effect.Effect<void, StorageError>
  ) =>
  (payments: ReadonlyArray<WholePayment>): Effect.Effect<void, StorageError> =>
    archive === undefined ? before(payments) : Effect.andThen(before(payments), putAll(archive, payments))

const putAll = Effect.fnUntraced(function* (archive: ArchiveService, payments: ReadonlyArray<WholePayment>) {
  const manifests = yield* Effect.mapError(
    archive.put(payments),
    (cause) => new StorageError({ operation: "archive.put", cause })
  )
  const kept = manifests.reduce((count, manifest) => count + manifest.payments, 0)
  // The payments are removed next: an archive that kept fewer would lose the others.
  if (kept !== payments.length) return yield* Effect.die(`the archive kept ${kept} of ${payments.length} payments`)
})
