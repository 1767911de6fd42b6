/** Requests of strangers and of operators: nearly right ones, and garbage. They name no id, so that they fit every world. */
import * as fc from "fast-check"
import { type Multipart, multipart } from "../../../server/test/fuzz/Multipart.ts"
import { headerText, nearly, scratched, sendable, text, urlText } from "../../../server/test/fuzz/Values.ts"
import { markup, type Planted } from "./PlantedWorld.ts"
import { bodies, type Fields, paramsOf, type Target, takesFiles, urlOf } from "./Targets.ts"

type Session = "admin" | "none"

/** `raw`: the whole query, as it is. */
type Place = "method" | "path" | "query" | "raw" | "form" | "header" | "body"

interface Edit {
  readonly place: Place
  /** Which part of the path, or which field; one after the last is added. */
  readonly nth: number
  readonly name: string
  readonly value: string
}

export interface Input {
  readonly session: Session
  /** Of the targets. An endpoint by its name. */
  readonly target: number | string
  readonly edits: ReadonlyArray<Edit>
  /** In place of the target's form. */
  readonly multipart?: Multipart
}

/** As long as the head of a request may be in Node, four times. */
const largest = 65_536

const anyText = fc.oneof(
  { weight: 3, arbitrary: text(largest) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      markup,
      "javascript:alert(1)",
      "//evil.test/",
      "/payments/\r\nset-cookie: a=b",
      "/payments/é日"
    )
  }
)

const headers = [
  "cookie",
  "origin",
  "sec-fetch-site",
  "host",
  "content-type",
  "idempotency-key",
  "accept",
  "x-forwarded-host",
  "x-http-method-override",
  "content-length",
  "range"
]
const fields = [
  "next",
  "search",
  "to",
  "area",
  "before",
  "after",
  "id",
  "connection",
  "segment",
  "payment",
  "workspace",
  "role",
  "notice",
  "key",
  "seen",
  "version",
  "actor",
  "from",
  "until",
  "__proto__"
]
const methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]

const edit: fc.Arbitrary<Edit> = fc
  .tuple(
    fc.constantFrom<Place>("path", "query", "query", "query", "form", "form", "form", "header", "method", "body"),
    fc.nat(12),
    fc.oneof(fc.constantFrom(...fields), text(64)),
    anyText
  )
  .chain(([place, nth, name, value]): fc.Arbitrary<Edit> => {
    if (place === "method") return fc.constantFrom(...methods).map((value) => ({ place, nth, name: "", value }))
    if (place === "header")
      return fc
        .tuple(fc.constantFrom(...headers), headerText(largest))
        .map(([name, value]) => ({ place, nth, name, value }))
    return fc.constant({ place, nth, name, value })
  })

const session = fc.constantFrom<Session>("admin", "admin", "admin", "none")

/** A page or an endpoint, with up to three of its parts changed. */
const edited: fc.Arbitrary<Input> = fc.record({
  session,
  target: fc.nat(999),
  edits: fc.array(edit, { maxLength: 3 })
})

/** An endpoint with a body that is nearly right. */
const withBody: fc.Arbitrary<Input> = fc
  .tuple(session, fc.constantFrom(...Object.entries(bodies)))
  .chain(([session, [target, base]]) =>
    scratched(nearly(fc.constant(base), 4_000).map((value) => JSON.stringify(value) ?? "")).map((value) => ({
      session,
      target,
      edits: [{ place: "body" as const, nth: 0, name: "", value }]
    }))
  )

const uploads: fc.Arbitrary<Input> = fc
  .tuple(session, multipart)
  .map(([session, multipart]) => ({ session, target: takesFiles, edits: [], multipart }))

/** As long as the head of a request may be in Node. */
const headBytes = 16_384

const queryText = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom(...fields, "limit", "status", "id[]"), urlText(100)), urlText(9_000)), {
    maxLength: 4
  })
  .map((pairs) => pairs.map((pair) => pair.join("=")))

