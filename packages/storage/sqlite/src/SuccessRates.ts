/** Success rates in SQLite. */
import type { SuccessRates } from "@pointsman/core/ports"
import { makeSuccessRates } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { rows } from "./Rows.ts"
import { sqlOf } from "./Sql.ts"

export const make = (db: Database): SuccessRates["Service"] =>
  makeSuccessRates(sqlOf(db), {
    columns: rows.rateColumns,
    segmentKey: "segment",
    deleteOld: "delete from success_rates indexed by success_rates_by_time where at < $1 returning 1 as one"
  })
