/**
 * What has to hold between our record and the provider's books when everything has come to rest: no money is held,
 * taken or given back of which we do not know, and none that is not there. Where the provider contradicted itself, every
 * difference that is left is named by a review (`Differences.ts`). Pure; all functions give what is wrong.
 */
import { type Event, type Payment, type PaymentState, statusOf } from "@pointsman/core"
import type { PaymentBook } from "@pointsman/core/ports"
import { brokenInvariants } from "../Invariants.ts"
import { differences, unnamed } from "./Differences.ts"
import {
  type CallRecord,
  type ChargeRecord,
  isDisputedAtProvider,
  type RefundRecord,
  refundedOf
} from "./ProviderBooks.ts"
import { day } from "./Time.ts"

/** What the provider has about one payment. */
export interface ProviderSide {
  readonly charges: ReadonlyArray<ChargeRecord>
  readonly refunds: ReadonlyArray<RefundRecord>
  /** The store lost records of the payment: payouts and disputes are in no list, and cannot come back. */
  readonly hasLostRecords?: boolean
  /** The credentials of one of its connections opened another account for a time. */
  readonly isOfOtherAccount?: boolean
  /** It is reviewed, and a clock that was ahead may have dated an operation of it after the provider's word about that. */
  readonly isReviewedAfterJump?: boolean
  /** A row about what was captured is an open difference: a person sees what is captured, as in a review. */
  readonly hasOpenCharge?: boolean
  /** A person captured or voided it where we did too, or has released the rest: what was whose, a review says. */
  readonly isByBoth?: boolean
}

/** The states in which no party waits for a result. */
export const isAtRest = (state: PaymentState): boolean =>
  statusOf[state] !== "UNKNOWN" && statusOf[state] !== "PENDING" && statusOf[state] !== "REQUIRES_ACTION"

/** `events`: the whole timeline, oldest first. */
export const wrongWith = (
  book: PaymentBook,
  events: ReadonlyArray<Event>,
  side: ProviderSide
): ReadonlyArray<string> => {
  const { attempts, operations, payment } = book
  const { charges } = side
  // An event's time is that of the decision: of two that commit one after the other the later one may have decided first.
  const inOrder = events.map((event) => ({ ...event, createdAt: 0 }))
  const wrong = [...brokenInvariants({ ...book, events: inOrder })]
  const held = charges.filter(({ state }) => isHeld(state))
  if (held.length > 1) wrong.push(`${held.length} charges hold money`)
  if (attempts.some(({ outcome }) => outcome === null)) wrong.push("an attempt is in flight")
  if (operations.some(({ outcome }) => outcome === null)) wrong.push("a capture or a void is in flight")
  // What was charged in an account that is not named yet is not found in the one before: a review names the money.
  const isUnderReview = side.isOfOtherAccount === true && payment.review !== null
  if (held[0] !== undefined && payment.connectionId !== held[0].connectionId && !isUnderReview) {
    wrong.push(`it is with ${payment.connectionId}, and its money with ${held[0].connectionId}`)
  }
  if (events.filter(({ type }) => type === "payment.settled").length > 1 && !isContradicted(side)) {
    wrong.push("it is reported as settled twice")
  }
  return [...wrong, ...(isContradicted(side) ? unexplained(book, events, side) : unlike(book, events, side))]
}

export const isContradicted = (side: ProviderSide): boolean =>
  side.hasLostRecords === true ||
  side.isOfOtherAccount === true ||
  side.isReviewedAfterJump === true ||
  side.isByBoth === true ||
  side.charges.some((one) => one.contradictions.length > 0)

export const isHeld = (state: ChargeRecord["state"]): boolean => state === "Authorized" || state === "Captured"

const isReuseSeen = (providerRef: string, { review }: Payment, events: ReadonlyArray<Event>): boolean =>
  review !== null &&
  events.some(({ data, type }) => type === "payment.conflict" && data["provider_reference"] === providerRef)

/** The provider corrected what it had captured, and the row that says otherwise is shown as an open difference. */
const isOpenRow = (what: string, { charges, hasOpenCharge }: ProviderSide): boolean =>
  what.startsWith("captured ") &&
  hasOpenCharge === true &&
  charges.some(({ contradictions }) => contradictions.some((one) => one.startsWith("captured ")))

/** The provider contradicted itself: what differs, and what is left open, is named by a review. */
const unexplained = (book: PaymentBook, events: ReadonlyArray<Event>, side: ProviderSide) => {
  const { charges, hasLostRecords = false, refunds } = side
  const { payment } = book
  const shared = charges.filter(({ isReferenceShared }) => isReferenceShared)
  const isSeen = ({ providerRef }: ChargeRecord) => isReuseSeen(providerRef, payment, events)
  // A decline moves no money: its reference, where it is recorded first, contests none.
  const unseen = shared.filter((charge) => charge.isReferenceContested && isHeld(charge.state) && !isSeen(charge))
  // Of a charge whose reference is contested nothing can be told: the review is of all that it did.
  const found =
    unseen.length > 0 || shared.some(isSeen)
      ? []
      : unnamed(differences(book, charges, refunds, hasLostRecords), book, events)
  const left = [
    ...found.filter(({ what }) => !isOpenRow(what, side)).map(({ what }) => `${what}, and no review names it`),
    ...unseen.map(({ providerRef }) => `the reference ${providerRef} is another payment's too, and no review names it`)
  ]
  const isOpen = !isAtRest(payment.state) || payment.refundPendingMinor > 0
  return isOpen && payment.review === null ? [...left, `it is ${payment.state}, and has no review`] : left
}

