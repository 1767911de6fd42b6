/**
 * What `pointsman trigger` can bring about at the simulated provider: one row for each end that a payment can come to
 * there (decisions, section 8). Pure: what is asked, in which order, and where it ends.
 */
import { declineCategories, isSoftDecline, type PaymentStatus, type Simulation } from "@pointsman/core"

export interface Outcome {
  readonly name: string
  /** For people. */
  readonly says: string
  readonly simulate: Simulation
  /** The money is held, to be captured or released. */
  readonly isHeld?: true
  /** The customer pays on the hosted page. */
  readonly isHosted?: true
  /** What is asked after the create; `part` of the amount is its half. */
  readonly after?: ReadonlyArray<{ readonly operation: "capture" | "void" | "refund"; readonly part?: true }>
  readonly ends: PaymentStatus
  /** It comes to its end only when the server asks the provider again. */
  readonly isSettledLater?: true
}

const capture = { operation: "capture" } as const
const release = { operation: "void" } as const
const refund = { operation: "refund" } as const

/** A look-up without an answer keeps what is open as it is. */
const forGood = { lookup: "no_answer" } as const

const held = { isHeld: true } as const
const later = { isSettledLater: true } as const

export const outcomes: ReadonlyArray<Outcome> = [
  { name: "captured", says: "taken at once", simulate: {}, ends: "CAPTURED" },
  { name: "authorized", says: "held, to be captured or voided", simulate: {}, ...held, ends: "AUTHORIZED" },
  {
    name: "declined",
    says: "refused, and no other connection is asked",
    simulate: { charge: "decline:insufficient_funds" },
    ends: "DECLINED"
  },
  ...declineCategories.map(
    (category): Outcome => ({
      name: `declined:${category}`,
      says: "the same, of this category",
      simulate: { charge: `decline:${category}` },
      ends: "DECLINED"
    })
  ),
  {
    name: "soft-declined",
    says: "refused by one connection after the other",
    simulate: { charge: "soft_decline:issuer_unavailable" },
    ends: "DECLINED"
  },
  ...declineCategories.map(
    (category): Outcome => ({
      name: `soft-declined:${category}`,
      says: isSoftDecline(category) ? "the same, of this category" : "the same, though it is mostly a hard one",
      simulate: { charge: `soft_decline:${category}` },
      ends: "DECLINED"
    })
  ),
  {
    name: "failover",
    says: "refused by the first connection, taken by the second",
    simulate: { charge: ["soft_decline:issuer_unavailable", "approve"] },
    ends: "CAPTURED"
  },
  {
    name: "technical-error",
    says: "no connection works on it; nothing was charged",
    simulate: { charge: "technical_error" },
    ends: "FAILED"
  },
  {
    name: "technical-error-failover",
    says: "the first connection does not work on it, the second takes it",
    simulate: { charge: ["technical_error", "approve"] },
    ends: "CAPTURED"
  },
  {
    name: "requires-authentication",
    says: "the customer would have to authenticate, and is not there",
    simulate: { charge: "requires_authentication" },
    ends: "DECLINED"
  },
  { name: "hosted", says: "a page that waits for its customer", simulate: {}, isHosted: true, ends: "REQUIRES_ACTION" },
  {
    name: "pending",
    says: "accepted, and still at work",
    simulate: { charge: "pending", ...forGood },
    ends: "PENDING"
  },
  {
    name: "pending-then-captured",
    says: "accepted, and taken when the server looks again",
    simulate: { charge: "pending" },
    ends: "CAPTURED",
    ...later
  },
  {
    name: "pending-then-cancelled",
    says: "accepted, and not executed when the server looks again",
    simulate: { charge: "pending", lookup: "not_executed" },
    ends: "CANCELLED",
    ...later
  },
  {
    name: "unknown",
    says: "no answer to the charge, nor to any look-up",
    simulate: { charge: "no_answer", ...forGood },
    ends: "UNKNOWN"
  },
  {
    name: "unknown-then-captured",
    says: "no answer, and it turns out that it was taken",
    simulate: { charge: "no_answer" },
    ends: "CAPTURED",
    ...later
  },
  {
    name: "unknown-then-not-executed",
    says: "no answer, and it turns out that it never came there",
    simulate: { charge: "no_answer", lookup: "not_executed" },
    ends: "FAILED",
    ...later
  },
  { name: "captured-later", says: "held, then captured", simulate: {}, ...held, after: [capture], ends: "CAPTURED" },
  {
    name: "partially-captured",
    says: "held, then half of it captured",
    simulate: {},
    ...held,
    after: [{ ...capture, part: true }],
    ends: "CAPTURED"
  },
  {
    name: "capture-refused",
    says: "the provider refuses the capture; the money stays held",
    simulate: { capture: "refuse" },
    ...held,
    after: [capture],
    ends: "AUTHORIZED"
  },
  {
    name: "capture-unknown",
    says: "no answer to the capture, nor to any look-up",
    simulate: { capture: "no_answer", ...forGood },
    ...held,
    after: [capture],
    ends: "UNKNOWN"
  },
  {
    name: "capture-unknown-then-captured",
    says: "no answer to the capture, and it turns out that it was done",
    simulate: { capture: "no_answer" },
    ...held,
    after: [capture],
    ends: "CAPTURED",
    ...later
  },
  { name: "voided", says: "held, then released", simulate: {}, ...held, after: [release], ends: "CANCELLED" },
  {
    name: "void-refused",
    says: "the provider refuses the void; the money stays held",
    simulate: { void: "refuse" },
    ...held,
    after: [release],
    ends: "AUTHORIZED"
  },
  {
    name: "void-unknown",
    says: "no answer to the void, nor to any look-up",
    simulate: { void: "no_answer", ...forGood },
    ...held,
    after: [release],
    ends: "UNKNOWN"
  },
  {
    name: "void-unknown-then-voided",
    says: "no answer to the void, and it turns out that it was done",
    simulate: { void: "no_answer" },
    ...held,
    after: [release],
    ends: "CANCELLED",
    ...later
  },
  { name: "refunded", says: "taken, then given back", simulate: {}, after: [refund], ends: "REFUNDED" },
  {
    name: "partially-refunded",
    says: "taken, then half of it given back",
    simulate: {},
    after: [{ ...refund, part: true }],
    ends: "PARTIALLY_REFUNDED"
  },
  {
    name: "refund-pending",
    says: "the refund is accepted, and still at work",
    simulate: { refund: "pending", ...forGood },
    after: [refund],
    ends: "CAPTURED"
  },
  {
    name: "refund-pending-then-refunded",
    says: "the refund is accepted, and done when the server looks again",
    simulate: { refund: "pending" },
    after: [refund],
    ends: "REFUNDED",
    ...later
  },
  {
    name: "refund-pending-then-failed",
    says: "the refund is accepted, and not executed when the server looks again",
    simulate: { refund: "pending", lookup: "not_executed" },
    after: [refund],
    ends: "CAPTURED",
    ...later
  },
  {
    name: "refund-refused",
    says: "the provider refuses the refund",
    simulate: { refund: "refuse" },
    after: [refund],
    ends: "CAPTURED"
  },
  {
    name: "refund-unknown",
    says: "no answer to the refund, nor to any look-up",
    simulate: { refund: "no_answer", ...forGood },
    after: [refund],
    ends: "CAPTURED"
  },
  {
    name: "refund-unknown-then-refunded",
    says: "no answer to the refund, and it turns out that it was done",
    simulate: { refund: "no_answer" },
    after: [refund],
    ends: "REFUNDED",
    ...later
  }
]

export const outcomeNames: ReadonlyArray<string> = outcomes.map(({ name }) => name)
