/** `GET /openapi.json`, unauthenticated. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { errors } from "./ErrorSchemas.ts"

export class OpenApiDocument extends HttpApiGroup.make("openApiDocument")
  .add(
    HttpApiEndpoint.get("openapi", "/openapi.json", {
      success: [
        Schema.Record(Schema.String, Schema.Json).annotate({ description: "An OpenAPI 3.1 document." }),
        HttpApiSchema.Empty(304).annotate({ description: "The document matches `If-None-Match`." })
      ],
      error: errors("internal_error")
    }).annotateMerge(
      OpenApi.annotations({
        identifier: "getOpenApi",
        summary: "The machine-readable contract",
        description: "This document: OpenAPI 3.1. No API key is needed."
      })
    )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Contract", description: "The API description in machine-readable form." })
  ) {}