/** This provider made no contradiction, and stated what was asked: where a record differs, we had guessed. */
const unlike = (
  { payment, refunds }: PaymentBook,
  events: ReadonlyArray<Event>,
  { charges, refunds: given }: ProviderSide
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  // A checkout whose opening was not answered may be paid on for ever: operators close it.
  const isLeftOpen =
    payment.state === "ChargeUnknown" &&
    payment.hosted !== null &&
    payment.tenant.environment === "production" &&
    charges.length === 0
  if (!isAtRest(payment.state) && !isLeftOpen) wrong.push(`it is ${payment.state}, and no work on it is left`)
  for (const { id, stage } of refunds) {
    if (stage === "Sending" || stage === "Pending" || stage === "Unknown") wrong.push(`refund ${id} is ${stage}`)
  }
  const truth = truthOf(charges, given)
  if (!truth.states.includes(payment.state) && !isLeftOpen) {
    wrong.push(`it is ${payment.state}, and in truth ${truth.states.join(" or ")}`)
  }
  for (const field of ["authorizedMinor", "capturedMinor", "refundedMinor", "refundPendingMinor"] as const) {
    const amount = truth[field]
    if (amount !== null && payment[field] !== amount)
      wrong.push(`${field} is ${payment[field]}, and in truth ${amount}`)
  }
  for (const { type } of events) {
    if (type === "payment.conflict" || type === "payment.amount_mismatch") wrong.push(`its timeline tells ${type}`)
  }
  if (payment.review !== null && !isLeftOpen) {
    wrong.push(`it waits for operations: ${payment.review.reasons.join(", ")}`)
  }
  const isPaidOut = charges.some((charge) => charge.isPaidOut)
  if (isPaidOut !== events.some(({ type }) => type === "payment.settled")) {
    wrong.push(
      isPaidOut ? "it was paid out, and is not reported as settled" : "it is reported as settled, and was not paid out"
    )
  }
  return wrong
}

interface Truth extends Pick<Payment, "capturedMinor" | "refundedMinor" | "refundPendingMinor"> {
  readonly states: ReadonlyArray<PaymentState>
  /** `null` where nothing is held, and what was held is history. */
  readonly authorizedMinor: number | null
}

export const truthOf = (charges: ReadonlyArray<ChargeRecord>, given: ReadonlyArray<RefundRecord>): Truth => {
  const held = charges.find(({ state }) => isHeld(state))
  const nothing = { authorizedMinor: null, capturedMinor: 0, refundedMinor: 0, refundPendingMinor: 0 }
  if (held === undefined) {
    const wasCanceled = charges.some(({ state }) => state === "Canceled")
    return { ...nothing, states: wasCanceled ? ["Cancelled", "Voided"] : ["Declined", "Failed", "Cancelled"] }
  }
  const { capturedMinor, money } = held
  if (held.state === "Authorized") return { ...nothing, authorizedMinor: money.minorUnits, states: ["Authorized"] }
  const refundedMinor = refundedOf(given)
  return {
    states: [takenState(held, refundedMinor)],
    // An automatic capture of less is the only report of the authorization.
    authorizedMinor: held.capturesByHand.length > 0 ? null : held.operation === null ? capturedMinor : money.minorUnits,
    capturedMinor,
    refundedMinor,
    refundPendingMinor: 0
  }
}

const takenState = (held: ChargeRecord, refundedMinor: number): PaymentState => {
  if (isDisputedAtProvider(held)) return "ChargedBack"
  if (refundedMinor > 0) return refundedMinor < held.capturedMinor ? "PartiallyRefunded" : "Refunded"
  return held.isPaidOut ? "Settled" : "Captured"
}

/**
 * Nothing is asked of a provider twice: every call has a key of its own, and no process retries by itself. A store that
 * lost a call at `lostAt` may make it once more under the same key, which the provider knows for a day at least. At any time it
 * may repeat what the provider never did, what the provider does only within a day after the repetition, under the key
 * that it knows from there, and a void: a charge that is canceled stays canceled.
 */
export const askedTwice = (calls: ReadonlyArray<CallRecord>, lostAt?: number): ReadonlyArray<string> => {
  const seen = new Map<string, CallRecord>()
  return calls.flatMap((call) => {
    const key = `${call.name} ${call.id}`
    const before = seen.get(key)
    seen.set(key, call)
    if (before === undefined) return []
    const isLost = lostAt !== undefined && before.at <= lostAt && call.at >= lostAt
    const { doneAt } = before
    const isKnown = call.at < before.at + day
    const isDoneAfter = doneAt === null || (doneAt >= call.at && doneAt < call.at + day)
    const isHarmless = isKnown || isDoneAfter || call.name === "void"
    return isLost && isHarmless ? [] : [`the provider was asked twice: ${key}`]
  })
}
