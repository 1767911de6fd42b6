/**
 * What one statement of a provider means for a payment, given everything that is recorded of it (decisions, section 3:
 * "No word about money is dropped"). Pure.
 *
 * The rule that a reader would otherwise break: messages arrive late, twice and out of order, so they confirm and do not
 * deny. Silence, an authorization or an acceptance says nothing about a capture, a void or a refund that was asked for
 * since. That money is held or taken is believed whenever the statement arrives. A statement that neither moves the
 * payment, nor confirms it, nor is older than the record contradicts it, and operations review it.
 */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import type { Attempt } from "../model/Attempt.ts"
import type { JsonObject } from "../model/Event.ts"
import type { Operation } from "../model/Operation.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import { paymentEvent } from "../model/PaymentEvents.ts"
import {
  moneyHeld,
  moneyTaken,
  operating,
  type PaymentEvent,
  PaymentMachine,
  type PaymentState
} from "../model/PaymentMachine.ts"
import type { ChargeName, ChargeState, MessageAbout, ProviderMessage } from "../model/ProviderStatement.ts"
import { Unanswered } from "../model/ProviderStatement.ts"
import type { Refund } from "../model/Refund.ts"
import { type DisputeStatement, isDisputed, nothingReported, type Reported } from "../model/Reported.ts"
import { type Applied, endedBy, ofChargeFact, ofRival, replaced, secondChargeOf, unchanged } from "./Applied.ts"
import { type ChargeFact, chargeFactOf, tellsOfMoney } from "./ChargeFact.ts"
import { checkoutFactOf } from "./CheckoutFact.ts"
import { correctCapture } from "./CorrectCapture.ts"
import { holdingAttempt, openOperation } from "./Holding.ts"
import { applyOperationFact, type OperationFact, operationFactOf } from "./OperationFact.ts"
import { applyOperationFailure } from "./OperationFailure.ts"
import { applyRefundFact, refundFactOf } from "./RefundFact.ts"
import { asUsable, asUsableOperation, asUsableRefund } from "./UsableAnswer.ts"
import { withReview } from "./WithReview.ts"

export type Interpretation =
  /** Facts to apply, with their events. */
  | { readonly _tag: "Moves"; readonly applied: Applied }
  /** The record says the same. `applied`: where the statement itself is kept on the payment. */
  | { readonly _tag: "Confirms"; readonly applied?: Applied | undefined }
  /** The record is newer, and the statement says nothing else. */
  | { readonly _tag: "Older" }
  /** It counts once a charge, a capture or a void that is under way has ended. */
  | { readonly _tag: "Waits"; readonly applied?: Applied | undefined }
  /** The record cannot take it. `applied`: a review with the statement as evidence; absent where it has one already. */
  | { readonly _tag: "Contradicts"; readonly applied?: Applied | undefined }
  /** A connector made a statement that is incomplete. */
  | { readonly _tag: "Malformed"; readonly reason: string }

const confirms: Interpretation = { _tag: "Confirms" }
const older: Interpretation = { _tag: "Older" }
const waits: Interpretation = { _tag: "Waits" }
const moves = (applied: Applied): Interpretation => ({ _tag: "Moves", applied })

/** The statement concerns an attempt, an operation or a refund of the book at this connection (`isAboutBook`). */
export const interpret = (
  book: PaymentBook,
  connectionId: string,
  { about, at }: Pick<ProviderMessage, "about" | "at">,
  now: number
): Interpretation => {
  switch (about._tag) {
    case "Refund": {
      const refund = book.refunds.find((one) => one.id === about.refundId)
      return refund === undefined ? older : ofRefund(book, refund, about.state(refund.money), at, now)
    }
    case "Operation": {
      const operation = book.operations.find((one) => one.id === about.operationId)
      return operation === undefined ? older : ofOperation(book, operation, about.state(operation.money), at, now)
    }
    default: {
      const attempt = attemptNamed(book, connectionId, about.charge)
      return attempt === undefined ? older : ofAttempt(book, attempt, about, at, now)
    }
  }
}

