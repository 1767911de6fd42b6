/**
 * A dispute of a payment: what the provider states of it, what the merchant keeps for it, and what was sent for it
 * (decision 57). What counts of the provider's statements is on the payment (`Reported.disputes`), ordered by the
 * provider's time. The record has no order of its own: it follows, by `decide/DisputeStatement.ts`.
 */
import { Result } from "effect"
import { Start, step } from "../machine/Machine.ts"
import type { Money } from "../money/Money.ts"
import {
  type DisputeStatus,
  type DisputeVerdict,
  endedStatuses,
  SubmissionMachine,
  type SubmissionStage
} from "./DisputeMachine.ts"

/** Why a customer disputes a payment, across providers. `providerReason` has the provider's own code. */
export const disputeReasons = [
  "fraudulent",
  "unrecognized",
  "not_received",
  "not_as_described",
  "duplicate",
  "credit_not_processed",
  "subscription_canceled",
  "authorization",
  "processing_error",
  "other"
] as const
export type DisputeReason = (typeof disputeReasons)[number]

/** What a merchant can send for a dispute. */
export const submissionKinds = ["submit", "accept"] as const
export type SubmissionKind = (typeof submissionKinds)[number]

/** One submission of evidence, or one acceptance. */
export interface Submission {
  /** `op_` and a UUID: the provider's idempotency key. */
  readonly operationId: string
  /** Drawn by the request that wrote it first: requests under one key derive the same operation id. */
  readonly claimedBy: string
  readonly kind: SubmissionKind
  readonly stage: SubmissionStage
  /** Names this submission among those of its dispute, for good. */
  readonly idempotencyKey: string | null
  /** The time-out of its call: a lookup may say "never received" only when twice this has passed. */
  readonly timeoutMillis: number
  /** Epoch milliseconds; written before the request goes out. */
  readonly sentAt: number
  /** When its result was first recorded, in epoch milliseconds. */
  readonly answeredAt: number | null
  /** The provider's raw code; `keyUsedCode` where it had the idempotency key before. */
  readonly code: string | null
  /** Why the provider did not do it, or why there is no answer; for people, and free of secrets. */
  readonly failureReason: string | null
  /** From when on a lookup is due before its time, in epoch milliseconds; absent where none is. */
  readonly lookUpFrom?: number
}

/** A file as evidence names it, without its bytes. */
export interface KeptFile {
  readonly name: string
  readonly type: EvidenceFileType
  readonly bytes: number
}

/** What is kept for a submission; the texts and files themselves are sealed beside the record. */
export interface KeptEvidence {
  /** The names of the texts. */
  readonly texts: ReadonlyArray<string>
  readonly files: ReadonlyArray<KeptFile>
  /** Epoch milliseconds. */
  readonly keptAt: number
}

export const evidenceFileTypes = ["application/pdf", "image/jpeg", "image/png"] as const
export type EvidenceFileType = (typeof evidenceFileTypes)[number]

export interface EvidenceFile {
  readonly name: string
  readonly type: EvidenceFileType
  readonly bytes: Uint8Array
}

export interface Dispute {
  /** `dp_` and a UUIDv7. */
  readonly id: string
  readonly paymentId: string
  /** Whose charge is disputed. */
  readonly attemptId: string
  readonly connectionId: string
  /** The charge at the provider; `null` where it is not known. */
  readonly providerRef: string | null
  /** The provider's id; `null` where it names none, and then a charge has one dispute. */
  readonly providerDisputeId: string | null
  readonly status: DisputeStatus
  /** What is claimed while it is open, and what was decided when it ended; `null` where the provider does not state it. */
  readonly money: Money | null
  readonly reason: DisputeReason | null
  /** The provider's raw code. */
  readonly providerReason: string | null
  /** Epoch milliseconds after which the provider takes no evidence; `null` where it does not state it. */
  readonly evidenceDueBy: number | null
  /** Epoch milliseconds: when the provider took the evidence that was sent last; `null` while it waits for some. */
  readonly evidenceSubmittedAt: number | null
  /** Of the last reminder of `evidenceDueBy`, in days before it; `null` before the first one. */
  readonly remindedDays: number | null
  /** When the provider dates the opening of the present round, in epoch milliseconds; absent in the first one. */
  readonly roundAt?: number
  /** `null` where nothing is kept: the merchant sent nothing yet, or the provider has it. */
  readonly evidence: KeptEvidence | null
  /** Oldest first; see `mostSubmissions`. */
  readonly submissions: ReadonlyArray<Submission>
  /** Epoch milliseconds; so is `updatedAt`. */
  readonly createdAt: number
  readonly updatedAt: number
  /** To ask the provider what it states of the dispute: see `StatedLookUp`. Absent where it is not to be asked. */
  readonly lookUp?: StatedLookUp
  /** When the background looks at it next, in epoch milliseconds; `null` where nothing is due. Set by the commit. */
  readonly checkAt: number | null
}

/** Only a report named the dispute, or a message does not say whether it is newer than what is recorded. */
export interface StatedLookUp {
  /** Epoch milliseconds. */
  readonly at: number
  /** How often the provider did not answer. */
  readonly tries: number
  /** What the message states: a review where the provider does not answer. Absent where only a report named the dispute. */
  readonly undecided?: UndecidedDispute
}

export interface UndecidedDispute {
  readonly verdict: DisputeVerdict
  readonly status: DisputeStatus
  /** When the provider dates it, in epoch milliseconds; `null` where it does not. */
  readonly at: number | null
}

/** Submissions of one dispute: the merchant writes these. */
export const mostSubmissions = 50

const ended: ReadonlySet<DisputeStatus> = new Set(endedStatuses)

export const isEnded = ({ status }: Pick<Dispute, "status">): boolean => ended.has(status)

/** Whether the provider waits for the merchant's answer, and nothing says until when. */
export const lacksDeadline = (dispute: Pick<Dispute, "evidenceDueBy" | "status">): boolean =>
  awaitsResponse(dispute) && dispute.evidenceDueBy === null

/** Whether the provider waits for the merchant's answer. */
export const awaitsResponse = ({ status }: Pick<Dispute, "status">): boolean =>
  status === "needs_response" || status === "warning"

const openStages: ReadonlySet<SubmissionStage> = new Set(["Sending", "Pending", "Unknown"])

export const isOpenStage = (stage: SubmissionStage): boolean => openStages.has(stage)

/** The submission whose result is not known yet: at most one of a dispute. */
export const openSubmission = ({ submissions }: Pick<Dispute, "submissions">): Submission | undefined =>
  submissions.findLast(({ stage }) => isOpenStage(stage))

export const firstSubmissionStage: SubmissionStage = Result.getOrThrow(
  step(SubmissionMachine, Start, "SubmissionClaimed")
).to

/** Binds the sealed evidence to its dispute. */
export const evidenceContext = (disputeId: string): string => `dispute:${disputeId}:evidence`

/** What is sealed of a submission's texts and files, as JSON. */
export interface EvidenceDocument {
  readonly texts: Readonly<Record<string, string>>
  readonly files: ReadonlyArray<{ readonly name: string; readonly type: EvidenceFileType; readonly base64: string }>
}
