/**
 * Every request against Mollie's pages of it: the path, the query, and of the body the fields, types, words, patterns, lengths
 * and required fields (https://docs.mollie.com/reference/create-payment, create-capture, create-refund and
 * release-authorization there). Written down as facts here, with no field beside them, because Mollie's own description
 * (https://github.com/mollie/openapi) is CC BY-NC-SA 4.0 and cannot be part of this repository. Mollie's own library, whose lists
 * of words are open, checks names and types beside them.
 */

import { assert, describe, it } from "@effect/vitest"
import { MollieConnector } from "@pointsman/connector-mollie"
import { type Ask, asksOf, faultOf, noMethod, paymentRequests } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { money, type PaymentMethodName, scaleOf, type TransportRequest } from "@pointsman/core/connector"
import { Effect, Schema } from "effect"
import { EntityCapture$outboundSchema } from "mollie-api-typescript/models/entitycapture.js"
import { PaymentRequest$outboundSchema } from "mollie-api-typescript/models/paymentrequest.js"
import { RefundRequest$outboundSchema } from "mollie-api-typescript/models/refundrequest.js"
import { namedMethods } from "../src/Requests.ts"
import { asking, asks, details, noon, providerRef, scripted } from "./Calls.ts"
import { apiKey, failure, webhookUrl } from "./Mollie.ts"

const pattern = (regex: RegExp) => Schema.String.check(Schema.isPattern(regex))
const Url = pattern(/^https:\/\/\S+$/u)
/** "The absolute maximum being 255 characters"; longer ones are cut and not refused. */
const Description = Schema.NonEmptyString.check(Schema.makeFilter((text) => [...text].length <= 255))

/** Words of `method` in create-payment. */
const methods = (
  "alma applepay bacs bancomatpay bancontact banktransfer belfius billie billink bizum blik creditcard directdebit eps " +
  "giftcard ideal in3 kbc klarna mbway mobilepay multibanco mybank paybybank paypal paysafecard pointofsale przelewy24 " +
  "riverty satispay swish trustly twint vipps voucher"
).split(" ")

/** "Make sure to send the right number of decimals" (https://docs.mollie.com/reference/common-data-types). */
const decimals: Readonly<Record<string, number>> = { ISK: 0, JPY: 0 }

const Amount = Schema.Struct({
  currency: pattern(/^[A-Z]{3}$/u),
  value: pattern(/^(?:0|[1-9]\d*)(?:\.\d+)?$/u)
}).check(Schema.makeFilter(({ currency, value }) => (value.split(".")[1] ?? "").length === (decimals[currency] ?? 2)))
/** "Up to approximately 1kB." */
const Metadata = Schema.Record(Schema.String, Schema.String).check(
  Schema.makeFilter((metadata) => new TextEncoder().encode(JSON.stringify(metadata)).length <= 1_000)
)

const Payment = Schema.Struct({
  amount: Amount,
  description: Description,
  redirectUrl: Schema.NullOr(Url),
  webhookUrl: Schema.optionalKey(Url),
  method: Schema.optionalKey(Schema.Literals(methods)),
  sequenceType: Schema.optionalKey(Schema.Literals(["oneoff", "first", "recurring"])),
  captureMode: Schema.optionalKey(Schema.Literals(["automatic", "manual"])),
  customerId: Schema.optionalKey(pattern(/^cst_.+$/u)),
  mandateId: Schema.optionalKey(pattern(/^mdt_.+$/u)),
  metadata: Metadata
})
const Capture = Schema.Struct({ amount: Amount, metadata: Metadata })
const Refund = Schema.Struct({ amount: Amount, description: Description, metadata: Metadata })
const Release = Schema.Struct({})

/** Parameters of the lists: `limit` is 1 to 250, `sort` is asc or desc, `from` is an id. */
const List = (id: RegExp) =>
  Schema.Struct({
    limit: Schema.optionalKey(pattern(/^(?:[1-9]|[1-9]\d|1\d\d|2[0-4]\d|250)$/u)),
    sort: Schema.optionalKey(Schema.Literals(["asc", "desc"])),
    from: Schema.optionalKey(pattern(id))
  })
const Nothing = Schema.Struct({})

interface Described {
  readonly body?: Schema.Decoder<unknown>
  readonly query?: Schema.Decoder<unknown>
  /** Of Mollie's library. */
  readonly library?: { readonly parse: (body: unknown) => unknown }
}

