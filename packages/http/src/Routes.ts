/**
 * The routes that are served, by the path of a request as it is spelled.
 *
 * Effect's router takes `/METRICS`, `//metrics`, `/metrics;x` and
 * `/%6detrics` for `/metrics`, and a proxy that keeps `/metrics` from the public does not. So a path names one of these
 * routes only if it is spelled as the route is, but for the values of parameters; a slash at its end makes no difference.
 */
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import { ApiV1 } from "./api/ApiV1.ts"

/** Methods by path, in the router's notation (`/payments/:id`). */
export type Paths = Readonly<Record<`/${string}`, ReadonlyArray<string>>>

/** A path of the router, and what `Allow` says of it. */
export interface Route {
  readonly path: string
  readonly allow: string
}

export interface Routes {
  /** `undefined` when the URL names none. */
  readonly find: (url: string) => Route | undefined
  /** What `Allow` says of a URL that the router can read; `undefined` when it names no route. */
  readonly allowedAt: (url: string) => string | undefined
  /** Whether the router finds one of these routes, for a path that is not spelled as the route is. */
  readonly isMisspelled: (url: string) => boolean
}

/** Routes of another program on the same router are its own: they are not among these. */
export const makeRoutes = (otherPaths: Paths): Routes => {
  const methodsOf = new Map<string, Set<string>>(
    Object.entries(otherPaths).map(([path, methods]) => [path, new Set(methods)])
  )
  HttpApi.reflect(ApiV1, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }) => {
      const methods = methodsOf.get(endpoint.path) ?? new Set()
      methodsOf.set(endpoint.path, methods.add(endpoint.method))
    }
  })
  const asSpelled = FindMyWay.make<Route>({ caseSensitive: true, ignoreDuplicateSlashes: false })
  const asRouted = FindMyWay.make<Route>()
  for (const [path, methods] of methodsOf) {
    // The router answers HEAD where there is GET.
    if (methods.has("GET")) methods.add("HEAD")
    const route = { path, allow: [...methods].sort().join(", ") }
    asSpelled.on("GET", path as FindMyWay.PathInput, route)
    asRouted.on("GET", path as FindMyWay.PathInput, route)
  }
  const find = (url: string) => {
    const path = pathOf(url)
    // Without percent signs the router decodes nothing. The values of parameters do not matter here.
    return respelled.test(path) ? undefined : asSpelled.find("GET", path.replaceAll("%", "_"))?.handler
  }
  return {
    find,
    allowedAt: (url) => (asRouted.find("GET", url) === undefined ? undefined : find(url)?.allow),
    isMisspelled: (url) => find(url) === undefined && asRouted.find("GET", url) !== undefined
  }
}

/** What the router cuts off or joins. */
const respelled = /[;#]|\/\/|^[^/]/u

const pathOf = (url: string): string => {
  const query = url.indexOf("?")
  return query === -1 ? url : url.slice(0, query)
}

/** Beyond these, a request is refused before its URL is decoded: the router's time grows with the square of its length. */
const longestPath = 2_048
const longestQuery = 8_192

export const isTooLong = (url: string): boolean => {
  if (url.length <= longestPath) return false
  const path = pathOf(url).length
  return path > longestPath || url.length - path - 1 > longestQuery
}
