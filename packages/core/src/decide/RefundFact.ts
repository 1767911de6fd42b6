/**
 * What a provider's word about a refund means, for the refund and for its payment. The direct answer, a provider's
 * message and a lookup become the same facts, applied by the same code. Pure.
 */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import type { EventDraft, JsonObject } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import { type Payment, paymentEvent, type ReviewReason, refundableMinor } from "../model/Payment.ts"
import { type RefundTotals, refundTotals } from "../model/PaymentBook.ts"
import { moneyTaken, type PaymentEvent, PaymentMachine, type PaymentState } from "../model/PaymentMachine.ts"
import {
  type NotSent,
  type RefundAnswer,
  type RefundOfRow,
  type Unanswered,
  unansweredCode
} from "../model/ProviderStatement.ts"
import { moveRefund, type Refund, type RefundReply, withRefund } from "../model/Refund.ts"
import type { RefundEvent } from "../model/RefundMachine.ts"
import type { Money } from "../money/Money.ts"
import { withReview } from "./WithReview.ts"

/** How a call to refund ended. */
export type RefundEnd = RefundAnswer | RefundOfRow | NotSent | Unanswered

export type RefundFact =
  /** Minor units that went back. */
  | { readonly on: "RefundConfirmed"; readonly amountMinor: number; readonly providerRefundId: string | null }
  | { readonly on: "RefundAccepted"; readonly providerRefundId: string }
  | { readonly on: "RefundMismatched"; readonly stated: Money; readonly providerRefundId: string | null }
  | {
      readonly on: "RefundRefused"
      readonly code: string | null
      readonly message: string
      readonly providerRefundId: string | null
    }
  /** It failed, and the provider tries again. */
  | { readonly on: "RefundRetried"; readonly message: string; readonly providerRefundId: string }
  /** As `RefundRefused`, where the request was told that its result is unknown. */
  | { readonly on: "RefusalUntold"; readonly code: string | null; readonly message: string }
  | { readonly on: "RefundUnanswered"; readonly reason: string; readonly code?: string | null }
  /** A late lookup: the provider never received it. */
  | { readonly on: "RefundNotFound" }

/** The end of a call, or what a lookup found, in the words of the refund's table. */
export const refundFactOf = (asked: Money, end: RefundEnd): RefundFact => {
  switch (end._tag) {
    case "pointsman/Unanswered":
      return { on: "RefundUnanswered", reason: end.reason, code: unansweredCode(end) }
    case "pointsman/NotSent":
      return refused(null, `Nothing was sent to the provider: ${end.reason}.`)
    case "Rejected":
      return refused(end.code, end.message)
    case "RefundFailed": {
      const { isFinal, providerRefundId, reason } = end
      const message = reason ?? "The provider says that the refund failed."
      return isFinal === false
        ? { on: "RefundRetried", message, providerRefundId }
        : { ...refused(reason, message), providerRefundId }
    }
    case "Succeeded":
    case "RefundPending": {
      const { providerRefundId } = end
      const stated = end.stated ?? asked
      if (stated.currency !== asked.currency || stated.minorUnits > asked.minorUnits) {
        return { on: "RefundMismatched", stated, providerRefundId }
      }
      return end._tag === "Succeeded"
        ? { on: "RefundConfirmed", amountMinor: stated.minorUnits, providerRefundId }
        : { on: "RefundAccepted", providerRefundId: end.providerRefundId }
    }
    default:
      // A connector is third-party code: its answer may be malformed.
      return { on: "RefundUnanswered", reason: "the connector returned a malformed answer" }
  }
}

const refused = (code: string | null, message: string) =>
  ({ on: "RefundRefused", code, message, providerRefundId: null }) as const

/** The states in which there is captured money to give back. */
const refundable: ReadonlySet<PaymentState> = new Set(moneyTaken)

const closing: ReadonlySet<ReviewReason> = new Set(["capture_failed", "refund_excess"])

/** Refunds are closed while operators review that money is missing for them. */
export const isRefundable = ({ review, state }: Pick<Payment, "review" | "state">): boolean =>
  refundable.has(state) && review?.reasons.some((reason) => closing.has(reason)) !== true

export interface Refunded {
  readonly payment: Payment
  readonly refund: Refund
  readonly events: ReadonlyArray<EventDraft>
}

