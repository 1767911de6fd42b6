/** Success rates in SQLite. */
import type { SuccessRates } from "@pointsman/core/ports"
import { makeSuccessRates } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { sqlOf } from "./Sql.ts"

const deleteOld = "delete from success_rates indexed by success_rates_by_time where at < $1 returning 1 as one"

export const make = (db: Database): SuccessRates["Service"] => makeSuccessRates(sqlOf(db), deleteOld)
