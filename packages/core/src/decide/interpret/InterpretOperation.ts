/** What a statement about one capture or void means for its payment (decisions, section 3). Pure. */
import type { Operation } from "../../model/Operation.ts"
import type { Payment } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { type ChargeState, type OperationState, Unanswered } from "../../model/ProviderStatement.ts"
import { type Applied, unchanged } from "../Applied.ts"
import { applyOperationFact, type OperationFact, operationFactOf } from "../OperationFact.ts"
import { applyOperationFailure } from "../OperationFailure.ts"
import { asUsableOperation } from "../UsableAnswer.ts"
import { contradicts } from "./Contradiction.ts"
import { confirms, type Interpretation, moves, older } from "./Interpretation.ts"

export const ofOperation = (
  book: PaymentBook,
  operation: Operation,
  said: OperationState,
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

/** The capture failed after the statement, as the provider dates both. */
export const isBeforeFailure = ({ reported }: Payment, at: number): boolean =>
  reported?.captureFailedAt !== undefined && at <= reported.captureFailedAt

export const operated = (
  { payment }: PaymentBook,
  operation: Operation,
  fact: OperationFact,
  now: number,
  isAfterFailure = false
): Applied => {
  const moved = applyOperationFact(payment, operation, fact, now, isAfterFailure)
  return { ...unchanged, payment: moved.payment, operations: [moved.operation], events: moved.events }
}
