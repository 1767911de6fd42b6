/** Queries of every list of the API: its parameters with values that decode or do not, repeated, unknown and misspelled. */
import { ApiV1 } from "@pointsman/http/api"
import { OpenApi } from "effect/http-api"
import * as fc from "fast-check"
import { headersWith, payment } from "./Requests.ts"
import { often, urlText } from "./Values.ts"
import { type Input, liveKey, testKey } from "./World.ts"

interface Parameter {
  readonly in: string
  readonly name: string
  readonly schema: { readonly pattern?: string; readonly enum?: ReadonlyArray<string> }
}

/** Values that decode, of parameters whose schema does not say which do. */
const values: Readonly<Record<string, ReadonlyArray<string>>> = {
  status: ["CAPTURED", "authorized", "unknown"],
  currency: ["EUR", "JPY"],
  connection: ["sandbox", "http"],
  type: ["payment.captured", "refund.succeeded"],
  created_from: ["2026-11-21T12:00:00Z", "2026-11-21T12:00:00.123456789+23:59"],
  created_before: ["2099-01-01T00:00:00z"],
  limit: ["1", "2", "100", "0", "101", "1e1", "+5", "999999999"]
}

const decoding = ({ name, schema }: Parameter): fc.Arbitrary<string> => {
  const known = values[name] ?? schema.enum
  if (known !== undefined) return fc.constantFrom(...known)
  return schema.pattern === undefined
    ? fc.constantFrom("order-1001", "@captured-0")
    : fc.stringMatching(new RegExp(schema.pattern, "u"))
}

const unknown = fc.oneof(
  fc.constantFrom("", "limit", "status[]", "limit[0]", "__proto__", "Limit", "%6cimit", "expand", "offset", "q"),
  urlText(100)
)

/** What joins a name and its value. */
const joins = ["=", "=", "=", "=", "=", "==", "%3D", ""]

const pairOf = (parameter: Parameter) =>
  fc.tuple(
    often(fc.constant(parameter.name), unknown, 12),
    often(decoding(parameter), urlText(9_000), 5),
    fc.constantFrom(...joins)
  )

const queryOf = (parameters: ReadonlyArray<Parameter>): fc.Arbitrary<string> => {
  const pair = fc.oneof(...parameters.map(pairOf))
  const text = (pairs: ReadonlyArray<readonly [string, string, string]>) =>
    pairs.map(([name, value, between]) => `${name}${between}${value}`)
  return fc.oneof(
    {
      weight: 12,
      arbitrary: fc
        .tuple(fc.array(pair, { maxLength: 4 }), fc.constantFrom("&", "&", "&", "&", ";", "&&"))
        .map(([pairs, between]) => text(pairs).join(between))
    },
    // As often as the longest query may have it, and more.
    {
      weight: 1,
      arbitrary: fc
        .tuple(pair, fc.constantFrom(2, 20, 500, 4_000))
        .map(([one, count]) => `${text([one])[0]?.slice(0, 40)}&`.repeat(count))
    }
  )
}

/** The lists of the API are its methods with a limit. */
const lists = Object.entries(OpenApi.fromApi(ApiV1).paths).flatMap(([path, { get }]) => {
  const parameters = ((get?.parameters ?? []) as ReadonlyArray<Parameter>).filter((one) => one.in === "query")
  if (!parameters.some(({ name }) => name === "limit")) return []
  if (path.endsWith("/payments")) parameters.push({ in: "query", name: "metadata[order]", schema: {} })
  return [
    fc.tuple(
      payment.map((id) => path.replace("{id}", encodeURI(id.toWellFormed()))),
      queryOf(parameters)
    )
  ]
})

export const queries: fc.Arbitrary<Input> = fc
  .tuple(fc.oneof(...lists), fc.constantFrom(testKey, liveKey))
  .map(([[path, query], key]) => ({
    method: "GET",
    path: `${path}${query === "" ? "" : `?${query.replaceAll("#", "%23")}`}`,
    headers: headersWith(key),
    body: undefined
  }))
