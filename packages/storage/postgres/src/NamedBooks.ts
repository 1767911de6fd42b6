/** Which payments the names in rows of reports are of: in two statements, one for the charges and one for the rest. */
import type { Tenant } from "@pointsman/core"
import {
  meantBy,
  type NamedBooks,
  type NamedInRows,
  type NamedPayment,
  namesIn,
  type PaymentBook,
  type StorageError
} from "@pointsman/core/ports"
import { type Name, nameKinds } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { booksByCharge, booksNamed } from "./Books.ts"
import type { Database } from "./Database.ts"
import { chargeName, shortChargeName } from "./Keys.ts"

export const selectNamed = Effect.fnUntraced(function* (
  db: Database,
  tenant: Tenant,
  connectionId: string,
  names: NamedInRows
): Effect.fn.Return<NamedBooks, StorageError> {
  const all = namesIn(names)
  const charges = all.flatMap(([kind, name]) => (kind === "providerRefs" ? [{ connectionId, providerRef: name }] : []))
  const others = all.flatMap(([kind, name]) => (kind === "providerRefs" ? [] : [`${nameKinds[kind]} ${name}` as Name]))
  const naming = charges.length === 0 ? [] : yield* booksByCharge(db, "booksNamed", tenant, charges)
  const books = [
    ...naming.map(({ book }) => book),
    ...(others.length === 0 ? [] : yield* booksNamed(db, "booksNamed", tenant, others))
  ]
  const byId = new Map(books.map((book) => [book.payment.id, book]))
  const inOrder = [...byId.values()].sort((a, b) => (a.payment.id < b.payment.id ? -1 : 1))
  const namingIt = (providerRef: string): ReadonlyArray<PaymentBook> => {
    const own = [chargeName, shortChargeName].map((nameOf) => nameOf({ connectionId, providerRef }))
    return naming.flatMap(({ book, name }) => (own.includes(name) ? [book] : [])).slice(0, 2)
  }
  const named = all.flatMap(([kind, name]): ReadonlyArray<NamedPayment> => {
    const found = kind === "providerRefs" ? namingIt(name) : meantBy(inOrder, connectionId, kind, name)
    return found.map(({ payment }) => ({ kind, name, paymentId: payment.id }))
  })
  const used = new Set(named.map(({ paymentId }) => paymentId))
  return { named, books: inOrder.filter(({ payment }) => used.has(payment.id)) }
})
