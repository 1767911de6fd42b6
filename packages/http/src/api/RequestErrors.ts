/** What a request that cannot be decoded is answered with. */
import { HttpApiMiddleware } from "effect/http-api"
import { errors } from "./ErrorSchemas.ts"

/** A query parameter, header or body field is wrong: 422 `validation_error`. */
export class ValidationErrors extends HttpApiMiddleware.Service<ValidationErrors>()("pointsman/http/ValidationErrors", {
  error: errors("validation_error")
}) {}

/** The `Idempotency-Key` is malformed: 400 `invalid_idempotency_key`. Refunds answer `ValidationErrors` instead. */
export class IdempotencyKeyErrors extends HttpApiMiddleware.Service<IdempotencyKeyErrors>()(
  "pointsman/http/IdempotencyKeyErrors",
  { error: errors("invalid_idempotency_key") }
) {}
