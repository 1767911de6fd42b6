/**
 * Random requests. A step is drawn without knowing what there will be, so that a sequence can be made shorter and still
 * makes sense: it points to payments, events and earlier requests by their number from the end, and is made a request
 * only when its turn comes.
 */
import * as fc from "fast-check"
import { type ActorName, type Asked, actors, type Body } from "./Contract.ts"
import type { Model } from "./Model.ts"

export type Step =
  | { readonly step: "ask"; readonly as: ActorName; readonly about: About }
  /** The nth last create, capture, void or refund is sent again, perhaps by another actor and with a change. */
  | {
      readonly step: "again"
      readonly as: ActorName | undefined
      readonly nth: number
      readonly change: Change
      /** Milliseconds before it is sent. */
      readonly wait: number
      /** Two are sent at once. */
      readonly times: 1 | 2
    }
  | { readonly step: "wait"; readonly wait: number }

/** `ready`: those of the actor's tenant on which the operation can be done. */
type Target = { readonly nth: number; readonly of: "ready" | "own" | "any" } | "unknown" | "malformed"
type Share = "all" | "half" | "most" | "one more" | "far more" | number
type Amount = Share | { readonly wrong: unknown } | undefined
/** Of the body of a create. */
type Change = "none" | "defaults" | "order" | "unknown field" | "amount" | "reference"
type Cursor = number | undefined

type About =
  | { readonly ask: "create"; readonly key: string | undefined; readonly body: Body }
  | { readonly ask: "retrieve"; readonly target: Target }
  | { readonly ask: "list"; readonly query: Record<string, string>; readonly before: Cursor }
  | {
      readonly ask: "timeline"
      readonly target: Target
      readonly query: Record<string, string>
      readonly after: Cursor
    }
  | {
      readonly ask: "events"
      readonly query: Record<string, string>
      readonly cursor: Cursor
      readonly by: "before" | "after"
    }
  | { readonly ask: "capture"; readonly target: Target; readonly key: string | undefined; readonly amount: Amount }
  | { readonly ask: "void"; readonly target: Target; readonly key: string | undefined }
  | {
      readonly ask: "refund"
      readonly target: Target
      readonly key: string | undefined
      readonly amount: Amount
      readonly reason: string | undefined
    }
  | { readonly ask: "badBody"; readonly of: "capture" | "refund"; readonly target: Target; readonly text: string }
  | { readonly ask: "stray"; readonly method: string; readonly path: string }

const weighted = <A>(...choices: ReadonlyArray<readonly [weight: number, arbitrary: fc.Arbitrary<A>]>) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
const oneOf = <const A>(...values: ReadonlyArray<A>) => fc.constantFrom(...values)
const maybe = <A>(arbitrary: fc.Arbitrary<A>, weight = 1) =>
  weighted<A | undefined>([weight, fc.constant(undefined)], [1, arbitrary])

const actor: fc.Arbitrary<ActorName> = weighted<ActorName>(
  [20, fc.constant("acme" as const)],
  [4, oneOf("acmeToo" as const, "globex" as const, "acmeLive" as const)],
  [1, oneOf(...(Object.keys(actors) as ReadonlyArray<ActorName>))]
)

/** The newest payment is the most probable. */
const nth = weighted([6, fc.constant(0)], [3, fc.nat(2)], [1, fc.nat(20)])
const target: fc.Arbitrary<Target> = weighted<Target>(
  [20, fc.record({ nth, of: fc.constant("ready" as const) })],
  [10, fc.record({ nth, of: fc.constant("own" as const) })],
  [2, fc.record({ nth, of: fc.constant("any" as const) })],
  [1, oneOf("unknown", "malformed")]
)

const badKeys = ["short", "x".repeat(201), "caf\u00e9-key-1", "tab\tin-the-key", ""]
const keyOf = (...good: ReadonlyArray<string>): fc.Arbitrary<string | undefined> =>
  weighted<string | undefined>([20, fc.constant(undefined)], [40, oneOf(...good)], [1, oneOf(...badKeys)])
const createKey = keyOf(
  ...["1", "2", "3", "4", "5", "6"].map((end) => `order-key-${end}`),
  "order key ~7",
  "x".repeat(200)
)
/** The same texts for every operation: a key of one is not a key of another. */
const operationKey = keyOf("order-key-1", "operation-2")

const hardOrSoft = fc
  .tuple(oneOf("decline", "soft_decline"), oneOf("insufficient_funds", "do_not_honor", "issuer_unavailable", "other"))
  .map(([kind, category]) => `${kind}:${category}`)
