/** What the endpoints of all areas share. */
import { environments } from "@pointsman/core"
import { IdempotencyKey } from "@pointsman/http/api"
import { Schema } from "effect"
import { HttpApiMiddleware, OpenApi } from "effect/http-api"
import type { CurrentOperator } from "../gate/Caller.ts"
import { failures } from "./Errors.ts"

/** Bodies, parameters and headers that do not decode: 422, with the field and what was expected. */
export class RequestErrors extends HttpApiMiddleware.Service<RequestErrors>()("pointsman/console/RequestErrors", {
  error: failures("validation_error", "invalid_json")
}) {}

/** Finds the operator of the session, and checks the role. */
export class Authorize extends HttpApiMiddleware.Service<Authorize, { provides: CurrentOperator }>()(
  "pointsman/console/Authorize",
  {
    error: failures(
      ...(["not_signed_in", "forbidden", "passkey_required", "validation_error"] as const),
      ...(["too_many_requests", "internal_error"] as const)
    )
  }
) {}

export const summary = (text: string, description: string) => OpenApi.annotations({ summary: text, description })

export const tenantPath = { workspace: Schema.String, environment: Schema.Literals(environments) }

/** Required where money moves: the client makes it once for each intent, so that a repeated request moves money once. */
export const moneyHeaders = {
  "idempotency-key": IdempotencyKey.annotateKey({
    description: "8 to 200 printable ASCII characters. A repeated key returns the first response."
  })
}
