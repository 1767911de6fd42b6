/**
 * The life of a payment, as a table. No row leads from an unknown state back to `Charging`. An unknown result
 * is settled by the provider's record, never by asking for the money again.
 */
import { defineMachine, type Row, Start } from "../machine/Machine.ts"
import { type EventType, eventTypes } from "./EventType.ts"

/** The statuses that the API shows. The inner states are finer: `PaymentState`. */
export const paymentStatuses = [
  "CREATED",
  "PENDING",
  "REQUIRES_ACTION",
  "AUTHORIZED",
  "CAPTURED",
  "DECLINED",
  "FAILED",
  "UNKNOWN",
  "CANCELLED",
  "REFUNDED",
  "PARTIALLY_REFUNDED",
  "CHARGEBACK",
  "SETTLED"
] as const

export type PaymentStatus = (typeof paymentStatuses)[number]

export const paymentStates = [
  "AwaitingCustomer",
  "CheckoutOpen",
  "Charging",
  "ChargePending",
  "ChargeUnknown",
  "ChargeMismatched",
  "Authorized",
  "Capturing",
  "CapturePending",
  "CaptureUnknown",
  "Voiding",
  "VoidPending",
  "VoidUnknown",
  "Captured",
  "PartiallyRefunded",
  "Refunded",
  "Settled",
  "ChargedBack",
  "Declined",
  "Failed",
  "Cancelled",
  "Voided"
] as const

export type PaymentState = (typeof paymentStates)[number]

/** What the API shows of a state. A state without a status does not compile. */
export const statusOf = {
  AwaitingCustomer: "REQUIRES_ACTION",
  CheckoutOpen: "REQUIRES_ACTION",
  Charging: "PENDING",
  ChargePending: "PENDING",
  ChargeUnknown: "UNKNOWN",
  ChargeMismatched: "UNKNOWN",
  Authorized: "AUTHORIZED",
  Capturing: "PENDING",
  CapturePending: "PENDING",
  CaptureUnknown: "UNKNOWN",
  Voiding: "PENDING",
  VoidPending: "PENDING",
  VoidUnknown: "UNKNOWN",
  Captured: "CAPTURED",
  PartiallyRefunded: "PARTIALLY_REFUNDED",
  Refunded: "REFUNDED",
  Settled: "SETTLED",
  ChargedBack: "CHARGEBACK",
  Declined: "DECLINED",
  Failed: "FAILED",
  Cancelled: "CANCELLED",
  Voided: "CANCELLED"
} as const satisfies Record<PaymentState, PaymentStatus>

/** The inner states that show as a status; empty for `CREATED`, which is never stored. */
export const statesOf = (status: PaymentStatus): ReadonlyArray<PaymentState> =>
  paymentStates.filter((state) => statusOf[state] === status)

/** The charge may still end in any way. */
export const openCharge = ["Charging", "CheckoutOpen", "ChargePending", "ChargeUnknown"] as const
/** The money was taken, and no dispute holds it. */
export const moneyTaken = ["Captured", "PartiallyRefunded", "Refunded", "Settled"] as const
/** The payment ended, and no money is held. */
export const noMoney = ["Failed", "Declined", "Cancelled"] as const
/** A capture or a void is in flight, accepted or unknown. */
export const operating = [
  "Capturing",
  "CapturePending",
  "CaptureUnknown",
  "Voiding",
  "VoidPending",
  "VoidUnknown"
] as const
/** A provider holds or took the money. */
const moneyHeld = ["Authorized", ...operating, ...moneyTaken, "ChargedBack"] as const

/** As sets, for who asks about the state of a payment. */
export const inOperation: ReadonlySet<PaymentState> = new Set(operating)
export const held: ReadonlySet<PaymentState> = new Set(moneyHeld)
export const taken: ReadonlySet<PaymentState> = new Set([...moneyTaken, "ChargedBack"])
export const undisputed: ReadonlySet<PaymentState> = new Set(moneyTaken)
export const endedWithout: ReadonlySet<PaymentState> = new Set(noMoney)

