/** From the API's error envelope, which core's failures become there, to the error of this package. */
import type { ErrorBody, ErrorCode } from "@pointsman/http/api"
import {
  IdempotencyError,
  InternalError,
  NotFoundError,
  type PointsmanError,
  ProviderRefusedError,
  RoutingFailedError,
  StateError,
  UnknownResultError,
  ValidationError
} from "./PointsmanError.ts"

/** Those that only a request over HTTP can be answered. */
type HttpAlone =
  | "uri_too_long"
  | "invalid_request"
  | "unauthorized"
  | "live_key_required"
  | "insufficient_scope"
  | "not_a_partner"
  | "rate_limited"
  | "unsupported_media_type"
  | "payload_too_large"
  | "invalid_json"
  | "method_not_allowed"
  | "already_invited"
  | "merchant_limit"

export const errorOf = ({ error: { code, excluded, message, param } }: ErrorBody): PointsmanError => {
  switch (code) {
    case "validation_error":
    case "invalid_amount":
    case "idempotency_key_required":
    case "invalid_idempotency_key":
      return new ValidationError(code, message, param)
    case "not_found":
      return new NotFoundError(message)
    case "idempotency_key_reuse":
    case "idempotency_in_progress":
      return new IdempotencyError(code, message)
    case "routing_failed":
      return new RoutingFailedError(message, excluded ?? [])
    case "not_capturable":
    case "not_voidable":
    case "not_refundable":
    case "capture_conflict":
    case "void_conflict":
    case "refund_conflict":
    case "dispute_closed":
    case "dispute_conflict":
    case "no_provider_ref":
    case "unsupported":
    case "workspace_suspended":
      return new StateError(code, message)
    case "psp_error":
      return new ProviderRefusedError(message)
    case "payment_result_unknown":
    case "capture_result_unknown":
    case "void_result_unknown":
    case "refund_result_unknown":
    case "refund_pending":
    case "dispute_pending":
    case "dispute_result_unknown":
    case "state_unconfirmed":
    case "state_conflict":
      return new UnknownResultError(code, message)
    case "internal_error":
      return new InternalError(message)
    default:
      return neverHere(code, message)
  }
}

/** A new code of the API does not compile until it has its place above or in the list of those of HTTP alone. */
const neverHere = (code: Extract<ErrorCode, HttpAlone>, message: string): PointsmanError =>
  new InternalError(`${message} (${code})`)