/** Whether a statement that came in at the connection concerns something that this connection was asked. */
export const isAboutBook = (book: PaymentBook, connectionId: string, about: MessageAbout): boolean => {
  const isAsked = (one: { readonly id: string; readonly connectionId: string }, id: string) =>
    one.id === id && one.connectionId === connectionId
  if (about._tag === "Refund") return book.refunds.some((one) => isAsked(one, about.refundId))
  if (about._tag === "Operation") return book.operations.some((one) => isAsked(one, about.operationId))
  return attemptNamed(book, connectionId, about.charge) !== undefined
}

/** The attempt that a statement names, among those of its connection. */
export const attemptNamed = (
  { attempts }: PaymentBook,
  connectionId: string,
  charge: ChargeName
): Attempt | undefined =>
  attempts.findLast(
    (one) =>
      one.connectionId === connectionId &&
      ("attemptId" in charge ? one.id === charge.attemptId : one.providerRef === charge.providerRef)
  )

type AboutCharge = Extract<MessageAbout, { readonly charge: ChargeName }>

const ofAttempt = (
  book: PaymentBook,
  attempt: Attempt,
  about: AboutCharge,
  at: number,
  now: number
): Interpretation => {
  switch (about._tag) {
    case "Charge":
      return ofCharge(book, attempt, about.state(attempt.money), at, now)
    case "Dispute":
      return ofDispute(book, attempt, { disputeId: about.disputeId, verdict: about.verdict, at }, now)
    case "Settled": {
      const said = about.state === null ? undefined : about.state(attempt.money)
      if (said === undefined) return ofSettlement(book, attempt, now)
      // What is paid out was taken: where that is not recorded yet, the statement says it.
      const charged = ofCharge(book, attempt, said, at, now)
      if (charged._tag === "Malformed" || isOfAnotherCharge(book.payment, said)) return charged
      if (charged._tag === "Older" || charged.applied === undefined) return ofSettlement(book, attempt, now)
      const settled = ofSettlement(after(book, charged.applied), attempt, now)
      const second = "applied" in settled ? settled.applied : undefined
      return second === undefined ? charged : { ...charged, applied: both(charged.applied, second) }
    }
  }
}

const after = (book: PaymentBook, { attempts, operations, payment }: Applied): PaymentBook => ({
  ...book,
  payment,
  attempts: replaced(book.attempts, attempts),
  operations: book.operations.map((one) => operations.find(({ id }) => id === one.id) ?? one)
})

const both = (first: Applied, second: Applied): Applied => ({
  ...first,
  payment: { ...second.payment, version: first.payment.version },
  events: [...first.events, ...second.events]
})

const inOperation: ReadonlySet<PaymentState> = new Set(operating)
const taken: ReadonlySet<PaymentState> = new Set(moneyTaken)
const held: ReadonlySet<PaymentState> = new Set(moneyHeld)

// Charges.

const ofCharge = (book: PaymentBook, attempt: Attempt, said: ChargeState, at: number, now: number): Interpretation => {
  const state = asUsable(said)
  if (state instanceof Unanswered) return { _tag: "Malformed", reason: state.reason }
  if (!held.has(book.payment.state)) return ofUnheld(book, attempt, state, at, now)
  if (holdingAttempt(book)?.id !== attempt.id) return ofOtherAttempt(book, attempt, state, now)
  return isOfAnotherCharge(book.payment, state)
    ? ofSecondCharge(book, attempt, state, now)
    : ofHolder(book, attempt, state, at, now)
}

/** No attempt is recorded to hold money. */
const ofUnheld = (book: PaymentBook, attempt: Attempt, state: ChargeState, at: number, now: number): Interpretation => {
  const fact = factOfUnheld(book, attempt, state, at, now)
  if (typeof fact === "string")
    return fact === "Older"
      ? older
      : fact === "Confirms"
        ? confirms
        : contradicts(book, `charge:${state._tag}`, evidenceOf(attempt, state), now)
  const applied = ofChargeFact(book, endedBy(attempt, state, fact, now), fact, now)
  return applied === undefined ? confirms : moves(applied)
}

