/**
 * What the failure of a capture or a void means after the provider had accepted or confirmed it: a new fact, and not an
 * old message. Captured money that was refunded, or that is about to be, cannot be taken back here. Then the payment
 * stays, refunds are closed, and operations review it. Pure.
 */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import type { Operation } from "../model/Operation.ts"
import { type Payment, paymentEvent } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import { type PaymentEvent, PaymentMachine, type PaymentState } from "../model/PaymentMachine.ts"
import { nothingReported } from "../model/Reported.ts"
import { type Applied, unchanged } from "./Applied.ts"
import { capturesOf, failedCapture, sumOf } from "./Holding.ts"
import { weighedEvents, weighReported, withReview } from "./WithReview.ts"

export interface OperationFailure {
  /** `false`: the provider tries again by itself. */
  readonly isFinal: boolean
  /** The provider's words, free of secrets. */
  readonly reason: string | null
  /** When the provider stated it, in epoch milliseconds by its clock. */
  readonly at: number
}

/** `Contradiction`: the record cannot take it. `undefined`: nothing changes. */
export const applyOperationFailure = (
  { operations, payment }: Pick<PaymentBook, "operations" | "payment">,
  operation: Operation,
  failure: OperationFailure,
  now: number
): Applied | "Contradiction" | undefined => {
  switch (operation.outcome) {
    case null:
    case "Unanswered":
    case "Accepted":
      return failure.isFinal ? endOpen(payment, operation, failure, now) : dateRetry(payment, operation, failure, now)
    case "Confirmed":
      return operation.kind === "void" ? "Contradiction" : reverseCapture(payment, operation, failure, now)
    case "Failed": {
      const isNew = failure.at > (operation.answeredAt ?? failure.at)
      return isNew && mayBeOf(operations, payment, operation) ? "Contradiction" : undefined
    }
    case "NotFound":
      // The provider had executed it, and took it back before the lookup.
      if (mayBeOf(operations, payment, operation)) return "Contradiction"
      return failure.isFinal ? dateFailure(payment, operation, failure, now) : undefined
    default:
      // It executed nothing, as is recorded.
      return undefined
  }
}

/** Stated as captured or canceled since: where no other operation explains that, it may be this one that fails. */
const mayBeOf = (operations: ReadonlyArray<Operation>, payment: Payment, { kind }: Operation): boolean => {
  const isDone = kind === "capture" ? payment.capturedMinor > 0 : payment.state === "Voided"
  return isDone && !operations.some((one) => one.kind === kind && one.outcome === "Confirmed")
}

/** Nothing moves. A success that the provider dates before the failure, and that arrives later, is older than it. */
const dateFailure = (payment: Payment, operation: Operation, failure: OperationFailure, now: number): Applied => {
  const noted = operation.kind === "capture" ? withFailure(payment, failure) : payment
  const next: Payment = { ...noted, version: payment.version + 1, updatedAt: now }
  return { ...unchanged, payment: next, operations: [failed(operation, failure)] }
}

/** The provider tries it again: the payment keeps waiting, and what it dates before the failure is older. */
const dateRetry = (payment: Payment, { kind }: Operation, failure: OperationFailure, now: number) => {
  const isKnown = (payment.reported?.captureFailedAt ?? Number.NEGATIVE_INFINITY) >= failure.at
  if (kind === "void" || isKnown) return undefined
  return { ...unchanged, payment: { ...withFailure(payment, failure), version: payment.version + 1, updatedAt: now } }
}

/** The payment waits for it: the authorization is open again. */
const endOpen = (payment: Payment, operation: Operation, failure: OperationFailure, now: number) => {
  const moved = rowOf(payment.state, operation.kind === "capture" ? "CaptureFailed" : "VoidFailed")
  if (moved === undefined) return "Contradiction"
  const noted = operation.kind === "capture" ? withFailure(payment, failure) : payment
  const weighed = weighReported({ ...noted, state: moved.to, version: payment.version + 1, updatedAt: now })
  const after = withReview(weighed.payment, { events: [...moved.emits, ...weighed.emits] })
  const written = write(after, failed(operation, failure), moved.emits, failure)
  return { ...written, events: [...written.events, ...weighedEvents(after, weighed)] }
}

