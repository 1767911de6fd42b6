/** What names a payment. */
import { type ChargeReference, isSameReference, mostNamed } from "@pointsman/core/internal"
import type { Change, MessageSubject, PaymentBook } from "@pointsman/core/ports"
import type { Name } from "./Keys.ts"

export const nameKinds = {
  attemptIds: "attempt",
  operationIds: "operation",
  refundIds: "refund",
  providerRefundIds: "providerRefund"
} as const

/** Of an entry: it is about the charge of its payment, or says that it is missing. */
export const isAboutCharge = `corrected_at is null
    and case when number = 0 then closed_by is distinct from 'comparison' else kind = 'charge' end`

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

/** Whether the payment's charge or one of its attempts has the reference, at any connection. */
export const hasReference = ({ attempts, payment }: PaymentBook, providerRef: string): boolean =>
  [payment, ...attempts].some((one) => one.providerRef === providerRef)

/** By what a message names a payment: our id, or the reference of a charge. */
export const namedBySubject = (subject: MessageSubject): Name | ChargeReference => {
  if ("connectionId" in subject) return subject
  if ("attemptId" in subject) return `attempt ${subject.attemptId}`
  return "operationId" in subject ? `operation ${subject.operationId}` : `refund ${subject.refundId}`
}
