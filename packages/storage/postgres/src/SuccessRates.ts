/**
 * Success rates in PostgreSQL. A statement that waits for another one's row sees, for the rest of it, the database as it
 * was before: what the other one wrote is seen by a statement that begins later. So a function of the database writes,
 * rate by rate, and reads the stored value instead with a separate statement, all in one round trip (`schema.sql`).
 */
import { SuccessRates } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { rowOf, rows } from "./Rows.ts"

const write = "select * from write_success_rates($1::text::jsonb)"
const selectChanged = "select * from success_rates where at >= $1"

/** What is being written at this moment is not old, and is not waited for: so no writer and this wait for each other. */
const deleteOld = `with gone as (
  delete from success_rates
  where ctid = any (array(select ctid from success_rates where at < $1 for update skip locked))
  returning 1
)
select count(*) as gone from gone`

export const make = (db: Database): SuccessRates["Service"] =>
  SuccessRates.of({
    changedSince: (at) =>
      Effect.map(db.read("changedSince", selectChanged, [String(at)]), (found) => found.map(rows.readRate)),
    write: (rates) =>
      rates.length === 0
        ? Effect.succeed([])
        : Effect.map(
            db.update("writeRates", write, [JSON.stringify(rates.map((rate) => rowOf(rows.rateColumns, rate)))]),
            (found) => found.map(rows.readRate)
          ),
    forgetBefore: (at) =>
      Effect.map(db.update("forgetRates", deleteOld, [String(at)]), ([row]) => Number(row?.["gone"]))
  })
