/**
 * `POST /psp-webhooks/{pspId}`: a provider's message.
 *
 * The order: the body's size, the signature over the bytes as they came, the rate of the connection, and only then what
 * it says. Messages without the secret use up none of a connection's rate, and what fails verification is counted by
 * source and connection, after it failed: so failures of others do not delay a verified message. Hints, which are not
 * verified, are counted with the failures before they are looked up.
 */
import { Pointsman } from "@pointsman/core"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { Source } from "./AuthorizeRequest.ts"
import { ApiV1 } from "./api/ApiV1.ts"
import type { ErrorBody } from "./api/Errors.ts"
import { messageLimits } from "./api/ProviderWebhooks.ts"
import { errorBodyOf } from "./ErrorTable.ts"
import { serverFailed } from "./Fallbacks.ts"
import { readBytes } from "./JsonBody.ts"
import { FailureLimit, MessageRateLimit, type RateExceeded } from "./RateLimit.ts"
import { report } from "./Report.ts"

export const layer = HttpApiBuilder.group(
  ApiV1,
  "providerWebhooks",
  Effect.fnUntraced(function* (handlers) {
    const pointsman = yield* Pointsman
    const limit = yield* MessageRateLimit
    const failures = yield* FailureLimit
    const sourceOf = yield* Source
    return handlers.handleRaw(
      "receive",
      Effect.fnUntraced(function* ({ params, request }) {
        const body = yield* readBody(request)
        const received = yield* pointsman
          .verifyMessage({ connectionId: params.pspId, headers: request.headers, body })
          .pipe(
            Effect.catch(
              Effect.fnUntraced(function* (failure) {
                if (failure._tag === "pointsman/StorageError") yield* report(failure)
                else yield* limited(failures.count("message", sourceOf(request), params.pspId))
                return yield* Effect.fail(errorBodyOf("verifyMessage", failure))
              })
            )
          )
        yield* limited(
          "hint" in received
            ? failures.count("message", sourceOf(request), params.pspId)
            : limit.takeConnection(received.connectionId)
        )
        yield* pointsman.recordMessage(received).pipe(
          Effect.tapError((failure) => (failure._tag === "pointsman/StorageError" ? report(failure) : Effect.void)),
          Effect.mapError((failure) => errorBodyOf("recordMessage", failure))
        )
        return { data: { accepted: true as const } }
      })
    )
  })
)

export const tooManyMessages = (retryAfterSeconds: number): ErrorBody<"rate_limited"> => ({
  error: { code: "rate_limited", message: `Too many messages. Send this message again in ${retryAfterSeconds} s.` }
})

const limited = (take: Effect.Effect<void, RateExceeded>) =>
  Effect.mapError(take, ({ retryAfterMillis }) => {
    const seconds = Math.max(1, Math.ceil(retryAfterMillis / 1000))
    return HttpApiSchema.withHeaders({ body: tooManyMessages(seconds), headers: { "retry-after": String(seconds) } })
  })

const readBody = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.mapError(
    readBytes(request, messageLimits.bodyBytes),
    ({ error }): ErrorBody<"payload_too_large" | "internal_error"> =>
      error.code === "payload_too_large"
        ? { error: { ...error, code: error.code } }
        : // It broke off on the way: the provider sends it again.
          { error: { code: "internal_error", message: serverFailed } }
  )
