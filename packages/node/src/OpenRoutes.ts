/**
 * The API's routes for requests, of Node's own kind and of the web's. The first request loads and builds them: many
 * programs make calls alone, and half of the package is for requests.
 */
// The modules one by one: their common entry point loads database clients that this package does not use.
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodeHttpPlatform from "@effect/platform-node/NodeHttpPlatform"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as NodePath from "@effect/platform-node/NodePath"
import * as PointsmanHttp from "@pointsman/http"
import * as NodeTransport from "@pointsman/transport-node"
import { Effect, Layer, Option, type Scope } from "effect"
import { Etag, HttpEffect, HttpRouter, type HttpServerRequest } from "effect/http"
import type { Routes } from "./Requests.ts"
import type { PointsmanSettings } from "./Settings.ts"

/** `requests`: closes when all of them are answered. */
export const openRoutes = Effect.fnUntraced(
  function* (settings: PointsmanSettings, requests: Scope.Scope) {
    const app = yield* HttpRouter.toHttpEffect(
      PointsmanHttp.layer({ baseUrl: settings.baseUrl, docs: settings.docs ?? false }).pipe(
        Layer.provide([limits(settings), comesFromLayer])
      )
    )
    const services = yield* Effect.context<never>()
    const routes: Routes = {
      native: yield* NodeHttpServer.makeHandler(app, { scope: requests }),
      web: HttpEffect.toWebHandlerWith<never, HttpServerRequest.HttpServerRequest | Scope.Scope, never>(services)(app)
    }
    return routes
    // One by one: their common layer brings the terminal and child processes.
  },
  Effect.provide([NodeHttpPlatform.layer, NodeFileSystem.layer, NodePath.layer, Etag.layerWeak])
)

/** A request of the web's kind shows no address, so it comes from no network. */
const comesFromLayer = Layer.succeed(PointsmanHttp.ComesFrom, ({ remoteAddress }, networks) =>
  Option.exists(remoteAddress, NodeTransport.inNetworks(networks))
)

const limits = ({ inboundRateLimit, rateLimit: perSecond }: PointsmanSettings): Layer.Layer<never> =>
  Layer.mergeAll(
    perSecond === undefined ? Layer.empty : PointsmanHttp.RateLimit.layer({ perSecond }),
    PointsmanHttp.RateLimit.layerFailures(),
    PointsmanHttp.RateLimit.layerMessages({ perConnection: inboundRateLimit === "off" ? null : inboundRateLimit })
  )
