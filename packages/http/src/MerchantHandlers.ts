/** The endpoints of white-label partners. */
import { type MerchantDetails, type MerchantWithStatus, Pointsman } from "@pointsman/core"
import type { ProvisionFailure } from "@pointsman/core/ports"
import { Effect, Result, Schema } from "effect"
import { HttpApiBuilder, HttpApiSchema } from "effect/http-api"
import { ApiV1 } from "./api/ApiV1.ts"
import { CurrentCaller } from "./api/Authorization.ts"
import type { ErrorBody } from "./api/Errors.ts"
import type { Merchant } from "./api/Merchants.ts"
import { pageLimits } from "./api/Pages.ts"
import { CreateMerchant, merchantLimits } from "./api/RequestBodies.ts"
import { errorTable } from "./ErrorTable.ts"
import { merchantExpectations, validationError, validationErrorOf } from "./Expectations.ts"
import { readJson } from "./JsonBody.ts"
import { pageView, refuseUnknownParameters } from "./Lists.ts"
import { timeView } from "./PaymentView.ts"
import { report, told } from "./Report.ts"

export const layer = HttpApiBuilder.group(
  ApiV1,
  "merchants",
  Effect.fnUntraced(function* (handlers) {
    const pointsman = yield* Pointsman
    return (
      handlers
        // As a create of a payment: the body is read last, and a client that hangs up does not stop what has begun.
        .handleRaw(
          "create",
          Effect.fnUntraced(function* ({ request }) {
            const { apiKey, tenant, workspace } = yield* CurrentCaller
            const details = yield* decodeMerchant(yield* readJson(request, merchantLimits.bodyBytes))
            const merchant = yield* pointsman
              .provisionMerchant({ tenant, workspace, apiKeyHash: apiKey.hash }, details)
              .pipe(Effect.catch(refuse))
            return { data: merchantView(merchant) }
          }),
          { uninterruptible: true }
        )
        .handle(
          "list",
          Effect.fnUntraced(function* ({ query }) {
            const { tenant } = yield* CurrentCaller
            yield* refuseUnknownParameters(["before", "limit"])
            const page = yield* pointsman
              .merchants(tenant.workspaceId, { before: query.before, limit: query.limit ?? pageLimits.default })
              .pipe(told("merchants"))
            return pageView(page, merchantView)
          })
        )
    )
  })
)

const decode = Schema.decodeUnknownResult(CreateMerchant, { errors: "all" })

const decodeMerchant = (body: unknown): Effect.Effect<MerchantDetails, ErrorBody<"validation_error">> => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    return Effect.fail(validationErrorOf("the body must be a JSON object"))
  }
  const decoded = decode(body)
  if (Result.isFailure(decoded)) return Effect.fail(validationError(decoded.failure.issue, merchantExpectations))
  const { category = null, country, email, name } = decoded.success
  return Effect.succeed({ name, email, country, category })
}

const rows = errorTable.provisionMerchant

const refuse = Effect.fnUntraced(function* (failure: ProvisionFailure) {
  if (failure._tag === "pointsman/AllowanceExhausted") {
    const { code, message } = rows[failure._tag]
    // No `Retry-After`: time alone gives no room, and a client that waits and tries again would do so for ever.
    return yield* Effect.fail(HttpApiSchema.withHeaders({ body: { error: { code, message } }, headers: {} }))
  }
  if (failure._tag === "pointsman/StorageError" || failure._tag === "pointsman/CommitUnknown") yield* report(failure)
  const { code, message } = rows[failure._tag]
  return yield* Effect.fail({ error: { code, message } })
})

const merchantView = (merchant: MerchantWithStatus): Merchant => ({
  id: merchant.id,
  name: merchant.name,
  email: merchant.email,
  country: merchant.country,
  category: merchant.category,
  status: merchant.status,
  created: timeView(merchant.createdAt)
})
