/**
 * What a person states that the provider's record says, and what it means for the payment. Pure: it is interpreted like
 * any other statement. What moves or confirms the record is written. The rest is refused, and nothing is written. A
 * person's "it never arrived" is believed no sooner than a lookup's. The provider may still process a recent call, and
 * its dashboard may lag: believed now, the customer would be charged or refunded twice.
 */
import { Result } from "effect"
import type { Attempt } from "../model/Attempt.ts"
import type { CorrectionTarget } from "../model/Correction.ts"
import type { EventDraft, JsonObject } from "../model/Event.ts"
import type { Operation, OperationKind } from "../model/Operation.ts"
import type { Evidence, OperatorStatement } from "../model/OperatorStatement.ts"
import { type Payment, paymentEvent } from "../model/Payment.ts"
import { bookAfter, type PaymentBook } from "../model/PaymentBook.ts"
import { type PaymentState, type PaymentStatus, statusOf } from "../model/PaymentMachine.ts"
import type { ChargeState, NeverReceived, RefundAnswer } from "../model/ProviderStatement.ts"
import type { Refund } from "../model/Refund.ts"
import type { Money } from "../money/Money.ts"
import { type Applied, unchangedBook } from "./Applied.ts"
import { holdingAttempt, openAttempt, openOperation } from "./Holding.ts"
import { interpret } from "./interpret/Interpret.ts"
import type { StatementAbout } from "./interpret/Statement.ts"
import { operationFactOf } from "./OperationFact.ts"
import { reviewed } from "./WithReview.ts"

/** When the evidence came, and from when on ages of calls count (`StorageClock`): epoch milliseconds by the store's clock. */
export interface EvidenceTime {
  readonly now: number
  readonly agesFrom: number | null
}

/** A sentence that says why the statement cannot be written. */
export type Refusal = string

/** Evidence, with the name of the second person where there was one. */
export interface SeenEvidence extends Evidence {
  readonly approvedBy?: string | undefined
}

/** What a statement applies to on the payment as it is. */
export const targetOf = (book: PaymentBook, stated: OperatorStatement): CorrectionTarget => {
  if (stated._tag !== "Charge") return { attemptId: null, operationId: null, amountMinor: null }
  if (stated.says === "capture_failed" || stated.says === "void_failed") {
    const operation = failedOperation(book, stated.says === "void_failed" ? "void" : "capture")
    return {
      attemptId: holdingAttempt(book)?.id ?? null,
      operationId: operation?.id ?? null,
      amountMinor: operation?.money.minorUnits ?? book.payment.capturedMinor
    }
  }
  const charge = chargeOf(book, stated)
  const takes = stated.says === "captured" || stated.says === "authorized"
  return {
    attemptId: charge?.attempt.id ?? null,
    operationId: charge?.operation?.id ?? null,
    amountMinor: takes ? (stated.amountMinor ?? charge?.asked.minorUnits ?? null) : null
  }
}

/** Why a statement that was proposed for one target is not written to another one; `undefined` where it is the same. */
export const targetMoved = (proposed: CorrectionTarget, current: CorrectionTarget): Refusal | undefined =>
  proposed.attemptId === current.attemptId &&
  proposed.operationId === current.operationId &&
  proposed.amountMinor === current.amountMinor
    ? undefined
    : `it was proposed for ${targetName(proposed)}, and now applies to ${targetName(current)}`

const targetName = ({ amountMinor, attemptId, operationId }: CorrectionTarget): string =>
  [
    attemptId === null ? "no attempt" : `attempt ${attemptId}`,
    operationId === null ? "no capture or void" : `operation ${operationId}`,
    ...(amountMinor === null ? [] : [`amount ${amountMinor}`])
  ].join(", ")