const outcome = weighted<string>(
  [3, fc.constant("approve")],
  [3, hardOrSoft],
  [5, oneOf("technical_error", "no_answer", "pending", "requires_authentication")]
)
const pair = fc.tuple(weighted([2, fc.constant("technical_error")], [2, hardOrSoft], [1, outcome]), outcome)
const simulate = fc.record(
  {
    charge: weighted<string | [string, string]>([10, fc.constant("approve")], [3, outcome], [3, pair]),
    capture: oneOf("confirm", "confirm", "confirm", "refuse", "no_answer"),
    void: oneOf("confirm", "refuse", "no_answer"),
    refund: oneOf("confirm", "confirm", "refuse", "no_answer", "pending"),
    lookup: oneOf("executed", "not_executed", "no_answer")
  },
  { requiredKeys: [], noNullPrototype: true }
)

const smiles = "\u{1F642}".repeat(64)
const goodFields = fc
  .record(
    {
      amount: oneOf(1999, 50, 51, 100, 100_000_000),
      currency: weighted([12, fc.constant("EUR")], [4, oneOf("USD", "JPY")], [1, fc.constant("KWD")]),
      country: oneOf("NL", "US"),
      capture_method: weighted([3, fc.constant("manual")], [1, fc.constant("automatic")]),
      simulate,
      reference: oneOf("order-1", "order-2", "", smiles),
      method: oneOf("card", "bank", "wallet", "crypto"),
      card_brand: oneOf("visa", "x".repeat(20)),
      initiator: oneOf("cit", "mit"),
      debug: fc.boolean(),
      cancel_url: oneOf("https://shop.example/cancel"),
      return_url: oneOf("https://shop.example/back?order=1", "http://localhost:8080/")
    },
    { requiredKeys: ["amount", "currency", "country"], noNullPrototype: true }
  )
  // Most payments are charged at once.
  .chain(({ return_url, ...rest }) =>
    weighted([9, fc.constant(rest)], [1, fc.constant(return_url === undefined ? rest : { ...rest, return_url })])
  )

/** Each is wrong by itself. */
const wrongFields: Record<string, ReadonlyArray<unknown>> = {
  amount: [49, 100_000_001, 0, -100, 100.5, "1999", null, [100]],
  currency: ["EUX", "eur", "EURO", "", null, 978],
  country: ["XX", "nl", "NLD", "", null],
  method: ["cash", "CARD", null],
  card_brand: ["x".repeat(21), 4],
  reference: ["x".repeat(65), `${smiles}!`, 12],
  initiator: ["merchant", true],
  capture_method: ["later", false],
  return_url: ["shop.example/back", "javascript:alert(1)", "ftp://shop.example/", ""],
  cancel_url: ["/cancel", "mailto:a@shop.example"],
  debug: ["true", 1],
  simulate: [
    ...["approve", [], { charge: "explode" }, { charge: "decline" }, { charge: "decline:bad_luck" }, { charge: 7 }],
    ...[{ charge: ["approve", "explode"] }, { capture: "pending" }, { void: "approve" }, { refund: "decline" }],
    ...[{ lookup: "confirm" }]
  ]
}
const wrongField = oneOf(
  ...Object.entries(wrongFields).flatMap(([name, values]) => values.map((value) => ({ [name]: value })))
)
const withoutOne = fc
  .tuple(goodFields, oneOf("amount", "currency", "country"))
  .map(([fields, name]) => Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name)))
const notJson = oneOf("", "{", "{'amount':1999}", '{"amount":1999,}', "amount=1999")
const notObjects = oneOf("[]", "null", '"payment"', "1999")
const tooLarge = goodFields.map((fields) => ({ json: { ...fields, padding: "x".repeat(16_384) } }))
const justNotTooLarge = goodFields.map((fields) => {
  const room = 16_384 - new TextEncoder().encode(JSON.stringify({ ...fields, padding: "" })).length
  return { json: { ...fields, padding: "x".repeat(room) } }
})

const createBody: fc.Arbitrary<Body> = weighted<Body>(
  [80, goodFields.map((json) => ({ json }))],
  [4, fc.tuple(goodFields, wrongField).map(([fields, wrong]) => ({ json: { ...fields, ...wrong } }))],
  [1, withoutOne.map((json) => ({ json }))],
  [1, fc.oneof(notJson, notObjects).map((text) => ({ text }))],
  [1, fc.oneof(tooLarge, justNotTooLarge)]
)

