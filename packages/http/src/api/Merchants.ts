/** `POST /merchants` and `GET /merchants`, for white-label partners (decisions, section 11). */
import { isCountry } from "@pointsman/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PartnerAuthorization, RequiredScope } from "./Authorization.ts"
import { errors } from "./Errors.ts"
import { Limit, pageOf } from "./Pages.ts"
import { DateTime } from "./Payment.ts"
import { ValidationErrors } from "./RequestErrors.ts"

export const merchantLimits = { name: 120, email: 254, category: 64, cursor: 200 } as const

export const CreateMerchant = Schema.Struct({
  name: Schema.String.check(Schema.isMinCodePoints(1), Schema.isMaxCodePoints(merchantLimits.name)),
  email: Schema.String.annotate({ format: "email" }).check(
    Schema.isMaxCodePoints(merchantLimits.email),
    Schema.isPattern(/^[^\s@]+@[^\s@]+$/u)
  ),
  country: Schema.String.check(
    Schema.isPattern(/^[A-Z]{2}$/u),
    Schema.makeFilter(isCountry, { expected: "an ISO 3166-1 country" })
  ),
  category: Schema.optionalKey(Schema.String.check(Schema.isMaxCodePoints(merchantLimits.category)))
}).annotate({ identifier: "CreateMerchant" })

export const Merchant = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  email: Schema.String,
  country: Schema.String,
  category: Schema.NullOr(Schema.String),
  status: Schema.Literals(["invited", "active", "suspended"]),
  created: DateTime
}).annotate({ identifier: "Merchant" })

export class Merchants extends HttpApiGroup.make("merchants")
  .add(
    HttpApiEndpoint.post("create", "/merchants", {
      payload: CreateMerchant,
      success: Schema.Struct({ data: Merchant }).annotate({ httpApiStatus: 201 }),
      error: errors(
        "unsupported_media_type",
        "payload_too_large",
        "invalid_json",
        "validation_error",
        "already_invited",
        "internal_error"
      )
    })
      .middleware(PartnerAuthorization)
      .annotate(RequiredScope, "merchants:write")
      .annotate(OpenApi.Summary, "Provision a sub-merchant"),
    HttpApiEndpoint.get("list", "/merchants", {
      query: {
        before: Schema.optionalKey(Schema.String.check(Schema.isMaxCodePoints(merchantLimits.cursor))),
        limit: Schema.optionalKey(Limit)
      },
      success: pageOf(Merchant).annotate({ identifier: "MerchantList" }),
      error: errors("internal_error")
    })
      .middleware(ValidationErrors)
      .middleware(PartnerAuthorization)
      .annotate(RequiredScope, "merchants:read")
      .annotate(OpenApi.Summary, "List your sub-merchants")
  )
  .annotate(OpenApi.Title, "Merchants") {}
