/** Reconciliation runs and settlement entries in SQLite: which payments are named, and what is written one by one. */
import type { Tenant } from "@pointsman/core"
import * as Ports from "@pointsman/core/ports"
import { insertInto, isAboutCharge, makeSettlements, type Sql, valuesOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { booksNamed, booksNaming, readPayment } from "./Books.ts"
import { type Database, read, snapshot } from "./Database.ts"
import { bindAfter, bindTenant, bindText, ofTenant, readId, rows, tenantHash } from "./Rows.ts"
import type { Value } from "./Sql.ts"

const insertEntry = `${insertInto("settlement_entries", Object.keys(rows.settlementColumns))} on conflict do nothing`
const bindEntry = valuesOf(rows.settlementColumns)

export const make = (db: Database, sql: Sql<Value>): Ports.Settlements =>
  makeSettlements(sql, {
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

const selectNamed = (
  db: Database,
  tenant: Tenant,
  connectionId: string,
  names: Ports.NamedInRows
): Ports.NamedBooks => {
  const books = new Map<string, Ports.PaymentBook>()
  const booksOf = (kind: Ports.NameKind, name: string) =>
    kind === "providerRefs"
      ? booksNaming(db, tenant, { connectionId, providerRef: name }).slice(0, 2)
      : Ports.meantBy(booksNamed(db, tenant, `${Ports.nameKinds[kind]} ${name}`), connectionId, kind, name)
  const named = Ports.namesIn(names).flatMap(([kind, name]) =>
    booksOf(kind, name).map((book) => {
      books.set(book.payment.id, book)
      return { kind, name, paymentId: book.payment.id }
    })
  )
  return { named, books: [...books.values()] }
}

const selectLooked = `select * from payments indexed by payments_by_id where t = ? and id > ? order by id limit ?`

const selectAbout = `select 1 from settlement_entries indexed by settlement_entries_by_payment
  where ${ofTenant} and payment_id = ? and ${isAboutCharge}`

const selectUnreported = (db: Database, query: Ports.UnreportedQuery): Ports.UnreportedPage => {
  const { after, limit, tenant } = query
  const about = db.prepare(selectAbout)
  const looked = db.prepare(selectLooked).all(tenantHash(tenant), bindAfter(after), limit)
  const payments = looked
    .filter((row) => row["connection_id"] !== null && Number(row["captured_minor"]) > 0)
    .map((row) => readPayment(tenant, row))
    .filter((one) => Ports.isExpected(query, one) && about.get(...bindTenant(tenant), bindText(one.id)) === undefined)
  return { payments, next: looked.length < limit ? null : readId(looked.at(-1)?.["id"]) }
}
