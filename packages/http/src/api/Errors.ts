/**
 * Every error code of the API, with its status, and the envelope that it is answered in. Clients switch on `code`; a
 * message may change.
 */
import type { RoutingExclusion } from "./Payment.ts"

export interface CodeRow {
  readonly status: number
  /** One sentence for the documentation. */
  readonly meaning: string
}

/** In the order in which a request is checked, as far as that can be said of a code. */
export const errorCodes = {
  not_found: { status: 404, meaning: "Unknown route or id, or a payment of another workspace or environment." },
  method_not_allowed: {
    status: 405,
    meaning: "The path does not support this method; Allow lists the supported ones."
  },
  uri_too_long: { status: 414, meaning: "The path is longer than 2 KB, or the query longer than 8 KB." },
  invalid_request: { status: 400, meaning: "`Host` or `Content-Type` was sent more than once." },
  unauthorized: { status: 401, meaning: "The key is missing, repeated, malformed, revoked or unknown." },
  workspace_suspended: { status: 403, meaning: "The workspace is suspended." },
  live_key_required: { status: 403, meaning: "Partner endpoints require a live key." },
  insufficient_scope: { status: 403, meaning: "The key lacks the scope that the operation requires." },
  not_a_partner: { status: 403, meaning: "Partner endpoints are for white-label partners." },
  rate_limited: { status: 429, meaning: "Too many requests; Retry-After states the seconds to wait." },
  idempotency_key_required: { status: 400, meaning: "Creating a payment with a live key requires an Idempotency-Key." },
  invalid_idempotency_key: {
    status: 400,
    meaning: "Idempotency-Key is not 8 to 200 printable ASCII characters, in one header."
  },
  unsupported_media_type: { status: 415, meaning: "The body is not sent as plain application/json." },
  payload_too_large: { status: 413, meaning: "The body is larger than the endpoint allows." },
  invalid_json: { status: 400, meaning: "The body is not valid JSON." },
  validation_error: { status: 422, meaning: "A field or a query parameter is invalid." },
  invalid_amount: {
    status: 422,
    meaning: "Capture: not a positive integer, or above the authorization. Refund: invalid, or nothing refundable."
  },
  idempotency_key_reuse: { status: 422, meaning: "The key was used with a different body or amount." },
  idempotency_in_progress: { status: 409, meaning: "A request with this key is still being processed." },
  routing_failed: { status: 409, meaning: "No connection can accept the payment; nothing was recorded." },
  not_capturable: { status: 409, meaning: "The payment is not AUTHORIZED, so it cannot be captured." },
  not_voidable: { status: 409, meaning: "The payment is not AUTHORIZED, so it cannot be voided." },
  capture_conflict: { status: 409, meaning: "Another capture or void was first." },
  void_conflict: { status: 409, meaning: "Another capture or void was first." },
  no_provider_ref: { status: 409, meaning: "The payment has no provider reference to act on." },
  refund_pending: {
    status: 409,
    meaning: "This refund, or another one that reserves the remaining balance, is not confirmed."
  },
  not_refundable: { status: 409, meaning: "Never captured, charged back, or its connection cannot refund." },
  refund_conflict: {
    status: 409,
    meaning: "Concurrent updates of the payment prevented the refund; nothing was recorded."
  },
  dispute_pending: {
    status: 409,
    meaning: "A submission or an acceptance of this dispute is not confirmed; the provider is asked what became of it."
  },
  dispute_closed: {
    status: 409,
    meaning: "The dispute has ended, or the provider has the evidence: nothing more is kept or sent."
  },
  dispute_conflict: {
    status: 409,
    meaning: "Concurrent updates of the payment prevented the request; nothing was sent."
  },
  already_invited: { status: 409, meaning: "The partner has already invited this email address." },
  merchant_limit: { status: 429, meaning: "The partner's allowance of sub-merchants is exhausted." },
  internal_error: { status: 500, meaning: "Nothing was sent to a provider; the same request may be sent again." },
  payment_result_unknown: {
    status: 500,
    meaning: "A provider may have received the payment and its result was not recorded; never retry with a new key."
  },
  state_unconfirmed: {
    status: 500,
    meaning: "The request was sent, but the provider's response could not be recorded; do not retry."
  },
  state_conflict: {
    status: 500,
    meaning: "The provider confirmed, but the payment had changed in the meantime; do not retry."
  },
  unsupported: {
    status: 501,
    meaning: "The payment's provider cannot capture or void, or takes no answer to disputes."
  },
  psp_error: { status: 502, meaning: "The provider rejected the request; nothing was executed." },
  capture_result_unknown: { status: 502, meaning: "The provider did not respond and may have captured; do not retry." },
  void_result_unknown: { status: 502, meaning: "The provider did not respond and may have voided; do not retry." },
  refund_result_unknown: { status: 502, meaning: "The provider did not respond and may have refunded; do not retry." },
  dispute_result_unknown: {
    status: 502,
    meaning: "The provider did not respond and may have taken the evidence or the acceptance; do not retry."
  }
} as const satisfies Record<string, CodeRow>

export type ErrorCode = keyof typeof errorCodes

/** Codes of what may be wrong in one field, parameter or header. */
export const paramCodes: ReadonlyArray<ErrorCode> = [
  "validation_error",
  "invalid_amount",
  "idempotency_key_required",
  "invalid_idempotency_key"
]

/** Codes of answers that are kept for a key: a repeat gets the same bytes, so they name no request and no server. */
export const replayedCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "state_unconfirmed",
  "state_conflict",
  "psp_error",
  "capture_result_unknown",
  "void_result_unknown",
  "refund_result_unknown",
  "dispute_result_unknown"
])

export interface ErrorBody<Code extends ErrorCode = ErrorCode> {
  readonly error: {
    readonly code: Code
    /** For people; not part of the contract. */
    readonly message: string
    /** The first wrong field, parameter or header, such as `lines[2].name`, where the error is about one. */
    readonly param?: string
    /** On `routing_failed`, when the request set `debug`. */
    readonly excluded?: ReadonlyArray<RoutingExclusion>
    /** The same as `X-Request-Id`: on every error that is answered over HTTP, but for `replayedCodes`. */
    readonly request_id?: string
    /** The page of the server that explains the code, where the server has one; not of `replayedCodes`. */
    readonly doc_url?: string
  }
}