/** The payment after an operator's statement, with their evidence as the first of the events. */
export const applyEvidence = (
  book: PaymentBook,
  stated: OperatorStatement,
  seen: SeenEvidence,
  at: EvidenceTime
): Result.Result<Applied, Refusal> =>
  Result.map(appliedOf(book, stated, at), (applied) => {
    const { refunds } = bookAfter(book, applied)
    const payment = reviewed(applied.payment, {
      isRefundUnknown: refunds.some(({ stage }) => stage === "Unknown"),
      // Refunds stay closed where this very statement closes them.
      isCaptureFailed: isCaptureFailed(applied.payment) && !isCaptureFailed(book.payment)
    })
    return { ...applied, payment, events: [evidenceEvent(payment, stated, seen), ...applied.events] }
  })

/** What was stated, and by whom. `payment`: as it is written. */
export const evidenceEvent = (payment: Payment, stated: OperatorStatement, seen: SeenEvidence): EventDraft =>
  paymentEvent("payment.reviewed", payment, {
    reviewed_by: seen.by,
    ...(seen.approvedBy === undefined ? {} : { approved_by: seen.approvedBy }),
    evidence: seen.evidence,
    ...(seen.fileHash === undefined ? {} : { evidence_sha256: seen.fileHash }),
    ...(seen.providerReference === undefined ? {} : { evidence_reference: seen.providerReference }),
    finding: wireOf(stated)
  })

/** The amount that a second person may be needed for: whatever part of it is stated, the whole of it is at stake. */
export const amountAtStake = ({ payment, refunds }: PaymentBook, stated: OperatorStatement): Money =>
  (stated._tag === "Refund" ? refunds.find(({ id }) => id === stated.refundId)?.money : undefined) ?? payment.money

const isCaptureFailed = ({ review }: Payment): boolean => review?.reasons.includes("capture_failed") === true

const wireOf = (stated: OperatorStatement): JsonObject => {
  switch (stated._tag) {
    case "Charge":
      return {
        charge: stated.says,
        attempt_id: stated.attemptId,
        amount: stated.amountMinor,
        provider_reference: stated.providerRef
      }
    case "Refund":
      return { refund: stated.says, refund_id: stated.refundId, provider_refund_id: stated.providerRefundId }
    case "NothingToChange":
      return {}
  }
}

const appliedOf = (book: PaymentBook, stated: OperatorStatement, at: EvidenceTime): Result.Result<Applied, Refusal> => {
  switch (stated._tag) {
    case "Charge":
      return Result.flatMap(translateCharge(book, stated), (said) => weigh(book, said, at))
    case "Refund":
      return Result.flatMap(translateRefund(book, stated), (said) => weigh(book, said, at))
    case "NothingToChange":
      return ofNothing(book, at.now)
  }
}

const ofNothing = (book: PaymentBook, now: number): Result.Result<Applied, Refusal> => {
  const { payment, refunds } = book
  if (payment.review === null) return Result.fail("the payment is not under review")
  if (statusOf[payment.state] === "UNKNOWN" || refunds.some(({ stage }) => stage === "Unknown")) {
    return Result.fail("the payment has an unknown result: state what the provider's record says")
  }
  return Result.succeed(unchangedBook(book, now))
}

/** A statement as the provider would have made it. */
interface Translated {
  readonly connectionId: string
  readonly about: StatementAbout
  /** Whether it is not known yet what the provider did. */
  readonly isOpen: boolean
  /** For a statement that the record cannot take. */
  readonly refusal: Refusal
}

const weigh = (
  book: PaymentBook,
  { about, connectionId, isOpen, refusal }: Translated,
  { agesFrom, now }: EvidenceTime
): Result.Result<Applied, Refusal> => {
  const meaning = interpret(book, connectionId, { via: "operator", about, at: null, askedAt: now, agesFrom }, now)
  switch (meaning._tag) {
    case "Moves":
      return Result.succeed(meaning.applied)
    case "Confirms":
      return Result.mapError(ofNothing(book, now), (reason) => (book.payment.review === null ? reason : refusal))
    case "TooEarly":
      return Result.fail(
        meaning.from === null || !isOpen
          ? refusal
          : `the request may still arrive: never_received is accepted from ${new Date(meaning.from).toISOString()} on`
      )
    default:
      return Result.fail(refusal)
  }
}

