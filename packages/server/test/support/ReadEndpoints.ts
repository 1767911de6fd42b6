/** Everything that a key or a session reads: the endpoints of the API, of the console's API, and its pages. */
import { openApiDocument } from "@pointsman/http"
import { OpenApi } from "effect/http-api"
import { ConsoleApi } from "../../../console/src/api/ConsoleApi.ts"
import { pages } from "../../../console/src/Console.ts"

/** What the places in a path and the parameters without which there is no answer stand for. */
export type Places = Readonly<Record<string, string>>

export interface ReadEndpoint {
  /** As the documents write it. */
  readonly name: string
  /** With its places filled. */
  readonly path: string
}

/** Streams that stay open, what asks an issuer, and files and sums of all rows, which `IsolationFloods` asks for by name. */
const isOther = (path: string): boolean => /\/live\/|export\.csv$|\/journal$|\/balances$|\/oidc/u.test(path)

const filled = (name: string, places: Places, parameters: ReadonlyArray<string>): ReadEndpoint => {
  const meaningOf = (place: string) => {
    const value = places[place]
    if (value === undefined) throw new Error(`${name}: say in the test what {${place}} stands for`)
    return encodeURIComponent(value)
  }
  // The API calls every record by its id.
  const path = name.replace(/(\w+)s\/\{id\}/u, "$1s/{$1}").replaceAll(/\{(\w+)\}/gu, (_, place) => meaningOf(place))
  const query = parameters.map((parameter) => `${parameter}=${meaningOf(parameter)}`).join("&")
  return { name, path: query === "" ? path : `${path}?${query}` }
}

interface Documented {
  readonly parameters?: ReadonlyArray<{ readonly in: string; readonly name: string; readonly required?: boolean }>
}

const endpointsOf = (
  { paths }: { readonly paths: object },
  mount: string,
  places: Places
): ReadonlyArray<ReadEndpoint> =>
  Object.entries(paths as Readonly<Record<string, { readonly get?: Documented }>>).flatMap(([path, { get }]) => {
    if (get === undefined || isOther(path)) return []
    const needed = (get.parameters ?? []).filter((one) => one.in === "query" && one.required === true)
    return [
      filled(
        `${mount}${path}`,
        places,
        needed.map(({ name }) => name)
      )
    ]
  })

export const readsOfApi = (places: Places) => endpointsOf(openApiDocument(), "", places)

export const readsOfConsoleApi = (places: Places) => endpointsOf(OpenApi.fromApi(ConsoleApi), "/console", places)

/** What these pages name beside their path. */
const parametersOfPages: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/reconciliation/:workspace/:environment/payout": ["connection", "payout"],
  "/messages/:workspace/:environment/message": ["connection", "id"]
}

export const readsOfPages = (places: Places): ReadonlyArray<ReadEndpoint> =>
  pages.flatMap(({ method, path }) => {
    if (method !== "GET" || isOther(path)) return []
    const name = `/console${path === "/" ? "" : path.replaceAll(/:(\w+)/gu, "{$1}")}`
    return [filled(name, places, parametersOfPages[path] ?? [])]
  })