interface Dated {
  /** When the provider made the statement, in epoch milliseconds by its clock; `null` where it does not say. */
  readonly at: number | null
  /** Whether it says what is so now, as a lookup does. */
  readonly isCurrent: boolean
}

/** The payment and the refund after a fact. `refunds` are all of the payment's. */
export const applyRefundFact = (
  payment: Payment,
  refunds: ReadonlyArray<Refund>,
  refund: Refund,
  stated: RefundFact,
  now: number,
  dated: Dated = { at: null, isCurrent: false }
): Refunded => {
  const name = "providerRefundId" in stated ? stated.providerRefundId : null
  const isReused = name !== null && refundNamed(refunds, refund, name) !== undefined
  const fact: RefundFact = isReused
    ? { on: "RefundUnanswered", reason: "the provider gave the id of another refund" }
    : stated
  const on = eventFor(payment, refund, fact)
  const change = changeOf(refund, fact, now)
  const isFailure = on === "RefundReversed" || on === "RefundRetried" || on === "RefundFailed"
  const moved = moveRefund(refund, on, isFailure ? { ...change, settledAt: dated.at ?? now } : change)
  if (fact.on === "RefundRefused" && on === "RefundFailed" && refund.stage === "Succeeded")
    return contradicted(payment, refund, fact, now)
  // Another statement settled it first, and is the newer one.
  if (Result.isFailure(moved) || isOlderWord(refund, fact, dated))
    return { payment: { ...payment, version: payment.version + 1 }, refund, events: [] }
  const { emits, refund: after } = moved.success
  const all = withRefund(refunds, after)
  const totals = refundTotals(all)
  const wentBack = totals.refundedMinor > payment.refundedMinor
  const isTakenBack = totals.refundedMinor < payment.refundedMinor
  const row =
    wentBack || isTakenBack
      ? Result.getOrUndefined(
          step(
            PaymentMachine,
            payment.state,
            isTakenBack ? reversedEvent(payment, totals) : refundedEvent(payment, totals)
          )
        )
      : undefined
  const next: Payment = {
    ...payment,
    ...totals,
    state: row?.to ?? payment.state,
    version: payment.version + 1,
    updatedAt: now
  }
  const types = [...emits, ...(row?.emits ?? [])]
  const isRefundUnknown = all.some(({ stage }) => stage === "Unknown")
  const told = withReview(next, { events: types, isRefundUnknown, isReversal: on === "RefundReversed" })
  return { payment: told, refund: after, events: types.map((type) => refundEvent(type, told, after, fact)) }
}

/** Another refund of the payment to which the provider gave this id. */
export const refundNamed = (
  refunds: ReadonlyArray<Refund>,
  { connectionId, id }: Refund,
  providerRefundId: string
): Refund | undefined =>
  refunds.find((one) => one.id !== id && one.connectionId === connectionId && one.providerRefundId === providerRefundId)

/** A message told first that the money went back, and the answer says that it did not: operators review it. */
const contradicted = (payment: Payment, refund: Refund, fact: RefundFact, now: number): Refunded => {
  const next: Payment = { ...payment, version: payment.version + 1, updatedAt: now }
  const reviewed = withReview(next, { events: ["payment.conflict"] })
  return { payment: reviewed, refund, events: [refundEvent("payment.conflict", reviewed, refund, fact)] }
}

const refundedEvent = (payment: Payment, { refundedMinor }: RefundTotals): PaymentEvent =>
  refundedMinor === payment.capturedMinor ? "RefundedInFull" : "RefundedInPart"

const reversedEvent = ({ reported }: Payment, { refundedMinor }: RefundTotals): PaymentEvent => {
  if (refundedMinor > 0) return "RefundReversedInPart"
  return reported?.isPaidOut === true ? "RefundReversedSettled" : "RefundReversedInFull"
}

/**
 * Whether the provider stated that it failed: after it had succeeded, or after it was accepted. It may try again. What it
 * rejected at once, or never received, has no name there.
 */
export const hasFailed = ({ providerRefundId, settledAt, stage }: Refund): boolean =>
  stage === "Reversed" ||
  (stage === "Failed" && providerRefundId !== null) ||
  (stage === "Pending" && settledAt !== null)

/**
 * Accepted before it failed: the message of the failure may arrive before the answer to the call. After a failure only a
 * success counts that the provider dates after it: the earlier one may arrive again. An answer to the call has no date;
 * where a message of the failure was faster, operations review both.
 */
