/** The rows of payments as books, and what else names a payment. */
import type { Payment, Tenant } from "@pointsman/core"
import { type ChargeReference, isSameReference } from "@pointsman/core/internal"
import type { Change, PaymentBook, StorageError } from "@pointsman/core/ports"
import { type Row, readBookRow } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import {
  bindId,
  chargeName,
  chargeNames,
  keyHash,
  type Name,
  nameHash,
  shortChargeName,
  shortChargeNames,
  tenantNumber
} from "./Keys.ts"
import { rows } from "./Rows.ts"

export const readBook = (tenant: Tenant, row: Row): PaymentBook =>
  readBookRow(tenant, row["id"] as string, row, rows.readTextOrNull)

export const readPayment = (tenant: Tenant, row: Row): Payment => readBook(tenant, row).payment

export const selectPayment = "select * from payments where t = $1 and id = $2"
export const selectKeyed = "select * from payments where t = $1 and key = $2"

export const bindPayment = (tenant: Tenant, id: string) => [tenantNumber(tenant), bindId(id)] as const
export const bindKey = (tenant: Tenant, key: string) => [tenantNumber(tenant), keyHash(key)] as const

export const storedBook = (
  db: Database,
  operation: string,
  tenant: Tenant,
  id: string
): Effect.Effect<PaymentBook | undefined, StorageError> =>
  Effect.map(db.read(operation, selectPayment, bindPayment(tenant, id)), ([row]) => row && readBook(tenant, row))

/**
 * The payments that the rows of a part of a statement name, each by its key: of a join, PostgreSQL might read all payments
 * of the tenant, without statistics.
 */
const namedIn = (part: string) => `select p.* from (${part}) as named cross join lateral (
    select * from payments where t = $1 and id = named.payment offset 0
  ) as p order by p.id`

/** By what entries of books are named by: `$2`, an array of hashes. */
const selectNamed = namedIn("select distinct payment from names where t = $1 and name = any($2::bigint[])")
/** And by charges: `$3`, an array of their short names. */
const selectNaming = namedIn(`select payment from charges where t = $1 and name = any($2::uuid[])
    union select payment from names where t = $1 and name = any($3::bigint[])`)
const selectByReference = namedIn(`select payment from charges where t = $1 and name >= $2::uuid and name <= $3::uuid
    union select payment from names where t = $1 and name >= $4::bigint and name <= $5::bigint`)

type Books = Effect.Effect<ReadonlyArray<PaymentBook>, StorageError>

const booksBy = (db: Database, operation: string, tenant: Tenant, sql: string, params: ReadonlyArray<string>): Books =>
  Effect.map(db.read(operation, sql, [tenantNumber(tenant), ...params]), (found) =>
    found.map((row) => readBook(tenant, row))
  )

const arrayOf = (names: ReadonlyArray<string>): string => `{${names.join(",")}}`

/** Newest last: requests under one key derive one id, and of the earlier ones nothing was sent. */
export const booksNamed = (db: Database, operation: string, tenant: Tenant, names: ReadonlyArray<Name>): Books =>
  Effect.map(booksBy(db, operation, tenant, selectNamed, [arrayOf(names.map(nameHash))]), (books) => {
    const asked = new Set(names)
    return books.filter((book) => namesOf(book).some((name) => asked.has(name)))
  })

/** Every payment that names one of the charges, by whatever of it: a capture has an id of its own. */
export const booksNaming = (
  db: Database,
  operation: string,
  tenant: Tenant,
  charges: ReadonlyArray<ChargeReference>
): Books => booksBy(db, operation, tenant, selectNaming, bothNames(charges))

const bothNames = (charges: ReadonlyArray<ChargeReference>) =>
  [chargeName, shortChargeName].map((nameOf) => arrayOf(charges.map(nameOf)))

/** As `booksNaming`, each with the name of the charge, the short one where it has no other. */
const selectByCharge = `select p.*, named.name from (
    select name::text, payment from charges where t = $1 and name = any($2::uuid[])
    union select name::text, payment from names where t = $1 and name = any($3::bigint[])
  ) as named cross join lateral (
    select * from payments where t = $1 and id = named.payment offset 0
  ) as p order by p.id`

export const booksByCharge = (
  db: Database,
  operation: string,
  tenant: Tenant,
  charges: ReadonlyArray<ChargeReference>
): Effect.Effect<ReadonlyArray<{ readonly name: string; readonly book: PaymentBook }>, StorageError> =>
  Effect.map(db.read(operation, selectByCharge, [tenantNumber(tenant), ...bothNames(charges)]), (found) =>
    found.map((row) => ({ name: row["name"] as string, book: readBook(tenant, row) }))
  )

/** Those that are based on a charge; else those with an attempt that names it. */
const ofCharge = (books: ReadonlyArray<PaymentBook>, charge: ChargeReference): ReadonlyArray<PaymentBook> => {
  const own = books.filter(({ payment }) => isSameReference(payment, charge))
  return own.length > 0 ? own : books.filter(({ attempts }) => attempts.some((one) => isSameReference(one, charge)))
}

export const booksOfCharge = (db: Database, operation: string, tenant: Tenant, charge: ChargeReference): Books =>
  Effect.map(booksNaming(db, operation, tenant, [charge]), (books) => ofCharge(books, charge))

/** As `booksOfCharge`, at any connection. */
export const booksOfReference = (db: Database, operation: string, tenant: Tenant, providerRef: string): Books =>
  Effect.map(
    booksBy(db, operation, tenant, selectByReference, [...chargeNames(providerRef), ...shortChargeNames(providerRef)]),
    (books) => {
      const connections = new Set(
        books.flatMap(({ attempts, payment }) =>
          [payment, ...attempts].flatMap((one) => (one.providerRef === providerRef ? (one.connectionId ?? []) : []))
        )
      )
      const found = [...connections].flatMap((connectionId) => ofCharge(books, { connectionId, providerRef }))
      return [...new Set(found)]
    }
  )

/** What the entries of a book are named by, beside references of charges. */
export const namesOf = ({
  attempts,
  operations = [],
  refunds = []
}: Pick<Change, "attempts" | "operations" | "refunds">): ReadonlyArray<Name> => [
  ...attempts.map(({ id }): Name => `attempt ${id}`),
  ...operations.map(({ id }): Name => `operation ${id}`),
  ...refunds.flatMap(
    ({ id, providerRefundId }): ReadonlyArray<Name> => [
      `refund ${id}`,
      ...(providerRefundId === null ? [] : [`providerRefund ${providerRefundId}` as const])
    ]
  ),
  ...(attempts.some(({ checkout }) => checkout !== null) ? ["checkout " as const] : [])
]
