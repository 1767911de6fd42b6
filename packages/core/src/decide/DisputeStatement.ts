/**
 * What a provider's statement of a dispute means for its record. What it means for the payment is
 * `interpret/InterpretReported.ts`. Pure.
 *
 * The rule that a reader would otherwise break: messages arrive late, twice and out of order. A statement that is older than
 * the record changes nothing of it, but an end counts whenever it arrives: `won` and `lost` beat a late `opened`. What our
 * own clock dates ahead is older than what the provider dates.
 */
import { Result } from "effect"
import { Start, step } from "../machine/Machine.ts"
import type { Attempt } from "../model/Attempt.ts"
import { type Dispute, isEnded, mostDisputes, openSubmission } from "../model/Dispute.ts"
import { type DisputeEvent, DisputeMachine, type DisputeStatus } from "../model/DisputeMachine.ts"
import type { EventDraft } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import type { Payment } from "../model/Payment.ts"
import type { StatedDispute } from "../model/ProviderStatement.ts"
import type { Money } from "../money/Money.ts"
import { disputeEvent } from "./DisputeEvents.ts"
import { moveSubmission } from "./DisputeFact.ts"
import { remindedUnder } from "./DisputeReminders.ts"
import { comparableTime } from "./SentCall.ts"

export interface DisputeStated {
  readonly dispute: Dispute
  readonly events: ReadonlyArray<EventDraft>
}

export interface DisputeMessage {
  readonly payment: Payment
  readonly attempt: Attempt
  readonly said: StatedDispute
  /** When the provider dates it, else when it came; epoch milliseconds. */
  readonly at: number
  /** For a dispute that is not recorded yet. */
  readonly newId: string
}

/** `undefined` where the record stays as it is. `disputes`: those of the payment. */
export const stateDispute = (
  disputes: ReadonlyArray<Dispute>,
  message: DisputeMessage,
  now: number
): DisputeStated | undefined => {
  const { attempt, payment, said } = message
  const recorded = disputes.find(
    (one) => one.connectionId === attempt.connectionId && one.providerDisputeId === said.disputeId && isOf(one, message)
  )
  if (recorded !== undefined) {
    return stateAgain({ ...recorded, statedAt: comparableTime(recorded.statedAt, message.at, now) }, message, now)
  }
  if (disputes.length >= mostDisputes) return undefined
  const row = Result.getOrUndefined(step(DisputeMachine, Start, eventOf[statusOfStated(said)]))
  if (row === undefined) return undefined
  const dispute: Dispute = {
    id: message.newId,
    paymentId: payment.id,
    attemptId: attempt.id,
    connectionId: attempt.connectionId,
    providerRef: attempt.providerRef,
    providerDisputeId: said.disputeId,
    status: row.to,
    money: usableMoney(said.money) ?? null,
    reason: said.reason ?? null,
    providerReason: said.providerReason ?? null,
    evidenceDueBy: said.dueBy ?? null,
    evidenceSubmittedAt: null,
    remindedDays: null,
    statedAt: message.at,
    evidence: null,
    submissions: [],
    createdAt: now,
    updatedAt: now,
    checkAt: null
  }
  return { dispute, events: eventsOf(row.emits, payment, dispute, now) }
}

/** A provider that names no dispute has one of each charge. */
const isOf = ({ attemptId }: Dispute, { attempt, said }: DisputeMessage): boolean =>
  said.disputeId !== null || attemptId === attempt.id

const eventOf: Readonly<Record<DisputeStatus, DisputeEvent>> = {
  needs_response: "ResponseNeeded",
  under_review: "ReviewStated",
  warning: "WarningStated",
  won: "WonStated",
  lost: "LostStated",
  accepted: "AcceptanceStated"
}

const statusOfStated = ({ status, verdict }: StatedDispute): DisputeStatus => {
  if (status !== undefined) return status
  if (verdict === null) return "warning"
  return verdict === "opened" ? "needs_response" : verdict
}

/** A connector is third-party code: an invalid amount counts as not stated. */
const usableMoney = (stated: Money | undefined): Money | undefined =>
  stated !== undefined && Number.isSafeInteger(stated.minorUnits) && stated.minorUnits >= 0 ? stated : undefined

