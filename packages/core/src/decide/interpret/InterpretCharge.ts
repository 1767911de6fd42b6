/** What a statement about a charge means for its payment (decisions, section 3). Pure. */
import type { Attempt } from "../../model/Attempt.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { moneyHeld, operating, type PaymentState } from "../../model/PaymentMachine.ts"
import { type ChargeState, Unanswered } from "../../model/ProviderStatement.ts"
import { endedBy, ofChargeFact, ofRival, secondChargeOf } from "../Applied.ts"
import { type ChargeFact, chargeFactOf, tellsOfMoney } from "../ChargeFact.ts"
import { checkoutFactOf } from "../CheckoutFact.ts"
import { correctCapture } from "../CorrectCapture.ts"
import { holdingAttempt, openOperation } from "../Holding.ts"
import { operationFactOf } from "../OperationFact.ts"
import { asUsable } from "../UsableAnswer.ts"
import { contradicts, evidenceOf } from "./Contradiction.ts"
import { confirms, type Interpretation, moved, moves, older, waits } from "./Interpretation.ts"
import { isBeforeFailure, operated } from "./InterpretOperation.ts"

const inOperation: ReadonlySet<PaymentState> = new Set(operating)
const held: ReadonlySet<PaymentState> = new Set(moneyHeld)

export const ofCharge = (
  book: PaymentBook,
  attempt: Attempt,
  said: ChargeState,
  at: number,
  now: number
): Interpretation => {
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
export const isOfAnotherCharge = ({ providerRef, state }: Payment, said: ChargeState): boolean =>
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
