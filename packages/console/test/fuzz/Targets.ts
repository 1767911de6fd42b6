/** What requests are made of: every endpoint of the API, every page that a link leads to, and every form on them. */
import { bodyOf } from "../support/World.ts"
import type { Planted } from "./PlantedWorld.ts"

export type Fields = ReadonlyArray<readonly [name: string, value: string]>

export interface Target {
  readonly method: string
  /** Under the mount. */
  readonly path: string
  readonly query: Fields
  /** Of a form; `undefined` for none. */
  readonly form: Fields | undefined
  /** Of the API; `undefined` for none. */
  readonly json: unknown
  /** The name of the endpoint, or of the form that takes files; `undefined` for a page. */
  readonly endpoint?: string | undefined
}

export const takesFiles = "takes files"

const none = { query: [], form: undefined, json: undefined }

const credential = { id: "id", rawId: "id", type: "public-key" }

/** A body that decodes, by the name of its endpoint. */
export const bodies: Readonly<Record<string, unknown>> = {
  signIn: { login: "jo", password: "not the password" },
  signInByLink: { token: "A".repeat(43) },
  signInByPasskey: {
    challenge: "A".repeat(43),
    response: {
      ...credential,
      response: { clientDataJSON: "e30", authenticatorData: "AA", signature: "AA", userHandle: "AA" }
    }
  },
  setPassword: { current: "not the password", password: "another password" },
  addPasskey: {
    name: "Phone",
    challenge: "A".repeat(43),
    response: { ...credential, response: { clientDataJSON: "e30", attestationObject: "AA", transports: ["usb"] } }
  },
  capture: { amount: 1 },
  refund: { amount: 1, reason: "it broke" },
  evidence: {
    statement: { about: "charge", says: "captured", attempt_id: null, amount: 1, provider_reference: "ref" },
    evidence: "seen in the provider's page",
    revision: "1-1"
  },
  applyMessage: { connection: "acme-sandbox", id: "msg_1" },
  createKey: {
    draft: "draft",
    scopes: ["payments:read"],
    name: "shop",
    expires: "2099-01-01",
    networks: ["10.0.0.0/8"]
  },
  addOperator: { login: "new", name: "New", roles: [{ workspace_id: "acme", role: "viewer" }] },
  editOperator: { name: "New", roles: [{ workspace_id: null, role: "support" }], version: 1 },
  rotateSecret: { overlap_seconds: 60, secret_rotated: null },
  redeliver: { attempts: 1 }
}

/** The parameters of each query, with values that decode. */
const values: Readonly<Record<string, string>> = {
  limit: "2",
  amount: "2000",
  currency: "EUR",
  country: "NL",
  created_from: "2026-01-01T00:00:00Z",
  from: "2026-01-01",
  until: "2099-01-01"
}

interface Operation {
  readonly operationId: string
  readonly parameters?: ReadonlyArray<{ readonly in: string; readonly name: string; readonly required?: boolean }>
}

const ofApi = async ({ here, ids }: Planted): Promise<ReadonlyArray<Target>> => {
  const document = await bodyOf(await here.send("/api/openapi.json"))
  return Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [] }]) => ({
      ...none,
      method: method.toUpperCase(),
      path: path.replaceAll(/\{(\w+)\}/gu, (_, name: string) => ids[name] ?? name),
      query: parameters.flatMap(({ in: place, name, required }) => {
        const value = values[name]
        return place === "query" && (required === true || value !== undefined) ? [[name, value ?? name] as const] : []
      }),
      json: bodies[operationId.split(".")[1] ?? ""],
      endpoint: operationId.split(".")[1]
    }))
  )
}

/** As browsers send them. */
export const paramsOf = (fields: Fields): string =>
  new URLSearchParams(
    fields.map(([name, value]): [string, string] => [name.toWellFormed(), value.toWellFormed()])
  ).toString()

export const urlOf = ({ path, query }: Pick<Target, "path" | "query">): string =>
  query.length === 0 ? path : `${path}?${paramsOf(query)}`

