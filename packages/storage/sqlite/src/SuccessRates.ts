/** Success rates in SQLite. Where a commit may have been written nobody is told: a version tells it the next time. */
import { StorageError, type StoredRate, SuccessRates } from "@pointsman/core"
import { Effect, Result } from "effect"
import { bindText, type Database, insertInto, type Row, read, readText, transaction } from "./Database.ts"
import { bindTenant, readTenant, tenantColumns, type Values } from "./PaymentRows.ts"

const key = [...tenantColumns, "connection_id", "segment"]
const values = ["succeeded", "failed", "at", "version"]

/** Changes nothing where another version is stored than the one before. */
const upsert = `${insertInto("success_rates", [...key, ...values])} on conflict (${key.join(", ")})
  do update set ${values.map((column) => `${column} = excluded.${column}`).join(", ")}
  where success_rates.version = excluded.version - 1`

const selectOne = `select * from success_rates where ${key.map((column) => `${column} = ?`).join(" and ")}`
const selectChanged = "select * from success_rates indexed by success_rates_by_time where at >= ?"
const deleteOld = "delete from success_rates indexed by success_rates_by_time where at < ?"

export const make = (db: Database): SuccessRates["Service"] => {
  const write = <A>(operation: string, body: () => A): Effect.Effect<A, StorageError> =>
    Effect.suspend(() => {
      const written = transaction(db, body)
      if (Result.isSuccess(written)) return Effect.succeed(written.success)
      return Effect.fail(new StorageError({ operation, cause: written.failure.cause }))
    })

  return SuccessRates.of({
    changedSince: (at) =>
      Effect.map(
        read("changedSince", () => db.prepare(selectChanged).all(at)),
        (rows) => rows.map(readRate)
      ),
    write: (rates) =>
      // Without work nothing is written at all.
      rates.length === 0 ? Effect.succeed([]) : write("writeRates", () => rates.flatMap((rate) => writeOne(db, rate))),
    forgetBefore: (at) => write("forgetRates", () => Number(db.prepare(deleteOld).run(at).changes))
  })
}

/** The rate that is stored instead, if there is one. */
const writeOne = (db: Database, rate: StoredRate): ReadonlyArray<StoredRate> => {
  const { at, failed, succeeded } = rate.rate
  const { changes } = db.prepare(upsert).run(...bindKey(rate), succeeded, failed, at, rate.version)
  if (changes === 1) return []
  return db
    .prepare(selectOne)
    .all(...bindKey(rate))
    .map(readRate)
}

const bindKey = ({ connectionId, segment, tenant }: StoredRate): Values => [
  ...bindTenant(tenant),
  bindText(connectionId),
  bindText(segment)
]

const readRate = (row: Row): StoredRate => ({
  tenant: readTenant(row),
  connectionId: readText(row["connection_id"]),
  segment: readText(row["segment"]),
  rate: { succeeded: row["succeeded"] as number, failed: row["failed"] as number, at: row["at"] as number },
  version: row["version"] as number
})
