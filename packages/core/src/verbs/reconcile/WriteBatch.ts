/** The one place that writes a step of a run; and operators close a difference here. */
import { Clock, Effect, Option, Result, Schema } from "effect"
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"
import { Directory } from "../../ports/Directory.ts"
import { type SettlementBatch, Settlements } from "../../ports/Settlements.ts"

/** Another process reads reports of the connection now. What was written is kept; the same file continues there. */
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

/** The connection has no open difference with this row id. */
export class DifferenceNotFound extends Schema.TaggedError<DifferenceNotFound>()("pointsman/DifferenceNotFound", {}) {}

export interface ClosingOrder {
  readonly connectionId: string
  readonly rowId: string
  /** What explains the difference, by the person who closes it. */
  readonly note: string
}

/** Closes a difference that an operator explained. It moves no money. */
export const closeDifference = Effect.fnUntraced(function* ({ connectionId, note, rowId }: ClosingOrder) {
  const directory = yield* Directory
  const settlements = yield* Settlements
  const connection = yield* Effect.fromOption(yield* directory.connection(connectionId), () => new DifferenceNotFound())
  const { environment, workspaceId } = connection
  const closed = { by: "person" as const, note, at: yield* Clock.currentTimeMillis }
  const isClosed = yield* settlements.close({ workspaceId, environment }, connectionId, { rowId, closed })
  if (!isClosed) return yield* new DifferenceNotFound()
})
