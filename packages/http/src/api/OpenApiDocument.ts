/** `GET /openapi.json`, unauthenticated. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

export class OpenApiDocument extends HttpApiGroup.make("openApiDocument")
  .add(
    HttpApiEndpoint.get("openapi", "/openapi.json", {
      success: Schema.Record(Schema.String, Schema.Json)
    }).annotate(OpenApi.Summary, "The machine-readable contract")
  )
  .annotate(OpenApi.Title, "Contract") {}
