/**
 * What somebody found in the provider's record, and what it means for the payment (specification, `UNKNOWN`; decisions,
 * section 3). Pure: it becomes the same facts as a look-up that is late and conclusive, applied by the same code.
 *
 * The rule that a reader would otherwise break: a person's "it never arrived" is believed no sooner than a look-up's. The
 * provider may still be at work on a call that is young, and its dashboard may lag: believed now, it would be charged or
 * refunded twice. What the payment's tables have no row for is refused, and nothing is written.
 */
import { Result } from "effect"
import type { Attempt } from "../model/Attempt.ts"
import type { JsonObject } from "../model/Event.ts"
import type { Operation } from "../model/Operation.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import { paymentEvent } from "../model/PaymentEvents.ts"
import { type PaymentState, statusOf } from "../model/PaymentMachine.ts"
import type { ChargeState } from "../model/ProviderStatement.ts"
import type { Money } from "../money/Money.ts"
import { type Applied, endedBy, ofChargeFact, unchanged } from "./Applied.ts"
import { type ChargeFact, chargeFactOf } from "./ChargeFact.ts"
import { holdingAttempt, openAttempt, openOperation } from "./Holding.ts"
import { applyOperationFact, type OperationFact, operationFactOf } from "./OperationFact.ts"
import { applyRefundFact, type RefundFact } from "./RefundFact.ts"
import { isOldEnough, oldFrom, type SentCall } from "./SentCall.ts"
import { reviewed } from "./WithReview.ts"

export const chargeFindings = ["captured", "authorized", "declined", "canceled", "never_received"] as const
export const refundFindings = ["succeeded", "failed", "never_received"] as const

export type Finding =
  /** What the provider's record says of a charge, and of the capture or the void of it that nobody knows. */
  | {
      readonly _tag: "Charge"
      readonly says: (typeof chargeFindings)[number]
      /** Which attempt; `null` for the one that is open, or holds the money. */
      readonly attemptId: string | null
      /** Minor units that are captured, or authorized; `null` for what was asked for. */
      readonly amountMinor: number | null
      /** The charge at the provider; `null` where it is known already. */
      readonly providerRef: string | null
    }
  | {
      readonly _tag: "Refund"
      readonly says: (typeof refundFindings)[number]
      readonly refundId: string
      /** The refund at the provider; `null` where it is known already. */
      readonly providerRefundId: string | null
    }
  /** Somebody looked, and the payment stands as it should. */
  | { readonly _tag: "NothingToChange" }

export interface Evidence {
  /** What was seen, and where; for people. It is on the payment's timeline, and in the webhook. */
  readonly evidence: string
  /** Who looked. */
  readonly by: string
}

/** A sentence that says why the finding cannot be written. */
export type Refusal = string

/** The payment as somebody leaves it who has looked, with their evidence as the first of the events. */
export const applyFinding = (
  book: PaymentBook,
  finding: Finding,
  seen: Evidence,
  now: number
): Result.Result<Applied, Refusal> =>
  Result.map(foundOf(book, finding, now), (found) => {
    const refunds = book.refunds.map((one) => found.refunds.find(({ id }) => id === one.id) ?? one)
    const payment = reviewed(found.payment, { isRefundUnknown: refunds.some(({ stage }) => stage === "Unknown") })
    const note = paymentEvent("payment.reviewed", payment, {
      reviewed_by: seen.by,
      evidence: seen.evidence,
      finding: wireOf(finding)
    })
    return { ...found, payment, events: [note, ...found.events] }
  })

const wireOf = (finding: Finding): JsonObject => {
  switch (finding._tag) {
    case "Charge":
      return {
        charge: finding.says,
        attempt_id: finding.attemptId,
        amount: finding.amountMinor,
        provider_reference: finding.providerRef
      }
    case "Refund":
      return {
        refund: finding.says,
        refund_id: finding.refundId,
        provider_refund_id: finding.providerRefundId
      }
    case "NothingToChange":
      return {}
  }
}

