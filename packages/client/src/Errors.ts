/** What calls fail with: one error for each code, each with what it says about money. */
import type { ApiErrorCode, RoutingExclusion } from "./Contract.ts"

/**
 * Codes of this package. `no_answer`: the connection was lost, no answer came in time, or what came is not the API's.
 * `aborted`: the call's signal ended it. `unknown_code`: a newer server answered with a code that is not in `ApiErrorCode`.
 * `webhook_refused`: not a webhook of Pointsman, or an old one.
 */
export type OwnErrorCode = "no_answer" | "aborted" | "unknown_code" | "webhook_refused"

export type PointsmanErrorCode = ApiErrorCode | OwnErrorCode

/**
 * Whether money may have moved. `no`: this request moved none, and none that it may be the repetition of. `yes`: it may.
 * `before`: the server answered before it looked up the key, so that it says nothing about an earlier request under it.
 * `sent`: no answer, so it may if the call moves money at all.
 */
type Money = "no" | "yes" | "before" | "sent"

const moneyOf = {
  not_found: "no",
  method_not_allowed: "no",
  uri_too_long: "no",
  invalid_request: "no",
  unauthorized: "before",
  workspace_suspended: "before",
  live_key_required: "no",
  insufficient_scope: "before",
  not_a_partner: "no",
  rate_limited: "before",
  idempotency_key_required: "no",
  invalid_idempotency_key: "no",
  unsupported_media_type: "no",
  payload_too_large: "no",
  invalid_json: "no",
  validation_error: "no",
  invalid_amount: "no",
  idempotency_key_reuse: "no",
  idempotency_in_progress: "yes",
  routing_failed: "no",
  // The same may have been asked before, under another key or without one.
  not_capturable: "yes",
  not_voidable: "yes",
  capture_conflict: "yes",
  void_conflict: "yes",
  no_provider_ref: "no",
  refund_pending: "yes",
  not_refundable: "no",
  refund_conflict: "no",
  dispute_pending: "yes",
  dispute_closed: "no",
  dispute_conflict: "no",
  already_invited: "no",
  merchant_limit: "no",
  internal_error: "before",
  payment_result_unknown: "yes",
  state_unconfirmed: "yes",
  state_conflict: "yes",
  unsupported: "no",
  psp_error: "no",
  capture_result_unknown: "yes",
  void_result_unknown: "yes",
  refund_result_unknown: "yes",
  dispute_result_unknown: "yes",
  no_answer: "sent",
  aborted: "before",
  unknown_code: "sent",
  webhook_refused: "no"
} as const satisfies Readonly<Record<PointsmanErrorCode, Money>>

type MoneyMayHaveMoved<Code extends PointsmanErrorCode> = {
  readonly no: false
  readonly yes: true
  readonly before: boolean
  readonly sent: boolean
}[(typeof moneyOf)[Code]]

/** What is known when a call fails. */
export interface Failure {
  readonly code: PointsmanErrorCode
  readonly message: string
  readonly status?: number
  readonly requestId?: string | null
  readonly retryAfterMillis?: number
  readonly excluded?: ReadonlyArray<RoutingExclusion>
  readonly param?: string
  readonly docUrl?: string
  readonly cause?: unknown
}

class CallError<Code extends PointsmanErrorCode> extends Error {
  override readonly name = "PointsmanError"
  /** Decide by it: it is stable, and the message may change. */
  readonly code: Code
  /**
   * `true`: a provider may have executed what was asked, or may yet. Do not ask for it in another way (another idempotency
   * key, another provider), and do not report a failure: read the payment, or repeat the call with `idempotencyKey`.
   */
  readonly moneyMayHaveMoved: MoneyMayHaveMoved<Code>
  /** The key that the call was sent with, to repeat it; `null` for a call that takes none. */
  readonly idempotencyKey: string | null
  /** The HTTP status; `null` where no answer came. */
  readonly status: number | null
  /** For support: the server's log has it. */
  readonly requestId: string | null
  /** Milliseconds that the server asks to wait; `null` where it asks for none. */
  readonly retryAfterMillis: number | null
  /** On `routing_failed`, with `debug`: every connection that was left out. Empty otherwise. */
  readonly excluded: ReadonlyArray<RoutingExclusion>
  /** The first wrong field, parameter or header, such as `lines[2].name`; `null` where the error is about none. */
  readonly param: string | null
  /** The server's page about the code; `null` where it has none. */
  readonly docUrl: string | null
  constructor(code: Code, failure: Failure, moneyMayHaveMoved: boolean, idempotencyKey: string | null) {
    super(failure.message, failure.cause === undefined ? {} : { cause: failure.cause })
    this.code = code
    this.moneyMayHaveMoved = moneyMayHaveMoved as MoneyMayHaveMoved<Code>
    this.idempotencyKey = idempotencyKey
    this.status = failure.status ?? null
    this.requestId = failure.requestId ?? null
    this.retryAfterMillis = failure.retryAfterMillis ?? null
    this.excluded = failure.excluded ?? []
    this.param = failure.param ?? null
    this.docUrl = failure.docUrl ?? null
  }
}

/** Every error of a call. `code` says which one it is, and so what `moneyMayHaveMoved` can be. */
export type PointsmanError = { readonly [Code in PointsmanErrorCode]: CallError<Code> }[PointsmanErrorCode]

/** Whether a value that was thrown is an error of this package. Others are mistakes of the program, such as a wrong URL. */
export const isPointsmanError = (error: unknown): error is PointsmanError => error instanceof CallError

export const isKnownCode = (code: unknown): code is ApiErrorCode =>
  typeof code === "string" && Object.hasOwn(moneyOf, code)

/** Of a call. */
export interface Asking {
  readonly idempotencyKey: string | null
  readonly movesMoney: boolean
  /** Whether a request before this one, under the same key, may have been executed. */
  readonly isMaybeAgain: boolean
}

const noCall: Asking = { idempotencyKey: null, movesMoney: false, isMaybeAgain: false }

export const errorOf = (
  failure: Failure,
  { idempotencyKey, isMaybeAgain, movesMoney }: Asking = noCall
): PointsmanError => {
  const money: Money = moneyOf[failure.code]
  const mayHaveMoved = money === "yes" || (movesMoney && (money === "sent" || (money === "before" && isMaybeAgain)))
  return new CallError(failure.code, failure, mayHaveMoved, idempotencyKey) as PointsmanError
}
