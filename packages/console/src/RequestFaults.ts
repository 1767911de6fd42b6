/** What a request that does not decode is answered: the field, and what was expected of it, never what came. */
import { InProcess } from "@pointsman/http"
import { operationLimits, pageLimits } from "@pointsman/http/api"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiMiddleware } from "effect/http-api"
import { failure } from "./api/Errors.ts"
import { RequestErrors } from "./api/Parts.ts"

const expectations = {
  ...InProcess.queryExpectations,
  limit: `an integer from ${pageLimits.minimum} to ${pageLimits.maximum}`,
  environment: "sandbox or production",
  login: "the text of a login",
  password: "a text",
  current: "a text",
  name: "a text",
  challenge: "the text of a challenge",
  response: "the response of the browser, in JSON",
  token: "the text of a sign-in token",
  amount: "an integer of at least 1, in the minor unit of the payment's currency",
  reason: `text of at most ${operationLimits.reason} characters, without NUL or lone surrogates`
}

export const layer = HttpApiMiddleware.layerSchemaErrorTransform(
  RequestErrors,
  Effect.fnUntraced(function* (error) {
    // Our own answer.
    if (error.kind === "Body" || error.kind === "ResponseHeaders") return yield* Effect.die(error)
    if (error.kind === "Payload") {
      const text = yield* Effect.orDie((yield* HttpServerRequest.HttpServerRequest).text)
      if (!isJson(text)) return yield* Effect.fail(failure("invalid_json", "The body is not valid JSON."))
    }
    return yield* Effect.fail(InProcess.validationError(error.cause.issue, expectations))
  })
)

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
