import { Effect, type Layer } from "effect"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { ServedApi } from "./api/ApiV1.ts"
import { openApiDocument } from "./openapi/Document.ts"
import { staticAnswer } from "./StaticAnswer.ts"

export const layer = (baseUrl: string | undefined): Layer.Layer<HttpApiGroup.Service<"pointsman", "openApiDocument">> =>
  HttpApiBuilder.group(
    ServedApi,
    "openApiDocument",
    Effect.fnUntraced(function* (handlers) {
      const document = yield* staticAnswer(
        Effect.sync(() => ({ contentType: "application/json", text: JSON.stringify(openApiDocument(baseUrl)) }))
      )
      return handlers.handleRaw("openapi", () => document)
    })
  )
