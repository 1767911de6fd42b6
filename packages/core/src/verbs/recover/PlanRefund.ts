/** What a refund of a provider's list means for the payment that it refunds. Pure. */
import type { Step } from "../../commit/CommitChange.ts"
import type { Applied } from "../../decide/Applied.ts"
import { holdingAttempt } from "../../decide/Holding.ts"
import { interpret } from "../../decide/interpret/Interpret.ts"
import { contradicts } from "../../decide/interpret/Interpretation.ts"
import { applyRefundFact, refundFactOf, replyTo } from "../../decide/RefundFact.ts"
import type { Attempt } from "../../model/Attempt.ts"
import { type Payment, refundableMinor } from "../../model/Payment.ts"
import { bookAfter, movedPayment, type PaymentBook, refundTotals } from "../../model/PaymentBook.ts"
import { inOperation, taken } from "../../model/PaymentMachine.ts"
import { begunRefund, isGivenBack, type Refund, withRefund } from "../../model/Refund.ts"
import { nothingReported } from "../../model/Reported.ts"
import type { ListedRefund } from "../../ports/ProviderLists.ts"
import type { ListedAt } from "./PlanCharge.ts"

export type RefundPlan =
  | { readonly _tag: "Adopt"; readonly step: Step; readonly book: PaymentBook }
  /** The record cannot take it: operators review the payment. */
  | { readonly _tag: "Review"; readonly step: Step; readonly book: PaymentBook }
  | { readonly _tag: "LookUp"; readonly book: PaymentBook; readonly refund: Refund }
  /** What it refunds is not captured on file: the capture was lost too. */
  | { readonly _tag: "LookUpCharge"; readonly book: PaymentBook; readonly attempt: Attempt }
  | { readonly _tag: "Known" }
  /** It refunds a charge that is not on file, or cannot be understood. */
  | { readonly _tag: "Keep"; readonly reason: string }

/**
 * `book`: of the charge that is refunded; `undefined` where it is not stored. `isLookedUp`: its charge was, just before.
 * `byHandId`: our id of a refund that was made at the provider.
 */
export const planRefund = (
  at: ListedAt,
  listed: ListedRefund,
  book: PaymentBook | undefined,
  now: number,
  { byHandId, isLookedUp = false }: { readonly byHandId?: string; readonly isLookedUp?: boolean } = {}
): RefundPlan => {
  // Without our id and our charge it is nothing of ours: other programs may use the account.
  if (book === undefined && listed.refundId === null) return { _tag: "Known" }
  if (book === undefined) return { _tag: "Keep", reason: "provider_reference: the refunded charge is not stored here" }
  const { providerRefundId } = listed.state
  const known = book.refunds.find((one) => one.id === listed.refundId || one.providerRefundId === providerRefundId)
  if (known !== undefined && !isTakenAgain(known, listed)) return planKnown(at, listed, book, known, now)
  const { refundId } = listed
  const isAdoptable = mayTake(book.payment, listed)
  if (!isAdoptable && listed.state._tag === "RefundFailed") return { _tag: "Known" }
  const uncaptured = isAdoptable || isLookedUp ? undefined : uncapturedAttempt(book)
  if (uncaptured !== undefined) return { _tag: "LookUpCharge", book, attempt: uncaptured }
  if (refundId === null) return byHand(at, listed, book, byHandId, now)
  return isAdoptable ? adopt(at, { ...listed, refundId }, book, now) : review(at, { ...listed, refundId }, book, now)
}

/** It was made at the provider: what a message that states it would mean. */
const byHand = (
  at: ListedAt,
  { money, providerRef, state }: ListedRefund,
  book: PaymentBook,
  refundId: string | undefined,
  now: number
): RefundPlan => {
  const { providerRefundId } = state
  const about = {
    _tag: "UnnamedRefund" as const,
    charge: { providerRef },
    providerRefundId,
    state: () => (state._tag === "RefundFailed" ? state : { ...state, stated: state.stated ?? money }),
    ...(refundId === undefined ? {} : { refundId })
  }
  const meaning = interpret(book, at.connectionId, { via: "lookup", at: null, askedAt: now, about }, now)
  if (meaning._tag === "Malformed") return { _tag: "Keep", reason: meaning.reason }
  const applied = "applied" in meaning ? meaning.applied : undefined
  if (applied === undefined) return { _tag: "Known" }
  return written(meaning._tag === "Contradicts" ? "Review" : "Adopt", at, book, applied)
}