const foundOf = (book: PaymentBook, finding: Finding, now: number): Result.Result<Applied, Refusal> => {
  switch (finding._tag) {
    case "Charge":
      return ofCharge(book, finding, now)
    case "Refund":
      return ofRefund(book, finding, now)
    case "NothingToChange":
      return ofNothing(book, now)
  }
}

const next = (payment: Payment, now: number): Payment => ({ ...payment, version: payment.version + 1, updatedAt: now })

const ofNothing = ({ payment, refunds }: PaymentBook, now: number): Result.Result<Applied, Refusal> => {
  if (payment.review === null) return Result.fail("the payment is not under review")
  if (statusOf[payment.state] === "UNKNOWN" || refunds.some(({ stage }) => stage === "Unknown")) {
    return Result.fail("the payment has an unknown result: state what the provider's record says")
  }
  return Result.succeed({ ...unchanged, payment: next(payment, now) })
}

// Charges, captures and voids.

const inFlight: ReadonlySet<PaymentState> = new Set(["Charging", "Capturing", "Voiding"])
const unsent: ReadonlySet<PaymentState> = new Set(["AwaitingCustomer"])

type ChargeFinding = Extract<Finding, { readonly _tag: "Charge" }>

const ofCharge = (book: PaymentBook, finding: ChargeFinding, now: number): Result.Result<Applied, Refusal> => {
  const { payment } = book
  if (unsent.has(payment.state)) return Result.fail("nothing has been sent to a provider yet")
  if (inFlight.has(payment.state)) return Result.fail("a request is still in flight: its result is not unknown yet")
  const operation = openOperation(book)
  const attempt = attemptFor(book, finding, operation !== undefined)
  if (attempt === undefined) return Result.fail(`the payment has no attempt ${finding.attemptId ?? ""}`.trimEnd())
  const isOfOperation = operation !== undefined && attempt.id === holdingAttempt(book)?.id
  const asked = isOfOperation && operation.kind === "capture" ? operation.money : attempt.money
  const state = stateOf(finding, attempt, asked)
  if (state === undefined) return Result.fail("the provider's reference of the charge is required")
  if (isOfOperation) {
    if (state === "NotFound") {
      return Result.fail("the charge exists: state whether it is captured, authorized or canceled")
    }
    if (state._tag === "Authorized") {
      const { amountMinor } = finding
      if (amountMinor !== null && amountMinor !== payment.authorizedMinor) {
        return Result.fail(`the authorized amount is ${payment.authorizedMinor}`)
      }
      if (!isOldEnough(operation, now)) return Result.fail(tooYoung(operation))
    }
    const fact = operationFact(payment, operation, state)
    if (fact._tag === "Mismatched") return Result.fail("it exceeds the requested or authorized amount")
    if (state._tag === "Declined") return Result.fail(`a ${operation.kind} cannot end as ${finding.says}`)
    const { events, operation: ended, payment: after } = applyOperationFact(payment, operation, fact, now)
    return after.state === payment.state
      ? Result.fail(notHere(payment, finding.says))
      : Result.succeed({ ...unchanged, payment: after, operations: [ended], events })
  }
  if (state === "NotFound" && !isOldEnough(attempt, now)) return Result.fail(tooYoung(attempt))
  const fact = chargeFact(payment, attempt, state)
  if (fact.on === "MismatchStated") return Result.fail("it exceeds the requested amount")
  const ended = state === "NotFound" ? attempt : endedBy(attempt, state, fact, now)
  const applied = ofChargeFact(book, ended, fact, now)
  return applied === undefined ? Result.fail(notHere(payment, finding.says)) : Result.succeed(applied)
}

const tooYoung = (call: SentCall): string =>
  `the request may still arrive: never_received is accepted from ${new Date(oldFrom(call)).toISOString()} on`

