/** Statements that a second person approves, as calls take and give them. */
import type { Payment } from "@pointsman/client/contract"
import type { CallOptions } from "./Settings.ts"

export type CorrectionState = "proposed" | "approved" | "rejected" | "withdrawn" | "overtaken"

/** What an operator states that the provider's record says, or asks to give back, as it was proposed. */
export type ProposedStatement =
  | {
      readonly about: "charge"
      readonly says:
        | "captured"
        | "authorized"
        | "declined"
        | "canceled"
        | "capture_failed"
        | "void_failed"
        | "never_received"
      readonly attempt_id: string | null
      /** Minor units; `null` for what was asked for. */
      readonly amount: number | null
      readonly provider_reference: string | null
    }
  | {
      readonly about: "refund"
      readonly says: "succeeded" | "failed" | "never_received"
      readonly refund_id: string
      readonly provider_reference: string | null
    }
  | { readonly about: "nothing" }
  /** Above the limit of the console: it is sent once another person approves it. */
  | {
      readonly about: "new_refund"
      /** Minor units. */
      readonly amount: number
      readonly reason: string | null
    }

export interface Correction {
  readonly id: string
  /** `overtaken`: when it was approved, the payment could not take it any more, or a refund was proposed a week before. */
  readonly state: CorrectionState
  readonly statement: ProposedStatement
  /** Empty for a refund. */
  readonly evidence: string
  readonly file_sha256: string | null
  readonly evidence_reference: string | null
  readonly proposed_by: string
  /** RFC 3339, UTC. */
  readonly proposed: string
  readonly decided_by: string | null
  readonly decided: string | null
  /** Why it was rejected or overtaken. */
  readonly reason: string | null
}

/** A payment after an operator's statement. */
export interface ResolvedPayment extends Payment {
  /** The statement, where a second person has to approve it first: nothing else of the payment changed. */
  readonly proposed_correction: Correction | null
}

export interface DecidedCorrection {
  readonly payment: Payment
  readonly correction: Correction
}

/** A payment whose correction waits for a second person. */
export interface ProposedCorrection {
  readonly workspace_id: string
  readonly payment: Payment
  readonly correction: Correction
}

/**
 * `by`: the person, whom this program has identified. The login of an operator means that operator. Two names that differ
 * only in case, spaces or invisible characters are one person.
 */
export interface DecidedBy {
  readonly by: string
}

/**
 * Statements about amounts from which on the workspace's `fourEyes` ask for a second person, and refunds above the
 * console's `refundLimits`.
 */
export interface CorrectionCalls {
  /** Those that wait; of all workspaces unless options name one with its environment. */
  readonly list: (options?: CallOptions) => Promise<ReadonlyArray<ProposedCorrection>>
  /**
   * Decides it again on the payment as it is now, and writes the statement or sends the refund; `overtaken` where it no
   * longer fits.
   * `StateError` with `correction_refused` for the person who proposed it, and where it was decided before.
   */
  readonly approve: (
    paymentId: string,
    correctionId: string,
    decision: DecidedBy,
    options?: CallOptions
  ) => Promise<DecidedCorrection>
  readonly reject: (
    paymentId: string,
    correctionId: string,
    decision: DecidedBy & { readonly reason: string },
    options?: CallOptions
  ) => Promise<DecidedCorrection>
  /** By the person who proposed it. */
  readonly withdraw: (
    paymentId: string,
    correctionId: string,
    decision: DecidedBy,
    options?: CallOptions
  ) => Promise<DecidedCorrection>
}
