/** How losses of records lie in their table. */
import type { RecordLoss, RecordLossOutcome } from "@pointsman/core/ports"
import type { Row } from "./Columns.ts"

/** `recovered`, `refundsWait`: ids of connections. */
export const readRecordLoss = (
  row: Row,
  recovered: ReadonlyArray<string>,
  refundsWait: ReadonlyArray<string>
): RecordLoss => ({
  number: row["number"] as number,
  since: row["since"] as number,
  reason: row["reason"] as string,
  declaredAt: row["declared_at"] as number,
  recovered,
  refundsWait,
  ended:
    row["outcome"] === null ? null : { outcome: row["outcome"] as RecordLossOutcome, at: row["ended_at"] as number }
})
