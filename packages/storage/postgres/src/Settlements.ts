/** Reconciliation runs and settlement entries in PostgreSQL. A batch is one transaction of a few statements. */
import type { SettlementEntry } from "@pointsman/core"
import { isExpected, type SettlementBatch, type Settlements, type UnreportedQuery } from "@pointsman/core/ports"
import { isAboutCharge, list, makeSettlements, type Sql } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { namedBooks, readPayment } from "./Books.ts"
import { arrayLiteral } from "./CommitStatement.ts"
import type { Database } from "./Database.ts"
import { bindAfter, bindTenant, ofTenant, rows, tenantNumber, typeOf, type Value } from "./Rows.ts"

export const make = (db: Database, sql: Sql<Value>): Settlements => {
  const settlements = makeSettlements(sql, {
    insertEntries: (query, entries) => query(insertEntries, bindEntries(entries)),
    booksNamed: (tenant, connectionId, names) => namedBooks(db, tenant, connectionId, names),
    unreported: (query) => selectUnreported(db, query),
    ofPayment: `payments as p where p.t = (select t from tenants where ${ofTenant}) and p.id = e.payment_id::uuid`,
    deleteEntries: (condition) => `with leaving as materialized (
        select connection_id, row_id from settlement_entries as e where ${ofTenant} and ${condition}
          and occurred_at < $3 limit $4 for update skip locked
      ), gone as (
        delete from settlement_entries using leaving where ${ofTenant}
          and settlement_entries.connection_id = leaving.connection_id and settlement_entries.row_id = leaving.row_id
        returning 1 as one
      ) select one from gone`
  })
  return {
    ...settlements,
    applyBatch: (batch) =>
      Effect.tap(settlements.applyBatch(batch), () =>
        isMeasured(batch) ? Effect.ignore(db.update("analyzeEntries", analyzeEntries)) : Effect.void
      )
  }
}

/**
 * A plan that was made while the table was empty would read all rows of the tenant for each payment, and the server's own
 * analysis comes a minute later. So it is asked for after the first batch, and each time four times as many are written.
 */
const analyzeEntries = "analyze settlement_entries (workspace_id, environment, connection_id, row_id, payment_id)"
const isMeasured = ({ entries, run }: SettlementBatch): boolean =>
  entries.length > 0 && run !== null && measuredAfter.has(run.after.version)
/** By the versions of a run, the first of which begins it. */
const measuredAfter: ReadonlySet<number> = new Set(Array.from({ length: 12 }, (_, power) => 2 * 4 ** power))

/** Whether an entry is about the charge of the payment, or says that it is missing. */
const isReported = `exists (
    select 1 from settlement_entries as e
    where e.workspace_id = $1 and e.environment = $2 and e.payment_id = p.id::text and ${isAboutCharge}
  )`
const selectLooked = `select p.*, p.captured_minor > 0 and p.connection_id is not null and not ${isReported} as may_lack
  from (select * from payments where t = $3 and id > $4 order by id limit $5) as p order by p.id`

const selectUnreported = Effect.fnUntraced(function* (db: Database, query: UnreportedQuery) {
  const { after, limit, tenant } = query
  const params = [...bindTenant(tenant), tenantNumber(tenant), bindAfter(after), limit]
  const looked = yield* db.read("unreported", selectLooked, params)
  const payments = looked
    .filter((row) => row["may_lack"] === true)
    .map((row) => readPayment(tenant, row))
    .filter((one) => isExpected(query, one))
  return { payments, next: looked.length < limit ? null : ((looked.at(-1)?.["id"] ?? null) as string | null) }
})

const entryColumns = Object.keys(rows.settlementColumns)
/** An array for each column: to take one JSON document apart was two thirds of the statement's time. */
const insertEntries = `insert into settlement_entries (${list(entryColumns)})
  select * from unnest(${list(entryColumns.map((column, at) => `$${at + 1}::${typeOf(column)}[]`))})
  on conflict do nothing`

/** Column by column, and in the order of their ids, so that no two batches wait for each other. */
const bindEntries = (entries: ReadonlyArray<SettlementEntry>): ReadonlyArray<string> => {
  const inOrder = entries.toSorted((a, b) => (a.rowId < b.rowId ? -1 : 1))
  return Object.values(rows.settlementColumns).map((take) => arrayLiteral(inOrder.map((entry) => take(entry))))
}
