/** `POST /psp-webhooks/{pspId}`: called by payment providers, and by nobody with a key (decisions, section 10). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors, tooManyRequests } from "./Errors.ts"

export class ProviderWebhooks extends HttpApiGroup.make("providerWebhooks")
  .add(
    HttpApiEndpoint.post("receive", "/psp-webhooks/:pspId", {
      // The connection's id.
      params: { pspId: Schema.String },
      // Optional to the decoder: a missing one is 401, and some providers sign in a header of their own.
      headers: { "x-service-signature": Schema.optionalKey(Schema.String) },
      // The signature covers the bytes as they came.
      payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/json" })),
      success: Schema.Struct({ data: Schema.Struct({ accepted: Schema.Literal(true) }) }),
      error: [...errors("unauthorized", "payload_too_large", "internal_error"), tooManyRequests("rate_limited")]
    }).annotate(OpenApi.Summary, "Receive a provider's message")
  )
  .annotate(OpenApi.Title, "Provider webhooks") {}
