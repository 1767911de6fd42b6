/**
 * What a provider reported beside the money of a payment itself: its payout, its disputes, the captures by their ids,
 * the end of a charge that is being captured or voided, and what contradicts the record. It is kept on the payment
 * because it may arrive before the payment can take it: the step that ends a charge, a capture or a void weighs it
 * again (`weighReported`). A provider writes here, so every list has an end.
 */
import type { DisputeVerdict } from "./DisputeMachine.ts"
import type { OperationState, RefundState } from "./ProviderStatement.ts"

/** What counts of one dispute. The record of the dispute follows it (`decide/DisputeStatement.ts`). */
export interface DisputeStatement {
  /** The provider's id; `null` where it names none, and then a charge has one dispute. */
  readonly disputeId: string | null
  /** Of the charge. */
  readonly attemptId: string
  /** The charge is not that of the payment, so that none of the payment's money is disputed. Absent where it is. */
  readonly isOfOther?: true | undefined
  readonly verdict: DisputeVerdict
  /** When the provider dates it, in epoch milliseconds; `null` where it does not. */
  readonly at: number | null
}

/** A message that a lookup of its operation, its refund or its charge decides. */
export type UndecidedStatement =
  | {
      readonly about: "operation"
      readonly id: string
      readonly state: OperationState
      /** When the provider dates it, in epoch milliseconds; `null` where it does not. */
      readonly at: number | null
    }
  | { readonly about: "refund"; readonly id: string; readonly state: RefundState; readonly at: number | null }
  | {
      readonly about: "charge"
      /** Of the attempt. */
      readonly id: string
      readonly state: { readonly _tag: "Changed"; readonly reason: string }
      /** Epoch milliseconds by our clock: what a lookup before this found does not decide it. */
      readonly at: number
    }

/** A capture that the provider stated by its id. */
export interface ReportedCapture {
  readonly id: string
  /** What it took; 0 once it failed. */
  readonly minorUnits: number
  /** Our id of it; absent from a capture that a person made at the provider. */
  readonly operationId?: string | undefined
  /** When the provider stated that it failed, in epoch milliseconds. A success that it dates before this is older. */
  readonly failedAt?: number | undefined
}

/** That a charge has ended, stated while a capture or a void of it was under way. */
export interface ChargeEndStatement {
  readonly attemptId: string
  readonly providerRef: string | null
  readonly stated: "Declined" | "NeedsCustomer" | "Canceled"
}

/**
 * A refund that was made at the provider, while one of ours there has no id of the provider's yet: it may be the same. It
 * counts with the end of ours, and until then reserves what exceeds ours.
 */
export interface RefundByHand {
  /** Ours, derived from the provider's. */
  readonly refundId: string
  readonly attemptId: string
  readonly state: RefundState
  /** When the provider dates it, in epoch milliseconds; `null` where it does not. */
  readonly at: number | null
}

interface FailedByHand {
  /** Ours, derived from the provider's. */
  readonly refundId: string
  /** When the provider dates it, in epoch milliseconds; `null` where it does not. */
  readonly at: number | null
}

/** When the provider dates the newest success of a capture, a void or a refund. */
export interface ConfirmedStatement {
  /** Of the operation or the refund. */
  readonly id: string
  /** Epoch milliseconds. */
  readonly at: number
}

export interface Reported {
  /** Whether lost records of the payment were adopted from the provider's lists. Absent where none were. */
  readonly isRecovered?: boolean | undefined
  /** The provider pays the money out, or did. `payment.settled` is written once for a payment. */
  readonly isPaidOut: boolean
  /** When the provider dates its last payout, in epoch milliseconds; absent where it gave no date. */
  readonly paidOutAt?: number | undefined
  /**
   * When the provider stated the last failure of a capture, in epoch milliseconds by its clock; absent where none failed.
   * A success that it dates before this is an older statement.
   */
  readonly captureFailedAt?: number | undefined
  /**
   * When the provider last stated that it captured more than was recorded, another amount than was asked for, or the
   * amount that is recorded; as above, and an amount before it is older.
   */
  readonly correctedAt?: number | undefined
  /** What counts of each dispute, by `decide/OrderDispute.ts`. */
  readonly disputes: ReadonlyArray<DisputeStatement>
  /** Absent where there is none: see `decide/Holding.ts`. */
  readonly captures?: ReadonlyArray<ReportedCapture> | undefined
  /** What waits for the capture or the void that is under way, each kind of end once. Absent where there is none. */
  readonly chargeEnds?: ReadonlyArray<ChargeEndStatement> | undefined
  /** Those that were dated last, one for each operation and refund. Absent where there is none. */
  readonly confirmed?: ReadonlyArray<ConfirmedStatement> | undefined
  /** Refunds that were made at the provider and may be ours; absent where there is none. */
  readonly refundsByHand?: ReadonlyArray<RefundByHand> | undefined
  /** Refunds made at the provider that failed before anything else was heard of them. Absent where none did. */
  readonly failedByHand?: ReadonlyArray<FailedByHand> | undefined
  /** Absent where there is none. */
  readonly undecided?: ReadonlyArray<UndecidedStatement> | undefined
  /** Names of the contradictions that operations have seen: each opens a review once. See `withContradiction`. */
  readonly contradictions: ReadonlyArray<string>
}

export const nothingReported: Reported = { isPaidOut: false, disputes: [], contradictions: [] }

/** Names on one payment. */
const mostContradictions = 100

/** Of a name that says to which other payments a reference was stated: it decides what later messages mean. */
export const referencePrefix = "reference:"

/**
 * The names with one more, as the last. Where there is no room, the oldest makes room for it: operations see that
 * contradiction again if the provider states it again. Names of reused references stay.
 */
export const withContradiction = (names: ReadonlyArray<string>, name: string): ReadonlyArray<string> => {
  const others = names.filter((one) => one !== name)
  if (others.length < mostContradictions) return [...others, name]
  const oldest = others.findIndex((one) => !one.startsWith(referencePrefix))
  return [...others.toSpliced(oldest, 1), name]
}

/** Disputes of one payment, and its records of them. */
export const mostDisputes = 50

/** Whether a dispute of the payment's money is open or lost. */
export const isDisputed = (reported: Pick<Reported, "disputes">): boolean => openDisputes(reported).length > 0

/** The disputes of the payment's money that are open or lost. */
export const openDisputes = ({ disputes }: Pick<Reported, "disputes">): ReadonlyArray<DisputeStatement> =>
  disputes.filter(({ isOfOther, verdict }) => isOfOther !== true && (verdict === "opened" || verdict === "lost"))

type DisputeName = Pick<DisputeStatement, "attemptId" | "disputeId">

const isSameDispute = (one: DisputeName, { attemptId, disputeId }: DisputeName): boolean =>
  one.disputeId === disputeId && (disputeId !== null || one.attemptId === attemptId)

/** What counts of the dispute. */
export const recordedDispute = (
  reported: Pick<Reported, "disputes"> | null,
  name: DisputeName
): DisputeStatement | undefined => reported?.disputes.find((one) => isSameDispute(one, name))

/** The disputes with what counts of this one. `undefined` where there is no room: operations review the payment. */
export const withDispute = (
  disputes: ReadonlyArray<DisputeStatement>,
  said: DisputeStatement
): ReadonlyArray<DisputeStatement> | undefined => {
  const others = disputes.filter((one) => !isSameDispute(one, said))
  return others.length < mostDisputes ? [...others, said] : undefined
}
