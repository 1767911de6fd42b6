/**
 * What was given back of a payment, and what is reserved for it: sums over the refunds themselves. The payment carries
 * them for its readers; every write of a refund derives them anew, and every store compares the two.
 */
import type { Payment } from "./Payment.ts"
import type { Refund } from "./Refund.ts"
import type { RefundStage } from "./RefundMachine.ts"

/** The total to which a refund's amount counts. A stage without one does not compile. */
export const columnOf = {
  Sending: "pending",
  Pending: "pending",
  Unknown: "pending",
  Succeeded: "refunded",
  Refused: "nothing",
  Failed: "nothing",
  Reversed: "nothing"
} as const satisfies Record<RefundStage, "pending" | "refunded" | "nothing">

/** Minor units. */
export interface RefundTotals {
  readonly refundedMinor: number
  readonly refundPendingMinor: number
}

export const refundTotals = (refunds: ReadonlyArray<Pick<Refund, "stage" | "money">>): RefundTotals => {
  let refundedMinor = 0
  let refundPendingMinor = 0
  for (const { stage, money } of refunds) {
    if (columnOf[stage] === "refunded") refundedMinor += money.minorUnits
    if (columnOf[stage] === "pending") refundPendingMinor += money.minorUnits
  }
  return { refundedMinor, refundPendingMinor }
}

/** What may still be given back, in minor units. */
export const refundableMinor = (
  payment: Pick<Payment, "capturedMinor" | "refundedMinor" | "refundPendingMinor">
): number => payment.capturedMinor - payment.refundedMinor - payment.refundPendingMinor

/** The entries with one of them written or replaced. */
export const withRefund = (refunds: ReadonlyArray<Refund>, refund: Refund): ReadonlyArray<Refund> => [
  ...refunds.filter(({ id }) => id !== refund.id),
  refund
]

/** What is wrong between a payment and the entries that it must follow from; `undefined` when nothing is. */
export const brokenBalance = (
  payment: Pick<Payment, "refundedMinor" | "refundPendingMinor">,
  refunds: ReadonlyArray<Pick<Refund, "stage" | "money">>
): string | undefined => {
  const totals = refundTotals(refunds)
  return totals.refundedMinor === payment.refundedMinor && totals.refundPendingMinor === payment.refundPendingMinor
    ? undefined
    : `the refunds add up to ${totals.refundedMinor} and ${totals.refundPendingMinor} pending, the payment says ` +
        `${payment.refundedMinor} and ${payment.refundPendingMinor}`
}