const described: ReadonlyArray<readonly [RegExp, Described]> = [
  [/^POST \/v2\/payments$/u, { body: Payment, library: PaymentRequest$outboundSchema }],
  [/^POST \/v2\/payments\/tr_\w+\/captures$/u, { body: Capture, library: EntityCapture$outboundSchema }],
  [/^POST \/v2\/payments\/tr_\w+\/release-authorization$/u, { body: Release }],
  [/^POST \/v2\/payments\/tr_\w+\/refunds$/u, { body: Refund, library: RefundRequest$outboundSchema }],
  [/^GET \/v2\/payments$/u, { query: List(/^tr_.+$/u) }],
  [/^GET \/v2\/refunds$/u, { query: List(/^re_.+$/u) }],
  [/^GET \/v2\/chargebacks$/u, { query: List(/^chb_.+$/u) }],
  [
    /^GET \/v2\/payments\/tr_\w+$/u,
    {
      query: Schema.Struct({
        embed: Schema.optionalKey(pattern(/^(?:captures|refunds|chargebacks)(?:,(?:captures|refunds|chargebacks))*$/u))
      })
    }
  ],
  [/^GET \/v2\/payments\/tr_\w+\/refunds$/u, { query: List(/^re_.+$/u) }],
  [/^GET \/v2\/payments\/tr_\w+\/captures$/u, { query: List(/^cpt_.+$/u) }],
  [/^GET \/v2\/payments\/tr_\w+\/refunds\/re_\w+$/u, {}],
  [/^GET \/v2\/profiles\/me$/u, {}]
]

/** Each name in `sent` is one of the library's, down to the metadata, which is ours. */
const assertKnown = (sent: unknown, described: unknown, path = ""): void => {
  if (path.endsWith(".metadata")) return
  if (typeof sent !== "object" || sent === null) {
    assert.deepStrictEqual(described, sent, path)
    return
  }
  for (const [name, value] of Object.entries(sent)) {
    assert.property(described, name, `${path}.${name}`)
    assertKnown(value, Reflect.get(described as object, name), `${path}.${name}`)
  }
}

const faultOfRequest = ({ body, method, url }: TransportRequest): string | undefined => {
  const { pathname, searchParams } = new URL(url)
  const at = `${method} ${pathname}`
  const [, shapes] = described.find(([known]) => known.test(at)) ?? []
  if (shapes === undefined) return `${at} is not described`
  const inQuery = faultOf(shapes.query ?? Nothing, Object.fromEntries(searchParams))
  if (inQuery !== undefined) return `${at}, its query: ${inQuery}`
  if (shapes.body === undefined) return body === undefined ? undefined : `${at} has no body`
  const sent: unknown = JSON.parse(body ?? "null")
  if (shapes.library !== undefined) assertKnown(sent, shapes.library.parse(sent))
  const inBody = faultOf(shapes.body, sent)
  return inBody === undefined ? undefined : `${at}: ${inBody}: ${body}`
}

const assertDescribed = Effect.fnUntraced(function* (ask: Ask) {
  for (const credentials of [{ apiKey }, { apiKey, webhookUrl }]) {
    const { connector, requests } = scripted([failure(422)], credentials)
    yield* Effect.exit(ask(connector))
    assert.strictEqual(requests.length, 1)
    for (const request of requests) assert.isUndefined(faultOfRequest(request))
  }
})

const long = "ä🙂".repeat(600)
const window = { createdFrom: noon, createdBefore: noon + 1, cursor: null }

