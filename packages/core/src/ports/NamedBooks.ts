/** For storages: what names a payment beside its id, and which payments the names in messages and in rows of reports mean. */
import type { Payment } from "../model/Payment.ts"
import { type ChargeReference, isSameReference, type Name, namesOf, type PaymentBook } from "../model/PaymentBook.ts"
import { type MessageSubject, mostNamed } from "../model/StoredMessage.ts"
import type { NamedInRows, NameKind, UnreportedQuery } from "./Settlements.ts"

export const nameKinds = {
  attemptIds: "attempt",
  operationIds: "operation",
  refundIds: "refund",
  providerRefundIds: "providerRefund"
} as const

/** Those with one of the names, of books that were found by the hashes. */
export const withName = (books: ReadonlyArray<PaymentBook>, names: ReadonlyArray<Name>): ReadonlyArray<PaymentBook> => {
  const asked = new Set(names)
  return books.filter((book) => namesOf(book).some((name) => asked.has(name)))
}

/**
 * Those that are based on a charge; else those with an attempt that names it. `books`: the one that has it, and the oldest
 * `mostNamed` of those that named it. Where there may be more, one that still names it may not be the only one: another
 * one is given with it, so that no message moves either.
 */
export const ofCharge = (books: ReadonlyArray<PaymentBook>, charge: ChargeReference): ReadonlyArray<PaymentBook> => {
  const own = books.filter(({ payment }) => isSameReference(payment, charge))
  if (own.length > 0) return own
  const naming = books.filter(({ attempts }) => attempts.some((one) => isSameReference(one, charge)))
  if (naming.length !== 1 || books.length < mostNamed) return naming.slice(0, mostNamed)
  return [...naming, ...books.filter((book) => !naming.includes(book)).slice(0, 1)]
}

/**
 * The one that a name means, the newest where several do. Requests under one key derive one attempt id, and those whose
 * attempt was given up were not sent, also where their payment is the newer one. `books`: the newest last.
 */
export const ofName = (books: ReadonlyArray<PaymentBook>, name: Name): ReadonlyArray<PaymentBook> => {
  const isSent = ({ attempts }: PaymentBook) =>
    attempts.some(({ id, outcome }) => `attempt ${id}` === name && outcome !== "Abandoned")
  const meant = books.findLast(isSent) ?? books.at(-1)
  return meant === undefined ? [] : [meant]
}

/** By what a message names a payment: our id, or the reference of a charge. */
export const namedBySubject = (subject: MessageSubject): Name | ChargeReference => {
  if ("connectionId" in subject) return subject
  if ("attemptId" in subject) return `attempt ${subject.attemptId}`
  return "operationId" in subject ? `operation ${subject.operationId}` : `refund ${subject.refundId}`
}

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
    case "attemptIds":
      return ofName(
        books.filter(({ attempts }) => attempts.some(isIt)),
        `attempt ${name}`
      )
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
