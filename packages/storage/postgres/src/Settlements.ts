/** Reconciliation runs and settlement entries in PostgreSQL. A batch is one transaction of a few statements. */
import type { SettlementEntry } from "@pointsman/core"
import type { SettlementBatch, Settlements, UnreportedQuery } from "@pointsman/core/ports"
import { list, makeSettlements, readEach, type Sql } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { arrayLiteral } from "./CommitStatement.ts"
import type { Database } from "./Database.ts"
import { bookColumnsOfTenant, bookRowsOf } from "./Ledger.ts"
import { selectNamed } from "./NamedPayments.ts"
import { bindTenant, bindText, bindValue, readText, rows, typeOf, type Value } from "./Rows.ts"

const ofTenant = "workspace_id = $1 and environment = $2"

export const make = (db: Database, sql: Sql<Value>): Settlements => {
  const settlements = makeSettlements(sql, {
    // PostgreSQL reads no JSON in which a file name has a zero character; the id of the run is the first text in it.
    runIdOf: (data) => `split_part(${data}, '"', 4)`,
    insertEntries: (query, entries) => query(insertEntries, bindEntries(entries)),
    booksNamed: Effect.fnUntraced(function* (tenant, connectionId, names) {
      const named = yield* selectNamed(db, tenant, connectionId, names)
      const ids = [...new Set(named.map(({ paymentId }) => paymentId))].map((id) => [bindText(id)])
      const books = yield* readEach(sql, "booksNamed", selectBook, bindTenant(tenant), ids)
      return { named, books: books.map((row) => rows.readBook(bookRowsOf(row))) }
    }),
    unreported: (query) => selectUnreported(sql, query),
    ofPayment: "payments as p where p.workspace_id = $1 and p.environment = $2 and p.id = e.payment_id",
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
 * Without statistics every index that begins with the tenant looks as good as that of payments, and the plan that was made
 * while the table was empty would read all rows of the tenant for each payment. The server's own analysis comes a minute
 * later, which a first report does not wait for: so it is asked for after the first batch, and each time four times as many
 * are written. Only the columns by which a batch looks are read.
 */
const analyzeEntries = "analyze settlement_entries (workspace_id, environment, connection_id, row_id, payment_id)"
const isMeasured = ({ entries, run }: SettlementBatch): boolean =>
  entries.length > 0 && run !== null && measuredAfter.has(run.after.version)
/** By the versions of a run, the first of which begins it. */
const measuredAfter: ReadonlySet<number> = new Set(Array.from({ length: 12 }, (_, power) => 2 * 4 ** power))

const selectUnreported = Effect.fnUntraced(function* (
  { by, read }: Sql<Value>,
  { after, captureWithinMillis, connectionId, from, limit, tenant, until }: UnreportedQuery
) {
  const owner = [...bindTenant(tenant), bindText(after)]
  const looked = `select id from payments where ${ofTenant} and id > $3 order by id limit $4`
  const ids = yield* read("unreported", looked, [...owner, limit])
  const last = ids.at(-1)?.["id"]
  if (last === undefined) return { payments: [], next: null }
  const without = `select * from payments where ${ofTenant} and id > $3 and id <= $4
    and connection_id = $5 and captured_minor > 0 and settled_at <= $6
    and settled_at >= case when capture_method = 'automatic' then $7::bigint else $8::bigint end
    and not exists (
      select 1 from ${by("settlement_entries as e", "settlement_entries_by_payment")}
      where e.workspace_id = $1 and e.environment = $2
        and e.payment_id = payments.id and e.corrected_at is null
        and case when e.number = 0 then e.closed_by is distinct from 'comparison' else e.kind = 'charge' end
    ) order by id`
  const times = [until, from, from - captureWithinMillis]
  const found = yield* read("unreported", without, [...owner, last as Value, bindText(connectionId), ...times])
  return { payments: found.map(rows.readPayment), next: ids.length < limit ? null : readText(last) }
})

const selectBook = `select ${bookColumnsOfTenant} from payments as p where ${ofTenant} and id = $3`

const entryColumns = Object.keys(rows.settlementColumns)
/** An array for each column: to take one JSON document apart was two thirds of the statement's time. */
const insertEntries = `insert into settlement_entries (${list(entryColumns)})
  select * from unnest(${list(entryColumns.map((column, at) => `$${at + 1}::${typeOf(column)}[]`))})
  on conflict do nothing`

/** Column by column, and in the order of their ids, so that no two batches wait for each other. */
const bindEntries = (entries: ReadonlyArray<SettlementEntry>): ReadonlyArray<string> => {
  const inOrder = entries.toSorted((a, b) => (a.rowId < b.rowId ? -1 : 1))
  return Object.values(rows.settlementColumns).map((take) =>
    arrayLiteral(inOrder.map((entry) => bindValue(take(entry))))
  )
}
