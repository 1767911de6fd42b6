/**
 * Which of its acts the simulated provider does next, and what people do there on its own pages: drawn among what its books
 * allow.
 */

import type { ProviderWays } from "./CallHandling.ts"
import type { Draw } from "./Draw.ts"
import type { Taken } from "./Mail.ts"
import type { ProviderAct } from "./ProviderActs.ts"
import {
  type ChargeRecord,
  type OperationRecord,
  type RefundRecord,
  refundableAtProvider,
  refundedOf
} from "./ProviderBooks.ts"
import type { Letter } from "./ProviderMail.ts"
import { day, hour, minute } from "./Time.ts"

export interface ActBooks {
  readonly charges: ReadonlyMap<string, ChargeRecord>
  readonly refunds: ReadonlyMap<string, RefundRecord>
  readonly heard: ReadonlyMap<Letter, Taken>
}

/** How a provider behaves in a run: an honest one disputes only what it took, and never goes back on its word. */
export type Temper = "honest" | "contradictory"

/**
 * `undefined` where it has no charge to act on. Of one charge's money it goes back on its word again only once the word
 * before was heard: core records the dates of failures and corrections, and not of what says the same as the record.
 */
export const drawAct = (draw: Draw, books: ActBooks, temper: Temper): ProviderAct | undefined => {
  const acts = temper === "honest" ? honestActs(draw, books) : [...honestActs(draw, books), ...reversals(draw, books)]
  return draw.one(acts)?.()
}

type Choice = () => ProviderAct

/** No choice where nothing is there to act on. */
const on = <Subject>(
  draw: Draw,
  subjects: ReadonlyArray<Subject>,
  act: (subject: Subject) => ProviderAct
): ReadonlyArray<Choice> => {
  const subject = draw.one(subjects)
  return subject === undefined ? [] : [() => act(subject)]
}

const honestActs = (draw: Draw, { charges }: ActBooks): ReadonlyArray<Choice> => {
  const all = [...charges.values()]
  const captured = all.filter(isCaptured)
  const unpaid = captured.filter(({ isPaidOut }) => !isPaidOut)
  return [
    ...on(draw, unpaid, (charge) => ({ _tag: "PaysOut", charge })),
    ...on(draw, captured, (charge) => disputing(draw, charge)),
    ...on(draw, all, ({ connectionId }) => ({ _tag: draw.pick(["WritesNonsense", "WritesOfOthers"]), connectionId }))
  ]
}

const reversals = (draw: Draw, { charges, heard, refunds }: ActBooks): ReadonlyArray<Choice> => {
  const all = [...charges.values()]
  const given = [...refunds.values()]
  const settled = all.filter(({ lastWord }) => lastWord === null || heard.has(lastWord))
  const captured = settled.filter((one) => isCaptured(one) && one.capturesByHand.length === 0)
  const succeeded = given.filter(({ state }) => state === "Succeeded")
  const failed = given.filter(({ state }) => state === "RefundFailed")
  return [
    ...on(draw, all, (charge) => disputing(draw, charge)),
    ...on(draw, captured, (charge) => ({ _tag: "FailsCapture", charge, again: drawRetry(draw) })),
    ...on(draw, captured, (charge) => correcting(draw, charge, given)),
    ...on(draw, settled.filter(isAfter("Authorized", "capture", "Failed")), capturingAfterAll),
    ...on(draw, settled.filter(isAfter("Canceled", "void", "Done")), (charge) => ({ _tag: "FailsVoid", charge })),
    ...on(draw, succeeded, (refund) => ({ _tag: "FailsRefund", refund })),
    ...on(draw, failed, (refund) => ({ _tag: "RefundsAfterAll", refund }))
  ]
}

const capturingAfterAll = (charge: ChargeRecord): ProviderAct => {
  return { _tag: "CapturesAfterAll", charge, capturedMinor: charge.money.minorUnits }
}

const isCaptured = ({ state }: ChargeRecord): boolean => state === "Captured"

const isAfter =
  (state: ChargeRecord["state"], kind: OperationRecord["kind"], end: OperationRecord["state"]) =>
  (charge: ChargeRecord): boolean =>
    charge.state === state && charge.operation?.kind === kind && charge.operation.state === end

const drawRetry = (draw: Draw) =>
  draw.chance(0.6) ? null : { after: draw.pick([minute, hour, 20 * hour]), becomes: draw.pick(["done", "refused"]) }

/** A charge has one dispute without a name, or two at most with names; each may end, and end otherwise later. */
const disputing = (draw: Draw, charge: ChargeRecord): ProviderAct => {
  const known = [...charge.disputes.keys()]
  const isNew = known.length === 0 || (draw.chance(0.2) && known.length < 2 && !charge.disputes.has(null))
  if (isNew) {
    return opening(draw, charge, known.length === 0 && draw.chance(0.5) ? null : nextId(charge))
  }
  return { _tag: "Disputes", charge, disputeId: draw.one(known) ?? null, verdict: draw.pick(["won", "won", "lost"]) }
}

const nextId = ({ attemptId, disputes }: ChargeRecord): string => `du_${disputes.size + 1}_${attemptId}`