const factOfUnheld = (
  { attempts, payment }: PaymentBook,
  attempt: Attempt,
  state: ChargeState,
  at: number,
  now: number
): ChargeFact | "Confirms" | "Older" | "Contradicts" => {
  const isLast = attempts.at(-1)?.id === attempt.id
  const fact = chargeFactOf(payment, attempt.connectionId, state)
  switch (payment.state) {
    case "Charging":
    case "CheckoutOpen":
    case "ChargePending":
    case "ChargeUnknown": {
      // An attempt that another one followed had executed nothing; it counts where it states money after all.
      if (!isLast) return tellsOfMoney(fact) ? fact : "Confirms"
      // The answer to the call says the same, and the next connection may be asked then.
      if (attempt.outcome === null && state._tag === "Declined" && state.soft) return "Confirms"
      if (attempt.checkout === null) return fact
      // A refusal that was written while the customer could try again is not the last word, however late it arrives.
      const checkout = { ...attempt, checkout: attempt.checkout }
      return checkoutFactOf(payment, checkout, { _tag: "Found", state }, Math.min(at, now)) ?? "Confirms"
    }
    case "ChargeMismatched":
      // Only a stated amount corrects a stated amount.
      if (attempt.connectionId !== payment.connectionId) return tellsOfMoney(fact) ? "Contradicts" : "Older"
      return state._tag === "Canceled" || ("stated" in state && state.stated !== undefined) ? fact : "Confirms"
    case "Failed":
    case "Declined":
    case "Cancelled": {
      if (state._tag === "Pending") return "Older"
      if (state._tag !== "Authorized") return tellsOfMoney(fact) ? fact : "Confirms"
      // It was released again: an older statement of the authorization arrives late.
      if (attempt.outcome === "Canceled" && at < (attempt.answeredAt ?? now)) return "Older"
      // Nobody waits for the provider to capture: what it holds is held, however it was asked for.
      return chargeFactOf({ ...payment, captureMethod: "manual" }, attempt.connectionId, state)
    }
    case "Voided":
      if (fact.on === "ChargeCaptured" || fact.on === "MismatchStated")
        return fact.on === "ChargeCaptured" ? fact : "Contradicts"
      return state._tag === "Authorized" || state._tag === "Pending" ? "Older" : "Confirms"
    default:
      return tellsOfMoney(fact) ? "Contradicts" : "Older"
  }
}

/** Another attempt holds the payment's money. */
const ofOtherAttempt = (book: PaymentBook, attempt: Attempt, state: ChargeState, now: number): Interpretation => {
  const applied = ofRival(book, attempt, state, now)
  if (applied !== undefined) return moves(applied)
  // A charge that holds money is with operations already; one that ended holds none, as its attempt says.
  return confirms
}

/**
 * A charge keeps its reference, so that under another one there is another: a customer can pay twice under one attempt
 * (https://help.adyen.com/knowledge/payments/payment-statuses/why-are-there-duplicate-payments).
 */
const isOfAnotherCharge = ({ providerRef, state }: Payment, said: ChargeState): boolean =>
  held.has(state) && providerRef !== null && said.providerRef !== null && said.providerRef !== providerRef

/** One review of the second charge is enough, and what becomes of it then says nothing of the first. */
const ofSecondCharge = (book: PaymentBook, attempt: Attempt, state: ChargeState, now: number): Interpretation => {
  if (state._tag !== "Authorized" && state._tag !== "Captured") return older
  if (book.payment.review?.reasons.includes("double_charge") === true) return { _tag: "Contradicts" }
  const applied = ofChargeFact(book, attempt, secondChargeOf(attempt, state), now)
  return applied === undefined ? { _tag: "Contradicts" } : moves(applied)
}

/** Of the charge that holds the payment's money. */
const ofHolder = (book: PaymentBook, attempt: Attempt, state: ChargeState, at: number, now: number): Interpretation => {
  const { payment } = book
  if (inOperation.has(payment.state)) return ofHolderInOperation(book, state, at, now)
  const contradiction = () => contradicts(book, `charge:${state._tag}`, evidenceOf(attempt, state), now)
  switch (state._tag) {
    case "Pending":
      return older
    case "Authorized":
      return payment.state === "Authorized" ? confirms : older
    case "Captured": {
      if (payment.state !== "Authorized") return ofCaptured(book, attempt, state, now)
      if (isBeforeFailure(payment, at)) return older
      const fact = chargeFactOf(payment, attempt.connectionId, state)
      const applied = ofChargeFact(book, endedBy(attempt, state, fact, now), fact, now)
      return applied === undefined ? contradiction() : moves(applied)
    }
    case "Canceled": {
      if (payment.state !== "Authorized") return contradiction()
      const applied = ofChargeFact(book, attempt, { on: "AuthorizationLapsed" }, now)
      return applied === undefined ? contradiction() : moves(applied)
    }
    // On a checkout the customer may have been refused before the payment went through.
    case "Declined":
    case "NeedsCustomer":
      return attempt.checkout === null ? contradiction() : older
  }
}

