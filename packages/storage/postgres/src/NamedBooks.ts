/** Which payments the names in rows of reports are of: in two statements, one for the charges and one for the rest. */
import type { Tenant } from "@pointsman/core"
import type { NamedBooks, NamedInRows, NamedPayment, NameKind, PaymentBook, StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { booksByCharge, booksNamed } from "./Books.ts"
import type { Database } from "./Database.ts"
import { chargeName, nameOf } from "./Keys.ts"

const kinds = {
  attemptIds: "attempt",
  operationIds: "operation",
  refundIds: "refund",
  providerRefundIds: "providerRefund"
} as const

type Named = readonly [kind: NameKind, name: string]

export const selectNamed = Effect.fnUntraced(function* (
  db: Database,
  tenant: Tenant,
  connectionId: string,
  names: NamedInRows
): Effect.fn.Return<NamedBooks, StorageError> {
  const all = (Object.entries(names) as ReadonlyArray<[NameKind, ReadonlyArray<string>]>).flatMap(([kind, some]) =>
    some.map((name): Named => [kind, name])
  )
  const charges = all.flatMap(([kind, name]) => (kind === "providerRefs" ? [{ connectionId, providerRef: name }] : []))
  const others = all.flatMap(([kind, name]) => (kind === "providerRefs" ? [] : [nameOf(kinds[kind], name)]))
  const naming = charges.length === 0 ? [] : yield* booksByCharge(db, "booksNamed", tenant, charges)
  const books = [
    ...naming.map(({ book }) => book),
    ...(others.length === 0 ? [] : yield* booksNamed(db, "booksNamed", tenant, others))
  ]
  const byId = new Map(books.map((book) => [book.payment.id, book]))
  const inOrder = [...byId.values()].sort((a, b) => (a.payment.id < b.payment.id ? -1 : 1))
  const named = all.flatMap(([kind, name]): ReadonlyArray<NamedPayment> => {
    const found =
      kind === "providerRefs"
        ? naming
            .filter((one) => one.name === chargeName({ connectionId, providerRef: name }))
            .map(({ book }) => book)
            .slice(0, 2)
        : meantBy(inOrder, connectionId, kind, name)
    return found.map(({ payment }) => ({ kind, name, paymentId: payment.id }))
  })
  const used = new Set(named.map(({ paymentId }) => paymentId))
  return { named, books: inOrder.filter(({ payment }) => used.has(payment.id)) }
})

/** Of the connection; two of a name at most: more say no more. `books`: the newest last. */
const meantBy = (
  books: ReadonlyArray<PaymentBook>,
  connectionId: string,
  kind: Exclude<NameKind, "providerRefs">,
  name: string
): ReadonlyArray<PaymentBook> => {
  const here = (one: { readonly connectionId: string }) => one.connectionId === connectionId
  const isIt = (one: { readonly connectionId: string; readonly id: string }) => one.id === name && here(one)
  switch (kind) {
    case "attemptIds": {
      const of = ({ attempts }: PaymentBook) => attempts.find(isIt)
      const found = books.filter((book) => of(book) !== undefined)
      // Requests under one key derive one attempt id, and those that were given up were not sent.
      const meant = found.findLast((book) => of(book)?.outcome !== "Abandoned") ?? found.at(-1)
      return meant === undefined ? [] : [meant]
    }
    case "operationIds":
      return books.filter(({ operations }) => operations.some(isIt)).slice(-1)
    case "refundIds":
      return books.filter(({ refunds }) => refunds.some(isIt)).slice(-1)
    case "providerRefundIds":
      return books.filter(({ refunds }) => refunds.some((one) => one.providerRefundId === name && here(one))).slice(-2)
  }
}
