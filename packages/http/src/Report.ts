/** The id of a request, and what operators and clients learn of a failed one. */
import { RecordsMissing, recoveryRetryMillis, type StorageError } from "@pointsman/core/ports"
import { Cause, Context, Effect, Option, Predicate } from "effect"
import { HttpEffect, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiSchema } from "effect/http-api"
import type { ErrorBody } from "./api/Errors.ts"
import {
  type CodeOf,
  errorBodyOf,
  type FailureOf,
  type Operation,
  type ProviderOperation,
  wordedBodyOf
} from "./ErrorTable.ts"
import type { OperationFailure } from "./FailureMessages.ts"

/** `req_` and a UUIDv7: the header `X-Request-Id` of this request's answer, and what its log lines carry. */
export class RequestId extends Context.Service<RequestId, string>()("pointsman/http/RequestId") {}

/**
 * Tells the operators of a failure whose cause the client must not see. The log line carries the request's id,
 * which is an annotation of every request.
 */
export const report = (failure: { readonly _tag: string; readonly cause: unknown }): Effect.Effect<void> =>
  Effect.logError(failure._tag, Cause.die(failure.cause))

/**
 * A bug that occurs when a provider may already have been called: its result is unknown, so the answer must not
 * say that nothing was sent.
 */
export const unknownAfterDefect =
  <Failure, RF>(failure: Effect.Effect<never, Failure, RF>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Failure, R | RF> =>
    Effect.catchDefect(effect, (defect) =>
      Effect.andThen(Effect.logError("unexpected failure of a request", Cause.die(defect)), failure)
    )

/** As `report`. Where records are missing, which operators know, the answer says when it is worth asking again. */
export const reportUnsent = (failure: { readonly _tag: string; readonly cause: unknown }): Effect.Effect<void> =>
  failure.cause instanceof RecordsMissing ? retryAfter(recoveryRetryMillis) : report(failure)

/** Says in the answer to the current request when it is worth sending again, where that is known. */
export const retryAfter = Effect.fnUntraced(function* (millis: number | undefined) {
  const request = yield* Effect.serviceOption(HttpServerRequest.HttpServerRequest)
  if (millis === undefined || Option.isNone(request)) return
  yield* HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeader(response, "retry-after", String(Math.ceil(millis / 1_000))))
  ).pipe(Effect.provideService(HttpServerRequest.HttpServerRequest, request.value))
})

/** Refused before anything was written. An overloaded server logs no line for each of many requests. */
export const notAdmitted = (
  { reason, retryAfterMillis }: { readonly reason: string; readonly retryAfterMillis: number },
  body: ErrorBody
) =>
  Effect.andThen(
    Effect.logDebug(`a request was not admitted: ${reason}`),
    Effect.fail(
      HttpApiSchema.withHeaders({
        body: { error: { ...body.error, code: "internal_error" as const } },
        headers: { "retry-after": String(Math.max(1, Math.ceil(retryAfterMillis / 1_000))) }
      })
    )
  )

export type NotAdmittedAnswer = Effect.Error<ReturnType<typeof notAdmitted>>

/** Core's failures of a read, as the operation's rows say them. */
export const told =
  <O extends Operation>(operation: O) =>
  <A, R>(read: Effect.Effect<A, FailureOf<O>, R>) =>
    Effect.catch(read, (failure) =>
      Effect.andThen(
        Predicate.isTagged(failure, "pointsman/StorageError")
          ? report(failure as StorageError & FailureOf<O>)
          : Effect.void,
        Effect.fail(errorBodyOf(operation, failure))
      )
    )

/** The table's envelope, with what only this failure can tell. */
export const refuse = Effect.fnUntraced(function* <O extends ProviderOperation>(
  operation: O,
  failure: FailureOf<O>
): Effect.fn.Return<never, ErrorBody<CodeOf<O>> | NotAdmittedAnswer> {
  const body = wordedBodyOf(operation, failure)
  const reason = failure as OperationFailure
  if (reason._tag === "pointsman/NotAdmitted") return yield* notAdmitted(reason, body)
  if (reason._tag === "pointsman/NothingSent") yield* reportUnsent(reason)
  if (reason._tag === "pointsman/StorageError") yield* report(reason)
  if ("retryAfterMillis" in reason) yield* retryAfter(reason.retryAfterMillis)
  return yield* Effect.fail(body)
})
