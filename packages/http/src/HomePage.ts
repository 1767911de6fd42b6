/** `/`: a page that links to the reference and to the console, loaded by the first request for it. */
import { Effect, type Layer } from "effect"
import { HttpRouter } from "effect/http"
import type { HomeOptions } from "./HomeContent.ts"
import { onFirstUse } from "./OnFirstUse.ts"

export const homePath = "/"

export const layer = (options: HomeOptions): Layer.Layer<never, never, HttpRouter.HttpRouter> =>
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const page = yield* onFirstUse(
        () => import("./HomeContent.ts"),
        ({ homeResponse }) => homeResponse(options)
      )
      yield* router.add("GET", homePath, page)
    })
  )
