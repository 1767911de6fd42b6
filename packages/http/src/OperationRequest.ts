/** From the parsed body of a capture or a refund to what is ordered. Without a body it is all of it, for no reason. */
import { Effect, Result, Schema } from "effect"
import type { ErrorBody } from "./api/Errors.ts"
import { CapturePayment, OperationAmount, RefundPayment } from "./api/RequestBodies.ts"
import { operationExpectations, validationError, validationErrorOf } from "./Expectations.ts"

type BodyRefused = ErrorBody<"validation_error" | "invalid_amount">

const invalidAmount: BodyRefused = {
  error: { code: "invalid_amount", message: `\`amount\` must be ${operationExpectations.amount}.`, param: "amount" }
}

const isAmount = Schema.is(OperationAmount)

const decoderOf = <Fields>(schema: Schema.Codec<Fields, unknown>) => {
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (body: unknown = {}): Effect.Effect<Fields, BodyRefused> => {
    if (typeof body !== "object" || body === null || Array.isArray(body)) {
      return Effect.fail(validationErrorOf("the body must be a JSON object"))
    }
    // Before the schema: a wrong amount has a code of its own, of whatever kind it is.
    if ("amount" in body && !isAmount(body.amount)) return Effect.fail(invalidAmount)
    return Result.match(decode(body), {
      onFailure: ({ issue }) => Effect.fail(validationError(issue, operationExpectations)),
      onSuccess: Effect.succeed
    })
  }
}

export const decodeCapture = decoderOf(CapturePayment)
export const decodeRefund = decoderOf(RefundPayment)