// Charges, captures and voids.

const inFlight: ReadonlySet<PaymentState> = new Set(["Charging", "Capturing", "Voiding"])
const unsent: ReadonlySet<PaymentState> = new Set(["AwaitingCustomer"])

const open: ReadonlySet<PaymentStatus> = new Set(["UNKNOWN", "PENDING", "REQUIRES_ACTION"])

type ChargeStatement = Extract<OperatorStatement, { readonly _tag: "Charge" }>

const translateCharge = (book: PaymentBook, stated: ChargeStatement): Result.Result<Translated, Refusal> => {
  const { payment } = book
  if (unsent.has(payment.state)) return Result.fail("nothing has been sent to a provider yet")
  if (inFlight.has(payment.state)) return Result.fail("a request is still in flight: its result is not unknown yet")
  if (stated.says === "capture_failed") return translateFailure(book, "capture")
  if (stated.says === "void_failed") return translateFailure(book, "void")
  const charge = chargeOf(book, stated)
  if (charge === undefined) return Result.fail(`the payment has no attempt ${stated.attemptId ?? ""}`.trimEnd())
  const { asked, attempt, operation } = charge
  const state = stateOf(stated, attempt, asked)
  if (state === undefined) return Result.fail("the provider's reference of the charge is required")
  const wrong = operation === undefined ? excess(attempt, state) : misfit(payment, operation, stated, state)
  return wrong === undefined
    ? Result.succeed({
        connectionId: attempt.connectionId,
        about: { _tag: "Charge", charge: { attemptId: attempt.id }, state: () => state },
        isOpen: open.has(statusOf[payment.state]),
        refusal: `a payment that is ${statusOf[payment.state]} cannot become ${stated.says}`
      })
    : Result.fail(wrong)
}

/** Of the newest capture or void that the provider may have executed. */
const translateFailure = (book: PaymentBook, kind: OperationKind): Result.Result<Translated, Refusal> => {
  const { payment } = book
  const operation = failedOperation(book, kind)
  const attempt = holdingAttempt(book)
  if (operation === undefined && kind === "capture" && attempt !== undefined && payment.capturedMinor > 0) {
    // The provider captured it by itself.
    return Result.succeed({
      connectionId: attempt.connectionId,
      about: { _tag: "CaptureFailed", charge: { attemptId: attempt.id }, reason: null },
      isOpen: false,
      refusal: "that its capture failed was stated before"
    })
  }
  if (operation === undefined) return Result.fail(`the payment has no ${kind} that can have failed`)
  return Result.succeed({
    connectionId: operation.connectionId,
    about: {
      _tag: "Operation",
      operationId: operation.id,
      state: () => ({ _tag: "OperationFailed", isFinal: true, reason: null })
    },
    isOpen: open.has(statusOf[payment.state]),
    refusal: `a payment that is ${statusOf[payment.state]} cannot take back its ${kind}`
  })
}

const executable: ReadonlySet<Operation["outcome"]> = new Set(["Unanswered", "Accepted", "Confirmed"])

/** The newest capture or void that the provider may have executed. */
const failedOperation = ({ operations }: PaymentBook, kind: OperationKind): Operation | undefined =>
  operations.findLast((one) => one.kind === kind && executable.has(one.outcome))

/** The attempt that a statement is about, its capture or void that is under way, and what the provider was asked for. */
const chargeOf = (book: PaymentBook, stated: ChargeStatement) => {
  const underWay = openOperation(book)
  const attempt = attemptFor(book, stated, underWay !== undefined)
  if (attempt === undefined) return undefined
  const operation = attempt.id === holdingAttempt(book)?.id ? underWay : undefined
  return { attempt, operation, asked: operation?.kind === "capture" ? operation.money : attempt.money }
}