export const PaymentMachine = defineMachine({
  name: "payment",
  states: paymentStates,
  emits: eventTypes,
  // What a fact means if it has no row. `Ignored`: it is stored with its source and changes nothing.
  otherwise: {
    CustomerAwaited: "Ignored",
    CustomerCancelled: "Ignored",
    CustomerDeclined: "Ignored",
    PageExpired: "Ignored",
    NoRouteFound: "Ignored",
    CheckoutOpened: "Ignored",
    CheckoutEnded: "Ignored",
    CompletionSent: "Ignored",
    CheckoutApproved: "Ignored",
    ChargeSent: "Ignored",
    AttemptFollowed: "Ignored",
    ChargeAbandoned: "Ignored",
    ChargeAccepted: "Ignored",
    ChargeAuthorized: "Ignored",
    ChargeCaptured: "Ignored",
    ChargeDeclined: "Ignored",
    ChargeFailed: "Ignored",
    ChargeCancelled: "Ignored",
    ChargeUnanswered: "Ignored",
    ChargeNotFound: "Ignored",
    MismatchStated: "Ignored",
    ReferenceReused: "Ignored",
    SecondChargeReported: "Ignored",
    CaptureClaimed: "NotCapturable",
    CaptureAccepted: "Ignored",
    CaptureConfirmed: "StateConflict",
    CaptureRefused: "Ignored",
    CaptureUnanswered: "Ignored",
    CaptureMismatched: "Ignored",
    CaptureNotFound: "Ignored",
    CaptureFailed: "Ignored",
    CaptureRetried: "Ignored",
    CaptureFailedInPart: "Ignored",
    CaptureCorrected: "Ignored",
    ExcessCaptureStated: "Ignored",
    VoidClaimed: "NotVoidable",
    VoidAccepted: "Ignored",
    VoidConfirmed: "StateConflict",
    VoidRefused: "Ignored",
    VoidUnanswered: "Ignored",
    VoidMismatched: "Ignored",
    VoidNotFound: "Ignored",
    VoidFailed: "Ignored",
    AuthorizationLapsed: "Ignored",
    RefundedInPart: "Ignored",
    RefundedInFull: "Ignored",
    RefundReversedInFull: "Ignored",
    RefundReversedInPart: "Ignored",
    RefundReversedSettled: "Ignored",
    SettlementReported: "Ignored",
    DisputeOpened: "Ignored",
    DisputeWonUncaptured: "Ignored",
    DisputeWonUnrefunded: "Ignored",
    DisputeWonPartlyRefunded: "Ignored",
    DisputeWonRefunded: "Ignored",
    DisputeWonSettled: "Ignored"
  },
  rows: [
    // The hosted page.
    {
      from: Start,
      on: "CustomerAwaited",
      to: "AwaitingCustomer",
      emits: ["payment.requires_action"],
      why: "Created with return_url: nothing is routed until the customer acts."
    },
    {
      from: "AwaitingCustomer",
      on: "CustomerCancelled",
      to: "Cancelled",
      emits: ["payment.cancelled"],
      why: "The customer cancelled before anything was sent."
    },
    {
      from: "AwaitingCustomer",
      on: "PageExpired",
      to: "Cancelled",
      emits: ["payment.cancelled"],
      why: "The page expired before anything was sent."
    },
    {
      from: "AwaitingCustomer",
      on: "NoRouteFound",
      to: "Failed",
      emits: ["payment.failed"],
      why: "The customer acted, but no connection was eligible: nothing was sent."
    },
    {
      from: "Charging",
      on: "CheckoutOpened",
      to: "CheckoutOpen",
      why: "The customer pays on the provider's own page."
    },
    {
      from: "ChargeUnknown",
      on: "CheckoutOpened",
      to: "CheckoutOpen",
      emits: ["payment.requires_action"],
      why: "The answer came late: the customer can pay after all."
    },
    {
      from: ["CheckoutOpen", "ChargeUnknown"],
      on: "CheckoutEnded",
      to: "Cancelled",
      emits: ["payment.cancelled"],
      why: "The provider's page expired more than an hour ago, and its record says that it was not paid."
    },
    {
      from: "CheckoutOpen",
      on: "CompletionSent",
      to: "Charging",
      why: "The customer approved it; written before the provider is asked for the money."
    },
    {
      from: "Charging",
      on: "CheckoutApproved",
      to: "CheckoutOpen",
      why: "The step that takes the money was not sent, or was refused with nothing executed: it is taken again."
    },
    {
      from: "ChargeUnknown",
      on: "CheckoutApproved",
      to: "CheckoutOpen",
      emits: ["payment.requires_action"],
      why: "The provider's record says that the customer approved it and that nothing was taken: the step is taken again."
    },
    {
      from: "AwaitingCustomer",
      on: "CustomerDeclined",
      to: "Declined",
      emits: ["payment.declined"],
      why: "The sandbox page's decline button."
    },

    // The charge.
    {
      from: Start,
      on: "ChargeSent",
      to: "Charging",
      emits: ["payment.created"],
      why: "Written before the provider is asked: a process that dies now leaves a trace."
    },
    {
      from: "AwaitingCustomer",
      on: "ChargeSent",
      to: "Charging",
      why: "The customer approved; written before the provider is asked."
    },
    {
      from: "Charging",
      on: "AttemptFollowed",
      to: "Charging",
      why: "The previous attempt certainly executed nothing; the next connection is tried."
    },
    {
      from: ["Charging", "ChargeUnknown"],
      on: "ChargeAbandoned",
      to: "Failed",
      emits: ["payment.failed"],
      why: "The claim became too old to send; nothing was sent and the key is free again."
    },
    {
      from: ["Charging", "CheckoutOpen", "ChargeUnknown"],
      on: "ChargeAccepted",
      to: "ChargePending",
      emits: ["payment.pending"],
      why: "The provider accepted it and is still processing it."
    },
    {
      from: openCharge,
      on: "ChargeAuthorized",
      to: "Authorized",
      emits: ["payment.authorized"],
      why: "capture_method is manual."
    },
    {
      from: openCharge,
      on: "ChargeCaptured",
      to: "Captured",
      emits: ["payment.captured"],
      why: "The money was captured."
    },
    {
      from: openCharge,
      on: "ChargeDeclined",
      to: "Declined",
      emits: ["payment.declined"],
      why: "The provider's answer."
    },
    {
      from: ["Charging", "ChargeUnknown"],
      on: "ChargeFailed",
      to: "Failed",
      emits: ["payment.failed"],
      why: "Every attempt ended in a technical error with nothing executed; the last result may arrive late."
    },
    {
      from: openCharge,
      on: "ChargeCancelled",
      to: "Cancelled",
      emits: ["payment.cancelled"],
      why: "The provider cancelled it."
    },
    {
      from: "Charging",
      on: "ChargeUnanswered",
      to: "ChargeUnknown",
      emits: ["payment.unknown"],
      why: "It may have executed. A process that died mid-call looks the same."
    },
    {
      from: ["Charging", "CheckoutOpen", "ChargePending"],
      on: "MismatchStated",
      to: "ChargeMismatched",
      emits: ["payment.amount_mismatch", "payment.unknown"],
      why: "A success for more than requested, or in another currency, is unusable: an operator settles it."
    },
    {
      from: "ChargeUnknown",
      on: "MismatchStated",
      to: "ChargeMismatched",
      emits: ["payment.amount_mismatch"],
      why: "Found later. A lookup that finds nothing cannot end it any more."
    },
    {
      from: "Authorized",
      on: "MismatchStated",
      to: "ChargeMismatched",
      emits: ["payment.amount_mismatch", "payment.unknown"],
      why: "The provider states that it captured in another currency: an operator settles it."
    },
    {
      from: noMoney,
      on: "MismatchStated",
      to: "ChargeMismatched",
      emits: ["payment.conflict", "payment.amount_mismatch"],
      why: "The provider captured money on a payment that had failed here, and not the requested amount."
    },
    {
      from: ["Charging", "CheckoutOpen", "ChargePending"],
      on: "ReferenceReused",
      to: "ChargeMismatched",
      emits: ["payment.conflict", "payment.unknown"],
      why: "The provider stated the reference of another payment's charge: its word on this one cannot be trusted."
    },
    {
      from: "ChargeUnknown",
      on: "ReferenceReused",
      to: "ChargeMismatched",
      emits: ["payment.conflict"],
      why: "Found later. A lookup cannot end it any more: operations settle it."
    },
    {
      from: "ChargeMismatched",
      on: "ChargeAuthorized",
      to: "Authorized",
      emits: ["payment.authorized"],
      why: "Corrected by the provider, or settled by an operator."
    },
    {
      from: "ChargeMismatched",
      on: "ChargeCaptured",
      to: "Captured",
      emits: ["payment.captured"],
      why: "Corrected by the provider, or settled by an operator."
    },
    {
      from: "ChargeMismatched",
      on: "ChargeCancelled",
      to: "Cancelled",
      emits: ["payment.cancelled"],
      why: "Reversed at the provider."
    },
    {
      from: "ChargeUnknown",
      on: "ChargeNotFound",
      to: "Failed",
      emits: ["payment.failed"],
      why: "A late, conclusive lookup: the provider never received it."
    },
    {
      from: [...noMoney, "Voided"],
      on: "ChargeAuthorized",
      to: "Authorized",
      emits: ["payment.conflict", "payment.authorized"],
      why: "The provider holds money on a payment that had ended here: its record wins."
    },
    {
      from: [...noMoney, "Voided"],
      on: "ChargeCaptured",
      to: "Captured",
      emits: ["payment.conflict", "payment.captured"],
      why: "The provider captured money on a payment that had ended here: its record wins."
    },

    {
      from: "Authorized",
      on: "ChargeCaptured",
      to: "Captured",
      emits: ["payment.captured"],
      why: "A message reported the authorization first; the response then said that the money was captured as well."
    },
    ...moneyHeld.map((state) => ({
      from: state,
      on: "SecondChargeReported" as const,
      to: state,
      emits: ["payment.conflict"] as const,
      why: "Another attempt holds money too: the status remains, and an operator returns one of them."
    })),

    // Capture.
    {
      from: "Authorized",
      on: "CaptureClaimed",
      to: "Capturing",
      why: "One capture or void at a time; written before the provider is asked."
    },
    {
      from: ["Capturing", "CapturePending", "CaptureUnknown"],
      on: "CaptureConfirmed",
      to: "Captured",
      emits: ["payment.captured"],
      why: "Full or partial amount."
    },
    {
      from: ["Authorized", "Voiding", "VoidPending", "VoidUnknown"],
      on: "CaptureConfirmed",
      to: "Captured",
      emits: ["payment.captured"],
      why: "The provider states that it captured, whatever we requested."
    },
    { from: "Capturing", on: "CaptureAccepted", to: "CapturePending", why: "The provider captures later." },
    {
      from: ["Authorized", "CaptureUnknown"],
      on: "CaptureAccepted",
      to: "CapturePending",
      emits: ["payment.pending"],
      why: "It arrived: the provider captures later."
    },
    { from: "Capturing", on: "CaptureRefused", to: "Authorized", why: "Nothing moved; the key is released." },
    {
      from: ["CapturePending", "CaptureUnknown"],
      on: "CaptureRefused",
      to: "Authorized",
      emits: ["payment.authorized"],
      why: "Refused after all: the authorization remains."
    },
    {
      from: "Capturing",
      on: "CaptureUnanswered",
      to: "CaptureUnknown",
      emits: ["payment.capture_unknown"],
      why: "It may have executed."
    },
    {
      from: ["Authorized", "Capturing", "CapturePending"],
      on: "CaptureMismatched",
      to: "CaptureUnknown",
      emits: ["payment.amount_mismatch", "payment.capture_unknown"],
      why: "More than requested, or another currency, is unusable: an operator settles it."
    },
    {
      from: "CaptureUnknown",
      on: "CaptureMismatched",
      to: "CaptureUnknown",
      emits: ["payment.amount_mismatch"],
      why: "Found later: an operator settles it."
    },
    {
      from: "CaptureUnknown",
      on: "CaptureNotFound",
      to: "Authorized",
      emits: ["payment.authorized"],
      why: "A late, conclusive lookup: the provider never received it."
    },
    {
      from: ["Capturing", "CapturePending", "CaptureUnknown"],
      on: "CaptureFailed",
      to: "Authorized",
      emits: ["payment.capture_failed"],
      why: "The provider states that the capture failed permanently: the authorization is open again."
    },
    {
      from: ["Captured", "Settled"],
      on: "CaptureFailed",
      to: "Authorized",
      emits: ["payment.capture_failed"],
      why: "A reversal after the capture was confirmed: nothing is captured, and nothing was refunded."
    },
    {
      from: ["Captured", "Settled"],
      on: "CaptureRetried",
      to: "CapturePending",
      emits: ["payment.pending"],
      why: "The capture failed after it was confirmed, and the provider tries again."
    },
    ...(["Captured", "Settled", "ChargedBack"] as const).map((state) => ({
      from: state,
      on: "CaptureFailedInPart" as const,
      to: state,
      emits: ["payment.capture_failed"] as const,
      why: "A reversal that leaves something captured, or under a dispute: the amounts move."
    })),
    ...(["Captured", "PartiallyRefunded", "Settled", "ChargedBack"] as const).map((state) => ({
      from: state,
      on: "CaptureCorrected" as const,
      to: state,
      emits: ["payment.amount_mismatch"] as const,
      why: "The provider captured more than is recorded, under the same reference: recorded up to the authorized amount."
    })),
    {
      from: "Refunded",
      on: "CaptureCorrected",
      to: "PartiallyRefunded",
      emits: ["payment.amount_mismatch"],
      why: "As above, and the refunds cover a part of it now."
    },
    ...(["Captured", "PartiallyRefunded", "Refunded", "Settled", "ChargedBack"] as const).map((state) => ({
      from: state,
      on: "ExcessCaptureStated" as const,
      to: state,
      emits: ["payment.amount_mismatch"] as const,
      why: "The provider captured more than was authorized: an operator reviews it."
    })),

    // Void.
    {
      from: "Authorized",
      on: "VoidClaimed",
      to: "Voiding",
      why: "One capture or void at a time; written before the provider is asked."
    },
    {
      from: ["Voiding", "VoidPending", "VoidUnknown"],
      on: "VoidConfirmed",
      to: "Voided",
      emits: ["payment.cancelled"],
      why: "The authorization is released; a late statement does not restore it."
    },
    { from: "Voiding", on: "VoidAccepted", to: "VoidPending", why: "The provider voids later." },
    {
      from: ["Authorized", "VoidUnknown"],
      on: "VoidAccepted",
      to: "VoidPending",
      emits: ["payment.pending"],
      why: "It arrived: the provider voids later."
    },
    { from: "Voiding", on: "VoidRefused", to: "Authorized", why: "Nothing moved; the key is released." },
    {
      from: ["VoidPending", "VoidUnknown"],
      on: "VoidRefused",
      to: "Authorized",
      emits: ["payment.authorized"],
      why: "Refused after all: the authorization remains."
    },
    {
      from: "Voiding",
      on: "VoidUnanswered",
      to: "VoidUnknown",
      emits: ["payment.void_unknown"],
      why: "It may have executed."
    },
    {
      from: ["Authorized", "Voiding", "VoidPending"],
      on: "VoidMismatched",
      to: "VoidUnknown",
      emits: ["payment.amount_mismatch", "payment.void_unknown"],
      why: "Captured instead, with an amount that was not authorized: an operator settles it."
    },
    {
      from: "VoidUnknown",
      on: "VoidMismatched",
      to: "VoidUnknown",
      emits: ["payment.amount_mismatch"],
      why: "Found later: an operator settles it."
    },
    {
      from: "VoidUnknown",
      on: "VoidNotFound",
      to: "Authorized",
      emits: ["payment.authorized"],
      why: "A late, conclusive lookup: the provider never received it."
    },
    {
      from: ["Voiding", "VoidPending", "VoidUnknown"],
      on: "VoidFailed",
      to: "Authorized",
      emits: ["payment.void_failed"],
      why: "The provider states that the void failed permanently: the authorization is open again."
    },
    {
      from: ["Authorized", "Capturing", "CapturePending", "CaptureUnknown"],
      on: "AuthorizationLapsed",
      to: "Voided",
      emits: ["payment.cancelled"],
      why: "The provider states that it no longer holds the money."
    },

    // Refunds: one in progress is not a state of the payment, the refund ledger holds its amount.
    {
      from: ["Captured", "PartiallyRefunded", "Settled"],
      on: "RefundedInPart",
      to: "PartiallyRefunded",
      emits: ["payment.refunded"],
      why: "Part of the captured amount was refunded."
    },
    {
      from: ["Captured", "PartiallyRefunded", "Settled"],
      on: "RefundedInFull",
      to: "Refunded",
      emits: ["payment.refunded"],
      why: "The whole captured amount was refunded."
    },
    {
      from: "ChargedBack",
      on: "RefundedInPart",
      to: "ChargedBack",
      emits: ["payment.refunded"],
      why: "A refund that was pending settles; the amounts move and the dispute remains."
    },
    {
      from: "ChargedBack",
      on: "RefundedInFull",
      to: "ChargedBack",
      emits: ["payment.refunded"],
      why: "A refund that was pending settles; the amounts move and the dispute remains."
    },

    {
      from: ["PartiallyRefunded", "Refunded"],
      on: "RefundReversedInFull",
      to: "Captured",
      why: "A refund failed after it had succeeded, and nothing is refunded now."
    },
    {
      from: ["PartiallyRefunded", "Refunded"],
      on: "RefundReversedSettled",
      to: "Settled",
      why: "As above, of a payment that was settled."
    },
    {
      from: ["PartiallyRefunded", "Refunded"],
      on: "RefundReversedInPart",
      to: "PartiallyRefunded",
      why: "A refund failed after it had succeeded, and others are left."
    },

    // Settlement and disputes.
    { from: "Captured", on: "SettlementReported", to: "Settled", emits: ["payment.settled"], why: "Once per payment." },
    ...(["PartiallyRefunded", "Refunded", "ChargedBack"] as const).map((state) => ({
      from: state,
      on: "SettlementReported" as const,
      to: state,
      emits: ["payment.settled"] as const,
      why: "Settled too; what followed it remains visible."
    })),
    { from: moneyTaken, on: "DisputeOpened", to: "ChargedBack", emits: ["payment.chargeback"], why: "Opened or lost." },
    {
      from: "ChargedBack",
      on: "DisputeWonUncaptured",
      to: "Authorized",
      emits: ["payment.chargeback_reversed"],
      why: "The status that the ledger states now: the capture had failed meanwhile."
    },
    {
      from: "ChargedBack",
      on: "DisputeWonUnrefunded",
      to: "Captured",
      emits: ["payment.chargeback_reversed"],
      why: "The status according to the ledger."
    },
    {
      from: "ChargedBack",
      on: "DisputeWonPartlyRefunded",
      to: "PartiallyRefunded",
      emits: ["payment.chargeback_reversed"],
      why: "The status according to the ledger."
    },
    {
      from: "ChargedBack",
      on: "DisputeWonRefunded",
      to: "Refunded",
      emits: ["payment.chargeback_reversed"],
      why: "The status according to the ledger."
    },
    {
      from: "ChargedBack",
      on: "DisputeWonSettled",
      to: "Settled",
      emits: ["payment.chargeback_reversed"],
      why: "The status according to the ledger: it had been settled."
    }
  ]
})

export type PaymentEvent = (typeof PaymentMachine)["events"][number]
export type PaymentRefusal = (typeof PaymentMachine)["otherwise"][PaymentEvent]
export type PaymentRow = Row<PaymentState, PaymentEvent, EventType>
