/** Disputes as the door shows them: the API's form, with amounts in minor units. */

/** `warning`: an inquiry of the customer's bank, by which no money has moved. `accepted`: the money was given up. */
export type DisputeStatus = "needs_response" | "under_review" | "won" | "lost" | "accepted" | "warning"

/** The customer's reason, normalized across providers. */
export type DisputeReason =
  | "fraudulent"
  | "unrecognized"
  | "not_received"
  | "not_as_described"
  | "duplicate"
  | "credit_not_processed"
  | "subscription_canceled"
  | "authorization"
  | "processing_error"
  | "other"

export interface Dispute {
  readonly id: string
  readonly payment_id: string
  readonly status: DisputeStatus
  /** Minor units of `currency`; both are `null` where the provider does not state them. */
  readonly amount: number | null
  readonly currency: string | null
  readonly reason: DisputeReason | null
  /** The provider's own code. */
  readonly provider_reason: string | null
  /** Until when the provider takes evidence. */
  readonly evidence_due_by: string | null
  readonly evidence_submitted_at: string | null
  /** What is kept until it is submitted; `null` for nothing. */
  readonly evidence: KeptEvidence | null
  readonly created: string
}

export interface KeptEvidence {
  /** The names of the texts. */
  readonly texts: ReadonlyArray<string>
  readonly files: ReadonlyArray<{ readonly name: string; readonly type: string; readonly bytes: number }>
}