const stateAgain = (recorded: Dispute, message: DisputeMessage, now: number): DisputeStated | undefined => {
  const { at, payment, said } = message
  const confirmed = confirmedBy(recorded, statusOfStated(said), at, now)
  const row = isOutdated(confirmed, statusOfStated(said), at, now)
    ? undefined
    : Result.getOrUndefined(step(DisputeMachine, confirmed.status, eventOf[statusOfStated(said)]))
  const submissions = row?.to === "under_review" ? toLookUp(confirmed, at, now) : confirmed.submissions
  const isNewer = at >= recorded.statedAt
  const stated = <A>(given: A | undefined, kept: A | null): A | null =>
    isNewer || kept === null ? (given ?? kept) : kept
  const evidenceDueBy = stated(said.dueBy, recorded.evidenceDueBy)
  const next: Dispute = {
    ...confirmed,
    submissions,
    status: row?.to ?? confirmed.status,
    money: stated(usableMoney(said.money), recorded.money),
    reason: stated(said.reason, recorded.reason),
    providerReason: stated(said.providerReason, recorded.providerReason),
    evidenceDueBy,
    // The provider asks for evidence again.
    evidenceSubmittedAt: row?.to === "needs_response" ? null : confirmed.evidenceSubmittedAt,
    remindedDays: remindedUnder(recorded, evidenceDueBy, now),
    statedAt: Math.max(recorded.statedAt, at)
  }
  if (isSame(recorded, next)) return undefined
  const moved = [...(confirmed === recorded ? [] : ["dispute.accepted" as const]), ...(row?.emits ?? [])]
  const isChanged = moved.length > 0 || !isSame({ ...recorded, statedAt: next.statedAt }, next)
  const types = moved.length === 0 && isChanged ? (["dispute.updated"] as const) : moved
  const dispute: Dispute = {
    ...next,
    evidence: isEnded(next) ? null : next.evidence,
    updatedAt: isChanged ? now : recorded.updatedAt
  }
  return { dispute, events: eventsOf([...new Set(types)], payment, dispute, now) }
}

const isSame = (one: Dispute, other: Dispute): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Statuses before an end, in the order in which a dispute goes through them. */
const order: ReadonlyArray<DisputeStatus> = ["warning", "needs_response", "under_review"]

const isOutdated = (recorded: Dispute, status: DisputeStatus, at: number, now: number): boolean => {
  const isEnd = !order.includes(status)
  if (isEnded(recorded)) return !isEnd || at < recorded.statedAt
  if (isEnd) return false
  // Statements of one second come in any order: back it goes only by one that is certainly newer.
  const isBack = order.indexOf(status) < order.indexOf(recorded.status)
  const submittedAt = comparableTime(recorded.evidenceSubmittedAt ?? 0, at, now)
  return isBack ? at <= Math.max(recorded.statedAt, submittedAt) : at < recorded.statedAt
}

/** What it says of our acceptance whose result is open, where the provider dates it after that was sent. */
const confirmedBy = (recorded: Dispute, status: DisputeStatus, at: number, now: number): Dispute => {
  const submission = openSubmission(recorded)
  if (submission === undefined || at < submission.sentAt) return recorded
  if (submission.kind !== "accept" || !accepted.has(status)) return recorded
  return moveSubmission(recorded, submission, { on: "SubmissionConfirmed" }, now)?.dispute ?? recorded
}

/**
 * The provider has evidence, which may be somebody else's: of a submission whose result is open, the look-up decides, at
 * once.
 */
const toLookUp = (dispute: Dispute, at: number, now: number): Dispute["submissions"] => {
  const open = openSubmission(dispute)
  return open === undefined || open.kind !== "submit" || at < open.sentAt
    ? dispute.submissions
    : dispute.submissions.map((one) => (one === open ? { ...one, lookUpFrom: now } : one))
}

/** Some providers state an acceptance as a loss, and a missed deadline as well: of a loss the look-up decides. */
const accepted: ReadonlySet<DisputeStatus> = new Set<DisputeStatus>(["accepted"])

const eventsOf = (
  types: ReadonlyArray<EventType>,
  payment: Payment,
  dispute: Dispute,
  now: number
): ReadonlyArray<EventDraft> => types.map((type) => disputeEvent(type, payment, dispute, now))
