/** What a statement about the charge that holds the payment's money means. Pure. */
import { type Attempt, isOldEnough, oldFrom } from "../../model/Attempt.ts"
import type { Operation } from "../../model/Operation.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { held, inOperation, statusOf } from "../../model/PaymentMachine.ts"
import type { ChargeState } from "../../model/ProviderStatement.ts"
import { type ChargeEndStatement, nothingReported } from "../../model/Reported.ts"
import type { Money } from "../../money/Money.ts"
import { endedBy, ofChargeFact } from "../Applied.ts"
import { heldFactOf } from "../ChargeFact.ts"
import { byHandOf, captureNamed, capturesOf, openOperation, reportedWith } from "../Holding.ts"
import { type OperationFact, operationFactOf } from "../OperationFact.ts"
import { isCapturedInPart } from "../WithReview.ts"
import { datedOperation } from "./ConfirmedAt.ts"
import { confirms, contradicts, evidenceOf, type Interpretation, keep, moves, older, waits } from "./Interpretation.ts"
import { ofCapture, ofCaptured, withAmountDate } from "./InterpretCaptured.ts"
import { isBeforeFailure, isBeforeVoidFailure, operated } from "./InterpretOperation.ts"
import { isCurrent, isUndated, type Weighing } from "./Statement.ts"

/**
 * A charge keeps its reference, so that under another one there is another: a customer can pay twice under one attempt
 * (https://help.adyen.com/knowledge/payments/payment-statuses/why-are-there-duplicate-payments).
 */
export const isOfAnotherCharge = ({ providerRef, state }: Payment, said: ChargeState): boolean =>
  held.has(state) && providerRef !== null && said.providerRef !== null && said.providerRef !== providerRef

export const ofHolder = (book: PaymentBook, attempt: Attempt, state: ChargeState, source: Weighing): Interpretation => {
  const { payment } = book
  if (isOfAnotherAmount(payment, state)) {
    return contradicts(
      book,
      `authorized:${state.stated.minorUnits} ${state.stated.currency}`,
      evidenceOf(attempt, state),
      source.now
    )
  }
  if (inOperation.has(payment.state)) return ofHolderInOperation(book, attempt, state, source)
  const contradiction = () => contradicts(book, `charge:${state._tag}`, evidenceOf(attempt, state), source.now)
  switch (state._tag) {
    // A message of what came before is late. A record that says so now lacks what we recorded since.
    case "Pending":
      return isCurrent(source) ? contradiction() : older
    case "Authorized":
      if (payment.state === "Authorized") return confirms
      return isCurrent(source) ? contradiction() : older
    case "Captured": {
      if (payment.state !== "Authorized") {
        const evidence = evidenceOf(attempt, state)
        const meaning =
          state.capture === undefined
            ? ofCaptured(book, state.stated, evidence, source)
            : ofCapture(book, state.capture, evidence, source)
        if (isByHand(state)) return meaning
        const capture = book.operations.findLast(({ kind, outcome }) => kind === "capture" && outcome === "Confirmed")
        return capture === undefined ? meaning : datedOperation(book, capture, meaning, source)
      }
      if (isBeforeFailure(payment, source) && !isNewByHand(payment, state)) {
        return isUndated(source) ? contradiction() : older
      }
      const fact = heldFactOf(payment, attempt.connectionId, state)
      const applied = ofChargeFact(book, endedBy(attempt, state, fact, source.now), fact, source.now)
      return applied === undefined ? contradiction() : moves(applied)
    }
    case "Canceled": {
      if (isBeforeVoidFailure(book, source)) return isUndated(source) ? contradiction() : older
      if (payment.state !== "Authorized") return ofCanceledCapture(book, attempt, state, source.now)
      const applied = ofChargeFact(book, attempt, { on: "AuthorizationLapsed" }, source.now)
      return applied === undefined ? contradiction() : moves(applied)
    }
    // On a checkout the customer may have been refused before the payment went through.
    case "Declined":
    case "NeedsCustomer":
      return attempt.checkout === null || isCurrent(source) ? contradiction() : older
  }
}

/** An authorization of an amount that is not on record. After a capture only more than was asked for is news. */
const isOfAnotherAmount = (
  { authorizedMinor, money, state }: Payment,
  said: ChargeState
): said is Extract<ChargeState, { readonly _tag: "Authorized" }> & { readonly stated: Money } =>
  said._tag === "Authorized" &&
  said.stated !== undefined &&
  (said.stated.currency !== money.currency ||
    said.stated.minorUnits > money.minorUnits ||
    (state === "Authorized" && said.stated.minorUnits !== authorizedMinor))

/**
 * Of a part that was captured, the provider releases the rest (https://docs.adyen.com/api-explorer/Webhooks/1/post/EXPIRE,
 * https://www.checkout.com/docs/payments/manage-payments/void-a-payment). What was captured in full has no rest: where the provider
 * captured by itself, its capture failed, and refunds are closed until operators have reviewed the payment.
 */
const ofCanceledCapture = (book: PaymentBook, attempt: Attempt, state: ChargeState, now: number): Interpretation => {
  if (isCapturedInPart(book.payment)) return confirms
  const isCaptureFailed = book.payment.captureMethod === "automatic"
  return contradicts(book, `charge:${state._tag}`, evidenceOf(attempt, state), now, { isCaptureFailed })
}

