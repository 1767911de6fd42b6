/**
 * Every request and every recorded answer against Stripe's own description of its API (OpenAPI,
 * https://github.com/stripe/openapi, MIT). The description is large and not in this repository: `STRIPE_OPENAPI` names a
 * local copy of its `spec3.json`, and without it this says that it is skipped. A copy may be older than the version that
 * the connector names; what the version has added since is listed by name, and everything else is checked.
 */

import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import type { TransportAnswer, TransportRequest } from "@pointsman/core/connector"
import { Effect } from "effect"
import { asks, connected } from "./Calls.ts"
import { pairs } from "./Requests.ts"
import {
  account,
  answer,
  decline,
  dispute,
  failure,
  list,
  paymentIntent,
  refund,
  refundList,
  searched,
  session
} from "./Stripe.ts"

const named = process.env["STRIPE_OPENAPI"]
const reason = "not run: STRIPE_OPENAPI names no local copy of Stripe's OpenAPI description (spec3.json)"

/** Of an OpenAPI schema, what Stripe's description uses. */
interface Shape {
  readonly $ref?: string
  readonly type?: string
  readonly nullable?: boolean
  readonly enum?: ReadonlyArray<unknown>
  readonly maxLength?: number
  readonly required?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, Shape>>
  readonly additionalProperties?: boolean | Shape
  readonly items?: Shape
  readonly anyOf?: ReadonlyArray<Shape>
}
interface Operation {
  readonly parameters?: ReadonlyArray<{
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: Shape
  }>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Shape }>> }
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: Shape }>> }>
  >
}
interface Description {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Shape>> }
}

/** Parameters by the version that brought them; an older description cannot know them. */
const since: Readonly<Record<string, string>> = {
  adaptive_pricing: "2024-11-20",
  allowed_payment_method_types: "2026-10-28"
}

/** Names of fields of our samples, likewise; the reading of them is tested elsewhere. */
const sinceInAnswers: Readonly<Record<string, string>> = { advice_code: "2024-11-20" }

/** What a value of a form has wrong, each with its path. */
type Check = (shape: Shape, value: unknown, path: string) => ReadonlyArray<string>