const reverseCapture = (payment: Payment, operation: Operation, failure: OperationFailure, now: number) => {
  const noted = withFailedCapture(payment, operation, failure)
  const takenBack = Math.min(operation.money.minorUnits, payment.capturedMinor)
  // What others captured stays captured, where the operation took less than was asked.
  const capturedMinor = Math.max(
    payment.capturedMinor - takenBack,
    Math.min(sumOf(capturesOf(noted)), payment.authorizedMinor)
  )
  const next: Payment = { ...withFailure(noted, failure), version: payment.version + 1, updatedAt: now }
  if (payment.refundedMinor + payment.refundPendingMinor > 0) {
    const kept: Payment = { ...withFailure(payment, failure), version: next.version, updatedAt: now }
    const closed = withReview(kept, { events: ["payment.conflict"], isCaptureFailed: true })
    return write(closed, failed(operation, failure), ["payment.conflict"], failure)
  }
  if (!failure.isFinal) {
    const moved = capturedMinor === 0 ? rowOf(payment.state, "CaptureRetried") : undefined
    if (moved === undefined) return "Contradiction"
    const after = withReview({ ...notPaidOut(next), state: moved.to, capturedMinor }, { events: moved.emits })
    return write(after, { ...operation, outcome: "Accepted" }, moved.emits, failure)
  }
  // What is left captured, or is disputed, keeps its state; the amounts move.
  const keepsState = capturedMinor > 0 || payment.state === "ChargedBack"
  const moved = rowOf(payment.state, keepsState ? "CaptureFailedInPart" : "CaptureFailed")
  if (moved === undefined) return "Contradiction"
  const after = withReview(
    { ...(capturedMinor > 0 ? next : notPaidOut(next)), state: moved.to, capturedMinor },
    { events: moved.emits }
  )
  return write(after, failed(operation, failure), moved.emits, failure)
}

const withFailedCapture = (payment: Payment, { id }: Operation, { at }: OperationFailure): Payment =>
  payment.reported?.captures === undefined
    ? payment
    : { ...payment, reported: { ...payment.reported, captures: failedCapture(payment.reported.captures, id, at) } }

const withFailure = (payment: Payment, { at }: OperationFailure): Payment => {
  const reported = payment.reported ?? nothingReported
  return { ...payment, reported: { ...reported, captureFailedAt: Math.max(at, reported.captureFailedAt ?? at) } }
}

/** Nothing is captured any more, so what is captured next is paid out anew. */
const notPaidOut = (payment: Payment): Payment =>
  payment.reported === null ? payment : { ...payment, reported: { ...payment.reported, isPaidOut: false } }

/** A stored 200 is released with it; the stored 5xx answers stay. */
const failed = (operation: Operation, { at, reason }: OperationFailure): Operation => ({
  ...operation,
  outcome: "Failed",
  answeredAt: at,
  reason: reason ?? `The provider states that the ${operation.kind} failed.`,
  reply: operation.reply?._tag === "Done" ? null : operation.reply
})

const rowOf = (state: PaymentState, on: PaymentEvent) => Result.getOrUndefined(step(PaymentMachine, state, on))

const write = (
  payment: Payment,
  operation: Operation,
  emits: ReadonlyArray<Parameters<typeof paymentEvent>[0]>,
  { reason }: OperationFailure
): Applied => ({
  ...unchanged,
  payment,
  operations: [operation],
  events: emits.map((type) =>
    paymentEvent(type, payment, {
      operation_id: operation.id,
      failure_reason: reason,
      ...(type === "payment.conflict" ? { stated: `${operation.kind}_failed` } : {})
    })
  )
})
