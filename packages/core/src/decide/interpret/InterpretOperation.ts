/** What a statement about one capture or void means for its payment. Pure. */
import type { Operation } from "../../model/Operation.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { taken } from "../../model/PaymentMachine.ts"
import { type ChargeState, type NeverReceived, type OperationState, Unanswered } from "../../model/ProviderStatement.ts"
import { nothingReported } from "../../model/Reported.ts"
import type { Money } from "../../money/Money.ts"
import { unchanged } from "../Applied.ts"
import { capturesOf } from "../Holding.ts"
import { applyOperationFact, mismatchOf, type OperationFact, operationFactOf, overtaken } from "../OperationFact.ts"
import { applyOperationFailure, type OperationFailure } from "../OperationFailure.ts"
import { asUsableOperation } from "../UsableAnswer.ts"
import { datedOperation, isOvertaken } from "./ConfirmedAt.ts"
import { confirms, contradicts, disbelieved, type Interpretation, keep, moves, older } from "./Interpretation.ts"
import { ofCapture, ofCaptured } from "./InterpretCaptured.ts"
import { isAfter, isCurrent, isUndated, type Source, type Weighing } from "./Statement.ts"
import { untilLookedUp } from "./Undecided.ts"

export const ofOperation = (
  book: PaymentBook,
  operation: Operation,
  said: OperationState | NeverReceived,
  source: Weighing
): Interpretation => {
  const meaning = ofStated(book, operation, said, source)
  return said._tag === "OperationConfirmed" ? datedOperation(book, operation, meaning, source) : meaning
}

const ofStated = (
  book: PaymentBook,
  operation: Operation,
  said: OperationState | NeverReceived,
  source: Weighing
): Interpretation => {
  if (said._tag === "NotFound") return ofMissing(book, operation, said, source)
  const state = asUsableOperation(said)
  if (state instanceof Unanswered) return { _tag: "Malformed", reason: state.reason }
  const isAfterFailure = operation.outcome === "Failed" && isAfter(operation.answeredAt ?? source.now, source)
  const wait = () => untilLookedUp(book, { about: "operation", id: operation.id, state, at: source.at }, source.now)
  if (operation.outcome === "Failed" && state._tag !== "OperationFailed" && !isAfterFailure) {
    return state._tag === "OperationConfirmed" && isUndated(source) ? wait() : older
  }
  const at = source.at ?? source.askedAt
  switch (state._tag) {
    case "OperationFailed": {
      if (isOvertaken(book.payment, operation.id, source)) {
        return tookBackPayout(book.payment, operation, source)
          ? contradiction(book, operation, "OperationFailed", source.now)
          : older
      }
      const failure = ofFailure(book, operation, { ...state, at }, source.now)
      return source.isLookedUp === true && "applied" in failure ? wait() : failure
    }
    case "OperationPending": {
      if (operation.outcome === null) return confirms
      if (operation.outcome !== "Confirmed")
        return operated(book, operation, { _tag: "Accepted" }, source.now, isAfterFailure)
      // The record shows it under way again: it was confirmed, and the provider tries it once more.
      return isCurrent(source) ? ofFailure(book, operation, { isFinal: false, reason: null, at }, source.now) : older
    }
    case "OperationConfirmed": {
      if (operation.kind === "capture" && isBeforeFailure(book.payment, source)) {
        return isUndated(source) ? wait() : older
      }
      return ofConfirmed(book, operation, state, isAfterFailure, source)
    }
  }
}