/** Nothing was sent of the one on file: a later request under the same key took its id, and is what was lost. */
const isTakenAgain = (known: Refund, { refundId, state }: ListedRefund): boolean =>
  known.id === refundId && isGivenBack(known) && known.answeredAt === null && state._tag !== "RefundFailed"

const planKnown = (at: ListedAt, listed: ListedRefund, book: PaymentBook, refund: Refund, now: number): RefundPlan => {
  // Its request may be under way: the background checks it.
  if (refund.stage === "Sending") return { _tag: "Known" }
  const about = { _tag: "Refund" as const, refundId: refund.id, state: () => listed.state }
  const meaning = interpret(book, at.connectionId, { via: "lookup", at: null, askedAt: now, about }, now)
  return meaning._tag === "Moves" || (meaning._tag === "Contradicts" && meaning.applied !== undefined)
    ? { _tag: "LookUp", book, refund }
    : { _tag: "Known" }
}

/** A charge from before the loss is in no list. A capture on file is checked by the background, by its own id. */
const uncapturedAttempt = (book: PaymentBook): Attempt | undefined =>
  book.payment.capturedMinor === 0 && !inOperation.has(book.payment.state) ? holdingAttempt(book) : undefined

/** Whether the payment's record has room for it: what went back must have been captured. */
const mayTake = (payment: Payment, { money, state }: ListedRefund): boolean => {
  const minorUnits = state._tag === "RefundFailed" ? 0 : money.minorUnits
  return money.currency === payment.money.currency && taken.has(payment.state) && minorUnits <= refundableMinor(payment)
}

/** Recorded as it would have been had its call not been answered, and settled by what the list states. */
const adopt = (
  at: ListedAt,
  listed: ListedRefund & { readonly refundId: string },
  book: PaymentBook,
  now: number
): RefundPlan => {
  const claimed: Refund = {
    ...begunRefund,
    id: listed.refundId,
    claimedBy: null,
    paymentId: book.payment.id,
    origin: "api",
    money: listed.money,
    requestedMinor: listed.money.minorUnits,
    reason: null,
    idempotencyKey: null,
    connectionId: at.connectionId,
    providerRef: listed.providerRef,
    timeoutMillis: at.timeoutMillis,
    sentAt: listed.created
  }
  const refunds = withRefund(book.refunds, claimed)
  const fact = refundFactOf(listed.money, listed.state)
  // What failed reserves nothing, and its payment may have nothing left to reserve.
  const reserved = fact.on === "RefundRefused" ? book.payment : { ...book.payment, ...refundTotals(refunds) }
  const { events, payment, refund } = applyRefundFact(reserved, refunds, claimed, fact, now)
  const reported = { ...(payment.reported ?? nothingReported), isRecovered: true }
  const after: Payment = { ...payment, reported, updatedAt: now }
  // What its request was answered, for when its key comes again.
  const answered: Refund = { ...refund, answeredAt: listed.created, reply: replyTo(refund, after) }
  return written("Adopt", at, { ...book, refunds }, { payment: after, refunds: [answered], events })
}

const review = (
  at: ListedAt,
  listed: ListedRefund & { readonly refundId: string },
  book: PaymentBook,
  now: number
): RefundPlan => {
  const { money, providerRef, refundId, state } = listed
  const name = `refund:${refundId}:${state.providerRefundId}`
  const evidence = {
    refund_id: refundId,
    provider_reference: providerRef,
    provider_refund_id: state.providerRefundId,
    stated: "refunded",
    stated_amount: money.minorUnits,
    stated_currency: money.currency
  }
  const meaning = contradicts(book, name, evidence, now)
  const applied = "applied" in meaning ? meaning.applied : undefined
  return applied === undefined ? { _tag: "Known" } : written("Review", at, book, applied)
}

const written = (
  _tag: "Adopt" | "Review",
  { tenant }: ListedAt,
  book: PaymentBook,
  { events, payment, refunds }: Pick<Applied, "payment" | "refunds" | "events">
): RefundPlan => {
  const step: Step = { tenant, payment: movedPayment(book, payment), refunds, events }
  return { _tag, step, book: bookAfter(book, { payment, refunds }) }
}