/** A page or an endpoint with another query: parameters repeated, unknown and misspelled. */
const queries: fc.Arbitrary<Input> = fc
  .tuple(session, fc.nat(999), queryText, fc.constantFrom("&", "&", "&", ";"), fc.constantFrom(1, 1, 1, 1, 300))
  .map(([session, target, pairs, between, times]) => {
    const value = Array.from({ length: times }, () => pairs.join(between))
      .join("&")
      .slice(0, headBytes)
    return { session, target, edits: [{ place: "raw", nth: 0, name: "", value }] }
  })

export const inputs: fc.Arbitrary<Input> = fc.oneof(
  { weight: 3, arbitrary: edited },
  { weight: 1, arbitrary: withBody },
  { weight: 1, arbitrary: uploads },
  { weight: 1, arbitrary: queries }
)

const replaced = (fields: Fields, { name, nth, value }: Edit): Fields =>
  // An existing field keeps its name.
  nth < fields.length ? fields.map((one, at) => (at === nth ? [one[0], value] : one)) : [...fields, [name, value]]

const part = (value: string): string => encodeURIComponent(value.toWellFormed())

const pathWith = (path: string, { name, nth, value }: Edit): string => {
  const parts = path.split("/")
  const at = 1 + (nth % parts.length)
  // As a program may write it, and as a browser does.
  const text = name.length % 2 === 0 ? part(value) : value.replaceAll(/[?#]/gu, "")
  return [...parts.slice(0, at), text, ...parts.slice(at + 1)].join("/")
}

let keys = 0

interface Asked {
  readonly url: string
  readonly init: RequestInit
}

export const requestOf = async (
  { admin }: Planted,
  targets: ReadonlyArray<Target>,
  { edits, multipart, session, target: nth }: Input
): Promise<Asked | undefined> => {
  const target =
    typeof nth === "string" ? targets.find(({ endpoint }) => endpoint === nth) : targets[nth % targets.length]
  if (target === undefined) throw new Error(`no target ${nth}`)
  const edited = {
    ...target,
    headers: [] as ReadonlyArray<readonly [string, string]>,
    body: undefined as string | undefined,
    raw: ""
  }
  for (const one of edits) {
    if (one.place === "method") edited.method = one.value
    else if (one.place === "path") edited.path = pathWith(edited.path, one)
    else if (one.place === "query") edited.query = replaced(edited.query, one)
    else if (one.place === "raw") edited.raw = one.value.replaceAll(/[?#]/gu, "")
    else if (one.place === "form") edited.form = replaced(edited.form ?? [], one)
    else if (one.place === "header") edited.headers = [...edited.headers, [one.name, sendable(one.value)]]
    else edited.body = one.value
  }
  const { method } = edited
  const hasBody = method !== "GET" && method !== "HEAD"
  const isForm = target.json === undefined && edited.form !== undefined
  const body =
    edited.body ?? (isForm ? paramsOf(edited.form ?? []) : target.json === undefined ? "" : JSON.stringify(target.json))
  const asked = urlOf(edited)
  const url = `http://console.test/console${asked}${edited.raw === "" ? "" : `${asked.includes("?") ? "&" : "?"}${edited.raw}`}`
  if (!URL.canParse(url)) return undefined
  return {
    url,
    init: {
      method,
      headers: [
        ["sec-fetch-site", "same-origin"],
        [
          "content-type",
          multipart !== undefined
            ? sendable(multipart.type)
            : isForm
              ? "application/x-www-form-urlencoded"
              : "application/json"
        ],
        ["idempotency-key", `a-key-of-request-${++keys}`],
        ...(session === "none" ? [] : [["cookie", await admin()] as [string, string]]),
        ...edited.headers.map(([name, value]) => [name, value] as [string, string])
      ],
      ...(hasBody ? { body: multipart === undefined ? body : Buffer.from(multipart.body, "latin1") } : {})
    }
  }
}
