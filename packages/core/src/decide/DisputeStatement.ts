/**
 * What a provider's statement of a dispute means for its record, which follows what counts on the payment
 * (`OrderDispute.ts`). What it means for the payment is `interpret/InterpretReported.ts`. Pure.
 */
import { Result } from "effect"
import { Start, step } from "../machine/Machine.ts"
import type { Attempt } from "../model/Attempt.ts"
import { type Dispute, isEnded, openSubmission } from "../model/Dispute.ts"
import { type DisputeEvent, DisputeMachine, type DisputeStatus } from "../model/DisputeMachine.ts"
import type { EventDraft } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import type { StatedDispute } from "../model/ProviderStatement.ts"
import { recordedDispute } from "../model/Reported.ts"
import type { Money } from "../money/Money.ts"
import { disputeEvent, moveSubmission } from "./DisputeFact.ts"
import { remindedUnder } from "./DisputeReminders.ts"
import type { Source } from "./interpret/Statement.ts"
import { type OrderedDispute, orderDispute } from "./OrderDispute.ts"

export interface DisputeStated {
  readonly dispute: Dispute
  readonly events: ReadonlyArray<EventDraft>
}

export interface DisputeMessage {
  /** Before the statement. */
  readonly book: PaymentBook
  /** After it. */
  readonly payment: Payment
  readonly attempt: Attempt
  readonly said: StatedDispute
  readonly source: Source
  /** For a dispute that is not recorded yet. */
  readonly newId: string
}

/** `undefined` where the record stays as it is. `disputes`: those of the payment. */
export const stateDispute = (
  disputes: ReadonlyArray<Dispute>,
  message: DisputeMessage,
  now: number
): DisputeStated | undefined => {
  const { attempt, book, payment, said, source } = message
  const ordered = orderDispute(book, attempt, said, source)
  // What the payment does not take has no record.
  if (recordedDispute(payment.reported, ordered.said) === undefined) return undefined
  const recorded = disputes.find(
    (one) => one.connectionId === attempt.connectionId && one.providerDisputeId === said.disputeId && isOf(one, message)
  )
  switch (ordered.order) {
    case "contradictory":
      return undefined
    case "undecided":
      return recorded && source.isLookedUp === true ? readAgain(recorded, ordered, source, now) : undefined
    default:
      if (recorded !== undefined) return stateAgain(recorded, message, ordered, now)
      return ordered.order === "counts" ? stateFirst(message, ordered, now) : undefined
  }
}

/** A provider that names no dispute has one of each charge. */
const isOf = ({ attemptId }: Dispute, { attempt, said }: DisputeMessage): boolean =>
  said.disputeId !== null || attemptId === attempt.id

const stateFirst = (
  { attempt, newId, payment, said }: DisputeMessage,
  { status }: OrderedDispute,
  now: number
): DisputeStated | undefined => {
  const row = Result.getOrUndefined(step(DisputeMachine, Start, eventOf[status]))
  if (row === undefined) return undefined
  const dispute: Dispute = {
    id: newId,
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
    evidence: null,
    submissions: [],
    createdAt: now,
    updatedAt: now,
    checkAt: null
  }
  return { dispute, events: eventsOf(row.emits, payment, dispute, now) }
}

const readAgain = (dispute: Dispute, { said, status }: OrderedDispute, { at }: Source, now: number): DisputeStated => ({
  dispute: { ...dispute, lookUp: { at: now, tries: 0, undecided: { verdict: said.verdict, status, at } } },
  events: []
})

const eventOf: Readonly<Record<DisputeStatus, DisputeEvent>> = {
  needs_response: "ResponseNeeded",
  under_review: "ReviewStated",
  warning: "WarningStated",
  won: "WonStated",
  lost: "LostStated",
  accepted: "AcceptanceStated"
}

/** A connector is third-party code: an invalid amount counts as not stated. */
const usableMoney = (stated: Money | undefined): Money | undefined =>
  stated !== undefined && Number.isSafeInteger(stated.minorUnits) && stated.minorUnits >= 0 ? stated : undefined

