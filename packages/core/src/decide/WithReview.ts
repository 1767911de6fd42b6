/**
 * What operators have to review after a step, and what a provider stated before the payment could take it. A result
 * that becomes known ends its review. A contradiction stays in review until an operator ends it, whatever the provider
 * says later. Pure.
 */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import { type Correction, openCorrection, withCorrection } from "../model/Correction.ts"
import type { EventDraft, JsonObject } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import { type Payment, paymentEvent, type ReviewReason, reviewReasons } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import {
  moneyTaken,
  openCharge,
  operating,
  type PaymentEvent,
  PaymentMachine,
  type PaymentState,
  statusOf,
  taken,
  undisputed
} from "../model/PaymentMachine.ts"
import {
  type ChargeEndStatement,
  isDisputed,
  openDisputes,
  type Reported,
  withContradiction
} from "../model/Reported.ts"
import { sumOf } from "./Holding.ts"

/** What a step brings up, besides what the payment's state says. */
export interface BroughtUp {
  readonly events: ReadonlyArray<EventType>
  /** Another attempt holds money too. */
  readonly isDoubleCharge?: boolean
  /** Whether a refund of the payment is unknown; absent where the step is about none. */
  readonly isRefundUnknown?: boolean
  /** Whether the customer is on a page of the provider's that has no end. */
  readonly isEndless?: boolean
  /** Whether a refund failed after it had succeeded. */
  readonly isReversal?: boolean
  /** Whether a capture failed that cannot be taken back here. */
  readonly isCaptureFailed?: boolean
  /** Whether the provider refunded more than is captured. */
  readonly isRefundExcess?: boolean
  /** Whether the provider stated one reference for two payments. */
  readonly isReferenceReused?: boolean
  /** Whether something that a provider accepted, or never answered, has been open for too long. */
  readonly isOverdue?: boolean
}

/** The payment after a step, with what operations have to look at from then on. */
export const withReview = (payment: Payment, broughtUp: BroughtUp): Payment => {
  const { review } = payment
  const carried = review?.reasons ?? []
  const isTrue: Record<ReviewReason, boolean> = {
    unknown: statusOf[payment.state] === "UNKNOWN",
    refund_unknown: broughtUp.isRefundUnknown ?? (carried.includes("refund_unknown") && payment.refundPendingMinor > 0),
    open_checkout: onCheckout.has(payment.state) && (carried.includes("open_checkout") || broughtUp.isEndless === true),
    overdue: mayBeOverdue(payment) && (carried.includes("overdue") || broughtUp.isOverdue === true),
    amount_mismatch: carried.includes("amount_mismatch") || broughtUp.events.includes("payment.amount_mismatch"),
    conflict:
      carried.includes("conflict") ||
      (broughtUp.events.includes("payment.conflict") &&
        broughtUp.isDoubleCharge !== true &&
        broughtUp.isReferenceReused !== true),
    double_charge: carried.includes("double_charge") || broughtUp.isDoubleCharge === true,
    reversal: carried.includes("reversal") || broughtUp.isReversal === true,
    capture_failed: carried.includes("capture_failed") || broughtUp.isCaptureFailed === true,
    refund_excess: carried.includes("refund_excess") || broughtUp.isRefundExcess === true,
    reference_reused: carried.includes("reference_reused") || broughtUp.isReferenceReused === true,
    correction: payment.corrections !== undefined && openCorrection(payment) !== undefined
  }
  const reasons = reviewReasons.filter((reason) => isTrue[reason])
  if (reasons.length === 0) return review === null ? payment : { ...payment, review: null }
  const isSame = reasons.length === carried.length && reasons.every((reason) => carried.includes(reason))
  return isSame ? payment : { ...payment, review: { since: review?.since ?? payment.updatedAt, reasons } }
}

/** Whether the payment waits for a provider that said that it is at work, or for an attempt beside its own. */
const mayBeOverdue = ({ refundPendingMinor, routing, state }: Payment): boolean =>
  isAccepted(state) || refundPendingMinor > 0 || openRivals(state, routing?.attempts ?? []).length > 0

const accepted: ReadonlySet<PaymentState> = new Set(["ChargePending", "CapturePending", "VoidPending"])

