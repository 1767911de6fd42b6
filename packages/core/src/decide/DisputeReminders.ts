/**
 * When a merchant is reminded of a dispute's deadline, and when the background looks at a dispute next. Both follow
 * from the record alone, so a server that was off for days repeats and forgets no reminder. Pure.
 */
import type { CheckIntervals } from "../model/CheckIntervals.ts"
import { awaitsResponse, type Dispute, openSubmission, type Submission } from "../model/Dispute.ts"
import { dayMillis } from "../model/RetentionTimes.ts"

/** Days before the deadline. */
export const reminderDays = [7, 3, 1] as const

const minute = 60_000

/** Nothing is due once the provider has the evidence, or takes none any more. */
const waitsForEvidence = (dispute: Dispute): boolean =>
  awaitsResponse(dispute) && dispute.evidenceSubmittedAt === null && dispute.evidenceDueBy !== null

const left = ({ remindedDays }: Dispute): ReadonlyArray<number> =>
  reminderDays.filter((days) => remindedDays === null || days < remindedDays)

const reminderAt = (evidenceDueBy: number, days: number): number => evidenceDueBy - days * dayMillis

/**
 * The reminder that is due, in days before the deadline. Where several are, the last one alone: a server that was off for a
 * week reminds once. It is due after the deadline too: an announcement that is late says so by its times.
 */
export const dueReminder = (dispute: Dispute, now: number): number | undefined => {
  const { evidenceDueBy } = dispute
  if (!waitsForEvidence(dispute) || evidenceDueBy === null) return undefined
  return left(dispute).findLast((days) => reminderAt(evidenceDueBy, days) <= now)
}

/** What was reminded of still counts under another deadline where its time has come under that one as well. */
export const remindedUnder = (recorded: Dispute, evidenceDueBy: number | null, now: number): number | null => {
  const { remindedDays } = recorded
  if (remindedDays === null || evidenceDueBy === null) return remindedDays
  const passed = reminderDays.filter((days) => days >= remindedDays && reminderAt(evidenceDueBy, days) <= now)
  return passed.at(-1) ?? null
}

/** Epoch milliseconds; `null` for a dispute of which nothing is due. A time that is over means at once. */
export const disputeCheckAt = (
  dispute: Dispute,
  intervals: CheckIntervals,
  claimWindowMillis: number,
  now: number
): number | null => {
  const times: Array<number> = []
  const [next] = left(dispute)
  if (waitsForEvidence(dispute) && dispute.evidenceDueBy !== null && next !== undefined) {
    times.push(reminderAt(dispute.evidenceDueBy, next))
  }
  if (dispute.lookUp !== undefined) times.push(dispute.lookUp.at)
  const submission = openSubmission(dispute)
  if (submission !== undefined) times.push(submissionCheckAt(submission, intervals, claimWindowMillis, now))
  return times.length === 0 ? null : Math.min(...times)
}

/** As of a payment (`CheckSchedule.ts`): an unknown one after 1 and 5 minutes, then at every interval. */
const submissionCheckAt = (
  { answeredAt, lookUpFrom, sentAt, stage }: Submission,
  { pendingMillis, unknownMillis }: CheckIntervals,
  claimWindowMillis: number,
  now: number
): number => {
  if (stage === "Sending") return Math.max(sentAt + claimWindowMillis, now + 1)
  if (lookUpFrom !== undefined) return lookUpFrom
  const since = answeredAt ?? sentAt
  const early = [minute, 5 * minute].map((after) => since + Math.min(after, unknownMillis))
  const first = stage === "Unknown" ? early.find((at) => at > now) : undefined
  const interval = stage === "Unknown" ? unknownMillis : pendingMillis
  return first ?? since + Math.max(1, Math.floor((now - since) / interval) + 1) * interval
}
