/**
 * Every request that the connector sends, and answers as they come, against the description that Adyen publishes
 * (https://github.com/Adyen/adyen-openapi): names, types, lists, lengths, and what must be there. A field that is not
 * described is a fault.
 *
 * ADYEN_OPENAPI names the file, `json/CheckoutService-v72.json` of that repository. It is not kept here.
 */

import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { moneyOperations, noMethod } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { money, type TransportAnswer } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { apiVersion } from "../src/Credentials.ts"
import { answer, merchantAccount, serviceError } from "./Adyen.ts"
import { type Description, faultsOf, operationOf } from "./OpenApi.ts"
import { asks, attemptId, connect, linkId, providerRef, requestOf, sample } from "./Requests.ts"

const file = process.env["ADYEN_OPENAPI"] ?? ""
const amount = { value: 1000, currency: "EUR" }

/** Answers whole, as Adyen describes them, and what they mean. */
const answers: Readonly<
  Record<(typeof moneyOperations)[number] | "lookUpCharge", ReadonlyArray<readonly [TransportAnswer, string]>>
> = {
  charge: [
    [
      answer(200, {
        pspReference: providerRef,
        resultCode: "Authorised",
        merchantReference: `${attemptId}.taken`,
        amount,
        additionalData: { cardSummary: "1111" },
        paymentMethod: { brand: "visa", type: "scheme" }
      }),
      "Captured"
    ],
    [answer(200, { pspReference: providerRef, resultCode: "PartiallyAuthorised", amount }), "Captured"],
    [answer(200, { pspReference: providerRef, resultCode: "Received" }), "Pending"],
    [answer(200, { pspReference: providerRef, resultCode: "Pending" }), "Pending"],
    [answer(200, { pspReference: providerRef, resultCode: "PresentToShopper" }), "Pending"],
    [answer(200, { pspReference: providerRef, resultCode: "Cancelled" }), "Canceled"],
    [
      answer(200, {
        resultCode: "RedirectShopper",
        action: { type: "redirect", method: "GET", url: "https://bank.example/3ds", paymentMethodType: "scheme" }
      }),
      "NeedsCustomer"
    ],
    [answer(200, { resultCode: "ChallengeShopper" }), "NeedsCustomer"],
    [answer(200, { resultCode: "IdentifyShopper" }), "NeedsCustomer"],
    [
      answer(200, {
        pspReference: providerRef,
        resultCode: "Refused",
        refusalReason: "Not enough balance",
        refusalReasonCode: "12"
      }),
      "Declined"
    ],
    [answer(200, { pspReference: providerRef, resultCode: "Error", refusalReason: "Acquirer Error" }), "Declined"]
  ],
  openCheckout: [
    [
      answer(201, {
        id: linkId,
        merchantAccount,
        amount,
        reference: `${attemptId}.taken.page`,
        reusable: false,
        status: "active",
        expiresAt: "2026-11-22T12:00:00Z",
        url: "https://test.adyen.link/PLE83C39B0A0DE0C1E"
      }),
      "CheckoutOpened"
    ]
  ],
  lookUpCharge: (["active", "completed", "expired", "paid", "paymentPending"] as const).map((status) => [
    answer(200, {
      id: linkId,
      merchantAccount,
      amount,
      reference: `${attemptId}.taken.page`,
      status,
      url: "https://test.adyen.link/PLE83C39B0A0DE0C1E"
    }),
    "NotFound"
  ]),
  capture: [[answer(201, modification("capture", { amount })), "Pending"]],
  void: [[answer(201, modification("cancel", {})), "Pending"]],
  refund: [[answer(201, modification("refund", { amount, reference: "rf_1" })), "RefundPending"]]
}

function modification(operation: string, more: object) {
  return {
    merchantAccount,
    paymentPspReference: providerRef,
    pspReference: "993617894906488A",
    reference: `${attemptId}.${operation === "capture" ? "take" : "void"}.op_1`,
    status: "received",
    ...more
  }
}

const tagOf = (value: unknown): unknown => (value as { readonly _tag?: unknown } | null)?._tag

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
  const errors = [400, 401, 403, 422].map((status) => [serviceError(status, "901", "No."), "Rejected"] as const)

  for (const operation of [...moneyOperations, "lookUpCharge"] as const) {
    for (const [answered, expected] of [...answers[operation], ...(operation === "lookUpCharge" ? [] : errors)]) {
      itRuns(`${operation} and ${answered.status} are as described (${expected})`, function* () {
        const { connector, requests } = connect([answered])
        const said = Result.getOrThrow(yield* Effect.result(asks[operation](connector)))
        assert.strictEqual(tagOf(said), expected)
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
