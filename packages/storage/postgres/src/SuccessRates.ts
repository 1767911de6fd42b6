/** Success rates in PostgreSQL. */
import type { SuccessRates } from "@pointsman/core/ports"
import { makeSuccessRates } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { sqlOf } from "./Sql.ts"

/** What is being written at this moment is not old, and is not waited for: so no writer and this wait for each other. */
const deleteOld = `delete from success_rates
  where ctid = any (array(select ctid from success_rates where at < $1 for update skip locked)) returning 1 as one`

export const make = (db: Database): SuccessRates["Service"] => makeSuccessRates(sqlOf(db), deleteOld)
