/**
 * `POST /payments/{id}/capture`, `/void` and `/refunds`. As with a create, the body is read last of all checks but the
 * fields, and a client that hangs up does not cut an operation in two.
 */
import { type Answered, Pointsman, ResultUnknown } from "@pointsman/core"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { ApiV1 } from "./api/ApiV1.ts"
import { CurrentCaller } from "./api/Authorization.ts"
import type { ErrorBody } from "./api/Errors.ts"
import { operationLimits } from "./api/RequestBodies.ts"
import { errorBodyOf } from "./ErrorTable.ts"
import { type IgnoredFields, ignoredFields } from "./IgnoredFields.ts"
import { readBytes, readOptionalJson } from "./JsonBody.ts"
import { decodeCapture, decodeRefund } from "./OperationRequest.ts"
import { PaymentViews, paymentAnswer } from "./PaymentView.ts"
import { refuse, unknownAfterDefect } from "./Report.ts"

export const layer = HttpApiBuilder.group(
  ApiV1,
  "operations",
  Effect.fnUntraced(function* (handlers) {
    const pointsman = yield* Pointsman
    const views = yield* PaymentViews
    const answer = Effect.fnUntraced(function* ({ isReplay, payment }: Answered, ignored: IgnoredFields = {}) {
      return paymentAnswer(200, { data: yield* views.payment(payment) }, isReplay, ignored)
    })
    return handlers
      .handleRaw(
        "capture",
        Effect.fnUntraced(
          function* ({ headers, params, request }) {
            const caller = yield* callerOf
            const body = yield* readBody(request)
            const { amount = null } = yield* decodeCapture(body)
            const answered = yield* pointsman
              .capture(caller, { paymentId: params.id, amountMinor: amount, idempotencyKey: keyOf(headers) })
              .pipe(Effect.catch((failure) => refuse("capture", failure)))
            return yield* answer(answered, ignoredFields("capture", body, caller.tenant.environment))
          },
          unknownAfterDefect(Effect.fail(errorBodyOf("capture", new ResultUnknown())))
        ),
        { uninterruptible: true }
      )
      .handleRaw(
        "void",
        Effect.fnUntraced(
          function* ({ headers, params, request }) {
            const caller = yield* callerOf
            yield* ignoreBody(request)
            const answered = yield* pointsman
              .void(caller, { paymentId: params.id, idempotencyKey: keyOf(headers) })
              .pipe(Effect.catch((failure) => refuse("void", failure)))
            return yield* answer(answered)
          },
          unknownAfterDefect(Effect.fail(errorBodyOf("void", new ResultUnknown())))
        ),
        { uninterruptible: true }
      )
      .handleRaw(
        "refund",
        Effect.fnUntraced(
          function* ({ headers, params, request }) {
            const caller = yield* callerOf
            const body = yield* readBody(request)
            const { amount = null, reason = null } = yield* decodeRefund(body)
            const answered = yield* pointsman
              .refund(caller, { paymentId: params.id, amountMinor: amount, reason, idempotencyKey: keyOf(headers) })
              .pipe(Effect.catch((failure) => refuse("refund", failure)))
            return yield* answer(answered, ignoredFields("refund", body, caller.tenant.environment))
          },
          unknownAfterDefect(Effect.fail(errorBodyOf("refund", new ResultUnknown())))
        ),
        { uninterruptible: true }
      )
  })
)

export const callerOf = Effect.map(CurrentCaller, ({ apiKey, tenant, workspace }) => ({
  tenant,
  workspace,
  apiKeyHash: apiKey.hash
}))

export const keyOf = (headers: { readonly "idempotency-key"?: string }): string | null =>
  headers["idempotency-key"] ?? null

/** As the body of a create, but that it may be left out, and that broken JSON is `validation_error` here. */
const readBody = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.mapError(
    readOptionalJson(request, operationLimits.bodyBytes),
    ({ error }): ErrorBody<"unsupported_media_type" | "payload_too_large" | "validation_error"> =>
      error.code === "invalid_json"
        ? { error: { ...error, code: "validation_error" } }
        : { error: { ...error, code: error.code } }
  )

/** A void takes no body. The handler reads a body only to bound it, and ignores it. */
export const ignoreBody = (request: HttpServerRequest.HttpServerRequest) =>
  Effect.mapError(
    readBytes(request, operationLimits.bodyBytes),
    ({ error }): ErrorBody<"payload_too_large" | "internal_error"> =>
      error.code === "payload_too_large"
        ? { error: { ...error, code: error.code } }
        : { error: { code: "internal_error", message: "The request could not be read. Nothing was changed." } }
  )