const checksOf = (description: Description) => {
  const { version } = description.info
  const resolve = ({ $ref, ...shape }: Shape): Shape =>
    $ref === undefined
      ? shape
      : resolve(description.components.schemas[$ref.slice("#/components/schemas/".length)] ?? {})
  const isNewer = (table: Readonly<Record<string, string>>, name: string): boolean =>
    Object.hasOwn(table, name) && version < (table[name] ?? "")

  /** A form has texts alone: a text is a number or a boolean where it reads as one. */
  const checkForm: Check = (given, value, path) => {
    const shape = resolve(given)
    if (shape.anyOf !== undefined) {
      const all = shape.anyOf.map((one) => checkForm(one, value, path))
      return all.find((faults) => faults.length === 0) ?? all.flat()
    }
    if (typeof value === "string") {
      if (shape.enum !== undefined && !shape.enum.includes(value)) return [`${path}: "${value}" is not in its enum`]
      if (shape.maxLength !== undefined && value.length > shape.maxLength) return [`${path}: is too long`]
      const pattern = { integer: /^-?\d+$/, boolean: /^(?:true|false)$/, number: /^-?\d+(?:\.\d+)?$/, string: /^/ }
      const fits = pattern[(shape.type ?? "string") as keyof typeof pattern]
      return fits?.test(value) === true ? [] : [`${path}: "${value}" is not of type ${shape.type}`]
    }
    const fields = value as Readonly<Record<string, unknown>>
    if (shape.type === "array") {
      return Object.entries(fields).flatMap(([name, item]) =>
        /^\d+$/.test(name) ? checkForm(shape.items ?? {}, item, `${path}[${name}]`) : [`${path}: is no list`]
      )
    }
    if (shape.type !== "object") return [`${path}: is not of type ${shape.type}`]
    return [
      ...(shape.required ?? []).filter((name) => !(name in fields)).map((name) => `${path}.${name}: is required`),
      ...Object.entries(fields).flatMap(([name, item]) => {
        const property = shape.properties?.[name]
        const others = shape.additionalProperties
        if (property !== undefined) return checkForm(property, item, `${path}.${name}`)
        if (typeof others === "object") return checkForm(others, item, `${path}.${name}`)
        return isNewer(since, name) ? [] : [`${path}.${name}: there is no such parameter`]
      })
    ]
  }

  /** Our scripted responses omit fields, so that only what it has is checked. */
  const checkAnswer: Check = (given, value, path) => {
    const shape = resolve(given)
    if (value === null && (shape.nullable === true || shape.type === undefined)) return []
    if (shape.anyOf !== undefined) {
      const all = shape.anyOf.map((one) => checkAnswer(one, value, path))
      return all.find((faults) => faults.length === 0) ?? all.flat()
    }
    if (shape.enum !== undefined && !shape.enum.includes(value)) return [`${path}: ${value} is not in its enum`]
    if (Array.isArray(value)) {
      if (shape.type !== "array") return [`${path}: is a list`]
      return value.flatMap((item, index) => checkAnswer(shape.items ?? {}, item, `${path}[${index}]`))
    }
    if (typeof value !== "object" || value === null) {
      const type = Number.isInteger(value) ? "integer" : value === null ? "null" : typeof value
      return shape.type === type ? [] : [`${path}: is ${type}, and not ${shape.type}`]
    }
    if (shape.type !== "object") return [`${path}: is an object, and not ${shape.type}`]
    return Object.entries(value).flatMap(([name, item]) => {
      const property = shape.properties?.[name]
      const others = shape.additionalProperties
      if (property !== undefined) return checkAnswer(property, item, `${path}.${name}`)
      if (typeof others === "object") return checkAnswer(others, item, `${path}.${name}`)
      return isNewer(sinceInAnswers, name) ? [] : [`${path}.${name}: there is no such field`]
    })
  }

  const operationOf = ({ method, url }: TransportRequest): Operation | undefined => {
    const path = new URL(url).pathname
    const fits = (template: string) =>
      template === path || new RegExp(`^${template.replace(/\{[^}]+\}/g, "[^/]+")}$`).test(path)
    // An exact one goes before one with a place for an id.
    const template = Object.keys(description.paths)
      .toSorted((one) => (one === path ? -1 : 1))
      .find(fits)
    return template === undefined ? undefined : description.paths[template]?.[method.toLowerCase()]
  }

  const checkRequest = (request: TransportRequest): ReadonlyArray<string> => {
    const operation = operationOf(request)
    const what = `${request.method} ${new URL(request.url).pathname}`
    if (operation === undefined) return [`${what}: there is no such operation`]
    const query = (operation.parameters ?? []).filter((one) => one.in === "query")
    const inQuery: Shape = {
      type: "object",
      properties: Object.fromEntries(query.map(({ name, schema }) => [name, schema])),
      required: query.filter(({ required }) => required === true).map(({ name }) => name)
    }
    const inBody = operation.requestBody?.content["application/x-www-form-urlencoded"]?.schema
    return [
      ...checkForm(inQuery, nested(new URL(request.url).searchParams), `${what}?`),
      ...checkForm(inBody ?? { type: "object" }, nested(new URLSearchParams(request.body)), what)
    ]
  }

  const checkAnswerTo = (request: TransportRequest, { body, status }: TransportAnswer): ReadonlyArray<string> => {
    const responses = operationOf(request)?.responses ?? {}
    const shape = (responses[String(status)] ?? responses["default"])?.content["application/json"]?.schema
    const what = `${status} to ${request.method} ${new URL(request.url).pathname}`
    return shape === undefined ? [`${what}: is not described`] : checkAnswer(shape, JSON.parse(body), what)
  }

  return { checkAnswer, checkAnswerTo, checkRequest, schemas: description.components.schemas }
}

interface Nested {
  [name: string]: string | Nested
}

/** `a[b][0]=c` as `{ a: { b: { 0: "c" } } }`. */
function nested(form: URLSearchParams): Nested {
  const all: Nested = {}
  for (const [key, value] of form) {
    const names = key.split(/\]?\[|\]$/).filter((name) => name !== "")
    let at = all
    for (const name of names.slice(0, -1)) {
      const next = at[name] ?? {}
      if (typeof next === "string") throw new Error(`${key} is a text and more`)
      at[name] = next
      at = next
    }
    at[names.at(-1) ?? ""] = value
  }
  return all
}

