/**
 * Every request that the connector sends, and answers as they come, against the description that Adyen publishes
 * (https://github.com/Adyen/adyen-openapi): names, types, lists, lengths, and what must be there. A field that is not
 * described is a fault.
 *
 * ADYEN_OPENAPI names the file, `json/CheckoutService-v72.json` of that repository. It is not kept here.
 */

import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { noMethod } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { money } from "@pointsman/core/connector"
import { Effect, type JsonSchema, Result, Schema, SchemaRepresentation } from "effect"
import { apiVersion } from "../src/Credentials.ts"
import { merchantAccount } from "./Adyen.ts"
import { providerAnswers } from "./ProviderAnswers.ts"
import { asks, connect, requestOf, sample } from "./Requests.ts"

const file = process.env["ADYEN_OPENAPI"] ?? ""

type Fields = JsonSchema.JsonSchema
interface Content {
  readonly content?: { readonly "application/json"?: { readonly schema: Fields } }
}
interface Description {
  readonly info: { readonly version: string }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { requestBody?: Content; responses: Readonly<Record<string, Content>> }>>>
  >
  readonly components: { readonly schemas: Readonly<Record<string, Fields>> }
}

/** What is wrong with a value. Adyen's own `x-anyOf` has the fields of all its parts. */
const faultOf = ({ components: { schemas } }: Description, schema: Fields, value: unknown): string | undefined => {
  const definitions = JSON.parse(JSON.stringify(schemas), (_, part) => {
    const parts: ReadonlyArray<{ readonly $ref: string }> | undefined = part?.["x-anyOf"]
    if (parts === undefined) return part
    const all = parts.map(({ $ref }) => schemas[$ref.split("/").at(-1) ?? ""]?.["properties"])
    return { type: "object", properties: Object.assign({}, ...all), additionalProperties: false }
  })
  const described = SchemaRepresentation.fromJsonSchemaDocument({ dialect: "draft-2020-12", schema, definitions })
  // A schema of JSON needs no services to read, which its type cannot say.
  const read = Schema.decodeUnknownResult(described as Schema.Decoder<unknown>, { onExcessProperty: "error" })(value)
  return Result.isFailure(read) ? read.failure.message : undefined
}

describe("Adyen's own description", () => {
  if (file === "") {
    it.skip("ADYEN_OPENAPI is not set: it names CheckoutService-v72.json of adyen-openapi", () => {})
    return
  }
  const api: Description = JSON.parse(readFileSync(file, "utf8").replaceAll("#/components/schemas/", "#/$defs/"))

  it(`is of the version that the connector speaks: ${apiVersion}`, () => {
    assert.strictEqual(`v${api.info.version}`, apiVersion)
    assert.strictEqual(api.servers[0]?.url, `https://checkout-test.adyen.com/${apiVersion}`)
  })

  const assertDescribed = (content: Content | undefined, body: string | undefined) => {
    const schema = content?.content?.["application/json"]?.schema
    assert.strictEqual(body === undefined, schema === undefined, "whether it has a body")
    if (schema !== undefined) assert.isUndefined(faultOf(api, schema, JSON.parse(body ?? "null")))
  }
  const described = (request: { readonly method: string; readonly url: string }) => {
    const path = new URL(request.url).pathname.replace(`/${apiVersion}`, "")
    const [, operations] =
      Object.entries(api.paths).find(([template]) => {
        const pattern = template.replaceAll(/\{[^}]+\}/gu, "[^/]+")
        return new RegExp(`^${pattern}$`, "u").test(path)
      }) ?? []
    return operations?.[request.method.toLowerCase()] ?? assert.fail(`${request.method} ${path} is not described`)
  }

  for (const [operation, says, [answered]] of providerAnswers.rows) {
    // The description has no other errors.
    if (![200, 201, 400, 401, 403, 422, 500].includes(answered.status) || answered.body === "{}") continue
    itRuns(`the request and the response of ${operation} are as described: ${says}`, function* () {
      const { connector, requests } = connect([answered])
      yield* Effect.result(asks[operation](connector))
      const [request] = requests
      if (request === undefined) return assert.fail("nothing was sent")
      const { requestBody, responses } = described(request)
      assertDescribed(requestBody, request.body)
      assertDescribed(responses[String(answered.status)], answered.body)
    })
  }

  const variants = {
    "only held": { charge: { ...sample.charge, capture: false }, checkout: { ...sample.openCheckout, capture: false } },
    "by the merchant": { charge: { ...sample.charge, initiator: "mit" as const }, checkout: sample.openCheckout },
    "in JPY, without a reference": {
      charge: { ...sample.charge, money: money(500, "JPY"), reference: null, cardBrand: null },
      checkout: { ...sample.openCheckout, money: money(500, "JPY"), reference: null }
    }
  }
  for (const [what, { charge, checkout }] of Object.entries(variants)) {
    itRuns(`both requests of a charge and a page ${what} are as described`, function* () {
      for (const request of [
        yield* requestOf((connector) => connector.charge(charge)),
        yield* requestOf((connector) => connector.openCheckout?.(checkout) ?? noMethod)
      ]) {
        assertDescribed(described(request).requestBody, request.body)
      }
    })
  }

  it("the check finds a misspelt field, a wrong type, a missing field and a wrong word", () => {
    const link = { $ref: "#/$defs/PaymentLinkRequest" }
    const good = { merchantAccount, amount: { value: 1000, currency: "EUR" }, reference: "r" }
    assert.isUndefined(faultOf(api, link, good))
    assert.match(faultOf(api, link, { ...good, referense: "r" }) ?? "", /no excess property\n {2}at \["referense"\]/u)
    assert.match(faultOf(api, link, { ...good, reusable: "no" }) ?? "", /boolean\n {2}at \["reusable"\]/u)
    assert.match(faultOf(api, link, { ...good, reference: undefined }) ?? "", /at \["reference"\]/u)
    const paid = { ...good, returnUrl: "https://x.example", paymentMethod: { type: "scheme" } }
    const words = { ...paid, shopperInteraction: "Telepathy" }
    assert.match(faultOf(api, { $ref: "#/$defs/PaymentRequest" }, words) ?? "", /at \["shopperInteraction"\]/u)
    const beside = { ...paid, additionalData: { manualCaptur: "true" } }
    assert.match(faultOf(api, { $ref: "#/$defs/PaymentRequest" }, beside) ?? "", /\["manualCaptur"\]/u)
  })
})