const amount: fc.Arbitrary<Amount> = weighted<Amount>(
  [5, fc.constant(undefined)],
  [8, oneOf<Share>("all", "half", "most", 1, 20)],
  [2, oneOf<Share>("one more", "far more")],
  [1, oneOf<unknown>(0, -1, 1.5, "10", null, true).map((wrong): Amount => ({ wrong }))]
)

const limit = weighted<string>(
  [6, oneOf("1", "2", "3", "5")],
  [2, oneOf("100", "50")],
  [1, oneOf("0", "101", "-1", "1.5", "many")]
)
const statuses = ["captured", "AUTHORIZED", "Declined", "unknown", "CANCELLED", "pending", "REQUIRES_ACTION", "failed"]
const status = weighted([8, oneOf(...statuses, "refunded", "partially_refunded", "CREATED")], [1, oneOf("paid", "")])
const types = ["payment.created", "payment.captured", "payment.declined", "payment.unknown", "payment.refunded"]
const type = oneOf(...types, "payment.authorized", "payment.cancelled", "payment.capture_unknown", "payment.paid")
const cursor: fc.Arbitrary<Cursor> = maybe(fc.nat(12), 2)
const query = <A extends Record<string, fc.Arbitrary<string>>>(fields: A) =>
  fc.record(fields, { requiredKeys: [], noNullPrototype: true }) as unknown as fc.Arbitrary<Record<string, string>>

const payments = "/api/v1/payments"
const someId = "019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01"
const stray = oneOf(
  ...["PUT", "DELETE", "PATCH"].flatMap((method) =>
    [payments, `${payments}/${someId}`, "/api/v1/events"].map((path) => ({ method, path }))
  ),
  { method: "POST", path: `${payments}/${someId}` },
  { method: "POST", path: `${payments}/${someId}/events` },
  { method: "POST", path: "/api/v1/events" },
  ...["capture", "void", "refunds"].map((operation) => ({ method: "GET", path: `${payments}/${someId}/${operation}` })),
  { method: "GET", path: "/api/v1/transactions" },
  { method: "POST", path: "/api/v2/payments" },
  { method: "GET", path: `${payments}/${someId}/refund` },
  { method: "GET", path: "/api/v1" }
)

const about: fc.Arbitrary<About> = weighted<About>(
  [28, fc.record({ ask: fc.constant("create" as const), key: createKey, body: createBody })],
  [12, fc.record({ ask: fc.constant("capture" as const), target, key: operationKey, amount })],
  [6, fc.record({ ask: fc.constant("void" as const), target, key: operationKey })],
  [
    18,
    fc.record({
      ask: fc.constant("refund" as const),
      target,
      key: operationKey,
      amount,
      reason: maybe(oneOf("late", "x".repeat(200), "x".repeat(201)), 9)
    })
  ],
  [
    1,
    fc.record({
      ask: fc.constant("badBody" as const),
      of: oneOf("capture", "refund"),
      target,
      text: fc.oneof(oneOf("{", "{'amount':1}"), notObjects)
    })
  ],
  [4, fc.record({ ask: fc.constant("retrieve" as const), target })],
  [5, fc.record({ ask: fc.constant("list" as const), query: query({ status, limit }), before: cursor })],
  [3, fc.record({ ask: fc.constant("timeline" as const), target, query: query({ limit }), after: cursor })],
  [
    5,
    fc.record({
      ask: fc.constant("events" as const),
      query: query({ type, limit }),
      cursor,
      by: oneOf("before", "after")
    })
  ],
  [1, stray.map((one) => ({ ask: "stray" as const, ...one }))]
)

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
/** Each a little over, so that no sum of them is exactly 15 minutes or 24 hours: of the very edge nothing is stated. */
const wait = oneOf(3 * minute, 16 * minute, 11 * hour, 24 * hour - minute, 24 * hour).map((millis) => millis + 1)

const step: fc.Arbitrary<Step> = weighted<Step>(
  [20, fc.record({ step: fc.constant("ask" as const), as: actor, about })],
  [
    12,
    fc.record({
      step: fc.constant("again" as const),
      as: maybe(actor, 6),
      nth,
      change: oneOf<Change>("none", "none", "defaults", "order", "unknown field", "amount", "reference"),
      wait: weighted([3, fc.constant(0)], [1, wait]),
      times: weighted<1 | 2>([3, fc.constant(1)], [1, fc.constant(2)])
    })
  ],
  [2, wait.map((millis) => ({ step: "wait" as const, wait: millis }))]
)