/** A capture or a void is under way. What a message does not tell is for the call's own answer, and for lookups, to say. */
const ofHolderInOperation = (
  book: PaymentBook,
  attempt: Attempt,
  state: ChargeState,
  source: Weighing
): Interpretation => {
  if ((state._tag === "Declined" || state._tag === "NeedsCustomer") && !isCurrent(source)) {
    return untilEnded(book, attempt, state, source.now)
  }
  const operation = openOperation(book)
  if (operation === undefined) return waits
  const contradiction = () => contradicts(book, `charge:${state._tag}`, evidenceOf(attempt, state), source.now)
  const told = () => operated(book, operation, withoutByHand(book.payment, operation, state), source.now)
  switch (state._tag) {
    case "Captured": {
      if (operation.kind === "capture" && isByHand(state)) return untilCaptured(book, state, contradiction, source.now)
      if (isBeforeFailure(book.payment, source)) return isUndated(source) ? contradiction() : older
      if (operation.kind === "capture" && isTotalByHand(book.payment, state)) {
        return ofTotalByHand(book, operation, source)
      }
      const stated = state.capture?.money ?? state.stated
      return datedOperation(book, operation, withAmountDate(told(), operation, stated, source), source)
    }
    case "Canceled":
      if (isBeforeVoidFailure(book, source)) return isUndated(source) ? contradiction() : older
      return isCurrent(source) || operation.kind === "void" ? told() : untilEnded(book, attempt, state, source.now)
    case "Pending":
      return isCurrent(source) ? told() : older
    case "Authorized":
      return isCurrent(source) ? ofStillAuthorized(book, operation, source) : older
    case "Declined":
    case "NeedsCustomer":
      return contradiction()
  }
}

type Captured = Extract<ChargeState, { readonly _tag: "Captured" }>

/** One capture that a person made at the provider: it is none of ours. */
const isByHand = ({ capture, stated }: Captured): boolean =>
  capture !== undefined && capture.operationId === undefined && stated === undefined

/** A capture by hand that is not on record: the failure of another capture says nothing about it. */
const isNewByHand = (payment: Payment, state: Captured): boolean =>
  isByHand(state) && state.capture !== undefined && captureNamed(capturesOf(payment), state.capture) === undefined

/** A total of what people captured at the provider, by the ids of those captures: ours is not in it. */
const isTotalByHand = (payment: Payment, { capture, stated }: Captured): boolean =>
  capture === undefined &&
  stated?.currency === payment.money.currency &&
  stated.minorUnits <= byHandOf(capturesOf(payment))

/** As of an authorization: a message of before ours says nothing about it. */
const ofTotalByHand = (book: PaymentBook, operation: Operation, source: Weighing): Interpretation =>
  isCurrent(source) ? ofStillAuthorized(book, operation, source) : waits

/** What the statement says about the operation: of a total, our capture took what others did not. */
const withoutByHand = (payment: Payment, operation: Operation, state: ChargeState): OperationFact => {
  const fact = operationFactOf(operation, payment.authorizedMinor, state)
  if (operation.kind === "void" || state._tag !== "Captured" || state.capture !== undefined) return fact
  const { money } = operation
  const { currency, minorUnits } = state.stated ?? money
  const byHand = byHandOf(capturesOf(payment))
  const isBoth =
    currency === money.currency && minorUnits <= Math.min(money.minorUnits + byHand, payment.authorizedMinor)
  return byHand > 0 && isBoth ? { _tag: "Confirmed", amountMinor: minorUnits } : fact
}

/** As below: it adds up with the capture that is under way. */
const untilCaptured = (
  book: PaymentBook,
  { capture }: Captured,
  contradiction: () => Interpretation,
  now: number
): Interpretation => {
  const { payment } = book
  if (capture === undefined || capture.money.currency !== payment.money.currency) return contradiction()
  if (captureNamed(capturesOf(payment), capture)?.minorUnits === capture.money.minorUnits) return waits
  const reported = reportedWith(payment, capture)
  return reported === null || reported === payment.reported
    ? contradiction()
    : { _tag: "Waits", applied: keep(payment, reported, now) }
}

/** The commit that ends the capture or the void weighs it. */
const untilEnded = (
  { payment }: PaymentBook,
  attempt: Attempt,
  { _tag: stated, providerRef }: Extract<ChargeState, { readonly _tag: ChargeEndStatement["stated"] }>,
  now: number
): Interpretation => {
  const reported = payment.reported ?? nothingReported
  const chargeEnds = reported.chargeEnds ?? []
  if (chargeEnds.some((one) => one.stated === stated)) return waits
  const said: ChargeEndStatement = { attemptId: attempt.id, providerRef, stated }
  return { _tag: "Waits", applied: keep(payment, { ...reported, chargeEnds: [...chargeEnds, said] }, now) }
}

/** The record shows the authorization, and neither the capture nor the void that was asked for. */
const ofStillAuthorized = (book: PaymentBook, operation: Operation, source: Weighing): Interpretation => {
  const isUnknown = statusOf[book.payment.state] === "UNKNOWN"
  // What is accepted may still be under way. A person can tell that it is not.
  if (!isUnknown && source.via === "lookup") return confirms
  if (!isOldEnough(operation, source)) return { _tag: "TooEarly", from: oldFrom(operation, source.agesFrom) }
  if (isUnknown) return operated(book, operation, { _tag: "NotFound" }, source.now)
  const message = "The provider's record says that the payment is still authorized."
  return operated(book, operation, { _tag: "Refused", code: null, message }, source.now)
}
