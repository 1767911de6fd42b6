/** The routes of the pages that customers pay on. The pages and their texts are loaded by the first visit. */
import type { Pointsman } from "@pointsman/core"
import { Effect, type Layer } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import type { RequestId } from "../Report.ts"
import { onFirstUse } from "../StaticAnswer.ts"

/** For who tells requests by their routes. The pages answer every method themselves. */
export const hostedPaths = {
  "/hosted/:token": ["GET", "POST"],
  "/hosted/:token/return": ["GET"],
  "/hosted/*": ["GET"]
} as const

/** `baseUrl` is where the pages are reached from outside. */
export const layer = (
  baseUrl: string
): Layer.Layer<never, never, Pointsman | HttpRouter.HttpRouter | HttpRouter.Request<"Requires", RequestId>> =>
  HttpRouter.addAll(
    Effect.gen(function* () {
      const handlers = yield* onFirstUse(
        () => import("./HostedHandlers.ts"),
        ({ makeHandlers }) => makeHandlers(baseUrl)
      )
      const by = (route: "page" | "comeBack" | "other") => (request: HttpServerRequest.HttpServerRequest) =>
        Effect.flatMap(handlers, (made) => made[route](request))
      return [
        HttpRouter.route("*", "/hosted/:token", by("page")),
        HttpRouter.route("*", "/hosted/:token/return", by("comeBack")),
        HttpRouter.route("*", "/hosted/*", by("other"))
      ]
    })
  )