/** The answers that the other tests record, by the request. */
const answersTo: Readonly<Record<string, ReadonlyArray<TransportAnswer>>> = {
  "a charge that the merchant starts": [
    answer(200, paymentIntent({ amount_received: 1234 })),
    answer(200, paymentIntent({ status: "requires_capture", amount_capturable: 1234 })),
    ...["processing", "requires_action", "canceled"].map((status) => answer(200, paymentIntent({ status }))),
    decline("insufficient_funds"),
    decline("authentication_not_handled", {}, { code: "authentication_required" }),
    failure(400, { code: "parameter_missing" }),
    failure(429, { code: "lock_timeout" }),
    failure(409, { code: "idempotency_key_in_use", type: "idempotency_error" })
  ],
  "a checkout": [answer(200, session())],
  "a capture": [
    answer(200, paymentIntent({ amount_received: 1234 })),
    failure(400, { code: "payment_intent_unexpected_state", payment_intent: paymentIntent({ status: "canceled" }) })
  ],
  "a void": [answer(200, paymentIntent({ status: "canceled" }))],
  "a refund, null": [
    answer(200, refund()),
    answer(200, refund({ status: "pending" })),
    answer(200, refund({ status: "failed", failure_reason: "lost_or_stolen_card" }))
  ],
  "a lookup without a reference": [answer(200, list([paymentIntent()])), answer(200, list([]))],
  "a lookup by reference": [answer(200, paymentIntent()), failure(404, { code: "resource_missing" })],
  "a lookup of a checkout": [
    answer(200, session()),
    answer(200, session({ status: "complete", payment_status: "paid", payment_intent: paymentIntent() })),
    answer(200, session({ status: "expired" }))
  ],
  "a lookup of a refund": [answer(200, refundList([refund()]))],
  "a lookup of a refund by reference": [answer(200, refund())],
  "a list of charges from pi_1 on": [answer(200, list([paymentIntent()]))],
  "the next page of refunds": [answer(200, refundList([refund()]))],
  "the account": [answer(200, account())]
}

describe("Stripe's description of its API", () => {
  if (named === undefined) {
    it.skip(reason)
    return
  }
  const checks = checksOf(JSON.parse(readFileSync(named, "utf8")))

  it("the answers are to requests that there are", () => {
    assert.includeMembers(
      pairs.map(([what]) => what),
      Object.keys(answersTo)
    )
  })
  for (const [what, ask] of pairs) {
    const answers = answersTo[what] ?? []
    itRuns(`${what} is a request and ${answers.length} answers as described`, function* () {
      const { connector, requests } = connected([answers[0] ?? answer(500, {})])
      yield* Effect.exit(ask(connector))
      const [request] = requests
      if (request === undefined) return assert.fail("nothing was sent")
      assert.deepStrictEqual(checks.checkRequest(request), [])
      for (const one of answers) assert.deepStrictEqual(checks.checkAnswerTo(request, one), [])
    })
  }
  itRuns("the second page of a list, and the search, are requests as described", function* () {
    const page = answer(200, list([paymentIntent({ metadata: {} })], true))
    const { connector, requests } = connected([...Array.from({ length: 20 }, () => page), answer(200, searched([]))])
    yield* asks.lookUpCharge(connector)
    for (const request of requests) assert.deepStrictEqual(checks.checkRequest(request), [])
  })
  it("the object of a dispute's event is as described", () => {
    assert.deepStrictEqual(checks.checkAnswer(checks.schemas["dispute"] ?? {}, dispute(), "dispute"), [])
  })
  it("the check finds a parameter, a value or an operation that Stripe lacks", () => {
    const request = (url: string, body: string): TransportRequest => ({
      ...{ method: "POST", url: `https://api.stripe.com/v1/${url}`, headers: {}, body, timeoutMillis: 1 }
    })
    const faultsOf = (url: string, body: string) => checks.checkRequest(request(url, body))
    assert.deepStrictEqual(faultsOf("refunds", "amount=1&payment_intent=pi_1"), [])
    assert.deepStrictEqual(faultsOf("refunds", "amout=1"), ["POST /v1/refunds.amout: there is no such parameter"])
    assert.deepStrictEqual(faultsOf("refunds", "amount=1.5"), ['POST /v1/refunds.amount: "1.5" is not of type integer'])
    assert.deepStrictEqual(faultsOf("refunds", "reason=x"), ['POST /v1/refunds.reason: "x" is not in its enum'])
    assert.include(faultsOf("payment_intents", "amount=1"), "POST /v1/payment_intents.currency: is required")
    assert.deepStrictEqual(faultsOf("refund", ""), ["POST /v1/refund: there is no such operation"])
    const status = checks.checkAnswerTo(request("payment_intents", ""), answer(200, paymentIntent({ status: "x" })))
    assert.deepStrictEqual(status, ["200 to POST /v1/payment_intents.status: x is not in its enum"])
  })
})
