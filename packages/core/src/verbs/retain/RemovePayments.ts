/**
 * Removes the closed payments of a tenant whose time is over, oldest first and a batch at a time.
 *
 * The rule that a reader would otherwise break: what must happen first, such as an archive, has succeeded before anything
 * is removed. A process that dies in between leaves the payments, and the next sweep brings them to it again. What was
 * written since it was read stays, and so does a payment that another process removes at the same time.
 */
import { Clock, Effect } from "effect"
import { type KeptReason, whyKept } from "../../decide/MayLeave.ts"
import type { OldPayment } from "../../model/OldPayment.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { BeforeRemoval, Retention } from "../../ports/Retention.ts"
import type { StorageError } from "../../ports/StorageError.ts"

/** What is read, archived and removed at once: with its entries some hundred rows of a payment at most. */
const batch = 50

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
  /** How many old ones stay, by the reason. */
  readonly kept: Readonly<Partial<Record<KeptReason, number>>>
}

export const removePayments = Effect.fnUntraced(function* (order: RemovalOrder) {
  const { goesOn, isDryRun, pause, retentionMillis, tenant } = order
  const retention = yield* Retention
  const kept: Partial<Record<KeptReason, number>> = {}
  let payments = 0
  let after: string | undefined
  if (retentionMillis === null) return { payments, kept } satisfies PaymentRemoval
  const now = yield* Clock.currentTimeMillis
  const createdBefore = now - retentionMillis
  while (yield* goesOn) {
    const old: ReadonlyArray<OldPayment> = yield* retention.oldPayments({ tenant, createdBefore, after, limit: batch })
    const leaving: Array<OldPayment> = []
    for (const one of old) {
      const reason = whyKept(one, retentionMillis, now)
      if (reason === undefined) leaving.push(one)
      else kept[reason] = (kept[reason] ?? 0) + 1
    }
    payments += isDryRun ? leaving.length : yield* removeBatch(tenant, leaving)
    after = old.at(-1)?.book.payment.id
    if (old.length < batch) break
    yield* pause
  }
  return { payments, kept } satisfies PaymentRemoval
})

const removeBatch = Effect.fnUntraced(function* (tenant: Tenant, leaving: ReadonlyArray<OldPayment>) {
  if (leaving.length === 0) return 0
  const retention = yield* Retention
  const beforeRemoval = yield* BeforeRemoval
  yield* beforeRemoval(leaving)
  const removed = yield* retention.remove(
    leaving.map(({ book: { payment } }) => ({ tenant, paymentId: payment.id, version: payment.version }))
  )
  return removed.length
})
