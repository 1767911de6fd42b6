/** Turns a request that does not decode into its envelope. A response that does not encode is a defect. */
import { Effect, Layer } from "effect"
import { type HttpApiError, HttpApiMiddleware } from "effect/http-api"
import type { ErrorBody } from "./api/Errors.ts"
import { IdempotencyKeyErrors, ValidationErrors } from "./api/RequestErrors.ts"
import { queryExpectations, validationError } from "./Expectations.ts"

export const malformedKey: ErrorBody<"invalid_idempotency_key"> = {
  error: {
    code: "invalid_idempotency_key",
    message: `\`Idempotency-Key\` must be ${queryExpectations["idempotency-key"]}.`,
    param: "Idempotency-Key"
  }
}

const isOurs = (error: HttpApiError.HttpApiSchemaError): boolean =>
  error.kind === "Body" || error.kind === "ResponseHeaders"

const validationErrors = HttpApiMiddleware.layerSchemaErrorTransform(ValidationErrors, (error) =>
  isOurs(error) ? Effect.die(error) : Effect.fail(refusalOf(error))
)

const refusalOf = ({ cause, kind }: HttpApiError.HttpApiSchemaError): ErrorBody<"validation_error"> =>
  kind === "Headers"
    ? { error: { ...malformedKey.error, code: "validation_error" } }
    : validationError(cause.issue, queryExpectations)

const idempotencyKeyErrors = HttpApiMiddleware.layerSchemaErrorTransform(IdempotencyKeyErrors, (error) =>
  error.kind === "Headers" ? Effect.fail(malformedKey) : Effect.die(error)
)

export const layer: Layer.Layer<ValidationErrors | IdempotencyKeyErrors> = Layer.merge(
  validationErrors,
  idempotencyKeyErrors
)