const ofConfirmed = (
  book: PaymentBook,
  operation: Operation,
  { captureId, stated: said }: Extract<OperationState, { readonly _tag: "OperationConfirmed" }>,
  isAfterFailure: boolean,
  source: Weighing
): Interpretation => {
  const { payment } = book
  const { kind, outcome, providerRef } = operation
  const stated = said ?? operation.money
  const known = capturesOf(payment).find(({ operationId }) => operationId === operation.id)
  const id = captureId ?? known?.id
  const capture = id === undefined ? undefined : { id, money: stated, operationId: operation.id }
  const ofAmount = (amount: Money | undefined) => {
    const evidence = {
      stated: "OperationConfirmed",
      stated_amount: stated.minorUnits,
      stated_currency: stated.currency
    }
    const ofOperation = { operation_id: operation.id, ...evidence }
    return amount === undefined || capture === undefined
      ? ofCaptured(book, amount, ofOperation, source)
      : ofCapture(book, capture, ofOperation, source)
  }
  if (outcome === "Confirmed") return kind === "void" ? confirms : ofAmount(said)
  if (isAfterFailure && kind === "capture" && taken.has(payment.state)) {
    const again = ofAmount(stated)
    const applied = "applied" in again ? again.applied : undefined
    const kept = applied ?? keep(payment, payment.reported ?? nothingReported, source.now)
    return moves({ ...kept, operations: [{ ...operation, outcome: "Confirmed", answeredAt: source.now }] })
  }
  const end: ChargeState =
    kind === "capture" ? { _tag: "Captured", providerRef, stated, capture } : { _tag: "Canceled", providerRef }
  const found = operated(
    book,
    operation,
    operationFactOf(operation, payment.authorizedMinor, end),
    source.now,
    isAfterFailure
  )
  return found._tag === "Older" ? contradiction(book, operation, "OperationConfirmed", source.now) : found
}

const ofFailure = (book: PaymentBook, operation: Operation, failure: OperationFailure, now: number): Interpretation => {
  const applied = applyOperationFailure(book, operation, failure, now)
  if (applied === "Contradiction") return contradiction(book, operation, "OperationFailed", now)
  if (applied === undefined) return confirms
  return applied.events.length === 0 ? { _tag: "Confirms", applied } : moves(applied)
}

/** The provider has no record of it. */
const ofMissing = (book: PaymentBook, operation: Operation, said: NeverReceived, source: Weighing): Interpretation => {
  const early = disbelieved(operation, said, source)
  if (early !== undefined) return early
  switch (operation.outcome) {
    case null:
      return { _tag: "TooEarly", from: null }
    case "Unanswered":
      return operated(book, operation, { _tag: "NotFound" }, source.now)
    case "Accepted":
    case "Confirmed":
      return contradiction(book, operation, "NotFound", source.now)
    default:
      // It executed nothing, as is recorded.
      return confirms
  }
}

const contradiction = (book: PaymentBook, { id }: Operation, stated: string, now: number): Interpretation =>
  contradicts(book, `${id}:${stated}`, { operation_id: id, stated }, now)

/** The capture failed after the statement, as the provider dates both. */
export const isBeforeFailure = ({ reported }: Payment, source: Source): boolean =>
  reported?.captureFailedAt !== undefined && !isAfter(reported.captureFailedAt, source)

/** As above, of a void. */
export const isBeforeVoidFailure = ({ operations }: PaymentBook, source: Source): boolean =>
  operations.some(
    ({ answeredAt, kind, outcome }) =>
      kind === "void" && outcome === "Failed" && answeredAt !== null && !isAfter(answeredAt, source)
  )

/** The capture failed after the payout that is recorded, and succeeded again: whether it is paid out anew is not stated. */
const tookBackPayout = ({ reported }: Payment, { kind }: Operation, { at }: Source): boolean =>
  kind === "capture" && at !== null && reported?.isPaidOut === true && at > (reported.paidOutAt ?? at)

/** The payment and the operation as a fact leaves them. */
export const operated = (
  { operations, payment }: PaymentBook,
  operation: Operation,
  fact: OperationFact,
  now: number,
  isAfterFailure = false
): Interpretation => {
  if (isRecorded(operation, fact)) return confirms
  const moved = applyOperationFact(payment, operation, fact, now, isAfterFailure)
  return moved.payment.state === payment.state && moved.events.length === 0
    ? older
    : moves({
        ...unchanged,
        payment: moved.payment,
        operations: [moved.operation, ...overtaken(operations, operation, moved.payment)],
        events: moved.events
      })
}

/** What is recorded would be written again at every lookup, and put off all later ones. */
const isRecorded = ({ outcome, reason }: Operation, fact: OperationFact): boolean =>
  (fact._tag === "Accepted" && outcome === "Accepted") ||
  (fact._tag === "Mismatched" && outcome === "Unanswered" && reason === mismatchOf(fact.stated))
