/** The rows of payments as books, and what else names a payment. */
import type { Payment, Tenant } from "@pointsman/core"
import type { ChargeReference } from "@pointsman/core/internal"
import type { MessageSubject, PaymentBook, StorageError } from "@pointsman/core/ports"
import {
  namesOf as entryNamesOf,
  idsOfReference as idsIn,
  makeReadBook,
  type Name,
  namedBySubject,
  ofCharge,
  type Row,
  withName
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindId, chargeName, keys, shortChargeName, tenantNumber } from "./Keys.ts"
import { rows } from "./Rows.ts"

export const readBook = makeReadBook({ keys, rows })

export const readPayment = (tenant: Tenant, row: Row): Payment => readBook(tenant, row).payment

const selectPayment = "select * from payments where t = $1 and id = $2"

export const storedBook = (
  db: Database,
  operation: string,
  tenant: Tenant,
  id: string
): Effect.Effect<PaymentBook | undefined, StorageError> =>
  Effect.map(
    db.read(operation, selectPayment, [tenantNumber(tenant), bindId(id)]),
    ([row]) => row && readBook(tenant, row)
  )

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
  Effect.map(booksBy(db, operation, tenant, selectNamed, [arrayOf(names.map(keys.nameHash))]), (books) =>
    withName(books, names)
  )

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

/** The ids of the payments with the charge of the reference, at any connection. */
export const idsOfReference = (db: Database, operation: string, tenant: Tenant, providerRef: string) => {
  const names = [...keys.chargeNames(providerRef), ...keys.shortChargeNames(providerRef)]
  return Effect.map(booksBy(db, operation, tenant, selectByReference, names), (books) => idsIn(books, providerRef))
}

/** The books that a message is about: more than one of a charge alone. */
export const subjectsOf = (db: Database, tenant: Tenant, subject: MessageSubject): Books => {
  const named = namedBySubject(subject)
  return typeof named === "string"
    ? Effect.map(booksNamed(db, "bookOf", tenant, [named]), (books) => books.slice(-1))
    : Effect.map(booksNaming(db, "bookOf", tenant, [named]), (books) => ofCharge(books, named))
}

/** With what finds the payments with a sealed address. */
export const namesOf = (of: Parameters<typeof entryNamesOf>[0]): ReadonlyArray<Name> => [
  ...entryNamesOf(of),
  ...(of.attempts.some(({ checkout }) => checkout !== null) ? ["checkout " as const] : [])
]
