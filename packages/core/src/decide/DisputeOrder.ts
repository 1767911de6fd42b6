/** The questions about disputes, and their refusals. */
import { Schema } from "effect"
import type { Dispute, EvidenceFile, SubmissionKind } from "../model/Dispute.ts"

export interface EvidenceOrder {
  readonly disputeId: string
  /** By name: 1 to 60 lower-case letters, digits and underscores, a letter first. Up to 20,000 characters each. */
  readonly texts: Readonly<Record<string, string>>
  /** Up to 5,000,000 bytes together. Their types are known by their first bytes. */
  readonly files: ReadonlyArray<Omit<EvidenceFile, "type">>
}

export interface SubmissionOrder {
  readonly disputeId: string
  readonly kind: SubmissionKind
  /** 8 to 200 printable ASCII characters, or `null`. */
  readonly idempotencyKey: string | null
}

export interface SubmissionAnswered {
  readonly dispute: Dispute
  /** An earlier request under the same key was answered so. */
  readonly isReplay: boolean
}

/** No such dispute of this tenant: also one of another workspace or environment. */
export class DisputeNotFound extends Schema.TaggedError<DisputeNotFound>()("pointsman/DisputeNotFound", {}) {}

/** It has ended, or the provider has the evidence: nothing is sent any more. */
export class DisputeClosed extends Schema.TaggedError<DisputeClosed>()("pointsman/DisputeClosed", {}) {}

/** A submission or an acceptance of it is not confirmed yet. */
export class DisputePending extends Schema.TaggedError<DisputePending>()("pointsman/DisputePending", {
  /** In milliseconds: when the same request is worth sending again, where that is known. */
  retryAfterMillis: Schema.optionalKey(Schema.Finite)
}) {}

/** Nothing was written or sent. */
export class InvalidEvidence extends Schema.TaggedError<InvalidEvidence>()("pointsman/InvalidEvidence", {
  /** The name of the text or the file; `evidence` for all of it. */
  field: Schema.String,
  /** What was expected; for people. */
  expected: Schema.String
}) {}