const opening = (draw: Draw, charge: ChargeRecord, disputeId: string | null): ProviderAct => {
  const dueIn = draw.pick([null, 2 * hour, 30 * hour, 4 * day, 8 * day])
  return { _tag: "Disputes", charge, disputeId, verdict: "opened", dueIn }
}

/** One more dispute of captured money, that can be answered; `undefined` where there is none to dispute. */
export const drawDispute = (draw: Draw, { charges }: Pick<ActBooks, "charges">): ProviderAct | undefined => {
  const charge = draw.one([...charges.values()].filter((one) => isCaptured(one) && one.disputes.size < 3))
  return charge === undefined || charge.disputes.has(null) ? undefined : opening(draw, charge, nextId(charge))
}

/** More, up to the authorization or above it; or less, and no less than it gave back. */
const correcting = (draw: Draw, charge: ChargeRecord, refunds: ReadonlyArray<RefundRecord>): ProviderAct => {
  const { capturedMinor, money } = charge
  const least = Math.max(1, refundedOf(refunds.filter((refund) => refund.charge === charge)))
  const greater = draw.pick([capturedMinor + 1, money.minorUnits, money.minorUnits + 100])
  const drawn = draw.chance(0.7) ? greater : Math.max(least, Math.floor(capturedMinor / 2))
  return { _tag: "CorrectsCapture", charge, capturedMinor: drawn === capturedMinor ? capturedMinor + 1 : drawn }
}

/** `undefined` where there is nothing to act on. */
export const drawByHand = (
  draw: Draw,
  { charges, refunds }: Pick<ActBooks, "charges" | "refunds">,
  { answersWithoutAmounts }: ProviderWays
): ProviderAct | undefined => {
  // Of a charge whose reference is that of another payment nothing can be told.
  const all = [...charges.values()].filter(({ isReferenceShared }) => !isReferenceShared)
  const taken = all.filter(({ state }) => state === "Captured")
  const refundable = taken.filter((charge) => refundableAtProvider(charge, refunds.values()) > 0)
  // What its answers leave out of a capture would be unknown before the message.
  const capturable = answersWithoutAmounts ? [] : all.filter((charge) => roomOf(charge) > 0)
  const voidable = all.filter((charge) => !charge.isReleased && (charge.state === "Authorized" || roomOf(charge) > 0))
  const won = taken.filter((charge) => wonOf(charge).length > 0)
  const refund = (charge: ChargeRecord) => refunding(draw, charge, refundableAtProvider(charge, refunds.values()))
  const capture = (charge: ChargeRecord) => capturing(draw, charge)
  const choices = [
    ...[...on(draw, refundable, refund), ...on(draw, refundable, refund)],
    ...[...on(draw, capturable, capture), ...on(draw, capturable, capture)],
    ...on(draw, voidable, (charge) => ({ _tag: "VoidsByHand", charge })),
    ...on(draw, won, (charge) => reopening(draw, charge)),
    ...on(draw, all, (charge) => ({ _tag: "ChargesElsewhere", charge, isNamed: draw.chance(0.5) }))
  ]
  return draw.one(choices)?.()
}

/** What a person may still capture, in minor units. */
const roomOf = (charge: ChargeRecord) => {
  const { capturedMinor, capturesByHand, contradictions, isReleased, money, operation, state } = charge
  const isOpen = operation === null || operation.state !== "Accepted"
  // What went back of a charge, or is disputed otherwise than it was, is no subject of captures any more.
  const isPlain = contradictions.every((one) => one.startsWith("captured ") && one.endsWith(" by hand"))
  const isPart = state === "Captured" && (operation !== null || capturesByHand.length > 0)
  return !isReleased && isOpen && isPlain && (state === "Authorized" || isPart) ? money.minorUnits - capturedMinor : 0
}

const refunding = (draw: Draw, charge: ChargeRecord, left: number): ProviderAct => {
  const amountMinor = Math.min(left, draw.pick([left, 1, 500, 1999, Math.ceil(left / 2)]))
  const later = draw.chance(0.5)
    ? null
    : { after: draw.pick([minute, 5 * hour, 30 * hour]), becomes: draw.pick(["done", "done", "refused", "canceled"]) }
  return { _tag: "RefundsByHand", charge, amountMinor, later }
}

const capturing = (draw: Draw, charge: ChargeRecord): ProviderAct => {
  const room = roomOf(charge)
  const isAbove = charge.state === "Authorized" && draw.chance(0.1)
  const drawn = isAbove ? room + 100 : Math.min(room, draw.pick([room, 500, 1999, Math.ceil(room / 2)]))
  return { _tag: "CapturesByHand", charge, capturedMinor: drawn }
}

/** The disputes that were won without an answer of ours, by their ids. */
const wonOf = ({ disputeRecords, disputes }: ChargeRecord): ReadonlyArray<string | null> =>
  [...disputes].flatMap(([id, verdict]) =>
    verdict === "won" && (disputeRecords.get(id ?? "")?.submissions.length ?? 0) === 0 ? [id] : []
  )

/** Pre-arbitration: the dispute opens again under its id. */
const reopening = (draw: Draw, charge: ChargeRecord): ProviderAct => {
  const [disputeId = null] = wonOf(charge)
  return { _tag: "Disputes", charge, disputeId, verdict: "opened", dueIn: draw.pick([null, 30 * hour, 8 * day]) }
}
