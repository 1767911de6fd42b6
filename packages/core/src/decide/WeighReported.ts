/**
 * What a provider stated while the payment could not take it, weighed by the step that ends a charge, a capture or a
 * void: payouts, disputes, captures that were made at the provider, and that the charge has ended. Where that step leaves
 * a record that cannot take it either, it contradicts the record. Pure.
 */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import type { EventDraft, JsonObject } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import type { Payment } from "../model/Payment.ts"
import { paymentEvent } from "../model/PaymentEvents.ts"
import {
  openCharge,
  operating,
  type PaymentEvent,
  PaymentMachine,
  type PaymentState,
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
import { sumOf } from "./Captures.ts"
import { withReview } from "./WithReview.ts"

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

/** Of a cancellation that nobody asked for here. */
export const byProvider: JsonObject = { origin: "provider" }

/** `after`: the payment at the end of the step. */
export const weighedEvents = (after: Payment, { conflicts, emits }: Weighed): ReadonlyArray<EventDraft> => [
  ...emits.map((type) => paymentEvent(type, after, detailsOf(type, after))),
  ...conflicts.map((evidence) => paymentEvent("payment.conflict", after, evidence))
]