const isOlderWord = (refund: Refund, fact: RefundFact, { at, isCurrent }: Dated): boolean => {
  const { providerRefundId, settledAt, stage } = refund
  if (stage === "Reversed" || (hasFailed(refund) && fact.on === "RefundConfirmed")) {
    const isUndated = at === null || settledAt === null
    return !isCurrent && (isUndated ? stage !== "Failed" : at <= settledAt)
  }
  return (
    fact.on === "RefundAccepted" &&
    (stage === "Refused" || stage === "Failed") &&
    fact.providerRefundId === providerRefundId
  )
}

/** The fact as the table names it for a refund in its current stage. */
const eventFor = (payment: Payment, refund: Refund, fact: RefundFact): RefundEvent => {
  const { stage } = refund
  // The provider names its refund, so it executed it before: a request that it rejected has no name there.
  if (fact.on === "RefundRefused" && stage === "Succeeded" && fact.providerRefundId !== null) return "RefundReversed"
  // It never succeeded here: the provider is at work on it.
  if (fact.on === "RefundRetried" && stage !== "Succeeded") return "RefundAccepted"
  if (fact.on === "RefundRefused" && stage !== "Sending") return "RefundFailed"
  if (fact.on === "RefusalUntold" && stage !== "Sending" && stage !== "Refused") return "RefundFailed"
  const isSettled = stage === "Refused" || stage === "Failed" || stage === "Reversed"
  const claims =
    fact.on === "RefundConfirmed" ? fact.amountMinor : fact.on === "RefundAccepted" ? refund.money.minorUnits : 0
  return isSettled && claims > refundableMinor(payment) ? "ExcessReported" : fact.on
}

const changeOf = (refund: Refund, fact: RefundFact, now: number): Partial<Refund> => {
  switch (fact.on) {
    case "RefundConfirmed":
      return {
        money: { ...refund.money, minorUnits: fact.amountMinor },
        providerRefundId: fact.providerRefundId ?? refund.providerRefundId,
        settledAt: now,
        code: null,
        failureReason: null
      }
    case "RefundAccepted":
      return {
        providerRefundId: fact.providerRefundId,
        // The last failure: a success that is dated before it is older.
        settledAt: refund.stage === "Reversed" ? refund.settledAt : null,
        code: null,
        failureReason: null
      }
    case "RefundRetried":
      return { providerRefundId: fact.providerRefundId, settledAt: null, code: null, failureReason: fact.message }
    case "RefundMismatched":
      return {
        providerRefundId: fact.providerRefundId ?? refund.providerRefundId,
        failureReason: "the provider stated another amount or currency"
      }
    case "RefundRefused":
      return {
        providerRefundId: fact.providerRefundId ?? refund.providerRefundId,
        settledAt: now,
        code: fact.code,
        failureReason: fact.message
      }
    case "RefusalUntold":
      return { settledAt: now, code: fact.code, failureReason: fact.message }
    case "RefundNotFound":
      return { settledAt: now, failureReason: "The provider never received the refund." }
    case "RefundUnanswered":
      return { code: fact.code ?? null, failureReason: fact.reason }
  }
}

/** What a refund's events say. */
const refundEvent = (type: EventType, payment: Payment, refund: Refund, fact: RefundFact): EventDraft => {
  const mismatch: JsonObject =
    type === "payment.amount_mismatch" && fact.on === "RefundMismatched"
      ? { stated_amount: fact.stated.minorUnits, stated_currency: fact.stated.currency }
      : {}
  return paymentEvent(type, payment, {
    refund_id: refund.id,
    origin: refund.origin,
    refund_amount: refund.money.minorUnits,
    refunded_total: payment.refundedMinor,
    refund_pending_amount: payment.refundPendingMinor,
    ...(type === "payment.refund_failed" ? { failure_reason: refund.failureReason } : {}),
    ...mismatch
  })
}

/** The response to a refund request, by the stage of the refund after the fact. */
export const replyTo = ({ failureReason, stage }: Refund, payment: Payment): RefundReply => {
  switch (stage) {
    case "Succeeded":
      return { _tag: "Done", payment }
    case "Pending":
      return { _tag: "RefundPending" }
    case "Sending":
    case "Unknown":
      return { _tag: "ResultUnknown" }
    case "Refused":
    case "Failed":
    case "Reversed":
      return { _tag: "Refused", message: failureReason ?? "The provider rejected the request." }
  }
}
