/**
 * What `pointsman trigger` can bring about at the simulated provider: one row for each end that a payment can come to
 * there. Pure: what is asked, in which order, and where it ends.
 */
import { declineCategories, type PaymentStatus, type Simulation } from "@pointsman/core"
import { isSoftDecline } from "@pointsman/core/internal"

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
  /** It ends only when the server asks the provider again. */
  readonly endsLater?: true
}

const capture = { operation: "capture" } as const
const release = { operation: "void" } as const
const refund = { operation: "refund" } as const

/** A lookup without an answer keeps what is open as it is. */
const forGood = { lookup: "no_answer" } as const

const held = { isHeld: true } as const
const later = { endsLater: true } as const

export const outcomes: ReadonlyArray<Outcome> = [
  { name: "captured", says: "captured immediately", simulate: {}, ends: "CAPTURED" },
  { name: "authorized", says: "authorized, to be captured or voided", simulate: {}, ...held, ends: "AUTHORIZED" },
  {
    name: "declined",
    says: "declined, and no other connection is tried",
    simulate: { charge: "decline:insufficient_funds" },
    ends: "DECLINED"
  },
  ...declineCategories.map(
    (category): Outcome => ({
      name: `declined:${category}`,
      says: "the same, with this category",
      simulate: { charge: `decline:${category}` },
      ends: "DECLINED"
    })
  ),
  {
    name: "soft-declined",
    says: "declined by each connection",
    simulate: { charge: "soft_decline:issuer_unavailable" },
    ends: "DECLINED"
  },
  ...declineCategories.map(
    (category): Outcome => ({
      name: `soft-declined:${category}`,
      says: isSoftDecline(category)
        ? "the same, with this category"
        : "the same, although this category is usually a hard decline",
      simulate: { charge: `soft_decline:${category}` },
      ends: "DECLINED"
    })
  ),
  {
    name: "failover",
    says: "declined by the first connection, captured by the second",
    simulate: { charge: ["soft_decline:issuer_unavailable", "approve"] },
    ends: "CAPTURED"
  },
  {
    name: "technical-error",
    says: "every connection has a technical error; nothing is charged",
    simulate: { charge: "technical_error" },
    ends: "FAILED"
  },
  {
    name: "technical-error-failover",
    says: "technical error at the first connection, captured by the second",
    simulate: { charge: ["technical_error", "approve"] },
    ends: "CAPTURED"
  },
  {
    name: "requires-authentication",
    says: "requires authentication, but the customer is not present",
    simulate: { charge: "requires_authentication" },
    ends: "DECLINED"
  },
  {
    name: "hosted",
    says: "a hosted page that waits for its customer",
    simulate: {},
    isHosted: true,
    ends: "REQUIRES_ACTION"
  },
  {
    name: "pending",
    says: "accepted, and still pending",
    simulate: { charge: "pending", ...forGood },
    ends: "PENDING"
  },
  {
    name: "pending-then-captured",
    says: "accepted, and captured at a later check",
    simulate: { charge: "pending" },
    ends: "CAPTURED",
    ...later
  },
  {
    name: "pending-then-cancelled",
    says: "accepted, and not executed at a later check",
    simulate: { charge: "pending", lookup: "not_executed" },
    ends: "CANCELLED",
    ...later
  },
  {
    name: "unknown",
    says: "no response to the charge or to any lookup",
    simulate: { charge: "no_answer", ...forGood },
    ends: "UNKNOWN"
  },
  {
    name: "unknown-then-captured",
    says: "no response; a later lookup finds it captured",
    simulate: { charge: "no_answer" },
    ends: "CAPTURED",
    ...later
  },
  {
    name: "unknown-then-not-executed",
    says: "no response; a later lookup finds that it never arrived",
    simulate: { charge: "no_answer", lookup: "not_executed" },
    ends: "FAILED",
    ...later
  },
  {
    name: "captured-later",
    says: "authorized, then captured",
    simulate: {},
    ...held,
    after: [capture],
    ends: "CAPTURED"
  },
  {
    name: "partially-captured",
    says: "authorized, then half captured",
    simulate: {},
    ...held,
    after: [{ ...capture, part: true }],
    ends: "CAPTURED"
  },
  {
    name: "capture-refused",
    says: "the provider rejects the capture; the payment stays authorized",
    simulate: { capture: "refuse" },
    ...held,
    after: [capture],
    ends: "AUTHORIZED"
  },
  {
    name: "capture-unknown",
    says: "no response to the capture or to any lookup",
    simulate: { capture: "no_answer", ...forGood },
    ...held,
    after: [capture],
    ends: "UNKNOWN"
  },
  {
    name: "capture-unknown-then-captured",
    says: "no response to the capture; a later lookup finds it done",
    simulate: { capture: "no_answer" },
    ...held,
    after: [capture],
    ends: "CAPTURED",
    ...later
  },
  { name: "voided", says: "authorized, then voided", simulate: {}, ...held, after: [release], ends: "CANCELLED" },
  {
    name: "void-refused",
    says: "the provider rejects the void; the payment stays authorized",
    simulate: { void: "refuse" },
    ...held,
    after: [release],
    ends: "AUTHORIZED"
  },
  {
    name: "void-unknown",
    says: "no response to the void or to any lookup",
    simulate: { void: "no_answer", ...forGood },
    ...held,
    after: [release],
    ends: "UNKNOWN"
  },
  {
    name: "void-unknown-then-voided",
    says: "no response to the void; a later lookup finds it done",
    simulate: { void: "no_answer" },
    ...held,
    after: [release],
    ends: "CANCELLED",
    ...later
  },
  { name: "refunded", says: "captured, then refunded", simulate: {}, after: [refund], ends: "REFUNDED" },
  {
    name: "partially-refunded",
    says: "captured, then half refunded",
    simulate: {},
    after: [{ ...refund, part: true }],
    ends: "PARTIALLY_REFUNDED"
  },
  {
    name: "refund-pending",
    says: "the refund is accepted, and still pending",
    simulate: { refund: "pending", ...forGood },
    after: [refund],
    ends: "CAPTURED"
  },
  {
    name: "refund-pending-then-refunded",
    says: "the refund is accepted, and done at a later check",
    simulate: { refund: "pending" },
    after: [refund],
    ends: "REFUNDED",
    ...later
  },
  {
    name: "refund-pending-then-failed",
    says: "the refund is accepted, and not executed at a later check",
    simulate: { refund: "pending", lookup: "not_executed" },
    after: [refund],
    ends: "CAPTURED",
    ...later
  },
  {
    name: "refund-refused",
    says: "the provider rejects the refund",
    simulate: { refund: "refuse" },
    after: [refund],
    ends: "CAPTURED"
  },
  {
    name: "refund-unknown",
    says: "no response to the refund or to any lookup",
    simulate: { refund: "no_answer", ...forGood },
    after: [refund],
    ends: "CAPTURED"
  },
  {
    name: "refund-unknown-then-refunded",
    says: "no response to the refund; a later lookup finds it done",
    simulate: { refund: "no_answer" },
    after: [refund],
    ends: "REFUNDED",
    ...later
  }
]

export const outcomeNames: ReadonlyArray<string> = outcomes.map(({ name }) => name)
