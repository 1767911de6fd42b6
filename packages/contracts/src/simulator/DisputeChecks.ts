/**
 * What has to hold of disputes at rest: evidence arrived at most once, nothing is left open, our records are the
 * provider's, and no deadline passed without its reminders. Pure; all functions give what is wrong.
 */
import type { Dispute, Event } from "@pointsman/core"
import type { ToldOfDispute } from "./MerchantDisputes.ts"
import type { DisputeRecord } from "./ProviderBooks.ts"
import { day, type Jump, minute } from "./Time.ts"

/** A process read the disputes that are due. */
export interface Look {
  /** Epoch milliseconds. */
  readonly at: number
  /** Nothing goes wrong any more: what was read is also written. */
  readonly isCalm: boolean
}

export interface DisputeSide {
  /** Of all disputes, in the order of time. */
  readonly looks: ReadonlyArray<Look>
  /** By the provider's id. */
  readonly records: ReadonlyMap<string, DisputeRecord>
  readonly told: ReadonlyArray<ToldOfDispute>
  /** Of the clock that all processes share. */
  readonly jumps: ReadonlyArray<Jump>
  /** Whether the provider contradicted nothing that it said of the payment. */
  readonly isPlain: boolean
}

const reminders = [7, 3, 1] as const

/** The clock of a process may be wrong by ten minutes, and its answer may take a few. */
const marginMillis = 15 * minute

/** Each of so many looks in a row does not fail, whatever happens to processes and to the store. */
const looksEnough = 12

/** Of each dispute of the provider: it is asked once. */
export const answeredTwice = (records: ReadonlyMap<string, DisputeRecord>): ReadonlyArray<string> =>
  [...records.values()].flatMap(({ askedAgain, disputeId }) =>
    askedAgain.map((operationId) => `dispute ${disputeId} was answered, and again by ${operationId}`)
  )

/** `events`: the timeline of its payment. */
export const wrongDispute = (
  dispute: Dispute,
  events: ReadonlyArray<Event>,
  side: DisputeSide
): ReadonlyArray<string> =>
  [
    ...wrongSubmissions(dispute, side),
    ...wrongReminders(dispute, events, side),
    ...(side.isPlain ? wrongStatus(dispute, side) : [])
  ].map((what) => `dispute ${dispute.id}: ${what}`)

const wrongSubmissions = ({ id, providerDisputeId, submissions }: Dispute, { records, told }: DisputeSide) => {
  const theirs = records.get(providerDisputeId ?? "")?.submissions ?? []
  const stateOf = (operationId: string) => theirs.find((one) => one.operationId === operationId)?.state
  return [
    ...submissions.flatMap(({ kind, operationId, stage }) => {
      const state = stateOf(operationId)
      if (stage !== "Done" && stage !== "Refused") return [`${kind} ${operationId} is ${stage}`]
      return (stage === "Done") === (state === "Done")
        ? []
        : [`${kind} ${operationId} is ${stage}, and at the provider ${state ?? "not there"}`]
    }),
    ...told
      .filter(
        ({ disputeId, kind }) => disputeId === id && !theirs.some((one) => one.kind === kind && one.state === "Done")
      )
      .map(({ what }) => `${what} was told to be done, and the provider has nothing of it`)
  ]
}

const wrongStatus = ({ providerDisputeId, status }: Dispute, { records }: DisputeSide): ReadonlyArray<string> => {
  const record = records.get(providerDisputeId ?? "")
  if (record === undefined || status === record.status) return []
  // A loss may be stated of what was accepted, and messages come in any order.
  const isGivenUp = record.submissions.some(({ kind, state }) => kind === "accept" && state === "Done")
  const isSame = isGivenUp && [status, record.status].every((one) => one === "lost" || one === "accepted")
  return isSame ? [] : [`it is ${status}, and at the provider ${record.status}`]
}

const wrongReminders = (dispute: Dispute, events: ReadonlyArray<Event>, side: DisputeSide) => {
  const { evidenceDueBy, id, providerDisputeId } = dispute
  const told = events.flatMap(({ data, type }) =>
    type === "dispute.evidence_due" && data["dispute_id"] === id ? [Number(data["days"])] : []
  )
  const inOrder = told.every((days, index) => index === 0 || days < (told[index - 1] ?? 0))
  const wrong = inOrder ? [] : [`its reminders are of ${told.join(", ")} days`]
  const record = side.records.get(providerDisputeId ?? "")
  // Each round has reminders of its own.
  if (record?.isReopened === true) return []
  if (evidenceDueBy === null || record === undefined) return wrong
  // Rows of reports name a dispute without its deadline.
  const known = events.find(({ data }) => data["dispute_id"] === id && data["evidence_due_by"] !== null)
  if (known === undefined) return wrong
  const answeredAt = record.submissions.find(({ takenAt }) => takenAt !== null)?.takenAt ?? null
  const over = [answeredAt, record.endedAt].filter((at) => at !== null)
  const waiting = { evidenceDueBy, knownAt: worldTimeOf(known.createdAt, side.jumps), overAt: Math.min(...over) }
  for (const days of reminders) {
    if (!isReminderDue(days, waiting, side)) continue
    // A clock that jumped ahead skips reminders, and announces the last one.
    const isReminded = side.jumps.length > 0 ? told.some((one) => one <= days) : told.includes(days)
    if (!isReminded) wrong.push(`no reminder ${days} days before its deadline`)
  }
  return wrong
}

/** All in epoch milliseconds of the world. */
interface Waiting {
  readonly evidenceDueBy: number
  /** When its deadline was known. */
  readonly knownAt: number
  /** When it was answered, or ended. */
  readonly overAt: number
}

/** Whether processes looked often enough while the clock said that it was time for the reminder and not yet for the next. */
const isReminderDue = (days: (typeof reminders)[number], waiting: Waiting, { jumps, looks }: DisputeSide): boolean => {
  const { evidenceDueBy, knownAt, overAt } = waiting
  const next = reminders[reminders.indexOf(days) + 1]
  const from = evidenceDueBy - days * day + marginMillis
  const until = (next === undefined ? evidenceDueBy : evidenceDueBy - next * day) - marginMillis
  const within = looks.filter(({ at }) => {
    const said = at + aheadAt(at, jumps)
    return at >= knownAt + marginMillis && at <= overAt - marginMillis && said >= from && said <= until
  })
  return within.some(({ isCalm }) => isCalm) || within.length >= looksEnough
}

const aheadAt = (at: number, jumps: DisputeSide["jumps"]): number =>
  jumps.findLast((jump) => jump.at <= at)?.aheadMillis ?? 0

/** The latest time of the world at which the clock said so. */
const worldTimeOf = (said: number, jumps: DisputeSide["jumps"]): number => {
  const times = [0, ...jumps.map(({ aheadMillis }) => aheadMillis)].map((aheadMillis) => said - aheadMillis)
  return Math.max(...times.filter((at) => at + aheadAt(at, jumps) === said))
}
