/**
 * What a provider reported beside the money of a payment itself: its payout, its disputes, and what contradicts the
 * record. It is kept on the payment because it may arrive before the payment can take it: the step that ends a charge, a
 * capture or a void weighs it again (`decide/WeighReported.ts`).
 */
import type { OperationState, RefundState } from "./ProviderStatement.ts"

export const disputeVerdicts = ["opened", "won", "lost"] as const
export type DisputeVerdict = (typeof disputeVerdicts)[number]

/** One statement about one dispute. */
export interface DisputeStatement {
  /** The provider's id; `null` where it names none, and then a charge has one dispute. */
  readonly disputeId: string | null
  readonly verdict: DisputeVerdict
  /** When the provider wrote it, in epoch milliseconds. */
  readonly at: number
}

/** A message that a lookup of its operation or its refund decides (decisions, section 3). */
export type UndecidedStatement =
  | {
      readonly about: "operation"
      readonly id: string
      readonly state: OperationState
      /** When the provider dates it, in epoch milliseconds; `null` where it does not. */
      readonly at: number | null
    }
  | { readonly about: "refund"; readonly id: string; readonly state: RefundState; readonly at: number | null }

export interface Reported {
  /** The provider pays the money out, or did. `payment.settled` is written once for a payment. */
  readonly isPaidOut: boolean
  /**
   * When the provider stated the last failure of a capture, in epoch milliseconds by its clock; absent where none failed.
   * A success that it dates before this is an older statement.
   */
  readonly captureFailedAt?: number | undefined
  /** When the provider last stated that it captured more than was recorded; as above, and an amount before it is older. */
  readonly correctedAt?: number | undefined
  /** In the order in which they arrived, each statement once. */
  readonly disputes: ReadonlyArray<DisputeStatement>
  /** Absent where there is none. */
  readonly undecided?: ReadonlyArray<UndecidedStatement> | undefined
  /** Names of the contradictions that operations have seen: each opens a review once. */
  readonly contradictions: ReadonlyArray<string>
}

export const nothingReported: Reported = { isPaidOut: false, disputes: [], contradictions: [] }

/** Whether a dispute is open or lost. */
export const isDisputed = (reported: Pick<Reported, "disputes">): boolean => openDisputes(reported).length > 0

/**
 * The last statement about each dispute that is open or lost. `won` and `lost` count before `opened`, and against each
 * other by their time.
 */
export const openDisputes = ({ disputes }: Pick<Reported, "disputes">): ReadonlyArray<DisputeStatement> =>
  [...Map.groupBy(disputes, ({ disputeId }) => disputeId).values()].flatMap((ofOne) => {
    const ends = ofOne.filter(({ verdict }) => verdict !== "opened")
    const last = (ends.length === 0 ? ofOne : ends).reduce((latest, one) => (one.at >= latest.at ? one : latest))
    return last.verdict === "won" ? [] : [last]
  })