/** The capture failed after the statement, as the provider dates both. */
const isBeforeFailure = ({ reported }: Payment, at: number): boolean =>
  reported?.captureFailedAt !== undefined && at <= reported.captureFailedAt

/** A capture or a void is under way: what it does is for its own answer, and for lookups, to say. */
const ofHolderInOperation = (book: PaymentBook, state: ChargeState, at: number, now: number): Interpretation => {
  const operation = openOperation(book)
  if (operation === undefined) return waits
  if (state._tag === "Captured" && isBeforeFailure(book.payment, at)) return older
  const isHeard = state._tag === "Captured" || (state._tag === "Canceled" && operation.kind === "void")
  if (isHeard)
    return moves(operated(book, operation, operationFactOf(operation, book.payment.authorizedMinor, state), now))
  return state._tag === "Authorized" || state._tag === "Pending" ? older : waits
}

const operated = (
  { payment }: PaymentBook,
  operation: Operation,
  fact: OperationFact,
  now: number,
  isAfterFailure = false
): Applied => {
  const moved = applyOperationFact(payment, operation, fact, now, isAfterFailure)
  return { ...unchanged, payment: moved.payment, operations: [moved.operation], events: moved.events }
}

/** The charge is recorded as captured. Only a stated amount can differ. */
const ofCaptured = (
  book: PaymentBook,
  attempt: Attempt,
  state: Extract<ChargeState, { readonly _tag: "Captured" }>,
  now: number
): Interpretation => {
  const { payment } = book
  const { stated } = state
  if (stated === undefined) return confirms
  const evidence = evidenceOf(attempt, state)
  if (stated.currency !== payment.money.currency) return contradicts(book, `captured:${stated.currency}`, evidence, now)
  if (stated.minorUnits > payment.capturedMinor) return moved(correctCapture(payment, stated, now))
  if (stated.minorUnits === payment.capturedMinor) return confirms
  // The capture as we asked for it, stated before the provider captured more.
  const isAsAsked = book.operations.some(
    ({ kind, money }) => kind === "capture" && money.minorUnits === stated.minorUnits
  )
  return isAsAsked ? older : contradicts(book, `captured:${stated.minorUnits}`, evidence, now)
}

const moved = (applied: Applied | undefined): Interpretation =>
  applied === undefined ? { _tag: "Contradicts" } : moves(applied)

// Captures and voids.

const ofOperation = (
  book: PaymentBook,
  operation: Operation,
  said: Parameters<typeof asUsableOperation>[0],
  at: number,
  now: number
): Interpretation => {
  const state = asUsableOperation(said)
  if (state instanceof Unanswered) return { _tag: "Malformed", reason: state.reason }
  const { payment } = book
  const contradiction = () =>
    contradicts(book, `${operation.id}:${state._tag}`, { operation_id: operation.id, stated: state._tag }, now)
  const isAfterFailure = operation.outcome === "Failed" && at > (operation.answeredAt ?? now)
  if (operation.outcome === "Failed" && state._tag !== "OperationFailed" && !isAfterFailure) return older
  if (operation.kind === "capture" && state._tag === "OperationConfirmed" && isBeforeFailure(payment, at)) return older
  switch (state._tag) {
    case "OperationFailed": {
      const applied = applyOperationFailure(payment, operation, { ...state, at }, now)
      return applied === "Contradiction" ? contradiction() : applied === undefined ? confirms : moves(applied)
    }
    case "OperationPending": {
      if (operation.outcome === "Confirmed") return older
      if (operation.outcome === "Accepted" || operation.outcome === null) return confirms
      const applied = operated(book, operation, { _tag: "Accepted" }, now, isAfterFailure)
      return applied.payment.state === payment.state ? older : moves(applied)
    }
    case "OperationConfirmed": {
      const stated = state.stated ?? operation.money
      if (operation.outcome === "Confirmed") {
        return operation.kind === "void" || stated.minorUnits === operation.money.minorUnits
          ? confirms
          : contradiction()
      }
      const end: ChargeState =
        operation.kind === "capture"
          ? { _tag: "Captured", providerRef: operation.providerRef, stated }
          : { _tag: "Canceled", providerRef: operation.providerRef }
      const applied = operated(
        book,
        operation,
        operationFactOf(operation, payment.authorizedMinor, end),
        now,
        isAfterFailure
      )
      return applied.payment.state === payment.state && applied.events.length === 0 ? contradiction() : moves(applied)
    }
  }
}

