/** Which payments the rows of reports mean, among those that have the names in them. */
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import type { NamedInRows, NameKind, UnreportedQuery } from "./Settlements.ts"

/** Of the connection; two of a name at most: more say no more. `books`: the newest last. */
export const meantBy = (
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

export const namesIn = (names: NamedInRows): ReadonlyArray<[NameKind, string]> =>
  (Object.entries(names) as ReadonlyArray<[NameKind, ReadonlyArray<string>]>).flatMap(([kind, some]) =>
    some.map((name): [NameKind, string] => [kind, name])
  )

/** Whether a report of the time should have the payment. */
export const isExpected = (
  { captureWithinMillis, connectionId, from, until }: UnreportedQuery,
  { captureMethod, connectionId: own, settledAt }: Payment
): boolean => {
  const first = captureMethod === "automatic" ? from : from - captureWithinMillis
  return own === connectionId && settledAt !== null && settledAt >= first && settledAt <= until
}
