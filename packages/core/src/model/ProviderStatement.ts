/**
 * What a provider states of a charge, an operation or a refund, however the statement reached us: as the answer to a
 * call, as the result of a lookup, or in a message. A connector speaks these words; `decide` says what they mean for a
 * payment.
 */
import { Schema } from "effect"
import type { Money } from "../money/Money.ts"
import type { DeclineCategory, DeclineCode } from "./Decline.ts"
import type { DisputeReason } from "./Dispute.ts"
import type { DisputeStatus } from "./DisputeMachine.ts"

/** Nothing left this machine. Another connection may be tried. */
export class NotSent extends Schema.TaggedError<NotSent>()("pointsman/NotSent", {
  /** Why, in words that hold no secret. */
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect())
}) {}

/** The request may have left and no usable answer came back. The provider may have executed it. */
export class Unanswered extends Schema.TaggedError<Unanswered>()("pointsman/Unanswered", {
  /** Why, in words that hold no secret. */
  reason: Schema.String,
  cause: Schema.optionalKey(Schema.Defect()),
  /** The provider has no such lookup, account or list, and never will have an answer. */
  isUnsupported: Schema.optionalKey(Schema.Boolean),
  /** The provider had our key before, with other parameters: that it finds nothing later settles nothing. */
  isKeyUsed: Schema.optionalKey(Schema.Boolean),
  /** Where the answer names another attempt of ours. It says nothing about the one that was asked for. */
  ofAnother: Schema.optionalKey(
    Schema.declare<OfAnotherAttempt>(
      (value): value is OfAnotherAttempt => typeof value === "object" && value !== null && "attemptId" in value
    )
  )
}) {}

/** The code of an attempt, operation or refund whose idempotency key the provider had before. */
export const keyUsedCode = "idempotency_key_used"

/** As the code of a call that was not answered. */
export const unansweredCode = ({ isKeyUsed, ofAnother }: Unanswered): string | null =>
  isKeyUsed === true || ofAnother !== undefined ? keyUsedCode : null

/** What a provider stated of an attempt that it was not asked for: it had our idempotency key before, say. */
export interface OfAnotherAttempt {
  readonly attemptId: string
  readonly state: ChargeState
}

export interface CheckoutOpened {
  readonly _tag: "CheckoutOpened"
  /** The provider's name for the checkout. */
  readonly reference: string
  /** Where to send the customer; absolute, `http` or `https`. */
  readonly url: string
  /** Epoch milliseconds after which the customer cannot pay on it; `null` where the provider names no end. */
  readonly expiresAt: number | null
}

/** What a provider states, if it does. Less is recorded; more, or another currency, makes the result unknown. */
interface Stated {
  /**
   * The provider's name for the charge, in every word about it: a capture that has its own name is reported under that
   * of its charge. Money under another name is another charge of the attempt, which is reported to operators. No two
   * payments of a connection have a charge with one name: if a provider reports that, operators review both.
   */
  readonly providerRef: string
  readonly stated?: Money | undefined
}

/** One capture of a charge, by the provider's id. Amounts of distinct ids add up; one id is one capture. */
export interface StatedCapture {
  readonly id: string
  /** What this capture took. */
  readonly money: Money
  /** Our id of the capture, where the provider names it; absent from a capture that a person made at the provider. */
  readonly operationId?: string | undefined
}

/** The state of a charge, as the provider tells it. */
export type ChargeState =
  | ({ readonly _tag: "Authorized" } & Stated)
  | ({
      readonly _tag: "Captured"
      /**
       * Where the statement is about one capture. `stated` is of all captures of the charge together, where the
       * provider states that.
       */
      readonly capture?: StatedCapture | undefined
    } & Stated)
  | ({ readonly _tag: "Pending" } & Stated)
  | {
      readonly _tag: "Declined"
      readonly providerRef: string | null
      readonly category: DeclineCategory
      /** The provider's raw code. */
      readonly code: string
      /** What that code means across providers, of the same category; the category where it is left out. */
      readonly normalized?: DeclineCode | undefined
      readonly soft: boolean
    }
  | { readonly _tag: "NeedsCustomer"; readonly providerRef: string | null }
  | { readonly _tag: "Canceled"; readonly providerRef: string | null }

/**
 * The customer approved a checkout that takes nothing by itself, and the provider has taken nothing yet: `completeCheckout`
 * takes it. Only a lookup and a message say this, and only of a checkout.
 */
export interface Approved {
  readonly _tag: "Approved"
  readonly providerRef: string | null
}

/** What a lookup or a message says of a charge. */
export type ChargeRecord = ChargeState | Approved

/** The provider's word that it did nothing with the request. */
export interface Rejected {
  readonly _tag: "Rejected"
  readonly code: string
  /** The provider's message. */
  readonly message: string
}

export type ChargeAnswer = ChargeState | Rejected
/** How a call to charge ended. `NotSent` and `Unanswered` are ends like any other: no answer is a fact too. */
export type ChargeEnd = ChargeAnswer | NotSent | Unanswered
/** For capture and void. */
export type OperationAnswer = ChargeState | Rejected

export type RefundState =
  | { readonly _tag: "Succeeded"; readonly providerRefundId: string; readonly stated?: Money | undefined }
  | { readonly _tag: "RefundPending"; readonly providerRefundId: string; readonly stated?: Money | undefined }
  | {
      readonly _tag: "RefundFailed"
      readonly providerRefundId: string
      readonly reason: string | null
      /** `false`: the provider will, or may, try again by itself. Final where it is left out. */
      readonly isFinal?: boolean
    }

/** Of a report's row that names a refund only by our id. */
export interface RefundOfRow {
  readonly _tag: "Succeeded"
  readonly providerRefundId: null
  readonly stated: Money
}

