/** The rows of payments as books, and what else names a payment. */
import type { Event, Payment, Tenant } from "@pointsman/core"
import { type ChargeReference, mostNamed } from "@pointsman/core/internal"
import { type Name, type PaymentBook, withName } from "@pointsman/core/ports"
import { list, makeReadBook, type Row } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { bindId, chargeName, keyHash, keys, nameHash, readId, rows, shortChargeName, tenantHash } from "./Rows.ts"

export const readBook = makeReadBook({ keys, rows })

export const readPayment = (tenant: Tenant, row: Row): Payment => readBook(tenant, row).payment

const selectTenant = "select workspace_id, environment from tenants where t = ?"

/** The tenant of a row. */
export const tenantOf = (db: Database, { t }: Row): Tenant =>
  rows.readTenant(db.prepare(selectTenant).get(t as Uint8Array) as Row)

export const readEvent = (tenant: Tenant, row: Row): Event => rows.readEvent(keys, tenant, row)

/** What a book is read from: without the claim. */
export const bookColumns = list(["t", "id", ...Object.keys(rows.payment.columns), "details", "book"])
const select = `select ${bookColumns} from payments indexed by payments_by_id where t = ? and id = ?`
const selectByKey = "select * from payments indexed by payments_by_key where t = ? and key = ?"

export const selectRow = (db: Database, tenant: Tenant, id: string): Row | undefined =>
  db.prepare(select).get(tenantHash(tenant), bindId(id))

export const versionOf = (db: Database, tenant: Tenant, id: string): number | undefined =>
  selectRow(db, tenant, id)?.["version"] as number | undefined

export const selectBook = (db: Database, tenant: Tenant, id: string): PaymentBook | undefined => {
  const row = selectRow(db, tenant, id)
  return row && readBook(tenant, row)
}

/** The row that has the key. */
export const selectKeyRow = (db: Database, tenant: Tenant, key: string): Row | undefined =>
  db.prepare(selectByKey).get(tenantHash(tenant), keyHash(key))

const selectCharge = "select payment from charges where t = ? and name = ?"

/** The payment that has the charge, also where it left the store. */
export const holderOf = (db: Database, tenant: Tenant, charge: ChargeReference): string | undefined => {
  const row = db.prepare(selectCharge).get(tenantHash(tenant), chargeName(charge))
  return row && readId(row["payment"])
}

const selectNamed = (order: "asc" | "desc") =>
  `select payment from names where t = ? and name = ? order by payment ${order} limit ${mostNamed}`

const booksOf = (db: Database, tenant: Tenant, rows: ReadonlyArray<Row>): ReadonlyArray<PaymentBook> =>
  [...new Set(rows.map(({ payment }) => readId(payment)))].sort().flatMap((id) => selectBook(db, tenant, id) ?? [])

/** The newest, the last of them last: requests under one key derive one id, and of the earlier ones nothing was sent. */
export const booksNamed = (db: Database, tenant: Tenant, name: Name): ReadonlyArray<PaymentBook> =>
  withName(booksOf(db, tenant, db.prepare(selectNamed("desc")).all(tenantHash(tenant), nameHash(name))), [name])

/** The payment that has a charge, and the oldest that name it, by whatever of it: a capture has an id of its own. */
export const booksNaming = (db: Database, tenant: Tenant, charge: ChargeReference): ReadonlyArray<PaymentBook> => {
  const t = tenantHash(tenant)
  const taken = db.prepare(selectCharge).all(t, chargeName(charge))
  return booksOf(db, tenant, [...taken, ...db.prepare(selectNamed("asc")).all(t, shortChargeName(charge))])
}
