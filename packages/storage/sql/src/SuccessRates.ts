/** Success rates: written unless another process wrote first. */
import { type StoredRate, SuccessRates } from "@pointsman/core/ports"
import { Effect } from "effect"
import { type Columns, onConflictReplace, tenantKey, valuesOf } from "./Columns.ts"
import { readAll, readEach, type Sql, updateAll } from "./Sql.ts"

const key = [...tenantKey, "connection_id", "segment_hash"]

/**
 * If a commit may have been written, this is not reported: the next version shows it. `deleteOld`: deletes those before `$1`,
 * and gives a row for each.
 */
export const makeSuccessRates = <V>(sql: Sql<V>, deleteOld: string) => {
  const { rateColumns, readRate } = sql.rows
  const columns: Columns<StoredRate, V> = {
    ...rateColumns,
    segment_hash: ({ segment }) => sql.sha256(JSON.stringify(segment))
  }
  const bind = valuesOf(columns)
  const names = Object.keys(columns)
  const bindKey = valuesOf(
    Object.fromEntries(key.map((name) => [name, columns[name] as Columns<StoredRate, V>[string]]))
  )
  const put = sql.put(
    "success_rates",
    names,
    `${onConflictReplace(names, key)} where success_rates.version = excluded.version - 1
      returning *`
  )
  const selectOne = `select * from success_rates where ${key.map((name, at) => `${name} = $${at + 1}`).join(" and ")}`
  const selectChanged = `select * from ${sql.by("success_rates", "success_rates_by_time")} where at >= $1`
  const nameOf = ({ connectionId, segment, tenant }: StoredRate) =>
    JSON.stringify([tenant.workspaceId, tenant.environment, connectionId, segment])
  return SuccessRates.of({
    changedSince: (at) => readAll(sql, "changedSince", readRate, selectChanged, [at]),
    write: Effect.fnUntraced(function* (rates: ReadonlyArray<StoredRate>) {
      // Without work nothing is written at all.
      if (rates.length === 0) return []
      // In one order, so that no two writers wait for each other.
      const inOrder = rates.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
      const found = yield* updateAll(sql, "writeRates", put(inOrder.map((rate) => bind(rate))))
      const written = new Set(found.map((row) => nameOf(readRate(row))))
      const refused = inOrder.filter((rate) => !written.has(nameOf(rate))).map((rate) => bindKey(rate) as Array<V>)
      // By a later statement: what another writer came first with is seen by it.
      const stored = yield* readEach(sql, "writeRates", selectOne, [], refused)
      return stored.map(readRate)
    }),
    forgetBefore: (at) => Effect.map(sql.update("forgetRates", deleteOld, [at]), ({ length }) => length)
  })
}