export type RefundAnswer = RefundState | Rejected

/**
 * What a provider states of one capture or void by itself, rather than of the charge that it belongs to. A failure is a
 * new fact and no old message, so it names the operation by our id: the reference of a charge or of an attempt is not
 * enough.
 */
export type OperationState =
  /** `captureId`: the provider's id of the capture, as in `StatedCapture`. */
  | {
      readonly _tag: "OperationConfirmed"
      readonly stated?: Money | undefined
      readonly captureId?: string | undefined
    }
  | { readonly _tag: "OperationPending" }
  | {
      readonly _tag: "OperationFailed"
      /** `false`: the provider will, or may, try again by itself. */
      readonly isFinal: boolean
      /** The provider's words, free of secrets. */
      readonly reason: string | null
      readonly stated?: Money | undefined
    }

/** The provider has no record of what it was asked for. `conclusive`: it will never be executed. */
export interface NeverReceived {
  readonly _tag: "NotFound"
  readonly conclusive: boolean
}

/** A refund in the record of its charge. `refundId`: ours; `null` for one that was made at the provider. */
export interface FoundRefund {
  readonly refundId: string | null
  readonly state: RefundState
}

/** The provider's record of a charge, an operation or a refund. `refunds`: of a charge, where its record has them. */
export type Found<State> =
  | { readonly _tag: "Found"; readonly state: State; readonly refunds?: ReadonlyArray<FoundRefund> }
  | NeverReceived

/**
 * How a message names a charge: by our attempt's id, or by the provider's reference where it has none of our ids (a
 * dispute, often). A reference finds the payment of that charge, and no attempt that another one followed. It may also be
 * the provider's id of a capture or a refund of the charge, where a message has nothing else.
 */
export type ChargeName = { readonly attemptId: string } | { readonly providerRef: string }

/** A dispute as a message states it. Absent fields are not stated, and what is recorded of them stays. */
export interface StatedDispute {
  /** The provider's id; `null` where it names none, and then a charge has one dispute. */
  readonly disputeId: string | null
  /** What it means for the money of the payment; `null` where it means nothing: of an inquiry, no money has moved. */
  readonly verdict: "opened" | "won" | "lost" | null
  /**
   * Unless stated, it follows from the verdict: `needs_response`, `won`, `lost`; `warning` without one. One that does not
   * agree with the verdict makes the statement a contradiction: operations review it, and it changes nothing.
   */
  readonly status?: DisputeStatus | undefined
  /**
   * The dispute continues, and no status is stated: it keeps the recorded one, and is `opened` where none is recorded
   * yet.
   */
  readonly isContinued?: boolean | undefined
  /** What is claimed, or was decided: it may be less than the payment, or in another currency. */
  readonly money?: Money | undefined
  readonly reason?: DisputeReason | undefined
  /** The provider's raw code. */
  readonly providerReason?: string | undefined
  /** Until when the provider takes evidence, in epoch milliseconds. */
  readonly dueBy?: number | undefined
}

/** What a provider answers to a submission of evidence or to an acceptance, and what it has on record of one. */
export type SubmissionState =
  /** It has the evidence, or the acceptance. */
  | { readonly _tag: "SubmissionDone" }
  /** It took it, and its result is not known yet. */
  | { readonly _tag: "SubmissionPending" }
  /** It did nothing with it. `reason`: the provider's words, free of secrets. */
  | { readonly _tag: "SubmissionFailed"; readonly reason: string | null }

export type SubmissionAnswer = SubmissionState | Rejected

/**
 * A refund of a charge of ours without an id of ours: the merchant made it at the provider. Its state has the
 * provider's id of that very refund, and the amount. A total of refunds is none.
 */
export interface UnnamedRefund {
  readonly charge: ChargeName
  /** As in its state. */
  readonly providerRefundId: string
  readonly state: (asked: Money) => RefundState
  /** Ours, derived from the provider's. Connectors leave it out. */
  readonly refundId?: string
}

/** What a message is about. States are made from what was asked for: a provider may leave out the amount. */
export type MessageAbout =
  | { readonly _tag: "Charge"; readonly charge: ChargeName; readonly state: (asked: Money) => ChargeRecord }
  | { readonly _tag: "Refund"; readonly refundId: string; readonly state: (asked: Money) => RefundState }
  | ({ readonly _tag: "UnnamedRefund" } & UnnamedRefund)
  /** A capture or a void, by our id of it. */
  | { readonly _tag: "Operation"; readonly operationId: string; readonly state: (asked: Money) => OperationState }
  /** A capture failed that the provider makes by itself. `reason`: the provider's words, free of secrets. */
  | { readonly _tag: "CaptureFailed"; readonly charge: ChargeName; readonly reason: string | null }
  /** The provider pays the money of the charge out. `state`: where the message tells it too, else `null`. */
  | { readonly _tag: "Settled"; readonly charge: ChargeName; readonly state: ((asked: Money) => ChargeState) | null }
  /** What the provider states of a dispute. */
  | ({ readonly _tag: "Dispute"; readonly charge: ChargeName } & StatedDispute)
  /**
   * Something about the charge changed, and the message does not say what, or not in a way that can be read: the charge is
   * looked up. `reason`: the provider's type of the message, or which field cannot be read, and never its value.
   */
  | { readonly _tag: "Changed"; readonly charge: ChargeName; readonly reason: string }

/** A provider's message, known to be the provider's. */
export interface ProviderMessage {
  /** The provider's id of it: a message that comes again has the same. */
  readonly id: string
  /**
   * Since when it is so, or when the provider wrote it, in epoch milliseconds; `null` where it names no time. A success
   * without a time does not undo a failure that is recorded: a lookup decides, or an operator.
   */
  readonly at: number | null
  readonly about: MessageAbout
}
