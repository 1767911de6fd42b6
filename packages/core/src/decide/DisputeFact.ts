/**
 * What a provider's answer to a submission or an acceptance means for its dispute. The answer, a lookup and a message
 * become the same facts, applied by the same code. Pure.
 */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import type { Dispute, Submission, SubmissionKind } from "../model/Dispute.ts"
import { type DisputeEvent, DisputeMachine, SubmissionMachine } from "../model/DisputeMachine.ts"
import type { EventDraft, JsonObject } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import { type Payment, paymentEvent } from "../model/Payment.ts"
import {
  type NeverReceived,
  type NotSent,
  type SubmissionAnswer,
  type Unanswered,
  unansweredCode
} from "../model/ProviderStatement.ts"
import { dueReminder } from "./DisputeReminders.ts"

/** How a call ended. */
export type SubmissionEnd = SubmissionAnswer | NotSent | Unanswered

export type SubmissionFact =
  | { readonly on: "SubmissionConfirmed" }
  | { readonly on: "SubmissionTaken" }
  | { readonly on: "SubmissionRefused"; readonly code: string | null; readonly message: string }
  | { readonly on: "SubmissionUnanswered"; readonly reason: string; readonly code?: string | null }
  /** A late lookup: the provider never received it. */
  | { readonly on: "SubmissionNotFound" }

/** The end of a call, or what a lookup found, in the words of the submission's table. */
export const submissionFactOf = (end: SubmissionEnd | NeverReceived): SubmissionFact => {
  switch (end._tag) {
    case "SubmissionDone":
      return { on: "SubmissionConfirmed" }
    case "SubmissionPending":
      return { on: "SubmissionTaken" }
    case "SubmissionFailed":
      return {
        on: "SubmissionRefused",
        code: null,
        message: end.reason ?? "The provider states that it did not take it."
      }
    case "Rejected":
      return { on: "SubmissionRefused", code: end.code, message: end.message }
    case "pointsman/NotSent":
      return { on: "SubmissionRefused", code: null, message: `Nothing was sent to the provider: ${end.reason}.` }
    case "pointsman/Unanswered":
      return { on: "SubmissionUnanswered", reason: end.reason, code: unansweredCode(end) }
    case "NotFound":
      return { on: "SubmissionNotFound" }
    default:
      // A connector is third-party code: its answer may be malformed.
      return { on: "SubmissionUnanswered", reason: "the connector returned a malformed answer" }
  }
}

export interface DisputeMoved {
  readonly dispute: Dispute
  readonly types: ReadonlyArray<EventType>
}

/** The dispute after a fact of one of its submissions; `undefined` where no row of the submission's table takes it. */
export const moveSubmission = (
  dispute: Dispute,
  submission: Submission,
  fact: SubmissionFact,
  now: number
): DisputeMoved | undefined => {
  const row = Result.getOrUndefined(step(SubmissionMachine, submission.stage, fact.on))
  if (row === undefined) return undefined
  const after: Submission = {
    ...submission,
    stage: row.to,
    answeredAt: submission.answeredAt ?? now,
    ...reasonOf(fact)
  }
  const on = eventFor(submission, after)
  const moved = on === undefined ? undefined : Result.getOrUndefined(step(DisputeMachine, dispute.status, on))
  const isTaken = after.kind === "submit" && (after.stage === "Done" || after.stage === "Pending")
  return {
    dispute: {
      ...dispute,
      status: moved?.to ?? dispute.status,
      evidenceSubmittedAt: isTaken
        ? (dispute.evidenceSubmittedAt ?? now)
        : on === "SubmissionFailed"
          ? null
          : dispute.evidenceSubmittedAt,
      submissions: dispute.submissions.map((one) => (one.operationId === submission.operationId ? after : one)),
      // The provider has it.
      evidence: after.stage === "Done" ? null : dispute.evidence,
      updatedAt: now
    },
    types: moved?.emits ?? []
  }
}

/** The event for the dispute's table; a submission is announced once. */
const eventFor = (before: Submission, after: Submission): DisputeEvent | undefined => {
  if (after.kind === "accept") return after.stage === "Done" ? "DisputeAccepted" : undefined
  if (before.stage === "Pending") return after.stage === "Refused" ? "SubmissionFailed" : undefined
  return after.stage === "Done" || after.stage === "Pending" ? "EvidenceSubmitted" : undefined
}

const reasonOf = (fact: SubmissionFact): Pick<Submission, "code" | "failureReason"> => {
  switch (fact.on) {
    case "SubmissionRefused":
      return { code: fact.code, failureReason: fact.message }
    case "SubmissionUnanswered":
      return { code: fact.code ?? null, failureReason: fact.reason }
    case "SubmissionNotFound":
      return { code: null, failureReason: "The provider never received it." }
    default:
      return { code: null, failureReason: null }
  }
}

export interface DisputeApplied {
  readonly dispute: Dispute
  readonly events: ReadonlyArray<EventDraft>
}

/** As `moveSubmission`, with the events of the move. */
export const applySubmissionFact = (
  payment: Payment,
  dispute: Dispute,
  operationId: string,
  fact: SubmissionFact,
  now: number
): DisputeApplied | undefined => {
  const submission = dispute.submissions.find((one) => one.operationId === operationId)
  const moved = submission && moveSubmission(dispute, submission, fact, now)
  return (
    moved && {
      dispute: moved.dispute,
      events: moved.types.map((type) => disputeEvent(type, payment, moved.dispute, now))
    }
  )
}

/** After a lookup that was due before its time: the next one is due at the time that follows from the record. */
export const lookedUp = (dispute: Dispute): Dispute => ({
  ...dispute,
  submissions: dispute.submissions.map(({ lookUpFrom: _, ...submission }) => submission)
})

/** The dispute after the reminder that is due, with its event; `undefined` where none is. */
export const remind = (payment: Payment, dispute: Dispute, now: number): DisputeApplied | undefined => {
  const days = dueReminder(dispute, now)
  if (days === undefined) return undefined
  const after: Dispute = { ...dispute, remindedDays: days }
  return { dispute: after, events: [disputeEvent("dispute.evidence_due", payment, after, now, { days })] }
}

/** For the provider's operation: a metric and a span name it. */
export const callOf: Readonly<Record<SubmissionKind, "submit_dispute" | "accept_dispute">> = {
  submit: "submit_dispute",
  accept: "accept_dispute"
}

const timeText = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

/** Besides what every event of a payment says; `amount` and `currency` there are the payment's. */
export const disputeEvent = (
  type: EventType,
  payment: Payment,
  dispute: Dispute,
  now: number,
  extra: JsonObject = {}
): EventDraft => ({
  ...paymentEvent(type, payment, {
    dispute_id: dispute.id,
    dispute_status: dispute.status,
    dispute_amount: dispute.money?.minorUnits ?? null,
    dispute_currency: dispute.money?.currency ?? null,
    dispute_reason: dispute.reason,
    evidence_due_by: timeText(dispute.evidenceDueBy),
    ...extra
  }),
  createdAt: now
})