// Refunds.

const ofRefund = (
  book: PaymentBook,
  refund: Refund,
  said: Parameters<typeof asUsableRefund>[0],
  at: number,
  now: number
): Interpretation => {
  const state = asUsableRefund(said)
  if (state instanceof Unanswered) return { _tag: "Malformed", reason: state.reason }
  if (state._tag === "Rejected") return { _tag: "Malformed", reason: "a message cannot reject a refund" }
  const { payment, refunds } = book
  const isOver = refund.stage === "Refused" || refund.stage === "Failed"
  // It was under way before it failed.
  if (isOver && state._tag === "RefundPending") return older
  const refunded = applyRefundFact(payment, refunds, refund, refundFactOf(refund.money, state), now, at)
  if (refunded.refund === refund && refunded.events.length === 0) return ofRecordedRefund(book, refund, state, now)
  // What its request is answered is left to the request.
  return moves({ ...unchanged, payment: refunded.payment, refunds: [refunded.refund], events: refunded.events })
}

/** No row of the refund's table takes it. */
const ofRecordedRefund = (
  book: PaymentBook,
  refund: Refund,
  state: Exclude<ReturnType<typeof asUsableRefund>, Unanswered>,
  now: number
): Interpretation => {
  if (state._tag === "RefundPending") return refund.stage === "Succeeded" ? older : confirms
  if (state._tag !== "Succeeded") return confirms
  if (refund.stage === "Reversed") return older
  const isSame =
    (refund.providerRefundId === null || refund.providerRefundId === state.providerRefundId) &&
    (state.stated === undefined ||
      (state.stated.minorUnits === refund.money.minorUnits && state.stated.currency === refund.money.currency))
  const evidence = {
    refund_id: refund.id,
    provider_refund_id: state.providerRefundId,
    ...(state.stated === undefined
      ? {}
      : { stated_amount: state.stated.minorUnits, stated_currency: state.stated.currency })
  }
  return isSame ? confirms : contradicts(book, `${refund.id}:${state.providerRefundId}`, evidence, now)
}

// Payouts and disputes.

const ofSettlement = (book: PaymentBook, attempt: Attempt, now: number): Interpretation => {
  const { payment } = book
  const reported = payment.reported ?? nothingReported
  if (!isOfPayment(book, attempt)) {
    const isKnown = attempt.outcome === "Captured" || attempt.outcome === "Authorized"
    return isKnown
      ? confirms
      : contradicts(book, `payout:${attempt.id}`, { attempt_id: attempt.id, stated: "settled" }, now)
  }
  if (reported.isPaidOut) return confirms
  const kept = keep(payment, { ...reported, isPaidOut: true }, now)
  if (isUnderWay(payment.state)) return { _tag: "Waits", applied: kept }
  const settled = moveBy(kept.payment, "SettlementReported")
  if (settled !== undefined) return moves(settled)
  return contradicts(
    { ...book, payment: kept.payment },
    "payout",
    { attempt_id: attempt.id, stated: "settled" },
    now,
    payment
  )
}

