/** Disputes at Checkout.com: what an event and the list state of one. */
import {
  type ChargeName,
  type DisputeStatus,
  type ListedDispute,
  type StatedDispute,
  WireTime
} from "@pointsman/core/connector"
import { Schema } from "effect"
import { fromCheckout } from "./Amounts.ts"
import type * as Protocol from "./Protocol.ts"
import { attemptIn, readReference } from "./Reference.ts"

type Verdict = StatedDispute["verdict"]

/**
 * Disputes by the types of their events (https://www.checkout.com/docs/reporting-and-insights/events-api/event-types):
 *
 * - of one that needs evidence "your account has been debited the disputed amount"
 * - of one that is cancelled "your account is credited back"; of one that is resolved the payment "had already been
 *   refunded", so that nothing more is lost by it; see `verdictOf` for the exception
 * - of a lost arbitration "your account is debited any additional arbitration-related fees"; of one that is won "your
 *   account will be credited the disputed amount"
 * - of one that expired "you can no longer respond", and one that was accepted is given up
 */
export const verdicts: ReadonlyMap<string, Verdict> = new Map([
  ["dispute_received", "opened"],
  ["dispute_evidence_required", "opened"],
  ["dispute_evidence_submitted", "opened"],
  ["dispute_won", "won"],
  ["dispute_canceled", "won"],
  ["dispute_resolved", "won"],
  ["dispute_arbitration_won", "won"],
  ["dispute_lost", "lost"],
  ["dispute_arbitration_lost", "lost"],
  ["dispute_accepted", "lost"],
  ["dispute_expired", "lost"]
])

/**
 * Visa's Rapid Dispute Resolution resolves a dispute "by accepting liability and refunding the customer"
 * (https://www.checkout.com/docs/payments/process-disputes/pre-dispute-resolution): no refund of ours returned that money.
 */
export const verdictOf = (verdict: Verdict, { resolved_reason }: typeof Protocol.DisputeData.Type): Verdict =>
  resolved_reason === "rapid_dispute_resolution" ? "lost" : verdict

/** An amount or a deadline that is not as documented is left out: the dispute counts without it. */
export const disputed = (
  { amount, currency, evidence_required_by, id, payment_id, payment_reference }: typeof Protocol.DisputeData.Type,
  verdict: Verdict
): StatedDispute & { readonly charge: ChargeName } => {
  const attemptId = attemptIn(readReference(payment_reference ?? ""))
  const charge: ChargeName = attemptId === undefined ? { providerRef: payment_id } : { attemptId }
  const isAmount = typeof currency === "string" && typeof amount === "number" && Number.isSafeInteger(amount)
  const money = isAmount && amount >= 0 ? fromCheckout(amount, currency) : undefined
  const dueBy = isTime(evidence_required_by) ? Date.parse(evidence_required_by) : undefined
  return {
    ...{ charge, disputeId: id, verdict },
    ...(money === undefined ? {} : { money }),
    ...(dueBy === undefined ? {} : { dueBy })
  }
}

const isTime = Schema.is(WireTime)

/**
 * By its status (https://www.checkout.com/docs/previous/risk-management/disputes/disputes-api): "at this stage, your account
 * gets debited the disputed amount" where evidence is required. The names of the ends are those of the events.
 */
const openStatuses: ReadonlyMap<string, DisputeStatus> = new Map([
  ["evidence_required", "needs_response"],
  ["evidence_under_review", "under_review"],
  ["arbitration_under_review", "under_review"]
])

/** A dispute of the list, as it is since its last change; `undefined` for a status that is not documented. */
export const listedDispute = (dispute: typeof Protocol.ListedDispute.Type): ListedDispute | undefined => {
  const status = openStatuses.get(dispute.status)
  const verdict = status === undefined ? verdicts.get(`dispute_${dispute.status}`) : "opened"
  if (verdict === undefined) return undefined
  const at = Date.parse(dispute.last_update)
  return { ...disputed(dispute, verdictOf(verdict, dispute)), ...(status === undefined ? {} : { status }), at }
}
