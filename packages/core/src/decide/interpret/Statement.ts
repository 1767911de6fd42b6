/** What a provider states, with how the statement reached us. Pure. */
import type { ProviderAccount } from "../../model/ProviderAccount.ts"
import type {
  ChargeName,
  ChargeRecord,
  MessageAbout,
  NeverReceived,
  OfAnotherAttempt,
  OperationState,
  RefundAnswer,
  RefundOfRow
} from "../../model/ProviderStatement.ts"
import type { Money } from "../../money/Money.ts"

/** How a statement reached us, and when. */
export interface Source {
  /**
   * - `answer`: to the call itself. A message may have been faster
   * - `message`: the provider sent it. It may be late, repeated or out of order
   * - `lookup`: the provider was asked for its record, which says what is so now
   * - `operator`: a person read the provider's record
   */
  readonly via: "answer" | "message" | "lookup" | "operator"
  /** When the provider dates it, in epoch milliseconds by its clock; `null` where it does not say. */
  readonly at: number | null
  /** Epoch milliseconds by our clock: before the lookup began, or when the message or the operator's evidence came. */
  readonly askedAt: number
  /** From when on ages of calls count (`StorageClock`). Epoch milliseconds. */
  readonly agesFrom?: number | null
  /** Of a message about a capture or a void: its provider can look it up, and what that says is what counts. */
  readonly isLookedUp?: boolean
}

/** As it is weighed. */
export interface Weighing extends Source {
  /** Epoch milliseconds by our clock. */
  readonly now: number
}

/** The attempt, operation or refund, by our id. */
export type Subject =
  | { readonly attempt_id: string }
  | { readonly operation_id: string }
  | { readonly refund_id: string }

/** As in a message, and besides "never received", which a lookup or an operator can bring. */
export type StatementAbout =
  | {
      readonly _tag: "Charge"
      readonly charge: ChargeName
      readonly state: (asked: Money) => ChargeRecord | NeverReceived
    }
  | {
      readonly _tag: "Operation"
      readonly operationId: string
      readonly state: (asked: Money) => OperationState | NeverReceived
    }
  | {
      readonly _tag: "Refund"
      readonly refundId: string
      readonly state: (asked: Money) => RefundAnswer | RefundOfRow | NeverReceived
    }
  /** To a lookup of the charge the provider named another attempt of ours. */
  | { readonly _tag: "AnotherAttempt"; readonly attemptId: string; readonly named: OfAnotherAttempt }
  /** The provider was not asked: the connection opens another account than the attempt's. */
  | {
      readonly _tag: "OtherAccount"
      readonly subject: Subject
      /** Of the attempt. */
      readonly own: ProviderAccount
      /** That the connection's credentials open. */
      readonly current: ProviderAccount
    }
  | Extract<MessageAbout, { readonly _tag: "CaptureFailed" | "Settled" | "Dispute" | "UnnamedRefund" | "Changed" }>

export interface Statement extends Source {
  readonly about: StatementAbout
}

/** Whether it says what is so now. What an answer or a message says was so when it was written. */
export const isCurrent = ({ via }: Source): boolean => via === "lookup" || via === "operator"

/** Whether the statement says what was so after that time, which is the provider's. */
export const isAfter = (time: number, source: Source): boolean =>
  isCurrent(source) || (source.at !== null && source.at > time)

/** A message that does not say since when it is so. */
export const isUndated = (source: Source): boolean => !isCurrent(source) && source.at === null
