/**
 * What has been open for so long that somebody should ask the provider about it, though it is looked up all the same.
 * Pure: a provider that accepted a capture and refused it later, say, may show a record that never tells.
 */
import type { PaymentBook } from "../model/PaymentBook.ts"
import { isAccepted, openRivals } from "./Holding.ts"
import { withReview } from "./WithReview.ts"

const day = 24 * 60 * 60 * 1000

/** Charges, captures and voids are done within days; a refund may take the banks weeks. In milliseconds. */
const longestMillis = 7 * day
const longestRefundMillis = 30 * day

/** The payment that waits for operations from now on; `undefined` where there is nothing to add. */
export const overdue = ({ attempts, payment, refunds }: PaymentBook, now: number) => {
  const isOverdue =
    (isAccepted(payment.state) && now - payment.updatedAt >= longestMillis) ||
    openRivals(payment.state, attempts).some(({ sentAt }) => now - sentAt >= longestMillis) ||
    refunds.some(({ sentAt, stage }) => stage === "Pending" && now - sentAt >= longestRefundMillis)
  if (!isOverdue) return undefined
  // Not an update: the times of its checks are counted from what happened last.
  const told = withReview(payment, { events: [], isOverdue })
  return told === payment ? undefined : { ...told, version: payment.version + 1 }
}
