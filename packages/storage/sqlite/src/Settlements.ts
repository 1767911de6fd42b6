/** Reconciliation runs and settlement entries in SQLite: which payments are named, and what is written one by one. */
import type { SQLInputValue } from "node:sqlite"
import type { Tenant } from "@pointsman/core"
import type { NamedInRows, NamedPayment, NameKind, Settlements } from "@pointsman/core/ports"
import { insertInto, makeSettlements, nameOrder, namePlaces, type Sql, valuesOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Database, read, snapshot } from "./Database.ts"
import { selectBookRows } from "./Ledger.ts"
import { bindTenant, bindText, readText, rows } from "./Rows.ts"

const ofTenant = "workspace_id = ? and environment = ?"
const insertEntry = `${insertInto("settlement_entries", Object.keys(rows.settlementColumns))} on conflict do nothing`
const bindEntry = valuesOf(rows.settlementColumns)

export const make = (db: Database, sql: Sql<SQLInputValue>): Settlements =>
  makeSettlements(sql, {
    runIdOf: (data) => `(${data} ->> 'runId')`,
    insertEntries: (query, entries) =>
      Effect.forEach(entries, (entry) => query(insertEntry, bindEntry(entry)), { discard: true }),
    booksNamed: (tenant, connectionId, names) =>
      read("booksNamed", () =>
        snapshot(db, () => {
          const named = selectNamed(db, tenant, connectionId, names)
          const books = [...new Set(named.map(({ paymentId }) => paymentId))].flatMap((id) => {
            const book = selectBookRows(db, tenant, id)
            return book === undefined ? [] : [rows.readBook(book)]
          })
          return { named, books }
        })
      ),
    deleteEntries: (condition, index) => `delete from settlement_entries
      where (workspace_id, environment, connection_id, row_id) in (
        select workspace_id, environment, connection_id, row_id from settlement_entries as e indexed by ${index}
        where workspace_id = $1 and environment = $2 and ${condition} and occurred_at < $3 limit $4
      ) returning 1 as one`
  })

const nameIndexes: Readonly<Record<NameKind, string>> = {
  attemptIds: "indexed by attempts_by_id",
  operationIds: "indexed by operations_by_id",
  refundIds: "indexed by refunds_by_id",
  providerRefundIds: "indexed by refunds_by_provider_refund",
  providerRefs: ""
}

/** Two at most: more say no more. */
const selectNames = (kind: NameKind): string => {
  const [table, column] = namePlaces[kind]
  const isNamed = `${ofTenant} and connection_id = ? and ${column} = ?`
  if (kind === "providerRefs") {
    return `select payment_id from charge_references where ${isNamed}
      union select payment_id from named_references where ${isNamed} limit 2`
  }
  const most = kind === "providerRefundIds" ? 2 : 1
  return `select payment_id from ${table} ${nameIndexes[kind]} where ${isNamed} order by ${nameOrder(kind)} limit ${most}`
}

const selectNamed = (
  db: Database,
  tenant: Tenant,
  connectionId: string,
  names: NamedInRows
): ReadonlyArray<NamedPayment> => {
  const owner: ReadonlyArray<SQLInputValue> = [...bindTenant(tenant), bindText(connectionId)]
  return Object.entries(names).flatMap(([name, some]: [string, ReadonlyArray<string>]) => {
    const kind = name as NameKind
    if (some.length === 0) return []
    const select = db.prepare(selectNames(kind))
    return some.flatMap((one) => {
      const key = [...owner, bindText(one)]
      return select
        .all(...key, ...(kind === "providerRefs" ? key : []))
        .map((row) => ({ kind, name: one, paymentId: readText(row["payment_id"]) }))
    })
  })
}
