/** For storages: what names a payment, beside its id. */
import { type ChargeReference, isSameReference, type PaymentBook } from "../model/PaymentBook.ts"
import { type MessageSubject, mostNamed } from "../model/StoredMessage.ts"
import type { Change } from "./Ledger.ts"

/** A kind and an id. `checkout`, without one: of every payment with a page of a provider, whose address is sealed. */
export type Name = `${"attempt" | "operation" | "refund" | "providerRefund" | "checkout"} ${string}`

export const nameKinds = {
  attemptIds: "attempt",
  operationIds: "operation",
  refundIds: "refund",
  providerRefundIds: "providerRefund"
} as const

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
  )
]

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

/** By what a message names a payment: our id, or the reference of a charge. */
export const namedBySubject = (subject: MessageSubject): Name | ChargeReference => {
  if ("connectionId" in subject) return subject
  if ("attemptId" in subject) return `attempt ${subject.attemptId}`
  return "operationId" in subject ? `operation ${subject.operationId}` : `refund ${subject.refundId}`
}
