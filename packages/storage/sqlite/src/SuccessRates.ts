/** Success rates in SQLite. If a commit may have been written, this is not reported: the next version shows it. */
import { type StoredRate, SuccessRates } from "@pointsman/core/ports"
import { tenantKey, valuesOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Database, read, update } from "./Database.ts"
import { bindTenant, bindText, rows, upsertInto } from "./Rows.ts"

const key = [...tenantKey, "connection_id", "segment"]

/** Changes nothing where another version is stored than the one before. */
const upsert = `${upsertInto("success_rates", Object.keys(rows.rateColumns), key)}
  where success_rates.version = excluded.version - 1`
const bindRate = valuesOf(rows.rateColumns)

const selectOne = `select * from success_rates where ${key.map((column) => `${column} = ?`).join(" and ")}`
const selectChanged = "select * from success_rates indexed by success_rates_by_time where at >= ?"
const deleteOld = "delete from success_rates indexed by success_rates_by_time where at < ?"

export const make = (db: Database): SuccessRates["Service"] =>
  SuccessRates.of({
    changedSince: (at) =>
      Effect.map(
        read("changedSince", () => db.prepare(selectChanged).all(at)),
        (found) => found.map(rows.readRate)
      ),
    write: (rates) =>
      // Without work nothing is written at all.
      rates.length === 0
        ? Effect.succeed([])
        : update(db, "writeRates", () => rates.flatMap((rate) => writeOne(db, rate))),
    forgetBefore: (at) => update(db, "forgetRates", () => Number(db.prepare(deleteOld).run(at).changes))
  })

/** The rate that is stored instead, if there is one. */
const writeOne = (db: Database, rate: StoredRate): ReadonlyArray<StoredRate> => {
  if (db.prepare(upsert).run(...bindRate(rate)).changes === 1) return []
  return db
    .prepare(selectOne)
    .all(...bindTenant(rate.tenant), bindText(rate.connectionId), bindText(rate.segment))
    .map(rows.readRate)
}