const notHere = ({ state }: Payment, says: string): string =>
  `a payment that is ${statusOf[state]} cannot become ${says}`

const attemptFor = (book: PaymentBook, { attemptId }: ChargeFinding, isOperated: boolean): Attempt | undefined => {
  if (attemptId !== null) return book.attempts.find(({ id }) => id === attemptId)
  return isOperated || book.payment.providerRef !== null ? holdingAttempt(book) : openAttempt(book)
}

/** As the provider would state it; `undefined` where it needs a reference that nobody gave. */
const stateOf = (finding: ChargeFinding, attempt: Attempt, asked: Money): ChargeState | "NotFound" | undefined => {
  if (finding.says === "never_received") return "NotFound"
  const providerRef = finding.providerRef ?? attempt.providerRef
  if (providerRef === null) return undefined
  switch (finding.says) {
    case "captured":
    case "authorized": {
      const stated = { ...asked, minorUnits: finding.amountMinor ?? asked.minorUnits }
      return { _tag: finding.says === "captured" ? "Captured" : "Authorized", providerRef, stated }
    }
    case "declined":
      return { _tag: "Declined", providerRef, category: "other", code: "declined", soft: false }
    case "canceled":
      return { _tag: "Canceled", providerRef }
  }
}

const operationFact = (payment: Payment, operation: Operation, state: ChargeState): OperationFact => {
  if (state._tag !== "Authorized") return operationFactOf(operation, payment.authorizedMinor, state)
  return statusOf[payment.state] === "UNKNOWN"
    ? { _tag: "NotFound" }
    : { _tag: "Refused", code: null, message: "The provider's record says that the payment is still authorized." }
}

const chargeFact = (payment: Payment, attempt: Attempt, state: ChargeState | "NotFound"): ChargeFact => {
  if (state === "NotFound") {
    return payment.state === "CheckoutOpen" ? { on: "CheckoutEnded" } : { on: "ChargeNotFound" }
  }
  if (payment.state === "Authorized" && state._tag === "Canceled") return { on: "AuthorizationLapsed" }
  // What the record holds is held, however it was asked for: nobody waits for the provider to capture it.
  return chargeFactOf({ ...payment, captureMethod: "manual" }, attempt.connectionId, state)
}

// Refunds.

type RefundFinding = Extract<Finding, { readonly _tag: "Refund" }>

const ofRefund = (
  { payment, refunds }: PaymentBook,
  finding: RefundFinding,
  now: number
): Result.Result<Applied, Refusal> => {
  const refund = refunds.find(({ id }) => id === finding.refundId)
  if (refund === undefined) return Result.fail(`the payment has no refund ${finding.refundId}`)
  if (refund.stage === "Sending") return Result.fail("the refund request is still in flight")
  if (finding.says === "never_received" && !isOldEnough(refund, now)) return Result.fail(tooYoung(refund))
  const providerRefundId = finding.providerRefundId ?? refund.providerRefundId
  const fact = refundFact(finding, providerRefundId, refund.money.minorUnits)
  if (fact === undefined) return Result.fail("the provider's id of the refund is required")
  const after = applyRefundFact(payment, refunds, refund, fact, now)
  return after.refund.stage === refund.stage
    ? Result.fail(`a refund that is ${refund.stage.toLowerCase()} cannot become ${finding.says}`)
    : Result.succeed({ ...unchanged, payment: after.payment, refunds: [after.refund], events: after.events })
}

const refundFact = (
  { says }: RefundFinding,
  providerRefundId: string | null,
  amountMinor: number
): RefundFact | undefined => {
  switch (says) {
    case "succeeded":
      return providerRefundId === null ? undefined : { on: "RefundConfirmed", amountMinor, providerRefundId }
    case "failed":
      return {
        on: "RefundRefused",
        code: null,
        message: "The provider's record says that it failed.",
        providerRefundId
      }
    case "never_received":
      return { on: "RefundNotFound" }
  }
}
