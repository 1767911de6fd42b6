/** The life of a refund. What a confirmed one does to its payment is in the payment's own table. */
import { defineMachine, Start } from "../machine/Machine.ts"
import { eventTypes } from "./EventType.ts"

export const refundStages = ["Sending", "Pending", "Unknown", "Succeeded", "Refused", "Failed", "Reversed"] as const
export type RefundStage = (typeof refundStages)[number]

export const RefundMachine = defineMachine({
  name: "refund",
  states: refundStages,
  emits: eventTypes,
  otherwise: {
    RefundClaimed: "Ignored",
    RefundAccepted: "Ignored",
    RefundConfirmed: "Ignored",
    RefundRefused: "Ignored",
    RefundFailed: "Ignored",
    RefundUnanswered: "Ignored",
    RefundMismatched: "Ignored",
    RefundNotFound: "Ignored",
    ExcessReported: "Ignored",
    RefusalUntold: "Ignored",
    RefundReversed: "Ignored",
    RefundRetried: "Ignored"
  },
  rows: [
    {
      from: Start,
      on: "RefundClaimed",
      to: "Sending",
      why: "Its amount is reserved before the provider is asked: two full refunds cannot both be sent."
    },
    {
      from: ["Sending", "Unknown"],
      on: "RefundAccepted",
      to: "Pending",
      emits: ["payment.refund_pending"],
      why: "The provider accepted it and is still processing it: not refunded, and not refundable again."
    },
    {
      from: ["Sending", "Pending", "Unknown"],
      on: "RefundConfirmed",
      to: "Succeeded",
      why: "The money was refunded; the amount moves from pending to refunded."
    },
    {
      from: ["Refused", "Failed"],
      on: "RefundConfirmed",
      to: "Succeeded",
      emits: ["payment.conflict"],
      why: "The provider executed it after all: its record wins."
    },
    {
      from: ["Refused", "Failed"],
      on: "RefundAccepted",
      to: "Pending",
      emits: ["payment.conflict", "payment.refund_pending"],
      why: "The provider is processing it after all: the amount is reserved again."
    },
    ...(["Refused", "Failed"] as const).map((stage) => ({
      from: stage,
      on: "ExcessReported" as const,
      to: stage,
      emits: ["payment.conflict"] as const,
      why: "As above, but the refunded amount is no longer available: an operator settles it."
    })),
    {
      from: "Sending",
      on: "RefundRefused",
      to: "Refused",
      why: "Refused immediately: the response says so, and the amount is refundable again."
    },
    {
      from: ["Sending", "Refused"],
      on: "RefusalUntold",
      to: "Failed",
      emits: ["payment.refund_unknown", "payment.refund_failed"],
      why: "Refused immediately, but not recorded in time: the response said that the result was unknown, so the timeline reports it."
    },
    {
      from: ["Pending", "Unknown"],
      on: "RefundFailed",
      to: "Failed",
      emits: ["payment.refund_failed"],
      why: "Not refunded after all: the amount is refundable again."
    },
    {
      from: "Sending",
      on: "RefundUnanswered",
      to: "Unknown",
      emits: ["payment.refund_unknown"],
      why: "It may have executed: the amount stays reserved."
    },
    {
      from: "Sending",
      on: "RefundMismatched",
      to: "Unknown",
      emits: ["payment.amount_mismatch", "payment.refund_unknown"],
      why: "More than was asked, or another currency, is nothing to build on: operations settle it."
    },
    {
      from: ["Pending", "Unknown"],
      on: "RefundMismatched",
      to: "Unknown",
      emits: ["payment.amount_mismatch"],
      why: "Found later: operations settle it."
    },
    {
      from: "Succeeded",
      on: "RefundReversed",
      to: "Reversed",
      emits: ["payment.refund_failed"],
      why: "The provider states that the refund failed after it had succeeded: the customer was not repaid."
    },
    {
      from: "Succeeded",
      on: "RefundRetried",
      to: "Pending",
      emits: ["payment.refund_pending"],
      why: "The refund failed after it had succeeded, and the provider tries again: its amount is reserved again."
    },
    {
      from: "Reversed",
      on: "RefundConfirmed",
      to: "Succeeded",
      emits: ["payment.conflict"],
      why: "The provider dates the success after the failure: the customer was repaid after all."
    },
    {
      from: "Reversed",
      on: "RefundAccepted",
      to: "Pending",
      emits: ["payment.conflict", "payment.refund_pending"],
      why: "The provider tries again after the failure: the amount is reserved again."
    },
    {
      from: "Reversed",
      on: "ExcessReported",
      to: "Reversed",
      emits: ["payment.conflict"],
      why: "As above, but less than its amount is left to refund: an operator settles it."
    },
    {
      from: "Unknown",
      on: "RefundNotFound",
      to: "Failed",
      emits: ["payment.refund_failed"],
      why: "A late, conclusive lookup: the provider never received it."
    }
  ]
})

export type RefundEvent = (typeof RefundMachine)["events"][number]