const all: Readonly<Record<string, Ask>> = {
  "a charge": asks.charge,
  "a charge that the customer began": asking("charge", { initiator: "cit" }),
  "a held charge": asking("charge", { capture: false }),
  "a direct debit": asking("charge", { method: "bank" }),
  "a charge of a PayPal mandate": asking("charge", { method: "wallet" }),
  "a charge without texts": asking("charge", { reference: null, cardBrand: null }),
  "a charge with a long reference": asking("charge", { reference: long }),
  "a page for cards": asks.openCheckout,
  "a held page": asking("openCheckout", { capture: false }),
  "a page for banks": asking("openCheckout", { method: "bank", reference: null }),
  "a page for wallets": asking("openCheckout", { method: "wallet", reference: long }),
  "a capture": asks.capture,
  "a void": asks.void,
  "a refund": asking("refund", { reason: null }),
  "a refund with a long reason": asking("refund", { reason: long }),
  "a lookup of a charge": asks.lookUpCharge,
  "a lookup of a charge by reference": asking("lookUpCharge", { providerRef }),
  "a lookup of a capture": asks.lookUpOperation,
  "a lookup of a refund": asks.lookUpRefund,
  "a lookup of a refund by reference": asking("lookUpRefund", { providerRefundId: "re_4qqhO89gsT" }),
  "a hint": (connector) => connector.hints?.lookUp(providerRef) ?? noMethod,
  "a list of charges": (connector) => connector.listCharges?.(window) ?? noMethod,
  "a later page of charges": (connector) => connector.listCharges?.({ ...window, cursor: providerRef }) ?? noMethod,
  "a list of refunds": (connector) => connector.listRefunds?.(window) ?? noMethod,
  "a list of disputes": (connector) => connector.listDisputes?.(window) ?? noMethod,
  "a later page of disputes": (connector) =>
    connector.listDisputes?.({ ...window, cursor: "chb_xFzwUN4ci8HAmSGUACS4J" }) ?? noMethod,
  "the account": (connector) => connector.account?.() ?? noMethod
}

describe("every request is one that Mollie's pages describe", () => {
  for (const [what, ask] of Object.entries(all)) {
    it.effect(`the path, query and body of ${what} are described`, () => assertDescribed(ask))
  }
  for (const name of Object.keys(namedMethods) as ReadonlyArray<PaymentMethodName>) {
    it.effect(`the method of a page for ${name} is one of Mollie's`, () =>
      assertDescribed(asking("openCheckout", { paymentMethod: name }))
    )
  }
  itRuns("each currency of Mollie has its number of decimals in every body with an amount", function* () {
    const { currencies = [] } = MollieConnector.definition.supports
    assert.sameMembers([...new Set(currencies.map(scaleOf))], [0, 2])
    for (const currency of currencies) {
      for (const minorUnits of [1, 99, 100, 123_456_789]) {
        const ask = asksOf(paymentRequests({ ...details, money: money(minorUnits, currency) }))
        for (const name of ["charge", "openCheckout", "capture", "refund"] as const) yield* assertDescribed(ask[name])
      }
    }
  })

  const good = {
    amount: { currency: "EUR", value: "10.00" },
    description: "d",
    redirectUrl: null,
    sequenceType: "recurring",
    method: "creditcard",
    customerId: "cst_1",
    mandateId: "mdt_1",
    metadata: { attempt_id: "att_1" }
  }
  for (const [what, fields] of Object.entries({
    "a misspelt field": { descripton: "d" },
    "an amount as a number": { amount: { currency: "EUR", value: 10 } },
    "an amount without its decimals": { amount: { currency: "EUR", value: "10" } },
    "an amount of yen with decimals": { amount: { currency: "JPY", value: "10.00" } },
    "a method that Mollie has not": { method: "credit_card" },
    "a sequence that Mollie has not": { sequenceType: "unscheduled" },
    "a mandate in the customer's place": { customerId: "mdt_1" },
    "an empty description": { description: "" },
    "metadata of more than 1 kB": { metadata: { text: "x".repeat(1_000) } },
    "no address to return to": { redirectUrl: undefined }
  })) {
    it(`the check refuses ${what}`, () => {
      assert.isUndefined(faultOf(Payment, good))
      assert.isString(faultOf(Payment, JSON.parse(JSON.stringify({ ...good, ...fields }))))
    })
  }
  it("the library refuses a wrong or an unknown field", () => {
    assert.isFalse(PaymentRequest$outboundSchema.safeParse({ amount: { currency: "EUR", value: 12 } }).success)
    assert.throws(() =>
      assertKnown({ descripton: "x" }, PaymentRequest$outboundSchema.parse({ descripton: "x" } as never))
    )
  })
  it("the check refuses another path or parameter", () => {
    const request = (url: string): TransportRequest => ({ method: "GET", url, headers: {}, timeoutMillis: 1 })
    assert.isUndefined(faultOfRequest(request("https://api.mollie.com/v2/payments?limit=250&sort=desc")))
    for (const path of [
      "payment",
      "payments?limit=251",
      "payments?sort=newest",
      "refunds?from=tr_1",
      "payments?page=2"
    ]) {
      assert.isString(faultOfRequest(request(`https://api.mollie.com/v2/${path}`)), path)
    }
  })
})