/** Whether the provider said that it is at work on the charge, the capture or the void. */
const isAccepted = (state: PaymentState): boolean => accepted.has(state)

/** Where an attempt holds money and no operation is under way. */
const atRest: ReadonlySet<PaymentState> = new Set(["Authorized", ...moneyTaken, "ChargedBack"])

/**
 * The attempts that may hold money besides the one that the payment is based on: the provider of an earlier one
 * reported late that it took the money, when a further one had gone out without an answer.
 */
export const openRivals = <A extends { readonly outcome: string | null }>(
  state: PaymentState,
  attempts: ReadonlyArray<A>
) => (atRest.has(state) ? attempts.filter(({ outcome }) => outcome === null || outcome === "Unanswered") : [])

const onCheckout: ReadonlySet<PaymentState> = new Set(["CheckoutOpen", "ChargePending"])

/** The payment after an operator has reviewed it: what is still unknown stays. */
export const reviewed = (payment: Payment, now: Pick<BroughtUp, "isRefundUnknown" | "isCaptureFailed">): Payment =>
  withReview({ ...payment, review: null }, { ...now, events: [] })

/** The payment with a correction that was proposed or decided. */
export const corrected = (payment: Payment, correction: Correction): Payment =>
  withReview({ ...payment, corrections: withCorrection(payment.corrections, correction) }, { events: [] })

/** The same of a proposal, as it is written: from now on the payment waits for a second person. */
export const withProposal = (payment: Payment, proposed: Correction, now: number): Payment => {
  const after = corrected({ ...payment, version: payment.version + 1 }, proposed)
  return payment.review === null && after.review !== null
    ? { ...after, review: { ...after.review, since: now } }
    : after
}

// What has been open for so long that an operator should ask the provider about it; the background keeps looking it up.
// Pure: a provider that accepted a capture and refused it later, say, may show a record that never tells.

const day = 24 * 60 * 60 * 1000

/** Charges, captures and voids are done within days; a refund may take the banks weeks. In milliseconds. */
const longestMillis = 7 * day
const longestRefundMillis = 30 * day

/** The payment that waits for operations from now on; `undefined` where there is nothing to add. */
export const overdue = ({ attempts, payment, refunds }: PaymentBook, now: number) => {
  const isOverdue =
    (isAccepted(payment.state) && now - payment.updatedAt >= longestMillis) ||
    openRivals(payment.state, attempts).some(({ sentAt }) => now - sentAt >= longestMillis) ||
    refunds.some(({ sentAt, stage }) => stage === "Pending" && now - sentAt >= longestRefundMillis)
  if (!isOverdue) return undefined
  // Not an update: the times of its checks are counted from what happened last.
  const told = withReview(payment, { events: [], isOverdue })
  return told === payment ? undefined : { ...told, version: payment.version + 1 }
}

// What a provider stated while the payment could not take it, weighed by the step that ends a charge, a capture or a
// void: payouts, disputes, captures that were made at the provider, and that the charge has ended. Where that step leaves
// a record that cannot take it either, it contradicts the record.

const underWay: ReadonlySet<PaymentState> = new Set([...openCharge, ...operating, "ChargeMismatched"])

/** Whether a charge, a capture or a void may still end so that the money is taken. */
export const isUnderWay = (state: PaymentState): boolean => underWay.has(state)

/** Whether a rest is left of the authorization, which the provider may release: that says nothing of what is captured. */
export const isCapturedInPart = ({ authorizedMinor, capturedMinor }: Payment): boolean =>
  capturedMinor > 0 && capturedMinor < authorizedMinor

export interface Weighed {
  readonly payment: Payment
  /** Types of the events of its moves. */
  readonly emits: ReadonlyArray<EventType>
  /** The evidence of each conflict. */
  readonly conflicts: ReadonlyArray<JsonObject>
}

