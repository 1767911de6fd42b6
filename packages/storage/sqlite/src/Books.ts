/** The rows of payments as books, and what else names a payment. */
import type { Payment, Tenant } from "@pointsman/core"
import { type ChargeReference, isSameReference } from "@pointsman/core/internal"
import type { Change, PaymentBook } from "@pointsman/core/ports"
import { list, type Row, readBookRow } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import {
  bindId,
  chargeName,
  chargeNames,
  keyHash,
  type NameKind,
  nameOf,
  readId,
  shortChargeName,
  shortChargeNames,
  tenantsOf
} from "./Keys.ts"
import { rows } from "./Rows.ts"

export const readBook = (tenant: Tenant, row: Row): PaymentBook =>
  readBookRow(tenant, readId(row["id"]), row, rows.readTextOrNull)

export const readPayment = (tenant: Tenant, row: Row): Payment => readBook(tenant, row).payment

/** What a book is read from: without the claim. */
const bookColumns = list([
  ...["t", "id", "version", "state", "amount_minor", "currency", "created_at", "reference", "connection_id"],
  ...["authorized_minor", "captured_minor", "refunded_minor", "refund_pending_minor", "details", "book"]
])
const select = `select ${bookColumns} from payments indexed by payments_by_id where t = ? and id = ?`
const selectByKey = "select * from payments indexed by payments_by_key where t = ? and key = ?"

export const selectRow = (db: Database, tenant: Tenant, id: string): Row | undefined =>
  db.prepare(select).get(tenantsOf(db).find(tenant), bindId(id))

export const selectBook = (db: Database, tenant: Tenant, id: string): PaymentBook | undefined => {
  const row = selectRow(db, tenant, id)
  return row && readBook(tenant, row)
}

/** The row that has the key. */
export const selectKeyRow = (db: Database, tenant: Tenant, key: string): Row | undefined =>
  db.prepare(selectByKey).get(tenantsOf(db).find(tenant), keyHash(key))

const selectCharge = "select payment from charges where t = ? and name = ?"

/** The payment that has the charge, also where it left the store. */
export const holderOf = (db: Database, tenant: Tenant, charge: ChargeReference): string | undefined => {
  const row = db.prepare(selectCharge).get(tenantsOf(db).find(tenant), chargeName(charge))
  return row && readId(row["payment"])
}

const selectNamed = "select payment from names where t = ? and name = ? order by payment desc"

const booksOf = (db: Database, tenant: Tenant, rows: ReadonlyArray<Row>): ReadonlyArray<PaymentBook> =>
  [...new Set(rows.map(({ payment }) => readId(payment)))].sort().flatMap((id) => selectBook(db, tenant, id) ?? [])

/** Newest last: requests under one key derive one id, and of the earlier ones nothing was sent. */
export const booksNamed = (db: Database, tenant: Tenant, kind: NameKind, id: string): ReadonlyArray<PaymentBook> =>
  booksOf(db, tenant, db.prepare(selectNamed).all(tenantsOf(db).find(tenant), nameOf(kind, id))).filter((book) =>
    namesOf(book).some(([of, name]) => of === kind && name === id)
  )

/** Those that are based on a charge; else those with an attempt that names it. */
const ofCharge = (books: ReadonlyArray<PaymentBook>, charge: ChargeReference): ReadonlyArray<PaymentBook> => {
  const own = books.filter(({ payment }) => isSameReference(payment, charge))
  return own.length > 0 ? own : books.filter(({ attempts }) => attempts.some((one) => isSameReference(one, charge)))
}

/** Every payment that names a charge, by whatever of it: a capture has an id of its own. */
export const booksNaming = (db: Database, tenant: Tenant, charge: ChargeReference): ReadonlyArray<PaymentBook> => {
  const t = tenantsOf(db).find(tenant)
  const taken = db.prepare(selectCharge).all(t, chargeName(charge))
  return booksOf(db, tenant, [...taken, ...db.prepare(selectNamed).all(t, shortChargeName(charge))])
}

export const booksOfCharge = (db: Database, tenant: Tenant, charge: ChargeReference): ReadonlyArray<PaymentBook> =>
  ofCharge(booksNaming(db, tenant, charge), charge)

const selectByReference = (table: string) => `select payment from ${table} where t = ? and name between ? and ?`

/** As `booksOfCharge`, at any connection. */
export const idsOfReference = (db: Database, tenant: Tenant, providerRef: string): ReadonlySet<string> => {
  const t = tenantsOf(db).find(tenant)
  const found = [
    ...db.prepare(selectByReference("charges")).all(t, ...chargeNames(providerRef)),
    ...db.prepare(selectByReference("names")).all(t, ...shortChargeNames(providerRef))
  ]
  const books = booksOf(db, tenant, found)
  const connections = new Set(
    books.flatMap(({ attempts, payment }) =>
      [payment, ...attempts].flatMap((one) => (one.providerRef === providerRef ? (one.connectionId ?? []) : []))
    )
  )
  return new Set(
    [...connections].flatMap((connectionId) =>
      ofCharge(books, { connectionId, providerRef }).map(({ payment }) => payment.id)
    )
  )
}

/** What the entries of a book are named by, beside references of charges. */
export const namesOf = ({
  attempts,
  operations = [],
  refunds = []
}: Pick<Change, "attempts" | "operations" | "refunds">): ReadonlyArray<readonly [NameKind, string]> => [
  ...attempts.map(({ id }) => ["attempt", id] as const),
  ...operations.map(({ id }) => ["operation", id] as const),
  ...refunds.flatMap(({ id, providerRefundId }) => [
    ["refund", id] as const,
    ...(providerRefundId === null ? [] : [["providerRefund", providerRefundId] as const])
  ])
]
