/** Reconciliation runs and settlement entries in SQLite: which payments are named, and what is written one by one. */
import type { SQLInputValue } from "node:sqlite"
import type { Tenant } from "@pointsman/core"
import type {
  NamedBooks,
  NamedInRows,
  NameKind,
  PaymentBook,
  Settlements,
  UnreportedPage,
  UnreportedQuery
} from "@pointsman/core/ports"
import { insertInto, makeSettlements, type Sql, valuesOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { booksNamed, booksNaming, readPayment } from "./Books.ts"
import { type Database, read, snapshot } from "./Database.ts"
import { bindBound, readId, tenantsOf } from "./Keys.ts"
import { bindTenant, bindText, rows } from "./Rows.ts"

const ofTenant = "workspace_id = ? and environment = ?"
const insertEntry = `${insertInto("settlement_entries", Object.keys(rows.settlementColumns))} on conflict do nothing`
const bindEntry = valuesOf(rows.settlementColumns)

export const make = (db: Database, sql: Sql<SQLInputValue>): Settlements =>
  makeSettlements(sql, {
    runIdOf: (data) => `(${data} ->> 'runId')`,
    insertEntries: (query, entries) =>
      Effect.forEach(entries, (entry) => query(insertEntry, bindEntry(entry)), { discard: true }),
    booksNamed: (tenant, connectionId, names) =>
      read("booksNamed", () => snapshot(db, () => selectNamed(db, tenant, connectionId, names))),
    unreported: (query) => read("unreported", () => snapshot(db, () => selectUnreported(db, query))),
    ofPayment: `payments as p indexed by payments_by_id
      where p.t = (select t from tenants where workspace_id = $1 and environment = $2) and p.id = unhex(e.payment_id, '-')`,
    deleteEntries: (condition, index) => `delete from settlement_entries
      where (workspace_id, environment, connection_id, row_id) in (
        select workspace_id, environment, connection_id, row_id from settlement_entries as e indexed by ${index}
        where workspace_id = $1 and environment = $2 and ${condition} and occurred_at < $3 limit $4
      ) returning 1 as one`
  })

/** Of the connection; two of a name at most: more say no more. */
const booksOfName = (
  db: Database,
  tenant: Tenant,
  connectionId: string,
  kind: NameKind,
  name: string
): ReadonlyArray<PaymentBook> => {
  const here = (one: { readonly connectionId: string }) => one.connectionId === connectionId
  switch (kind) {
    case "attemptIds": {
      const of = ({ attempts }: PaymentBook) => attempts.find((one) => one.id === name && here(one))
      const books = booksNamed(db, tenant, "attempt", name).filter((book) => of(book) !== undefined)
      // Requests under one key derive one attempt id, and those that were given up were not sent.
      const meant = books.findLast((book) => of(book)?.outcome !== "Abandoned") ?? books.at(-1)
      return meant === undefined ? [] : [meant]
    }
    case "operationIds":
      return booksNamed(db, tenant, "operation", name)
        .filter(({ operations }) => operations.some((one) => one.id === name && here(one)))
        .slice(-1)
    case "refundIds":
      return booksNamed(db, tenant, "refund", name)
        .filter(({ refunds }) => refunds.some((one) => one.id === name && here(one)))
        .slice(-1)
    case "providerRefundIds":
      return booksNamed(db, tenant, "providerRefund", name)
        .filter(({ refunds }) => refunds.some((one) => one.providerRefundId === name && here(one)))
        .slice(-2)
    case "providerRefs":
      return booksNaming(db, tenant, { connectionId, providerRef: name }).slice(0, 2)
  }
}

const selectNamed = (db: Database, tenant: Tenant, connectionId: string, names: NamedInRows): NamedBooks => {
  const books = new Map<string, PaymentBook>()
  const named = (Object.entries(names) as ReadonlyArray<[NameKind, ReadonlyArray<string>]>).flatMap(([kind, some]) =>
    some.flatMap((name) =>
      booksOfName(db, tenant, connectionId, kind, name).map((book) => {
        books.set(book.payment.id, book)
        return { kind, name, paymentId: book.payment.id }
      })
    )
  )
  return { named, books: [...books.values()] }
}

const selectLooked = `select * from payments indexed by payments_by_id where t = ? and id > ? order by id limit ?`

/** Whether an entry is about the charge of the payment, or says that it is missing. */
const selectAbout = `select 1 from settlement_entries indexed by settlement_entries_by_payment
  where ${ofTenant} and payment_id = ? and corrected_at is null
    and case when number = 0 then closed_by is not 'comparison' else kind = 'charge' end`

const selectUnreported = (db: Database, query: UnreportedQuery): UnreportedPage => {
  const { after, captureWithinMillis, connectionId, from, limit, tenant, until } = query
  const about = db.prepare(selectAbout)
  const looked = db.prepare(selectLooked).all(tenantsOf(db).find(tenant), bindBound(after), limit)
  const payments = looked
    .filter((row) => row["connection_id"] !== null && Number(row["captured_minor"]) > 0)
    .map((row) => readPayment(tenant, row))
    .filter((payment) => {
      const { captureMethod, id, settledAt } = payment
      const first = captureMethod === "automatic" ? from : from - captureWithinMillis
      if (payment.connectionId !== connectionId || settledAt === null) return false
      return settledAt >= first && settledAt <= until && about.get(...bindTenant(tenant), bindText(id)) === undefined
    })
  return { payments, next: looked.length < limit ? null : readId(looked.at(-1)?.["id"]) }
}
