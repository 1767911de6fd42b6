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
import { Effect } from "effect"
import { apiVersion } from "../src/Credentials.ts"
import { merchantAccount } from "./Adyen.ts"
import { type Description, faultsOf, operationOf } from "./OpenApi.ts"
import { providerAnswers } from "./ProviderAnswers.ts"
import { asks, connect, requestOf, sample } from "./Requests.ts"

const file = process.env["ADYEN_OPENAPI"] ?? ""
const amount = { value: 1000, currency: "EUR" }

describe("Adyen's own description", () => {
  if (file === "") {
    it.skip("ADYEN_OPENAPI is not set: it names CheckoutService-v72.json of adyen-openapi", () => {})
    return
  }
  const api: Description = JSON.parse(readFileSync(file, "utf8"))

  it(`is of the version that the connector speaks: ${apiVersion}`, () => {
    assert.strictEqual(`v${api.info.version}`, apiVersion)
    assert.strictEqual(api.servers[0]?.url, `https://checkout-test.adyen.com/${apiVersion}`)
  })

  const described = (request: { readonly method: string; readonly url: string }) => {
    const path = new URL(request.url).pathname.replace(`/${apiVersion}`, "")
    const operation = operationOf(api, request.method, path)
    if (operation === undefined) throw new Error(`${request.method} ${path} is not described`)
    return operation
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
      const wanted = requestBody?.content?.["application/json"]?.schema
      assert.strictEqual(request.body === undefined, wanted === undefined, "whether it has a body")
      if (request.body !== undefined && wanted !== undefined) {
        assert.deepStrictEqual(faultsOf(api, wanted, JSON.parse(request.body)), [])
      }
      const answerSchema = responses[String(answered.status)]?.content?.["application/json"]?.schema
      if (answerSchema === undefined) return assert.fail(`${answered.status} is not described`)
      assert.deepStrictEqual(faultsOf(api, answerSchema, JSON.parse(answered.body), "answer"), [])
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
        const wanted = described(request).requestBody?.content?.["application/json"]?.schema
        if (wanted === undefined) return assert.fail("the description has no body")
        assert.deepStrictEqual(faultsOf(api, wanted, JSON.parse(request.body ?? "null")), [])
      }
    })
  }

  it("the check finds a misspelt field, a wrong type, a missing field and a wrong word", () => {
    const schema = { $ref: "#/components/schemas/PaymentLinkRequest" }
    const good = { merchantAccount, amount, reference: "r" }
    assert.deepStrictEqual(faultsOf(api, schema, good), [])
    assert.deepStrictEqual(faultsOf(api, schema, { ...good, referense: "r" }), ["body.referense is not described"])
    assert.deepStrictEqual(faultsOf(api, schema, { ...good, reusable: "no" }), ["body.reusable is no boolean"])
    assert.deepStrictEqual(faultsOf(api, schema, { merchantAccount, amount }), ["body.reference is missing"])
    const { paymentMethod: _, ...payment } = { ...good, returnUrl: "https://x.example", paymentMethod: null }
    const words = { ...payment, paymentMethod: { type: "scheme" }, shopperInteraction: "Telepathy" }
    assert.deepStrictEqual(faultsOf(api, { $ref: "#/components/schemas/PaymentRequest" }, words), [
      "body.shopperInteraction is Telepathy, and not in the list"
    ])
  })
})