const ofDispute = (book: PaymentBook, attempt: Attempt, said: DisputeStatement, now: number): Interpretation => {
  const { payment } = book
  const evidence = { attempt_id: attempt.id, dispute_id: said.disputeId, stated: `dispute_${said.verdict}` }
  if (!isOfPayment(book, attempt)) return contradicts(book, `dispute:${attempt.id}:${said.disputeId}`, evidence, now)
  const reported = payment.reported ?? nothingReported
  const isKnown = reported.disputes.some(
    ({ at, disputeId, verdict }) => disputeId === said.disputeId && verdict === said.verdict && at === said.at
  )
  const next: Reported = isKnown ? reported : { ...reported, disputes: [...reported.disputes, said] }
  const kept = keep(payment, next, now)
  const isOpen = isDisputed(next)
  if (isUnderWay(payment.state)) return { _tag: "Waits", applied: kept }
  if (isOpen && taken.has(payment.state)) return moved(moveBy(kept.payment, "DisputeOpened"))
  if (!isOpen && payment.state === "ChargedBack") return moved(moveBy(kept.payment, wonBy(payment)))
  // The dispute is of money that is not recorded as taken.
  const isTaken = taken.has(payment.state) || payment.state === "ChargedBack"
  return isTaken
    ? { _tag: "Confirms", applied: kept }
    : contradicts({ ...book, payment: kept.payment }, `dispute:${said.disputeId}`, evidence, now, payment)
}

/** Whether the attempt is the one whose charge the payment is, or may yet be. */
const isOfPayment = (book: PaymentBook, attempt: Attempt): boolean =>
  (holdingAttempt(book) ?? book.attempts.at(-1))?.id === attempt.id

/** A charge, a capture or a void may still end so that the money is taken. */
const isUnderWay = (state: PaymentState): boolean =>
  inOperation.has(state) ||
  state === "Charging" ||
  state === "CheckoutOpen" ||
  state === "ChargePending" ||
  state === "ChargeUnknown" ||
  state === "ChargeMismatched"

/** Where the ledger says that the payment is without the dispute. */
const wonBy = ({ capturedMinor, refundedMinor, reported }: Payment): PaymentEvent => {
  if (refundedMinor === 0) return reported?.isPaidOut === true ? "DisputeWonSettled" : "DisputeWonUnrefunded"
  return refundedMinor === capturedMinor ? "DisputeWonRefunded" : "DisputeWonPartlyRefunded"
}

/** The payment with what was reported. It has a new version in any case: the next statement is decided on this one. */
const keep = (payment: Payment, reported: Reported, now: number): Applied => ({
  ...unchanged,
  payment: { ...payment, reported, version: payment.version + 1, updatedAt: now }
})

/** `payment` has its next version already. */
const moveBy = (payment: Payment, on: PaymentEvent): Applied | undefined => {
  const row = Result.getOrUndefined(step(PaymentMachine, payment.state, on))
  if (row === undefined) return undefined
  const next: Payment = { ...payment, state: row.to }
  return { ...unchanged, payment: next, events: row.emits.map((type) => paymentEvent(type, next)) }
}

// Contradictions.

const evidenceOf = ({ id }: Attempt, state: ChargeState): JsonObject => ({
  attempt_id: id,
  provider_reference: state.providerRef,
  stated: state._tag.toLowerCase(),
  ...("stated" in state && state.stated !== undefined
    ? { stated_amount: state.stated.minorUnits, stated_currency: state.stated.currency }
    : {})
})

/** A review with the statement as its evidence, once for each `name`. `before`: the payment as it is stored. */
const contradicts = (
  { payment }: PaymentBook,
  name: string,
  evidence: JsonObject,
  now: number,
  before: Payment = payment
): Interpretation => {
  const reported = payment.reported ?? nothingReported
  const kept = keep({ ...payment, version: before.version }, reported, now)
  if (reported.contradictions.includes(name)) {
    return { _tag: "Contradicts", ...(payment === before ? {} : { applied: kept }) }
  }
  const noted: Payment = {
    ...kept.payment,
    reported: { ...reported, contradictions: [...reported.contradictions, name] }
  }
  const reviewed = withReview(noted, { events: ["payment.conflict"] })
  return {
    _tag: "Contradicts",
    applied: { ...unchanged, payment: reviewed, events: [paymentEvent("payment.conflict", reviewed, evidence)] }
  }
}
