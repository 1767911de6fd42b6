/** The questions and the answers of capturing and voiding, and the refusals that refunds share with them. */
import { Schema } from "effect"
import type { OperationKind, Said } from "../model/Operation.ts"
import type { Payment } from "../model/Payment.ts"

export interface CaptureOrder {
  readonly paymentId: string
  /** Minor units; `null` for the whole authorization, which is a value of its own. */
  readonly amountMinor: number | null
  /** 8 to 200 printable ASCII characters, or `null`. */
  readonly idempotencyKey: string | null
}

export interface VoidOrder {
  readonly paymentId: string
  readonly idempotencyKey: string | null
}

export interface OperationOrder extends CaptureOrder {
  readonly kind: OperationKind
}

export interface Answered {
  /** As it was answered the first time. */
  readonly payment: Payment
  /** An earlier request under the same key was answered so. */
  readonly isReplay: boolean
}

/** It is not `Authorized`: captured or voided already, or a capture or void is in flight or unknown. */
export class NotCapturable extends Schema.TaggedError<NotCapturable>()("pointsman/NotCapturable", {}) {}

/** As `NotCapturable`. */
export class NotVoidable extends Schema.TaggedError<NotVoidable>()("pointsman/NotVoidable", {}) {}

/** Another request took it first. */
export class TakenByAnother extends Schema.TaggedError<TakenByAnother>()("pointsman/TakenByAnother", {}) {}

/** The payment has no reference at a provider: there is nothing to act on. */
export class NoProviderRef extends Schema.TaggedError<NoProviderRef>()("pointsman/NoProviderRef", {}) {}

/** The payment's connection cannot do it. */
export class Unsupported extends Schema.TaggedError<Unsupported>()("pointsman/Unsupported", {}) {}

/** A capture above the authorization, or a refund of a payment of which nothing is left. */
export class InvalidAmount extends Schema.TaggedError<InvalidAmount>()("pointsman/InvalidAmount", {
  /** What was expected; for people. */
  expected: Schema.String
}) {}

/** The provider refused, or nothing was sent to it. Nothing was executed. */
export class ProviderRefused extends Schema.TaggedError<ProviderRefused>()("pointsman/ProviderRefused", {
  /** The provider's message. */
  message: Schema.String
}) {}

/** The provider may have executed it. */
export class ResultUnknown extends Schema.TaggedError<ResultUnknown>()("pointsman/ResultUnknown", {}) {}

/** The provider was asked, and its answer could not be recorded. */
export class StateUnconfirmed extends Schema.TaggedError<StateUnconfirmed>()("pointsman/StateUnconfirmed", {
  said: Schema.Literals(["confirmed", "refused", "no answer"] satisfies ReadonlyArray<Said>)
}) {}

/** The provider states the opposite, or confirmed on a payment that had meanwhile moved. */
export class StateConflict extends Schema.TaggedError<StateConflict>()("pointsman/StateConflict", {}) {}

export interface RefundOrder {
  readonly paymentId: string
  /** Minor units, clamped to what is left; `null` for all that is left, which is a value of its own. */
  readonly amountMinor: number | null
  /** At most 200 characters. */
  readonly reason: string | null
  /** 8 to 200 printable ASCII characters; it names the refund itself. `null`: every request is a new refund. */
  readonly idempotencyKey: string | null
}

/** It was never captured, is charged back, or its connection cannot refund. */
export class NotRefundable extends Schema.TaggedError<NotRefundable>()("pointsman/NotRefundable", {}) {}

/**
 * This refund, or one that holds the rest of the balance, is not confirmed yet; or one may be lost, and an operator decides.
 */
export class RefundPending extends Schema.TaggedError<RefundPending>()("pointsman/RefundPending", {
  /** In milliseconds: when the same request is worth sending again, where that is known. */
  retryAfterMillis: Schema.optionalKey(Schema.Finite)
}) {}
