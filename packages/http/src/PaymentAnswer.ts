/**
 * The answer to a create, a capture, a void or a refund that succeeded.
 *
 * Its type is that of the contract's codec, and it is written without a walk through the codec, which takes longer than
 * making the answer. The tests compare every answer with the codec.
 */
import { HttpServerResponse } from "effect/http"
import type { PaymentEnvelope } from "./api/Payment.ts"
import type { IgnoredFields } from "./IgnoredFields.ts"

export const paymentAnswer = (
  status: 200 | 201,
  envelope: typeof PaymentEnvelope.Encoded,
  isReplay: boolean,
  ignored: IgnoredFields
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.jsonUnsafe(envelope, {
    status,
    headers: { ...(isReplay ? { "idempotent-replay": "true" } : {}), ...ignored }
  })
