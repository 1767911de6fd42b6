/** The one place that writes a step of a run. */
import { Effect, Option, Result, Schema } from "effect"
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"
import type { Stale } from "../../ports/Ledger.ts"
import { type SettlementBatch, Settlements } from "../../ports/Settlements.ts"
import { type CommitUnknown, StorageError } from "../../ports/StorageError.ts"

/** Another process reads the report; what it has written is kept, and the report goes on with it. */
export class ReportTaken extends Schema.TaggedError<ReportTaken>()("pointsman/ReportTaken", {}) {}

/** A commit whose answer was lost is read again: the version says whether it is written. */
export const writeBatch = Effect.fnUntraced(function* (
  before: ReconciliationRun,
  changed: ReconciliationRun,
  { closes, entries }: Pick<SettlementBatch, "entries" | "closes">
) {
  const settlements = yield* Settlements
  const { connectionId, tenant, version } = before
  const after: ReconciliationRun = { ...changed, version: version + 1 }
  const batch: SettlementBatch = { tenant, connectionId, run: { expected: version, after }, entries, closes }
  const written: Result.Result<void, Stale | StorageError | CommitUnknown> = yield* Effect.result(
    settlements.applyBatch(batch)
  )
  if (Result.isSuccess(written)) return after
  const { failure } = written
  if (failure._tag === "pointsman/StorageError") return yield* failure
  if (failure._tag === "pointsman/Stale") return yield* new ReportTaken()
  const stored = Option.getOrUndefined(yield* settlements.run(tenant, before.id))
  if (JSON.stringify(stored) === JSON.stringify(after)) return after
  return yield* new StorageError({ operation: "storing rows of a report", cause: failure })
})
