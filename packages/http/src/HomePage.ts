/** `/`: a page that links to the reference and to the console, loaded by the first request for it. */
import { Effect, type Layer } from "effect"
import { HttpRouter } from "effect/http"
import { onFirstUse } from "./OnFirstUse.ts"

export const homePath = "/"

export interface HomeOptions {
  readonly hasDocs: boolean
  /** The path of the console, relative to this page; without it no link leads there. */
  readonly console: string | undefined
}

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
