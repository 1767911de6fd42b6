/**
 * Who is served health, metrics and the console. With an admin address they are served there alone. Without one, health and
 * the console are served to everybody, and metrics and the details of readiness to programs on this machine: a request from
 * the loopback that a proxy passed on is not theirs.
 *
 * Others get the 404 of a route that does not exist, and of readiness its status alone.
 */
import type { IncomingHttpHeaders, RequestListener } from "node:http"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { isConsolePath } from "./ConsoleRoutes.ts"
import { healthPaths } from "./Health.ts"
import { metricsPaths } from "./Metrics.ts"

export interface AdminRoutes {
  /** Around the program that answers. */
  readonly answer: <A, E, R>(
    program: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest>
  /** Around the handler that Node calls, for requests at the admin address. */
  readonly atAdminAddress: (handler: RequestListener) => RequestListener
  /** Whether the details of readiness are shown: they name connections and accounts. */
  readonly seesDetails: (request: HttpServerRequest.HttpServerRequest) => boolean
}

interface Asked {
  readonly headers: IncomingHttpHeaders
  readonly socket: { readonly remoteAddress?: string | undefined }
}

export const adminRoutes = (hasAdminAddress: boolean): AdminRoutes => {
  const atAdminAddress = new WeakSet<object>()
  const isServed = (url: string, request: Asked): boolean => {
    const path = pathOf(url)
    if (atAdminAddress.has(request)) return adminPaths.has(path) || isConsolePath(path)
    if (isConsolePath(path)) return !hasAdminAddress
    if (!adminPaths.has(path)) return true
    return !hasAdminAddress && (!Object.hasOwn(metricsPaths, path) || isFromHere(request))
  }
  return {
    answer: (program) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) =>
        isServed(request.url, NodeHttpServerRequest.toIncomingMessage(request))
          ? program
          : Effect.provideService(program, HttpServerRequest.HttpServerRequest, request.modify({ url: noRoute }))
      ),
    atAdminAddress: (handler) => (request, response) => {
      atAdminAddress.add(request)
      handler(request, response)
    },
    seesDetails: (request) => {
      const asked = NodeHttpServerRequest.toIncomingMessage(request)
      return atAdminAddress.has(asked) || isFromHere(asked)
    }
  }
}

const adminPaths: ReadonlySet<string> = new Set([...Object.keys(healthPaths), ...Object.keys(metricsPaths)])

/** Nothing is served there. */
const noRoute = "/not-served"

/** As the routes match it: any other spelling is 404. A request of `http://host/path` has the path alone by then. */
const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  const path = query === -1 ? url : url.slice(0, query)
  return path.endsWith("/") ? path.slice(0, -1) : path
}

const isFromHere = ({ headers, socket: { remoteAddress = "" } }: Asked): boolean =>
  /^(?:::ffff:)?127\.|^::1$/u.test(remoteAddress) && !wasForwarded(headers)

/** What proxies add to a request that they pass on. */
const forwardingHeaders: ReadonlySet<string> = new Set([
  "forwarded",
  "via",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-original-forwarded-for",
  "x-envoy-external-address",
  "true-client-ip",
  "cf-connecting-ip",
  "fastly-client-ip"
])

const wasForwarded = (headers: IncomingHttpHeaders): boolean =>
  Object.keys(headers).some((name) => name.startsWith("x-forwarded") || forwardingHeaders.has(name))
