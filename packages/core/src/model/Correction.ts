/**
 * A statement or a refund of an operator that a second person has to approve, and what became of it. It is kept on the
 * payment: the approval and what follows from it are one commit, and it leaves the store with the payment.
 */
import type { Evidence, OperatorStatement } from "./OperatorStatement.ts"

/**
 * Who acts. An operator is known by id, which stays when the name, the roles or the way to sign in change, and when the
 * operator is removed and added again. A program that embeds Pointsman vouches for the names that it gives.
 */
export type Person =
  | {
      readonly of: "operators"
      /** `opr_` and a UUIDv7. */
      readonly id: string
      readonly name: string
    }
  | { readonly of: "program"; readonly name: string }

/** By which two names that a program gives are one: neither case, spaces, invisible characters nor composition count. */
const personKey = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/[\p{C}\p{Z}\s]+/gu, "")
    .toLowerCase()

export const isSamePerson = (one: Person, other: Person): boolean =>
  one.of === "operators"
    ? other.of === "operators" && one.id === other.id
    : other.of === "program" && personKey(one.name) === personKey(other.name)

/** Whether they surely are two people. An operator and a name that a program gives are possibly one. */
export const isAnotherPerson = (one: Person, other: Person): boolean => one.of === other.of && !isSamePerson(one, other)

export const correctionStates = ["proposed", "approved", "rejected", "withdrawn", "overtaken"] as const
/**
 * `overtaken`: when it was approved, the payment could not take it any more, or it applied to another attempt, operation
 * or amount than when it was proposed. Of a refund also: it was proposed too long ago.
 */
export type CorrectionState = (typeof correctionStates)[number]

/** What a statement applies to on one record of the payment. A statement may leave each of these open. */
export interface CorrectionTarget {
  /** `null` where the payment has no such attempt, and for a statement that is not about a charge. */
  readonly attemptId: string | null
  /** The capture or void; `null` where it applies to the charge alone. */
  readonly operationId: string | null
  /** What is captured, authorized, taken or given back, in minor units; `null` where no amount is stated. */
  readonly amountMinor: number | null
}

/** A refund that an operator asked for, above what one operator gives back. It is sent once it is approved. */
export interface ProposedRefund {
  readonly _tag: "NewRefund"
  /** As it was asked for; `null` for all that was left. */
  readonly requestedMinor: number | null
  readonly reason: string | null
  /** Names the refund, and the proposal, among those of the payment. */
  readonly idempotencyKey: string
}

export interface Correction<Stated = OperatorStatement | ProposedRefund> {
  /** `cor_` and a UUIDv7. */
  readonly id: string
  readonly state: CorrectionState
  readonly stated: Stated
  /** As it was when it was proposed: it is approved for this and for nothing else. */
  readonly target: CorrectionTarget
  /** With the name of who proposed it. Its text is empty for a refund. */
  readonly evidence: Evidence
  readonly proposedBy: Person
  /** Epoch milliseconds. */
  readonly proposedAt: number
  /** The payment's version that it was decided on. */
  readonly version: number
  /** `null` while it is proposed. */
  readonly decision: {
    readonly by: Person
    /** Epoch milliseconds. */
    readonly at: number
    /** Why it was rejected, or could not be written; `null` otherwise. */
    readonly reason: string | null
  } | null
}

/** The one that waits for a second person. A payment has one at most. */
export const openCorrection = (payment: {
  readonly corrections?: ReadonlyArray<Correction> | undefined
}): Correction | undefined => payment.corrections?.find(({ state }) => state === "proposed")

export const isRefundProposal = (correction: Correction): correction is Correction<ProposedRefund> =>
  correction.stated._tag === "NewRefund"

/** What was proposed under the key of a refund, whatever became of it. */
export const proposalUnder = (
  { corrections = [] }: { readonly corrections?: ReadonlyArray<Correction> | undefined },
  key: string
): Correction<ProposedRefund> | undefined =>
  corrections.filter(isRefundProposal).find(({ stated }) => stated.idempotencyKey === key)

/** From then on an approval gives nothing back: what spoke for the refund may have changed. */
export const refundProposalMillis = 7 * 24 * 60 * 60 * 1000

export const isExpired = (correction: Correction, now: number): boolean =>
  isRefundProposal(correction) && now - correction.proposedAt >= refundProposalMillis

/** Of one payment. The oldest that were decided make room: the audit trail still has their decisions. */
const mostCorrections = 20

export const withCorrection = (
  corrections: ReadonlyArray<Correction> | undefined,
  correction: Correction
): ReadonlyArray<Correction> => {
  const all = corrections ?? []
  return all.some(({ id }) => id === correction.id)
    ? all.map((one) => (one.id === correction.id ? correction : one))
    : [...all, correction].slice(-mostCorrections)
}
