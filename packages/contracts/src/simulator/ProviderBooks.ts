/** The books of the simulated provider: what it holds, took and gave back. It is the truth about the money. */
import type { Money } from "@pointsman/core"
import type { ChargeRequest, ChargeState, MessageAbout, RefundState } from "@pointsman/core/ports"
import type { Letter } from "./ProviderMail.ts"

export type DisputeVerdict = Extract<MessageAbout, { readonly _tag: "Dispute" }>["verdict"]

/** One charge. */
export interface ChargeRecord {
  readonly attemptId: string
  readonly paymentId: string
  readonly connectionId: string
  /** The provider's name of it: `ch_` and the attempt's id, but where a provider uses one for two charges. */
  readonly providerRef: string
  /** The merchant's own, as it was sent. */
  readonly reference: string | null
  readonly money: Money
  /** What the request said besides, for the list of charges. */
  readonly asked: Pick<ChargeRequest, "country" | "method" | "cardBrand" | "initiator" | "capture">
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** `Capturing` and `Canceling`: accepted, and still to be done. */
  state: "Pending" | "Authorized" | "Capturing" | "Canceling" | "Captured" | "Canceled" | "Declined"
  /** In all: by our capture, and by hand. */
  capturedMinor: number
  /** What people captured, each with the provider's id of it. */
  readonly capturesByHand: Array<{ readonly id: string; readonly minorUnits: number }>
  /** Nothing more can be captured of it: a person released the rest. */
  isReleased: boolean
  isPaidOut: boolean
  /** The last capture or void that it took; `null` where none was requested, as after an automatic capture. */
  operation: OperationRecord | null
  /** By the provider's id of the dispute; `null` for the only one of a charge, which it may leave without. */
  readonly disputes: Map<string | null, DisputeVerdict>
  /** Those that have an id, by it: what can be answered. */
  readonly disputeRecords: Map<string, DisputeRecord>
  /**
   * What the provider stated against its own word, or against what it was asked, in words. A charge without any never
   * needs a person.
   */
  readonly contradictions: Array<string>
  /** The last message in which the provider went back on what it had said of this money. */
  lastWord: Letter | null
  /** Whether the charge of another payment has its reference. */
  isReferenceShared: boolean
  /** Another charge that was not declined at once has the reference: whose money it names must be reviewed. */
  isReferenceContested: boolean
}

export interface OperationRecord {
  readonly operationId: string
  readonly kind: "capture" | "void"
  state: "Accepted" | "Done" | "Failed"
}

export interface RefundRecord {
  /** Ours; of a refund by hand, the provider's own. */
  readonly refundId: string
  /** A person made it at the provider, which knows no id of ours. */
  readonly isByHand: boolean
  readonly charge: ChargeRecord
  readonly amountMinor: number
  /** Epoch milliseconds. */
  readonly createdAt: number
  state: "RefundPending" | "Succeeded" | "RefundFailed"
  /** What the provider wrote of it. */
  readonly letters: Array<Letter>
}

/** A dispute that has an id. */
export interface DisputeRecord {
  readonly disputeId: string
  readonly charge: ChargeRecord
  /** Epoch milliseconds until which evidence is taken; `null` for no deadline. */
  dueBy: number | null
  /** It was won, and opened again. */
  isReopened: boolean
  status: "needs_response" | "under_review" | "won" | "lost" | "accepted"
  /** When it ended first, in epoch milliseconds. */
  endedAt: number | null
  /** When its status was last stated: epoch milliseconds. */
  changedAt: number
  readonly submissions: Array<SubmissionRecord>
  /** What arrived after another submission or acceptance had been taken, by its id. */
  readonly askedAgain: Array<string>
}

/** Evidence, or an acceptance. */
export interface SubmissionRecord {
  readonly operationId: string
  readonly kind: "submit" | "accept"
  /** When it was taken, in epoch milliseconds; `null` where it was not. */
  readonly takenAt: number | null
  state: "Pending" | "Done" | "Failed"
}

/** Every call that arrived, in order. */
export interface CallRecord {
  readonly name: string
  /** The idempotency key. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
  /** When the provider did what it asks, or accepted it: epoch milliseconds; `null` until then. */
  doneAt: number | null
}

/** Whether a dispute of the charge is open or lost. */
export const isDisputedAtProvider = ({ disputes }: ChargeRecord): boolean =>
  [...disputes.values()].some((verdict) => verdict !== "won")

/** In minor units. */
export const capturedByHand = ({ capturesByHand }: ChargeRecord): number =>
  capturesByHand.reduce((sum, { minorUnits }) => sum + minorUnits, 0)

/** What our capture took, or an automatic one. */
export const capturedByUs = (charge: ChargeRecord): Money => ({
  ...charge.money,
  minorUnits: charge.capturedMinor - capturedByHand(charge)
})

/** What may still be refunded, in minor units. */
export const refundableAtProvider = (charge: ChargeRecord, refunds: Iterable<RefundRecord>): number => {
  let left = charge.state === "Captured" ? charge.capturedMinor : 0
  for (const refund of refunds) {
    if (refund.charge === charge && refund.state !== "RefundFailed") left -= refund.amountMinor
  }
  return left
}

/** In minor units. */
export const refundedOf = (refunds: Iterable<RefundRecord>): number => {
  let sum = 0
  for (const { amountMinor, state } of refunds) if (state === "Succeeded") sum += amountMinor
  return sum
}

export const stateOf = (charge: ChargeRecord): ChargeState => {
  const { providerRef } = charge
  switch (charge.state) {
    case "Pending":
    case "Capturing":
    case "Canceling":
      return { _tag: "Pending", providerRef }
    case "Authorized":
      return { _tag: "Authorized", providerRef, stated: charge.money }
    case "Captured":
      return { _tag: "Captured", providerRef, stated: capturedOf(charge) }
    case "Canceled":
      return { _tag: "Canceled", providerRef }
    case "Declined":
      return { _tag: "Declined", providerRef, category: "expired_card", code: "expired_card", soft: false }
  }
}

export const capturedOf = ({ capturedMinor, money }: ChargeRecord): Money => ({ ...money, minorUnits: capturedMinor })

/** As a provider answers that leaves amounts to its messages. */
export const withoutAmount = (state: ChargeState): ChargeState =>
  state._tag === "Captured" ? { _tag: state._tag, providerRef: state.providerRef } : state

export const providerRefundIdOf = (refundId: string): string => `re_${refundId}`

export const refundStateOf = ({ amountMinor, charge, refundId, state }: RefundRecord): RefundState => {
  const providerRefundId = providerRefundIdOf(refundId)
  if (state === "RefundFailed") return { _tag: state, providerRefundId, reason: "closed account" }
  return { _tag: state, providerRefundId, stated: { minorUnits: amountMinor, currency: charge.money.currency } }
}