const attemptFor = (book: PaymentBook, { attemptId }: ChargeStatement, isOperated: boolean): Attempt | undefined => {
  if (attemptId !== null) return book.attempts.find(({ id }) => id === attemptId)
  return isOperated || book.payment.providerRef !== null ? holdingAttempt(book) : openAttempt(book)
}

/** As the provider would state it; `undefined` where it needs a reference and the evidence has none. */
const stateOf = (stated: ChargeStatement, attempt: Attempt, asked: Money): ChargeState | NeverReceived | undefined => {
  if (stated.says === "never_received") return { _tag: "NotFound", conclusive: true }
  const providerRef = stated.providerRef ?? attempt.providerRef
  if (providerRef === null) return undefined
  switch (stated.says) {
    case "captured":
    case "authorized": {
      const amount = { ...asked, minorUnits: stated.amountMinor ?? asked.minorUnits }
      return { _tag: stated.says === "captured" ? "Captured" : "Authorized", providerRef, stated: amount }
    }
    case "declined":
      return { _tag: "Declined", providerRef, category: "other", code: "declined", soft: false }
    default:
      return { _tag: "Canceled", providerRef }
  }
}

const excess = ({ money }: Attempt, state: ChargeState | NeverReceived): Refusal | undefined =>
  "stated" in state && state.stated !== undefined && state.stated.minorUnits > money.minorUnits
    ? "it exceeds the requested amount"
    : undefined

/** What cannot be said of a charge whose capture or void is unknown or accepted. */
const misfit = (
  { authorizedMinor }: Payment,
  operation: Operation,
  { amountMinor, says }: ChargeStatement,
  state: ChargeState | NeverReceived
): Refusal | undefined => {
  switch (state._tag) {
    case "NotFound":
      return "the charge exists: state whether it is captured, authorized or canceled"
    case "Declined":
      return `a ${operation.kind} cannot end as ${says}`
    case "Authorized":
      return amountMinor !== null && amountMinor !== authorizedMinor
        ? `the authorized amount is ${authorizedMinor}`
        : undefined
    default:
      return operationFactOf(operation, authorizedMinor, state)._tag === "Mismatched"
        ? "it exceeds the requested or authorized amount"
        : undefined
  }
}

// Refunds.

type RefundStatement = Extract<OperatorStatement, { readonly _tag: "Refund" }>

const translateRefund = ({ refunds }: PaymentBook, stated: RefundStatement): Result.Result<Translated, Refusal> => {
  const refund = refunds.find(({ id }) => id === stated.refundId)
  if (refund === undefined) return Result.fail(`the payment has no refund ${stated.refundId}`)
  if (refund.stage === "Sending") return Result.fail("the refund request is still in flight")
  const state = refundStateOf(stated, refund)
  return state === undefined
    ? Result.fail("the provider's id of the refund is required")
    : Result.succeed({
        connectionId: refund.connectionId,
        about: { _tag: "Refund", refundId: refund.id, state: () => state },
        isOpen: refund.stage === "Unknown" || refund.stage === "Pending",
        refusal: `a refund that is ${refund.stage.toLowerCase()} cannot become ${stated.says}`
      })
}

/** As the provider would state it; `undefined` where it needs an id and the evidence has none. */
const refundStateOf = (
  { providerRefundId, says }: RefundStatement,
  refund: Refund
): RefundAnswer | NeverReceived | undefined => {
  const id = providerRefundId ?? refund.providerRefundId
  switch (says) {
    case "succeeded":
      return id === null ? undefined : { _tag: "Succeeded", providerRefundId: id, stated: refund.money }
    case "failed":
      return id === null
        ? { _tag: "Rejected", code: "failed", message: "The provider's record says that it failed." }
        : { _tag: "RefundFailed", providerRefundId: id, reason: null }
    case "never_received":
      return { _tag: "NotFound", conclusive: true }
  }
}
