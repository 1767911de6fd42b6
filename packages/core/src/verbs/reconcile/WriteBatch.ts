/** The one place that writes a step of a run. */
import { Clock, Effect, Option, Result, Schema } from "effect"
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"
import { type SettlementBatch, Settlements } from "../../ports/Settlements.ts"

/** Another process reads reports of the connection now. What was written is kept; the same file goes on there. */
export class ReportTaken extends Schema.TaggedError<ReportTaken>()("pointsman/ReportTaken", {}) {}

/** Of a connection's reports, in milliseconds: a process that dies holds up the next one for so long. A batch takes seconds. */
export const leaseMillis = 60_000

/** After a failure the run is read again: whether it is the one that was to be written says whether all of it is. */
export const writeBatch = Effect.fnUntraced(function* (
  holder: string,
  before: ReconciliationRun,
  changed: ReconciliationRun,
  batch: Pick<SettlementBatch, "entries" | "closes" | "corrections" | "confirmed">
) {
  const settlements = yield* Settlements
  const { connectionId, tenant, version } = before
  const after: ReconciliationRun = { ...changed, version: version + 1 }
  const run = { expected: version, after }
  const lease = { holder, until: (yield* Clock.currentTimeMillis) + leaseMillis }
  const written = yield* Effect.result(settlements.applyBatch({ tenant, connectionId, run, lease, ...batch }))
  if (Result.isSuccess(written)) return written.success ? after : yield* new ReportTaken()
  const stored = Option.getOrUndefined(yield* settlements.run(tenant, before.id))
  return JSON.stringify(stored) === JSON.stringify(after) ? after : yield* written.failure
})
