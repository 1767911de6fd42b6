/** The books of the simulated provider: what it holds, took and gave back. It is the truth about the money. */
import type { ChargeState, Money, RefundState } from "@pointsman/core"

/** One charge. Its provider's reference is `ch_` and the attempt's id. */
export interface ChargeRecord {
  readonly attemptId: string
  readonly paymentId: string
  readonly connectionId: string
  /** The merchant's own, as it was sent. */
  readonly reference: string | null
  readonly money: Money
  /** `Capturing` and `Canceling`: accepted, and still to be done. */
  state: "Pending" | "Authorized" | "Capturing" | "Canceling" | "Captured" | "Canceled" | "Declined"
  capturedMinor: number
  isPaidOut: boolean
}

export interface RefundRecord {
  readonly refundId: string
  readonly charge: ChargeRecord
  readonly amountMinor: number
  state: "RefundPending" | "Succeeded" | "RefundFailed"
}

/** Every call that arrived, in order. */
export interface CallRecord {
  readonly name: string
  /** The idempotency key. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
}

export const refOf = ({ attemptId }: Pick<ChargeRecord, "attemptId">): string => `ch_${attemptId}`

export const stateOf = (charge: ChargeRecord): ChargeState => {
  const providerRef = refOf(charge)
  switch (charge.state) {
    case "Pending":
    case "Capturing":
    case "Canceling":
      return { _tag: "Pending", providerRef }
    case "Authorized":
      return { _tag: "Authorized", providerRef, stated: charge.money }
    case "Captured": {
      const { currency } = charge.money
      return { _tag: "Captured", providerRef, stated: { minorUnits: charge.capturedMinor, currency } }
    }
    case "Canceled":
      return { _tag: "Canceled", providerRef }
    case "Declined":
      return { _tag: "Declined", providerRef, category: "expired_card", code: "expired_card", soft: false }
  }
}

export const refundStateOf = ({ amountMinor, charge, refundId, state }: RefundRecord): RefundState => {
  const providerRefundId = `re_${refundId}`
  if (state === "RefundFailed") return { _tag: state, providerRefundId, reason: "closed account" }
  return { _tag: state, providerRefundId, stated: { minorUnits: amountMinor, currency: charge.money.currency } }
}
