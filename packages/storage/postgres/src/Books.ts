/** The rows of payments as books, and what else names a payment. */
import type { Event, Payment, Tenant } from "@pointsman/core"
import { type ChargeReference, mostNamed } from "@pointsman/core/internal"
import {
  namesOf as entryNamesOf,
  meantBy,
  type Name,
  type NamedBooks,
  type NamedInRows,
  type NamedPayment,
  nameKinds,
  namesIn as namesInRows,
  type PaymentBook,
  type StorageError,
  withName
} from "@pointsman/core/ports"
import { makeReadBook, type Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindId, chargeName, keys, nameHash, rows, shortChargeName, tenantNumber } from "./Rows.ts"

/** Of texts that need no quotes. */
export const arrayText = (texts: ReadonlyArray<string>): string => `{${texts.join(",")}}`

export const readBook = makeReadBook({ keys, rows })

export const readPayment = (tenant: Tenant, row: Row): Payment => readBook(tenant, row).payment

export const readEvent = (tenant: Tenant, row: Row): Event => rows.readEvent(keys, tenant, row)

const selectPayment = "select * from payments where t = $1 and id = $2"

export const storedBook = (db: Database, operation: string, tenant: Tenant, id: string) =>
  Effect.map(
    db.read(operation, selectPayment, [tenantNumber(tenant), bindId(id)]),
    ([row]) => row && readBook(tenant, row)
  )

/** Each payment by its key: of a join, PostgreSQL might read all payments of the tenant, without statistics. */
const namedIn = (part: string) => `select p.*, named.name from (${part}) as named cross join lateral (
    select * from payments where t = $1 and id = named.payment offset 0
  ) as p order by p.id`

/** Some of each name of the parameter, an array of hashes. */
const namesIn = (parameter: string, order: "asc" | "desc") => `unnest(${parameter}::bigint[]) as asked (name)
    cross join lateral (
      select payment from names where t = $1 and names.name = asked.name order by payment ${order} limit ${mostNamed}
    ) as n`

const selectNamed = namedIn(`select distinct n.payment, '' as name from ${namesIn("$2", "desc")}`)
/** By charges, each with the name of the charge, the short one (`$3`) where it has no other. */
const selectNaming = namedIn(`select name::text, payment from charges where t = $1 and name = any($2::uuid[])
    union select asked.name::text, n.payment from ${namesIn("$3", "asc")}`)

type Books = Effect.Effect<ReadonlyArray<PaymentBook>, StorageError>

/** The newest, the last of them last: requests under one key derive one id, and of the earlier ones nothing was sent. */
export const booksNamed = (db: Database, operation: string, tenant: Tenant, names: ReadonlyArray<Name>): Books =>
  Effect.map(db.read(operation, selectNamed, [tenantNumber(tenant), arrayText(names.map(nameHash))]), (found) => {
    const books = found.map((row) => readBook(tenant, row))
    return withName(books, names)
  })

const booksByCharge = (db: Database, operation: string, tenant: Tenant, charges: ReadonlyArray<ChargeReference>) => {
  const names = [charges.map(chargeName), charges.map(shortChargeName)].map(arrayText)
  return Effect.map(db.read(operation, selectNaming, [tenantNumber(tenant), ...names]), (found) =>
    found.map((row) => ({ name: row["name"] as string, book: readBook(tenant, row) }))
  )
}

/** The payments that have the charges, and the oldest that name each, by whatever of it: a capture has an id of its own. */
export const booksNaming = (...charges: Parameters<typeof booksByCharge>): Books =>
  Effect.map(booksByCharge(...charges), (found) => [
    ...new Map(found.map(({ book }) => [book.payment.id, book])).values()
  ])

/** With what finds the payments with a sealed address. */
export const namesOf = (of: Parameters<typeof entryNamesOf>[0]): ReadonlyArray<Name> => [
  ...entryNamesOf(of),
  ...(of.attempts.some(({ checkout }) => checkout !== null) ? ["checkout " as const] : [])
]

/** Which payments the names in rows of reports are of: in two statements, one for the charges and one for the rest. */
export const namedBooks = Effect.fnUntraced(function* (
  db: Database,
  tenant: Tenant,
  connectionId: string,
  names: NamedInRows
): Effect.fn.Return<NamedBooks, StorageError> {
  const all = namesInRows(names)
  const charges = all.flatMap(([kind, name]) => (kind === "providerRefs" ? [{ connectionId, providerRef: name }] : []))
  const others = all.flatMap(([kind, name]) => (kind === "providerRefs" ? [] : [`${nameKinds[kind]} ${name}` as Name]))
  const naming = charges.length === 0 ? [] : yield* booksByCharge(db, "booksNamed", tenant, charges)
  const named = others.length === 0 ? [] : yield* booksNamed(db, "booksNamed", tenant, others)
  const books = new Map([...naming.map(({ book }) => book), ...named].map((book) => [book.payment.id, book]))
  const inOrder = [...books.values()].sort((a, b) => (a.payment.id < b.payment.id ? -1 : 1))
  const namingIt = (providerRef: string): ReadonlyArray<PaymentBook> => {
    const own = [chargeName, shortChargeName].map((nameOf) => nameOf({ connectionId, providerRef }))
    return naming.flatMap(({ book, name }) => (own.includes(name) ? [book] : [])).slice(0, 2)
  }
  const payments = all.flatMap(([kind, name]): ReadonlyArray<NamedPayment> => {
    const found = kind === "providerRefs" ? namingIt(name) : meantBy(inOrder, connectionId, kind, name)
    return found.map(({ payment }) => ({ kind, name, paymentId: payment.id }))
  })
  const used = new Set(payments.map(({ paymentId }) => paymentId))
  return { named: payments, books: inOrder.filter(({ payment }) => used.has(payment.id)) }
})
