/** `POST /merchants` and `GET /merchants`, for white-label partners. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { PartnerAuthorization, RequiredScope } from "./Authorization.ts"
import { documented } from "./Documented.ts"
import { errors, NeverAnswered } from "./ErrorSchemas.ts"
import { beforeMerchant, limitParameter, pageOf } from "./Pages.ts"
import { DateTime } from "./Payment.ts"
import { CreateMerchant } from "./RequestBodies.ts"
import { ValidationErrors } from "./RequestErrors.ts"

export const Merchant = Schema.Struct({
  id: Schema.String.annotateKey(documented("The id of the merchant's workspace.")),
  name: Schema.String.annotateKey(documented("The name of the merchant's workspace.")),
  email: Schema.String.annotateKey(documented("The owner's email address.")),
  country: Schema.String.annotateKey(documented("ISO 3166-1 alpha-2.", { pattern: "^[A-Z]{2}$" })),
  category: Schema.NullOr(Schema.String).annotateKey(documented("The merchant's category, if any.")),
  status: Schema.Literals(["invited", "active", "suspended"]).annotateKey(
    documented("`active` if the merchant has a live key, otherwise `invited`.")
  ),
  created: DateTime.annotateKey(documented("When the merchant was provisioned."))
}).annotate({ identifier: "Merchant", description: "A partner's sub-merchant." })
export type Merchant = typeof Merchant.Type

export class Merchants extends HttpApiGroup.make("merchants")
  .add(
    HttpApiEndpoint.post("create", "/merchants", {
      payload: CreateMerchant,
      success: Schema.Struct({ data: Merchant }).annotate({
        identifier: "MerchantEnvelope",
        httpApiStatus: 201,
        description: "The sub-merchant's workspace was created and its owner invited."
      }),
      error: errors(
        "unsupported_media_type",
        "payload_too_large",
        "invalid_json",
        "validation_error",
        "already_invited",
        "unauthorized",
        "not_a_partner",
        "internal_error"
      )
    })
      .middleware(PartnerAuthorization)
      .annotate(RequiredScope, "merchants:write")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "createMerchant",
          summary: "Provision a sub-merchant",
          description:
            "Creates a workspace for a sub-merchant and invites its owner. For white-label partners, with a live key."
        })
      ),
    HttpApiEndpoint.get("list", "/merchants", {
      query: {
        before: beforeMerchant,
        limit: limitParameter
      },
      success: pageOf(Merchant).annotate({ identifier: "MerchantList", description: "A page of sub-merchants." }),
      error: errors("internal_error")
    })
      .middleware(ValidationErrors)
      .middleware(PartnerAuthorization)
      .annotate(RequiredScope, "merchants:read")
      .annotate(NeverAnswered, ["merchant_limit"])
      .annotateMerge(
        OpenApi.annotations({
          identifier: "listMerchants",
          summary: "List your sub-merchants",
          description: "The partner's sub-merchants, newest first. For white-label partners, with a live key."
        })
      )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Merchants", description: "For white-label partners: their sub-merchants." })
  ) {}
