/** `/docs`: the reference as a page, loaded and written by the first request for it. */
import { Effect, type Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { DocsOptions } from "./DocsContent.ts"
import { staticAnswer } from "./StaticAnswer.ts"

export const docsPath = "/docs"

export const layer = (options: DocsOptions): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const content = Effect.flatMap(
        Effect.promise(() => import("./DocsContent.ts")),
        ({ docsContent }) => docsContent(docsPath, options)
      )
      yield* router.add("GET", docsPath, yield* staticAnswer(content))
    })
  )
