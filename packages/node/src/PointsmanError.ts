/**
 * What a call can fail with. Every error says in `moneyMayHaveMoved` what matters most about it, and its `code` is the
 * API's own wherever the API has one. docs/guides/node.md says what to do with each.
 */
import type { RoutingExclusion } from "@pointsman/client/contract"

export type ValidationCode =
  | "validation_error"
  | "invalid_amount"
  | "idempotency_key_required"
  | "invalid_idempotency_key"
export type IdempotencyCode = "idempotency_key_reuse" | "idempotency_in_progress"
export type StateCode =
  | "not_capturable"
  | "not_voidable"
  | "not_refundable"
  | "capture_conflict"
  | "void_conflict"
  | "refund_conflict"
  | "dispute_closed"
  | "dispute_conflict"
  | "no_provider_ref"
  | "unsupported"
  | "workspace_suspended"
  | "statement_refused"
  | "correction_refused"
  | "not_redeliverable"
  | "login_taken"
  | "last_admin"
  | "report_in_progress"
  | "report_unreadable"
export type UnknownResultCode =
  | "payment_result_unknown"
  | "capture_result_unknown"
  | "void_result_unknown"
  | "refund_result_unknown"
  | "refund_pending"
  | "dispute_pending"
  | "dispute_result_unknown"
  | "state_unconfirmed"
  | "state_conflict"
export type StartCode = "wrong_settings" | "wrong_encryption_key" | "storage_unusable" | "connector_unusable"

export type PointsmanErrorCode =
  | ValidationCode
  | IdempotencyCode
  | StateCode
  | UnknownResultCode
  | StartCode
  | "not_found"
  | "routing_failed"
  | "psp_error"
  | "internal_error"
  | "closed"
  | "webhook_refused"

export abstract class PointsmanError extends Error {
  abstract readonly code: PointsmanErrorCode
  /**
   * `true`: a provider may have executed what was asked, or may yet. Never ask for it again in another way (another
   * idempotency key, another provider); the same call with the same key is always safe. `false`: it moved nothing, and
   * nothing that it may be the second try of.
   */
  abstract readonly moneyMayHaveMoved: boolean
}

/** The call has wrong fields; the message names each of them. Nothing was sent. */
export class ValidationError extends PointsmanError {
  override readonly name = "ValidationError"
  readonly moneyMayHaveMoved = false
  readonly code: ValidationCode
  /** The first wrong field, such as `lines[2].name`; `undefined` where the message is about the call as a whole. */
  readonly param: string | undefined
  constructor(code: ValidationCode, message: string, param?: string) {
    super(message)
    this.code = code
    this.param = param
  }
}

/** Not found in this workspace and environment. */
export class NotFoundError extends PointsmanError {
  override readonly name = "NotFoundError"
  readonly moneyMayHaveMoved = false
  readonly code = "not_found"
}

/**
 * `idempotency_key_reuse`: the key was used for another request, and nothing was sent. `idempotency_in_progress`: the
 * same request is being worked on, so that money may be moving; call again later with the same key.
 */
export class IdempotencyError extends PointsmanError {
  override readonly name = "IdempotencyError"
  readonly code: IdempotencyCode
  readonly moneyMayHaveMoved: boolean
  constructor(code: IdempotencyCode, message: string) {
    super(message)
    this.code = code
    this.moneyMayHaveMoved = code === "idempotency_in_progress"
  }
}

/** No connection can take the payment. Nothing was recorded, and the key is free. */
export class RoutingFailedError extends PointsmanError {
  override readonly name = "RoutingFailedError"
  readonly moneyMayHaveMoved = false
  readonly code = "routing_failed"
  /** Why each connection was left out. */
  readonly excluded: ReadonlyArray<RoutingExclusion>
  constructor(message: string, excluded: ReadonlyArray<RoutingExclusion>) {
    super(message)
    this.excluded = excluded
  }
}

/** A call also gets each of them when the same was requested before, under another key or without one. */
const maybeDoneBefore: ReadonlyArray<StateCode> = [
  "not_capturable",
  "not_voidable",
  "capture_conflict",
  "void_conflict"
]

/**
 * It is not possible in the current state. This call sent nothing; another one may have, such as the first of two
 * clicks: read the payment before you report a failure.
 */
export class StateError extends PointsmanError {
  override readonly name = "StateError"
  readonly moneyMayHaveMoved: boolean
  readonly code: StateCode
  constructor(code: StateCode, message: string, isMaybeAgain = false) {
    super(message)
    this.code = code
    this.moneyMayHaveMoved = maybeDoneBefore.includes(code) || (isMaybeAgain && code === "workspace_suspended")
  }
}

/** The provider refused. Nothing was executed; the message is the provider's. */
export class ProviderRefusedError extends PointsmanError {
  override readonly name = "ProviderRefusedError"
  readonly moneyMayHaveMoved = false
  readonly code = "psp_error"
}

/**
 * A provider may have executed it. Do not ask again under another key, and do not tell the customer that it failed: read
 * the payment later, or wait for its event.
 */
export class UnknownResultError extends PointsmanError {
  override readonly name = "UnknownResultError"
  readonly moneyMayHaveMoved = true
  readonly code: UnknownResultCode
  constructor(code: UnknownResultCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/**
 * The store or the program failed before anything was sent. The same call may be made again. Of a call that moves money
 * and may be the second try of one whose result was lost, `moneyMayHaveMoved` is `true`: that one is not known of here.
 */
export class InternalError extends PointsmanError {
  override readonly name = "InternalError"
  readonly moneyMayHaveMoved: boolean
  readonly code = "internal_error"
  constructor(message: string, isMaybeAgain = false) {
    super(message)
    this.moneyMayHaveMoved = isMaybeAgain
  }
}

/** `close` was called before. Nothing was done. `moneyMayHaveMoved` as of `InternalError`. */
export class ClosedError extends PointsmanError {
  override readonly name = "ClosedError"
  readonly moneyMayHaveMoved: boolean
  readonly code = "closed"
  constructor(message: string, isMaybeAgain = false) {
    super(message)
    this.moneyMayHaveMoved = isMaybeAgain
  }
}

/** `createPointsman` could not start. What it had opened is closed again. */
export class StartError extends PointsmanError {
  override readonly name = "StartError"
  readonly moneyMayHaveMoved = false
  readonly code: StartCode
  /** Of `wrong_settings`: each wrong field, and what was expected there. Never its value. */
  readonly mistakes: ReadonlyArray<{ readonly field: string; readonly message: string }>
  constructor(
    code: StartCode,
    message: string,
    mistakes: ReadonlyArray<{ readonly field: string; readonly message: string }> = []
  ) {
    super(message)
    this.code = code
    this.mistakes = mistakes
  }
}

/** Not a valid Pointsman webhook, or an old one. Respond with 400, without details. */
export class WebhookRefusedError extends PointsmanError {
  override readonly name = "WebhookRefusedError"
  readonly moneyMayHaveMoved = false
  readonly code = "webhook_refused"
  /** For the log. */
  readonly reason: "missing" | "malformed" | "too old or too new" | "not made with a known secret" | "not an event"
  constructor(reason: WebhookRefusedError["reason"]) {
    super(`The webhook's signature was rejected: ${reason}.`)
    this.reason = reason
  }
}