const stateAgain = (
  recorded: Dispute,
  { payment, said, source }: DisputeMessage,
  ordered: OrderedDispute,
  now: number
): DisputeStated | undefined => {
  const { order, status } = ordered
  const at = source.at ?? source.askedAt
  const isNewer = order === "counts"
  if (!isNewer && at < (recorded.roundAt ?? at)) return undefined
  const confirmed = confirmedBy(recorded, status, at, now)
  const row =
    isNewer && said.isContinued !== true && !isBack(confirmed, ordered)
      ? Result.getOrUndefined(step(DisputeMachine, confirmed.status, eventOf[status]))
      : undefined
  const isReopened = row !== undefined && isEnded(confirmed) && !isEnded({ status: row.to })
  const submissions = row?.to === "under_review" ? toLookUp(confirmed, at, now) : confirmed.submissions
  const stated = <A>(given: A | undefined, kept: A | null): A | null =>
    isNewer || kept === null ? (given ?? kept) : kept
  const evidenceDueBy = stated(said.dueBy, isReopened ? null : recorded.evidenceDueBy)
  const next: Dispute = {
    ...confirmed,
    submissions,
    status: row?.to ?? confirmed.status,
    money: stated(usableMoney(said.money), recorded.money),
    reason: stated(said.reason, recorded.reason),
    providerReason: stated(said.providerReason, recorded.providerReason),
    evidenceDueBy,
    // The provider asks for evidence again.
    evidenceSubmittedAt: isReopened || row?.to === "needs_response" ? null : confirmed.evidenceSubmittedAt,
    remindedDays: isReopened ? null : remindedUnder(recorded, evidenceDueBy, now),
    ...(isReopened && ordered.said.at !== null ? { roundAt: ordered.said.at } : {})
  }
  if (isSame(recorded, next)) return undefined
  const moved = [...(confirmed === recorded ? [] : ["dispute.accepted" as const]), ...(row?.emits ?? [])]
  const types = moved.length === 0 ? (["dispute.updated"] as const) : moved
  const dispute: Dispute = { ...next, evidence: isEnded(next) ? null : next.evidence, updatedAt: now }
  return { dispute, events: eventsOf([...new Set(types)], payment, dispute, now) }
}

const isSame = (one: Dispute, other: Dispute): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Statuses before an end, in the order in which a dispute goes through them. */
const order: ReadonlyArray<DisputeStatus> = ["warning", "needs_response", "under_review"]

/** Statements of one second come in any order: back it goes only by one that is certainly newer, also than our evidence. */
const isBack = (
  { evidenceSubmittedAt, status: recorded }: Dispute,
  { before, said, status }: OrderedDispute
): boolean => {
  const isEarlier = order.includes(status) && order.indexOf(status) < order.indexOf(recorded)
  const isLater = said.at !== null && said.at > Math.max(before?.at ?? said.at, evidenceSubmittedAt ?? 0)
  return isEarlier && !isLater
}

/** What it says of our acceptance whose result is open, where the provider dates it after that was sent. */
const confirmedBy = (recorded: Dispute, status: DisputeStatus, at: number, now: number): Dispute => {
  const submission = openSubmission(recorded)
  if (submission === undefined || at < submission.sentAt) return recorded
  if (submission.kind !== "accept" || !accepted.has(status)) return recorded
  return moveSubmission(recorded, submission, { on: "SubmissionConfirmed" }, now)?.dispute ?? recorded
}

/** Evidence that may not be ours: for a submission with an unknown result, the lookup decides, at once. */
const toLookUp = (dispute: Dispute, at: number, now: number): Dispute["submissions"] => {
  const open = openSubmission(dispute)
  return open === undefined || open.kind !== "submit" || at < open.sentAt
    ? dispute.submissions
    : dispute.submissions.map((one) => (one === open ? { ...one, lookUpFrom: now } : one))
}

/** Some providers state an acceptance as a loss, and a missed deadline as well: of a loss the lookup decides. */
const accepted: ReadonlySet<DisputeStatus> = new Set<DisputeStatus>(["accepted"])

const eventsOf = (
  types: ReadonlyArray<EventType>,
  payment: Payment,
  dispute: Dispute,
  now: number
): ReadonlyArray<EventDraft> => types.map((type) => disputeEvent(type, payment, dispute, now))
