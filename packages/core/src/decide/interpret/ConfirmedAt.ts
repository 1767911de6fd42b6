/**
 * When the provider dates the newest success of each capture, void and refund. A failure that it dates before that is
 * an older statement, also where it arrives later. Pure.
 */
import type { Operation } from "../../model/Operation.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { Refund } from "../../model/Refund.ts"
import { type ConfirmedStatement, nothingReported } from "../../model/Reported.ts"
import { unchangedBook } from "../Applied.ts"
import { hasFailed } from "../RefundFact.ts"
import type { Interpretation } from "./Interpretation.ts"
import { isCurrent, type Source, type Weighing } from "./Statement.ts"

/** Dates on one payment. Without one, an older failure counts until a lookup corrects it. */
const mostConfirmed = 20

const dateOf = ({ reported }: Payment, id: string): number | undefined =>
  reported?.confirmed?.find((one) => one.id === id)?.at

/** Whether a failure of the operation or the refund is older than a success of it. */
export const isOvertaken = (payment: Payment, id: string, source: Source): boolean =>
  !isCurrent(source) && source.at !== null && source.at < (dateOf(payment, id) ?? source.at)

/** A success of the operation, with its date on the payment. */
export const datedOperation = (
  book: PaymentBook,
  operation: Operation,
  meaning: Interpretation,
  source: Weighing
): Interpretation => {
  const { outcome } = writtenBy(meaning)?.operations.find(({ id }) => id === operation.id) ?? operation
  const failedAt = operation.outcome === "Failed" ? operation.answeredAt : null
  return outcome === "Confirmed"
    ? dated(book, { id: operation.id, at: dateFrom(source, failedAt) }, meaning, source.now)
    : meaning
}

/** A success of the refund, with its date on the payment. */
export const datedRefund = (
  book: PaymentBook,
  refund: Refund,
  meaning: Interpretation,
  source: Weighing
): Interpretation => {
  const { stage } = writtenBy(meaning)?.refunds.find(({ id }) => id === refund.id) ?? refund
  const failedAt = hasFailed(refund) ? refund.settledAt : null
  return stage === "Succeeded"
    ? dated(book, { id: refund.id, at: dateFrom(source, failedAt) }, meaning, source.now)
    : meaning
}

/** A lookup has no date of the provider's. Its success is newer than the failure that it ends. */
const dateFrom = ({ at }: Source, failedAt: number | null): number | null =>
  failedAt === null ? at : Math.max(at ?? 0, failedAt + 1)

const writtenBy = (meaning: Interpretation) => ("applied" in meaning ? meaning.applied : undefined)

const dated = (
  book: PaymentBook,
  { at, id }: { readonly id: string; readonly at: number | null },
  meaning: Interpretation,
  now: number
): Interpretation => {
  if (at === null || at <= (dateOf(book.payment, id) ?? -1)) return meaning
  if (meaning._tag !== "Moves" && meaning._tag !== "Confirms") return meaning
  const applied = meaning.applied ?? unchangedBook(book, now)
  return { ...meaning, applied: { ...applied, payment: withDate(applied.payment, { id, at }) } }
}

const withDate = (payment: Payment, said: ConfirmedStatement): Payment => {
  const reported = payment.reported ?? nothingReported
  const others = (reported.confirmed ?? []).filter(({ id }) => id !== said.id)
  return { ...payment, reported: { ...reported, confirmed: [...others, said].slice(-mostConfirmed) } }
}
