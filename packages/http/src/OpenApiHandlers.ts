import { Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { ServedApi } from "./api/ApiV1.ts"
import { staticAnswer } from "./StaticAnswer.ts"

export const layer = (baseUrl: string | undefined): Layer.Layer<HttpApiGroup.Service<"pointsman", "openApiDocument">> =>
  HttpApiBuilder.group(
    ServedApi,
    "openApiDocument",
    Effect.fnUntraced(function* (handlers) {
      const document = yield* staticAnswer(
        // Loaded by the first request for it: the document has examples and webhooks that no other answer needs.
        Effect.map(
          Effect.promise(() => import("./openapi/Document.ts")),
          ({ openApiDocument }) => ({ contentType: "application/json", text: JSON.stringify(openApiDocument(baseUrl)) })
        )
      )
      return handlers.handleRaw("openapi", () => document)
    })
  )