/** The payment as it is once what was stated counts, and under review where it cannot take that. */
export const weighReported = (payment: Payment): Weighed => {
  if (payment.reported === null || isUnderWay(payment.state)) return { payment, emits: [], conflicts: [] }
  const { chargeEnds = [], ...reported } = payment.reported
  const emits: Array<EventType> = []
  let { capturedMinor, state } = payment
  let contradictionsBefore = reported.contradictions
  const move = (on: PaymentEvent) => {
    const row = Result.getOrUndefined(step(PaymentMachine, state, on))
    if (row === undefined) return
    state = row.to
    emits.push(...row.emits)
  }
  const stated = sumOf(reported.captures ?? [])
  const most = Math.min(stated, payment.authorizedMinor)
  if (state === "Authorized" && stated > 0) {
    move("ChargeCaptured")
    capturedMinor = most
  }
  const isExcess = stated > payment.authorizedMinor && !reported.contradictions.includes(excessName(stated))
  if (taken.has(state) && (most > capturedMinor || isExcess)) {
    move(most > capturedMinor ? "CaptureCorrected" : "ExcessCaptureStated")
    capturedMinor = Math.max(most, capturedMinor)
    contradictionsBefore = withContradiction(contradictionsBefore, excessName(stated))
  }
  if (state === "Authorized" && chargeEnds.some(({ stated }) => stated === "Canceled")) move("AuthorizationLapsed")
  // A payment that is captured and paid out is settled: this is the first step that knows both.
  if (reported.isPaidOut && state === "Captured") move("SettlementReported")
  if (undisputed.has(state) && isDisputed(reported)) move("DisputeOpened")
  const isTaken = taken.has(state)
  const unseen = [
    ...(state === "Voided"
      ? []
      : contradictionsOfEnds(chargeEnds.filter((end) => !isReleased({ ...payment, capturedMinor }, end)))),
    ...(isTaken ? [] : contradictionsOf(payment.providerRef, reported))
  ].filter(({ name }) => !contradictionsBefore.includes(name))
  const conflicts = unseen.map(({ evidence }) => evidence)
  const contradictions = unseen.reduce((names, { name }) => withContradiction(names, name), contradictionsBefore)
  const weighed: Payment = { ...payment, state, capturedMinor, reported: { ...reported, contradictions } }
  return {
    payment: conflicts.length === 0 ? weighed : withReview(weighed, { events: ["payment.conflict"] }),
    emits,
    conflicts
  }
}

const isReleased = (payment: Payment, { stated }: ChargeEndStatement): boolean =>
  stated === "Canceled" && isCapturedInPart(payment)

/** As `interpret` names those that arrive later. */
const contradictionsOfEnds = (ends: ReadonlyArray<ChargeEndStatement>) =>
  ends.map(({ attemptId, providerRef, stated }) => ({
    name: `charge:${stated}`,
    evidence: { attempt_id: attemptId, provider_reference: providerRef, stated: stated.toLowerCase() }
  }))

/** Reports of money that is not recorded as taken, named as above. */
const contradictionsOf = (providerRef: string | null, reported: Reported) => [
  ...openDisputes(reported).map(({ disputeId, verdict }) => ({
    name: `dispute:${disputeId}`,
    evidence: { provider_reference: providerRef, dispute_id: disputeId, stated: `dispute_${verdict}` }
  })),
  ...(reported.isPaidOut ? [{ name: "payout", evidence: { provider_reference: providerRef, stated: "settled" } }] : [])
]

const detailsOf = (type: EventType, { capturedMinor, money, reported }: Payment): JsonObject => {
  if (type === "payment.cancelled") return byProvider
  if (type !== "payment.amount_mismatch") return {}
  const stated_amount = sumOf(reported?.captures ?? [])
  return { stated_amount, stated_currency: money.currency, captured_amount: capturedMinor }
}

/** Names a greater amount that is captured, so that operations see each amount once. */
export const excessName = (minorUnits: number): string => `captured:${minorUnits}`

/** Of a cancellation that was not requested here. */
export const byProvider: JsonObject = { origin: "provider" }

/** `after`: the payment at the end of the step. */
export const weighedEvents = (after: Payment, { conflicts, emits }: Weighed): ReadonlyArray<EventDraft> => [
  ...emits.map((type) => paymentEvent(type, after, detailsOf(type, after))),
  ...conflicts.map((evidence) => paymentEvent("payment.conflict", after, evidence))
]
