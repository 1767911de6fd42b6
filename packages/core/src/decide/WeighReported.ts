/**
 * What a provider reported of a payout or a dispute while the payment could not take it, weighed by the step that ends a
 * charge, a capture or a void (decisions, section 3). Where that step leaves no money taken, the report contradicts the
 * record. Pure.
 */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import type { EventDraft, JsonObject } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import type { Payment } from "../model/Payment.ts"
import { paymentEvent } from "../model/PaymentEvents.ts"
import {
  moneyTaken,
  openCharge,
  operating,
  type PaymentEvent,
  PaymentMachine,
  type PaymentState
} from "../model/PaymentMachine.ts"
import { isDisputed, openDisputes } from "../model/Reported.ts"
import { withReview } from "./WithReview.ts"

const taken: ReadonlySet<PaymentState> = new Set(moneyTaken)
const underWay: ReadonlySet<PaymentState> = new Set([...openCharge, ...operating, "ChargeMismatched"])

/** Whether a charge, a capture or a void may still end so that the money is taken. */
export const isUnderWay = (state: PaymentState): boolean => underWay.has(state)

export interface Weighed {
  readonly payment: Payment
  /** Types of the events of its moves. */
  readonly emits: ReadonlyArray<EventType>
  /** The evidence of each conflict. */
  readonly conflicts: ReadonlyArray<JsonObject>
}

/** The payment as it is once its payout and its disputes count, and under review where it cannot take them. */
export const weighReported = (payment: Payment): Weighed => {
  const { reported } = payment
  if (reported === null || isUnderWay(payment.state)) return { payment, emits: [], conflicts: [] }
  const emits: Array<EventType> = []
  let { state } = payment
  const move = (on: PaymentEvent) => {
    const row = Result.getOrUndefined(step(PaymentMachine, state, on))
    if (row === undefined) return
    state = row.to
    emits.push(...row.emits)
  }
  // A payment that is captured and paid out is settled: this is the first step that knows both.
  if (reported.isPaidOut && state === "Captured") move("SettlementReported")
  if (taken.has(state) && isDisputed(reported)) move("DisputeOpened")
  if (taken.has(state) || state === "ChargedBack") {
    return { payment: state === payment.state ? payment : { ...payment, state }, emits, conflicts: [] }
  }
  const unseen = contradictionsOf(payment).filter(({ name }) => !reported.contradictions.includes(name))
  if (unseen.length === 0) return { payment, emits, conflicts: [] }
  const contradictions = [...reported.contradictions, ...unseen.map(({ name }) => name)]
  const noted: Payment = { ...payment, reported: { ...reported, contradictions } }
  return {
    payment: withReview(noted, { events: ["payment.conflict"] }),
    emits,
    conflicts: unseen.map(({ evidence }) => evidence)
  }
}

/** Reports of money that is not recorded as taken, named as `interpret` names those that arrive later. */
const contradictionsOf = ({ providerRef, reported }: Payment) => [
  ...(reported === null ? [] : openDisputes(reported)).map(({ disputeId, verdict }) => ({
    name: `dispute:${disputeId}`,
    evidence: { provider_reference: providerRef, dispute_id: disputeId, stated: `dispute_${verdict}` }
  })),
  ...(reported?.isPaidOut === true
    ? [{ name: "payout", evidence: { provider_reference: providerRef, stated: "settled" } }]
    : [])
]

/** `after`: the payment at the end of the step. */
export const conflictEvents = (after: Payment, { conflicts }: Weighed): ReadonlyArray<EventDraft> =>
  conflicts.map((evidence) => paymentEvent("payment.conflict", after, evidence))
