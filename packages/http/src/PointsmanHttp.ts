/**
 * The API as routes.
 *
 * Serve it on Node, next to routes of your own:
 *
 * ```ts
 * import { NodeHttpServer, NodeRuntime } from "@effect/platform-node"
 * import * as PointsmanHttp from "@pointsman/http"
 * import { Layer } from "effect"
 * import { HttpRouter } from "effect/http"
 * import { createServer } from "node:http"
 *
 * const routes = Layer.merge(PointsmanHttp.layer({ paths: { "/health/live": ["GET"] } }), health)
 * HttpRouter.serve(routes, { disableLogger: true }).pipe(
 *   Layer.provide(NodeHttpServer.layer(createServer, { port: 3000 })),
 *   Layer.provide([pointsman, Ids.layer]),
 *   Layer.launch,
 *   NodeRuntime.runMain
 * )
 * ```
 *
 * or as a function from `Request` to `Response`:
 *
 * ```ts
 * const { handler, dispose } = HttpRouter.toWebHandler(
 *   PointsmanHttp.layer().pipe(Layer.provide([pointsman, Ids.layer]), Layer.provideMerge(HttpServer.layerServices)),
 *   { disableLogger: true }
 * )
 * ```
 *
 * `disableLogger` matters: the default logger writes a line for every request, which costs more than the request.
 */
import type { Ids, Pointsman } from "@pointsman/core"
import { type FileSystem, Layer, type Path } from "effect"
import type { Etag, HttpPlatform, HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as AuthorizeRequest from "./AuthorizeRequest.ts"
import { ServedApi } from "./api/ApiV1.ts"
import * as EventHandlers from "./EventHandlers.ts"
import * as Fallbacks from "./Fallbacks.ts"
import * as PaymentHandlers from "./PaymentHandlers.ts"
import * as RequestErrors from "./RequestErrors.ts"

export interface Options {
  /** Paths and methods of other routes on the same router, so that a wrong method on them answers 405. */
  readonly paths?: Fallbacks.Paths | undefined
}

/** Every route that is served, and around all routes of the router the request id and the error envelope. */
export const layer = (
  options: Options = {}
): Layer.Layer<
  never,
  never,
  | Pointsman
  | Ids
  | HttpRouter.HttpRouter
  | HttpPlatform.HttpPlatform
  | Etag.Generator
  | FileSystem.FileSystem
  | Path.Path
> =>
  HttpApiBuilder.layer(ServedApi).pipe(
    Layer.provide([PaymentHandlers.layer, EventHandlers.layer]),
    Layer.provide([AuthorizeRequest.layer, RequestErrors.layer]),
    Layer.provide(Fallbacks.layer(options.paths))
  )