export const steps = (maxLength: number): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc.noBias(fc.array(step, { minLength: 1, maxLength, size: "max" }))

/** The request that a step makes of what there is now; `undefined` when there is nothing that it could be about. */
export const asked = (
  step: Exclude<Step, { step: "wait" }>,
  model: Model,
  before: ReadonlyArray<Asked>
): Asked | undefined => {
  if (step.step === "again") return again(step, before)
  const { about, as } = step
  switch (about.ask) {
    case "create":
    case "stray":
      return { as, ...about }
    case "list": {
      const ids = model.paymentIds("own", as)
      return { as, ask: "list", query: { ...about.query, ...cursorOf("before", ids, about.before) } }
    }
    case "events":
      return { as, ask: "events", query: { ...about.query, ...cursorOf(about.by, model.eventIds(as), about.cursor) } }
  }
  const id = idOf(about.target, as, model, about.ask)
  if (id === undefined) return undefined
  switch (about.ask) {
    case "retrieve":
      return { as, ask: "retrieve", id }
    case "timeline": {
      const ids = model.eventIds(as, id)
      return { as, ask: "timeline", id, query: { ...about.query, ...cursorOf("after", ids, about.after) } }
    }
    case "void":
      return { as, ask: "void", id, key: about.key }
    case "capture":
    case "refund": {
      const fields = {
        ...(about.amount === undefined ? {} : { amount: amountOf(about.amount, model.amountOf(id, about.ask)) }),
        ...(about.ask === "refund" && about.reason !== undefined ? { reason: about.reason } : {})
      }
      const body = Object.keys(fields).length === 0 ? undefined : { json: fields }
      return { as, ask: about.ask, id, key: about.key, body }
    }
    case "badBody":
      return { as, ask: about.of, id, key: undefined, body: { text: about.text } }
  }
}

const again = (
  { as, change: how, nth, times }: Extract<Step, { step: "again" }>,
  before: ReadonlyArray<Asked>
): Asked | undefined => {
  const requests = before.filter((one) => "key" in one).filter((one) => times === 1 || isFitForTwo(one))
  const one = requests.at(-1 - (nth % Math.max(requests.length, 1)))
  if (one === undefined) return undefined
  const changed = one.ask === "create" ? { ...one, body: change(one.body, how) } : one
  return { ...changed, as: as ?? one.as }
}

/**
 * Two at once have to end as one after the other would, except for the second's response. Without a key two creates are
 * two payments whose order is open, and two refunds of a part see each other's amounts.
 */
const isFitForTwo = (one: Extract<Asked, { key: unknown }>): boolean =>
  one.key !== undefined || one.ask === "void" || (one.ask !== "create" && one.body === undefined)

const change = (body: Body, how: Change): Body => {
  if (body === undefined || "text" in body || typeof body.json !== "object" || body.json === null) return body
  const { json } = body
  switch (how) {
    case "none":
      return body
    case "defaults":
      return { json: { method: "card", initiator: "cit", capture_method: "automatic", debug: false, ...json } }
    case "order":
      return { json: Object.fromEntries(Object.entries(json).reverse()) }
    case "unknown field":
      return { json: { ...json, coupon: "SPRING" } }
    case "amount":
      return { json: { ...json, amount: 2_000 } }
    case "reference":
      return { json: { ...json, reference: "another" } }
  }
}

/** `undefined`: there is none. */
const idOf = (target: Target, as: ActorName, model: Model, operation: About["ask"]): string | undefined => {
  if (target === "malformed") return "not-an-id"
  if (target === "unknown") return someId
  const ids = model.paymentIds(target.of, as, operation)
  return ids.at(-1 - (target.nth % Math.max(ids.length, 1)))
}

const cursorOf = (name: string, ids: ReadonlyArray<string>, nth: Cursor): Record<string, string> => {
  const id = nth === undefined ? undefined : ids.at(-1 - (nth % Math.max(ids.length, 1)))
  return id === undefined ? {} : { [name]: id }
}

const amountOf = (amount: Exclude<Amount, undefined>, whole: number): unknown => {
  if (typeof amount === "number") return amount
  if (typeof amount === "object") return amount.wrong
  const shares = {
    all: whole,
    half: Math.floor(whole / 2) || 1,
    most: whole - 1 || 1,
    "one more": whole + 1,
    "far more": 10 ** 9
  }
  return shares[amount]
}
