/**
 * Disputes of the simulated provider. The reference of a payment asks for one: the provider opens it when it has captured
 * the charge, takes evidence or an acceptance once and until the deadline, and decides a few seconds later. Pure.
 */
import type {
  DisputeRequest,
  DisputeStatus,
  Found,
  ListedDispute,
  ListedPage,
  ListRequest,
  ProviderMessage,
  Rejected,
  SubmissionKind,
  SubmissionState
} from "@pointsman/core/connector"
import type { ChargeRecord, DisputeRecord } from "./ChargeRecord.ts"
import { type Played, referenceOf } from "./Simulator.ts"

/** The beginning of a reference that asks for a dispute; `won` or `lost` follows. */
export const disputedReference = "simulate-dispute-"

const second = 1_000
/** In milliseconds. The first reminder, seven days before the deadline, is due soon after the dispute is opened. */
const deadlineMillis = 7 * 24 * 3_600 * second + 10 * second
/** Between the evidence and the decision, in milliseconds. */
const decidesAfterMillis = 5 * second

/** The charge with its dispute, which is opened now where the reference asks for one that is not there yet. */
export const withDispute = (record: ChargeRecord | undefined, now: number): Played<ChargeRecord> => {
  const reference = record?.told?.reference ?? ""
  if (record === undefined) return { answer: null, record }
  const ends = (["won", "lost"] as const).find((end) => reference.startsWith(`${disputedReference}${end}`))
  if (ends === undefined || record.dispute !== undefined || record.state !== "Captured")
    return { answer: record, record }
  const opened = { ...record, dispute: { ends, openedAt: now, dueBy: now + deadlineMillis, answers: [] } }
  return { answer: opened, record: opened }
}

interface Statement {
  readonly at: number
  readonly status: DisputeStatus
}

/** What the provider has stated of it by now, oldest first. */
const statements = ({ answers, dueBy, ends, openedAt }: DisputeRecord, now: number): ReadonlyArray<Statement> => {
  const [answer] = answers
  const opened: Statement = { at: openedAt, status: "needs_response" }
  const later: ReadonlyArray<Statement> =
    answer === undefined
      ? [{ at: dueBy, status: "lost" }]
      : answer.kind === "accept"
        ? [{ at: answer.takenAt, status: "accepted" }]
        : [
            { at: answer.takenAt, status: "under_review" },
            { at: answer.takenAt + decidesAfterMillis, status: ends }
          ]
  return [opened, ...later].filter(({ at }) => at <= now)
}

/** What the provider has stated by now about the dispute of a charge, oldest first. */
const statedOf = (record: ChargeRecord, now: number) => {
  const { attemptId, capturedMinor, currency, dispute } = record
  if (dispute === undefined) return []
  return statements(dispute, now).map(
    ({ at, status }) =>
      ({
        at,
        charge: { attemptId },
        disputeId: disputeIdOf(attemptId),
        verdict: status === "won" ? "won" : status === "lost" || status === "accepted" ? "lost" : "opened",
        status,
        money: { minorUnits: capturedMinor, currency },
        reason: "not_received",
        providerReason: "simulated",
        dueBy: dispute.dueBy
      }) as const
  )
}

/** The messages that the provider has sent about the dispute of a charge by now. The same statement has the same id. */
export const messagesOf = (record: ChargeRecord, now: number): ReadonlyArray<ProviderMessage> =>
  statedOf(record, now).map(({ at, ...stated }) => ({
    id: `sbx_msg_${record.attemptId}_${stated.status}`,
    at,
    about: { _tag: "Dispute", ...stated }
  }))

/** The disputes of these charges that changed in the window, as they are now: all of them on one page. */
export const listDisputes = (
  records: ReadonlyArray<ChargeRecord>,
  { createdBefore, createdFrom }: ListRequest,
  now: number
): ListedPage<ListedDispute> => ({
  items: records
    .flatMap((record) => statedOf(record, now).slice(-1))
    .filter(({ at }) => at >= createdFrom && at < createdBefore)
    .toSorted((a, b) => a.at - b.at),
  unreadable: [],
  nextCursor: null
})

const disputeIdOf = (attemptId: string): string => `${referenceOf(attemptId)}_dispute`

/** Evidence, or an acceptance. One that was taken before is answered as it was then. */
export const answerDispute = (
  record: ChargeRecord | undefined,
  kind: SubmissionKind,
  { disputeId, operationId }: Pick<DisputeRequest, "disputeId" | "operationId">,
  now: number
): Played<SubmissionState | Rejected> => {
  const dispute = record?.dispute
  if (record === undefined || dispute === undefined || disputeId !== disputeIdOf(record.attemptId)) {
    return { answer: rejected("dispute_not_found", "The simulator has no dispute with this id."), record }
  }
  if (dispute.answers.some(({ id }) => id === operationId)) return { answer: { _tag: "SubmissionDone" }, record }
  if (statements(dispute, now).at(-1)?.status !== "needs_response") {
    return { answer: rejected("dispute_closed", "The simulator takes no answer to this dispute any more."), record }
  }
  const answers = [...dispute.answers, { id: operationId, kind, takenAt: now }]
  return { answer: { _tag: "SubmissionDone" }, record: { ...record, dispute: { ...dispute, answers } } }
}

/** What the record says of one answer. One that was refused is not in it, and never will be. */
export const lookUpAnswer = (
  record: ChargeRecord | undefined,
  { operationId }: Pick<DisputeRequest, "operationId">
): Played<Found<SubmissionState>> => {
  const isTaken = record?.dispute?.answers.some(({ id }) => id === operationId) === true
  return {
    answer: isTaken ? { _tag: "Found", state: { _tag: "SubmissionDone" } } : { _tag: "NotFound", conclusive: true },
    record
  }
}

const rejected = (code: string, message: string): Rejected => ({ _tag: "Rejected", code, message })
