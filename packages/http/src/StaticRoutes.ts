/**
 * The routes that need no API key and load what they answer at the first request for it: `/`, a page that links to the
 * reference and to the console; `/docs`, the reference as a page; `/docs/errors`, the codes of errors; and `openapi.json`.
 */
import { Effect, type Layer } from "effect"
import { HttpRouter } from "effect/http"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import { ApiV1 } from "./api/ApiV1.ts"
import type { DocsOptions } from "./DocsContent.ts"
import type { HomeOptions } from "./HomeContent.ts"
import { onFirstUse, staticAnswer } from "./StaticAnswer.ts"

export const homePath = "/"

export const home = (options: HomeOptions): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const page = yield* onFirstUse(
        () => import("./HomeContent.ts"),
        ({ homeResponse }) => homeResponse(options)
      )
      yield* router.add("GET", homePath, page)
    })
  )

export const docsPath = "/docs"
/** Errors link to it, by `doc_url`. */
export const errorsPath = "/docs/errors"

export const docs = (options: DocsOptions): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const content = Effect.flatMap(
        Effect.promise(() => import("./DocsContent.ts")),
        ({ docsContent }) => docsContent(docsPath, options)
      )
      yield* router.add("GET", docsPath, yield* staticAnswer(content))
      const errors = yield* onFirstUse(
        () => import("./ErrorsContent.ts"),
        ({ errorsResponse }) => errorsResponse
      )
      yield* router.add("GET", errorsPath, errors)
    })
  )

export const openApi = (
  baseUrl: string | undefined
): Layer.Layer<HttpApiGroup.Service<"pointsman", "openApiDocument">> =>
  HttpApiBuilder.group(
    ApiV1,
    "openApiDocument",
    Effect.fnUntraced(function* (handlers) {
      const document = yield* staticAnswer(
        // The document has examples and webhooks that no other answer needs.
        Effect.map(
          Effect.promise(() => import("./openapi/Document.ts")),
          ({ openApiDocument }) => ({ contentType: "application/json", text: JSON.stringify(openApiDocument(baseUrl)) })
        )
      )
      return handlers.handleRaw("openapi", () => document)
    })
  )
