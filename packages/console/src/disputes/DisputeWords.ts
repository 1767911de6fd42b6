/** Disputes in words. */
import type { Dispute, DisputeReason, DisputeStatus, SubmissionKind, SubmissionStage } from "@pointsman/core"
import { awaitsResponse } from "@pointsman/core/internal"
import type { EvidenceFields } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { ageText, type Html } from "../frame/Layout.ts"
import { money } from "../payments/PaymentWords.ts"

const { html } = InProcess

export const statusNames: Readonly<Record<DisputeStatus, string>> = {
  needs_response: "Needs a response",
  warning: "Inquiry",
  under_review: "Under review",
  won: "Won",
  lost: "Lost",
  accepted: "Accepted"
}

const tones: Readonly<Record<DisputeStatus, string>> = {
  needs_response: "bad",
  warning: "wait",
  under_review: "wait",
  won: "good",
  lost: "bad",
  accepted: "soft"
}

export const statusTexts: Readonly<Record<DisputeStatus, string>> = {
  needs_response: "The provider waits for evidence.",
  warning: "The customer’s bank inquires. No money has moved, and an answer may prevent a dispute.",
  under_review: "The provider has the evidence, or takes none any more.",
  won: "The provider decided for you.",
  lost: "The provider decided for the customer.",
  accepted: "The money was given up."
}

export const disputeStatusView = (status: DisputeStatus): Html =>
  html`<span class="status ${tones[status]}">${statusNames[status]}</span>`

export const reasonNames: Readonly<Record<DisputeReason, string>> = {
  fraudulent: "Fraudulent",
  unrecognized: "Unrecognized",
  not_received: "Not received",
  not_as_described: "Not as described",
  duplicate: "Duplicate",
  credit_not_processed: "Refund not received",
  subscription_canceled: "Subscription cancelled",
  authorization: "Authorization",
  processing_error: "Processing error",
  other: "Other"
}

export const kindNames: Readonly<Record<SubmissionKind, string>> = { submit: "Evidence", accept: "Acceptance" }

export const stageTexts: Readonly<Record<SubmissionStage, string>> = {
  Sending: "is being sent",
  Pending: "the provider is processing it",
  Unknown: "the provider did not respond, and may have it",
  Done: "the provider has it",
  Refused: "the provider did not take it"
}

export const disputedAmount = ({ money: disputed }: Dispute): string =>
  disputed === null ? "–" : money(disputed.minorUnits, disputed.currency)

/** `3 d left`, or that it passed; nothing where the provider waits for nothing or names no deadline. */
export const timeLeft = (dispute: Dispute, now: number): string => {
  const { evidenceDueBy } = dispute
  if (!awaitsResponse(dispute)) return "–"
  if (evidenceDueBy === null) return "No deadline stated"
  return evidenceDueBy > now ? `${ageText(evidenceDueBy - now)} left` : "Deadline passed"
}

/**
 * What names of evidence mean. They are those of Stripe (https://docs.stripe.com/api/disputes/evidence_object), and a form asks
 * for these texts where the connector names no fields of its provider.
 */
const evidenceTexts: Readonly<Record<string, string>> = {
  product_description: "What was sold",
  customer_name: "Customer’s name",
  customer_email_address: "Customer’s e-mail address",
  shipping_carrier: "Carrier",
  shipping_tracking_number: "Tracking number",
  shipping_date: "Date of shipping",
  service_date: "Date of the service",
  refund_refusal_explanation: "Why no refund is due",
  cancellation_rebuttal: "Why the subscription was not cancelled",
  duplicate_charge_explanation: "Why the charge is no duplicate",
  uncategorized_text: "Anything else"
}

const evidenceFiles: Readonly<Record<string, string>> = {
  receipt: "Receipt",
  customer_communication: "What was written with the customer",
  shipping_documentation: "Proof of shipping",
  service_documentation: "Proof of the service",
  uncategorized_file: "Another file"
}

const others: Readonly<Record<string, string>> = {
  customer_purchase_ip: "Customer’s IP address at the purchase",
  refund_policy_disclosure: "How the refund policy was shown",
  cancellation_policy_disclosure: "How the cancellation policy was shown",
  duplicate_charge_id: "The provider’s id of the other charge"
}

/** A name that is not known here is shown in words: `billing_address` as "Billing address". */
export const evidenceLabel = (name: string): string =>
  evidenceTexts[name] ??
  evidenceFiles[name] ??
  others[name] ??
  `${name.slice(0, 1).toUpperCase()}${name.slice(1).replaceAll("_", " ")}`

/** What a form asks for where the connector names no fields. */
export const anyEvidence: EvidenceFields = { texts: Object.keys(evidenceTexts), files: Object.keys(evidenceFiles) }

/** Those that take more than one line. */
export const longTexts: ReadonlySet<string> = new Set([
  "product_description",
  "access_activity_log",
  "billing_address",
  "shipping_address",
  "refund_policy_disclosure",
  "cancellation_policy_disclosure",
  "refund_refusal_explanation",
  "cancellation_rebuttal",
  "duplicate_charge_explanation",
  "uncategorized_text"
])
