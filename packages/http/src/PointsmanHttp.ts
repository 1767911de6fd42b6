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
import type { Pointsman } from "@pointsman/core"
import { withoutTrailingSlashes } from "@pointsman/core/internal"
import type { Ids } from "@pointsman/core/ports"
import { type FileSystem, Layer, type Path } from "effect"
import type { Etag, HttpPlatform, HttpRouter } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as AuthorizeRequest from "./AuthorizeRequest.ts"
import { ApiV1 } from "./api/ApiV1.ts"
import * as DisputeHandlers from "./DisputeHandlers.ts"
import * as EventHandlers from "./EventHandlers.ts"
import * as Fallbacks from "./Fallbacks.ts"
import type { HomeOptions } from "./HomeContent.ts"
import * as HostedRoutes from "./hosted/HostedRoutes.ts"
import * as MerchantHandlers from "./MerchantHandlers.ts"
import * as OperationHandlers from "./OperationHandlers.ts"
import * as PaymentHandlers from "./PaymentHandlers.ts"
import { PaymentViews } from "./PaymentView.ts"
import * as ProviderWebhookHandlers from "./ProviderWebhookHandlers.ts"
import * as RequestErrors from "./RequestErrors.ts"
import type { Paths } from "./Routes.ts"
import * as StaticRoutes from "./StaticRoutes.ts"

export interface Options {
  /** Paths and methods of other routes on the same router, so that a wrong method on them answers 405. */
  readonly paths?: Paths | undefined
  /**
   * Where this router is reached from outside (`https://pay.example`). The hosted pages lie under it, and the contract
   * names it. Without it there are no such pages, and `return_url` is refused.
   */
  readonly baseUrl?: string | undefined
  /** `false` leaves out the pages `/docs` and `/docs/errors`, and the `doc_url` of errors. */
  readonly docs?: boolean | undefined
  /** Markdown that the reference page begins with, such as which key to use. Everybody can read it: no secrets. */
  readonly docsNote?: string | undefined
  /** Serves a page at `/` that links to the reference, and to the console where its path relative to `/` is given. */
  readonly home?: boolean | { readonly console: string } | undefined
  /** `true` writes one line of the log for each request, at level Info, with its route and without its path. */
  readonly accessLog?: boolean | undefined
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
  Layer.mergeAll(
    HttpApiBuilder.layer(ApiV1),
    hostedPages(options.baseUrl),
    options.docs === false ? Layer.empty : StaticRoutes.docs({ baseUrl: options.baseUrl, note: options.docsNote }),
    hasHome(options) ? StaticRoutes.home(homeOptions(options)) : Layer.empty
  ).pipe(
    Layer.provide([
      PaymentHandlers.layer,
      OperationHandlers.layer,
      DisputeHandlers.layer,
      EventHandlers.layer,
      MerchantHandlers.layer,
      ProviderWebhookHandlers.layer,
      StaticRoutes.openApi(options.baseUrl)
    ]),
    Layer.provide([AuthorizeRequest.layer, RequestErrors.layer, PaymentViews.layer(options.baseUrl)]),
    Layer.provide(
      Fallbacks.layer(pathsOf(options), {
        accessLog: options.accessLog,
        errorsPage: errorsPageOf(options),
        isHttps: isPublicHttps(options.baseUrl)
      })
    )
  )

/** A browser would remember `localhost` for every program on the machine. */
const isPublicHttps = (baseUrl: string | undefined): boolean => {
  const url = URL.parse(baseUrl ?? "")
  return url?.protocol === "https:" && url.hostname !== "localhost" && !url.hostname.endsWith(".localhost")
}

const hostedPages = (baseUrl: string | undefined) => (baseUrl === undefined ? Layer.empty : HostedRoutes.layer(baseUrl))

/** Without a base URL, a link to the page has no beginning. */
const errorsPageOf = ({ baseUrl, docs }: Options) =>
  baseUrl === undefined || docs === false ? undefined : withoutTrailingSlashes(baseUrl) + StaticRoutes.errorsPath

const hasHome = ({ home = false }: Options) => home !== false

const homeOptions = ({ docs, home }: Options): HomeOptions => ({
  hasDocs: docs !== false,
  console: typeof home === "object" ? home.console : undefined
})

const pathsOf = (options: Options): Paths => ({
  ...options.paths,
  ...(options.docs === false ? {} : { [StaticRoutes.docsPath]: ["GET"], [StaticRoutes.errorsPath]: ["GET"] }),
  ...(hasHome(options) ? { [StaticRoutes.homePath]: ["GET"] } : {}),
  ...(options.baseUrl === undefined ? {} : HostedRoutes.hostedPaths)
})
