/** The one place that writes a step of a run. */
import { Effect, Option, Result, Schema } from "effect"
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"
import { type SettlementBatch, Settlements } from "../../ports/Settlements.ts"

/** Another process reads the report; what it has written is kept, and the report goes on with it. */
export class ReportTaken extends Schema.TaggedError<ReportTaken>()("pointsman/ReportTaken", {}) {}

/** After a failure the run is read again: whether it is the one that was to be written says whether all of it is. */
export const writeBatch = Effect.fnUntraced(function* (
  before: ReconciliationRun,
  changed: ReconciliationRun,
  batch: Pick<SettlementBatch, "entries" | "closes" | "corrections">
) {
  const settlements = yield* Settlements
  const { connectionId, tenant, version } = before
  const after: ReconciliationRun = { ...changed, version: version + 1 }
  const run = { expected: version, after }
  const written = yield* Effect.result(settlements.applyBatch({ tenant, connectionId, run, ...batch }))
  if (Result.isSuccess(written)) return written.success ? after : yield* new ReportTaken()
  const stored = Option.getOrUndefined(yield* settlements.run(tenant, before.id))
  return JSON.stringify(stored) === JSON.stringify(after) ? after : yield* written.failure
})
