/** Whether a refund waits because the store may have lost a dispute or refund that the provider does not list. Pure. */
import type { PaymentBook } from "../model/PaymentBook.ts"

/** What is known of the newest loss (`RecordLoss`). */
interface KnownLoss {
  readonly since: number
  readonly declaredAt: number
  readonly recovered: ReadonlyArray<string>
  readonly refundsWait: ReadonlyArray<string>
  readonly ended: object | null
}

/** Card schemes take most disputes for so long after a payment. */
const disputableMillis = 120 * 24 * 60 * 60_000

/** What was captured once the loss was known is on record, with all that follows. */
export const refundWaits = (book: PaymentBook, connectionId: string, loss: KnownLoss | null): boolean => {
  if (loss === null || !(loss.refundsWait.includes(connectionId) || isUnrecovered(loss, connectionId))) return false
  const capturedAt = takenAt(book)
  return capturedAt >= loss.since - disputableMillis && capturedAt < loss.declaredAt
}

/** The last time at which money may have been taken. */
const takenAt = ({ attempts, operations, payment }: PaymentBook): number =>
  Math.max(
    payment.createdAt,
    ...attempts.map(({ sentAt }) => sentAt),
    ...operations.filter(({ kind }) => kind === "capture").map(({ sentAt }) => sentAt)
  )

/** What is known is some seconds old: by now the connection may be recovered, and its refunds wait. */
const isUnrecovered = ({ ended, recovered }: KnownLoss, connectionId: string): boolean =>
  ended === null && !recovered.includes(connectionId)