const unescaped = (text: string): string =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&")

const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`, "u").exec(tag)?.[1]
  return found === undefined ? undefined : unescaped(found)
}

/** Every field of a form with what a browser would send, and one of the choices of each list. */
const fieldsIn = (form: string): Fields =>
  [...form.matchAll(/<(?:input|textarea)([^>]*)>|<select([^>]*)>([\s\S]*?)<\/select>/gu)].flatMap(
    ([, input = "", select = "", choices]) => {
      const name = attribute(input, "name") ?? attribute(select, "name")
      const choice = choices?.split("<option").at(-1) ?? input
      return name === undefined ? [] : [[name, attribute(choice, "value") ?? "text"] as const]
    }
  )

export const splitUrl = (url: string): Pick<Target, "path" | "query"> => {
  const { pathname, searchParams } = new URL(url, "http://console.test")
  return { path: pathname.replace(/^\/console/u, "") || "/", query: [...searchParams] }
}

const targetsIn = (page: string, at: string): ReadonlyArray<Target> => [
  ...[...page.matchAll(/<a\b[^>]*>/gu)].flatMap(([tag]) => {
    const href = attribute(tag, "href")
    return href === undefined ? [] : [{ ...none, method: "GET", ...splitUrl(href) }]
  }),
  ...[...page.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gu)].map(([, tag = "", inside = ""]): Target => {
    const place = splitUrl(attribute(tag, "action") ?? at)
    const endpoint = attribute(tag, "enctype") === undefined ? undefined : takesFiles
    return attribute(tag, "method") === "post"
      ? { ...none, ...place, method: "POST", form: fieldsIn(inside), endpoint }
      : { ...none, ...place, method: "GET", query: fieldsIn(inside) }
  })
]

/** Those of one shape are the same page about other records. */
export const shapeOf = ({ form, method, path, query }: Target): string =>
  [method, path.replaceAll(/[\w-]*\d[\w-]*/gu, "#"), ...(form ?? query).map(([name]) => name)].join(" ")

const mostOfShape = 3
const most = 400

/** Follows the links from the start, and the redirects of what it finds. */
const ofPages = async ({ admin, here }: Planted): Promise<ReadonlyArray<Target>> => {
  const cookie = await admin()
  const get = (path: string, query: Fields = []): Target => ({ ...none, method: "GET", path, query })
  const found: Array<Target> = []
  const seen = new Map<string, number>()
  const waiting = ["/", "/account", "/password", "/sign-in", "/link/token", "/go"].map((path) => get(path))
  waiting.push(get("/live/acme/sandbox", [["payment", "x"]]), get("/nowhere"), get("/style.css"))
  for (const target of waiting) {
    const shape = shapeOf(target)
    const count = seen.get(shape) ?? 0
    const isSame = (one: Target) => JSON.stringify(one) === JSON.stringify(target)
    if (count >= mostOfShape || found.length >= most || found.some(isSame)) continue
    seen.set(shape, count + 1)
    found.push(target)
    if (target.method !== "GET" || target.path.startsWith("/live")) continue
    const url = urlOf(target)
    const response = await here.send(url, { cookie })
    const location = response.headers.get("location")
    if (location !== null) waiting.push({ ...none, method: "GET", ...splitUrl(location) })
    waiting.push(...targetsIn(await response.text(), url))
  }
  return found
}

/** As a browser or a program sends it. */
export const sendTarget = ({ here }: Planted, target: Target, cookie: string): Promise<Response> => {
  const { form, json, method } = target
  return here.send(urlOf(target), {
    method,
    cookie,
    headers: { "idempotency-key": "a-key-of-a-target" },
    ...(form === undefined ? {} : { form: Object.fromEntries(new URLSearchParams(paramsOf(form))) }),
    ...(json === undefined ? {} : { body: json })
  })
}

/** In the same order in each world. */
export const targetsOf = async (planted: Planted): Promise<ReadonlyArray<Target>> => [
  ...(await ofApi(planted)),
  ...(await ofPages(planted))
]
