/** Stripe's lists, against a Stripe that pages as its documentation says. */

import { assert, describe } from "@effect/vitest"
import { StripeConnector } from "@pointsman/connector-stripe"
import { allPages, noMethod, playedConnector } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { type Connector, type ListedCharge, type ListedPage, money } from "@pointsman/core/connector"
import { Effect } from "effect"
import { connected, declinedSoftly, eur, tagOf } from "./Calls.ts"
import {
  answer,
  dispute,
  doNotHonor,
  list,
  paged,
  paymentIntent,
  refund,
  refundList,
  type Stored,
  secretKey
} from "./Stripe.ts"

const stripeWith = (stored: () => ReadonlyArray<Stored>) =>
  playedConnector(StripeConnector.definition, ({ url }) => paged(stored(), url), { credentials: { secretKey } })

const window = { createdFrom: 1_000_000, createdBefore: 9_000_000 }
const charges = (connector: Connector, cursor: string | null = null) =>
  connector.listCharges?.({ ...window, cursor }) ?? noMethod
const disputes = (connector: Connector, cursor: string | null = null) =>
  connector.listDisputes?.({ ...window, cursor }) ?? noMethod
const refunds = (connector: Connector, cursor: string | null = null) =>
  connector.listRefunds?.({ ...window, cursor }) ?? noMethod

const intentAt = (index: number, fields?: object) => {
  const dated = { id: `pi_${index}`, created: 1_000 + index }
  const metadata = { attempt_id: `att_${index}` }
  return paymentIntent({ ...dated, amount_received: 1234, metadata, ...fields }) as unknown as Stored
}
const refundAt = (index: number, fields?: object) => {
  const metadata = { refund_id: `rf_${index}` }
  return refund({ id: `re_${index}`, created: 1_000 + index, metadata, ...fields }) as unknown as Stored
}
const many = <A>(count: number, make: (index: number) => A) => Array.from({ length: count }, (_, index) => make(index))
const numbered = (prefix: string, count: number) => many(count, (index) => `${prefix}${index}`)
const itemsIn = <A, E>(read: (cursor: string | null) => Effect.Effect<ListedPage<A>, E>) =>
  Effect.map(allPages(read), (pages) => pages.flatMap(({ items }) => items))
const attemptsOf = (items: ReadonlyArray<ListedCharge>) => items.map(({ attemptId }) => attemptId)

describe("pages", () => {
  for (const [count, pages] of [
    [0, 1],
    [1, 1],
    [100, 1],
    [101, 2],
    [250, 3]
  ] as const) {
    itRuns(`${count} charges and refunds are listed once, oldest first, in ${pages} pages`, function* () {
      const stripe = stripeWith(() => many(count, intentAt))
      const listed = yield* allPages((cursor) => charges(stripe.connector, cursor))
      assert.deepStrictEqual(attemptsOf(listed.flatMap(({ items }) => items)), numbered("att_", count))
      assert.lengthOf(listed, pages)
      // Once through all of them to the beginning, and back.
      assert.strictEqual(stripe.requests.length, 2 * pages - 1)
      const { connector } = stripeWith(() => many(count, refundAt))
      const refunded = (yield* itemsIn((cursor) => refunds(connector, cursor))).map(({ refundId }) => refundId)
      assert.deepStrictEqual(refunded, numbered("rf_", count))
    })
  }
  itRuns("charges made between two pages come too, and none comes twice", function* () {
    let count = 150
    const { connector } = stripeWith(() => many(count, intentAt))
    const listed = yield* itemsIn((cursor) => {
      const page = charges(connector, cursor)
      count += 60
      return page
    })
    const ids = attemptsOf(listed)
    assert.deepStrictEqual(ids, numbered("att_", ids.length))
    assert.isAtLeast(ids.length, 210)
  })
  itRuns("a window is whole seconds of Stripe's clock, the first inside, the last not", function* () {
    const { connector } = stripeWith(() => many(10, intentAt))
    const idsOf = (createdFrom: number, createdBefore: number) =>
      Effect.map(connector.listCharges?.({ createdFrom, createdBefore, cursor: null }) ?? noMethod, ({ items }) =>
        items.map(({ created }) => created)
      )
    assert.deepStrictEqual(yield* idsOf(1_002_000, 1_004_000), [1_002_000, 1_003_000])
    assert.deepStrictEqual(yield* idsOf(1_002_999, 1_003_001), [1_002_000, 1_003_000])
  })
  itRuns("more than may be asked for is Unanswered after 200 pages, and never a part", function* () {
    const page = answer(200, list([intentAt(1)], true))
    const { connector, requests } = connected(many(200, () => page))
    const failed = yield* Effect.flip(charges(connector))
    assert.include(failed.reason, "20000 entries")
    assert.strictEqual(requests.length, 200)
  })
  itRuns("a later page that fails, is another list or an empty one is Unanswered", function* () {
    const first = answer(200, list([intentAt(1)], true))
    for (const second of [
      answer(500, {}),
      answer(200, refundList([])),
      answer(200, list([], true)),
      answer(200, { data: [] })
    ]) {
      assert.strictEqual(yield* tagOf(charges, [first, second]), "pointsman/Unanswered")
    }
  })
})

describe("entries", () => {
  const asTold = { reference: "order 1", country: "NL", method: "card", initiator: "mit" }
  const told = { ...asTold, attempt_id: "att_1", card_brand: "visa" }
  const plain = {
    ...{ ...asTold, attemptId: "att_1", paymentId: null, idempotencyKey: null, cardBrand: "visa" },
    ...{ capture: true, money: eur },
    state: { _tag: "Captured", providerRef: "pi_1", stated: eur },
    created: 1_001_000
  }
  const one = (fields: object) =>
    charges(connected([answer(200, list([intentAt(1, { metadata: told, ...fields })]))]).connector)
  const failed = { status: "requires_payment_method", last_payment_error: doNotHonor }
  const held = { capture_method: "manual", status: "requires_capture", amount_capturable: 1234 }
  const inState = (_tag: string, more: object = {}) => ({ state: { _tag, providerRef: "pi_1", ...more } })

  for (const [what, fields, more] of [
    ["captured", {}, {}],
    ["a held one", held, { capture: false, ...inState("Authorized", { stated: eur }) }],
    [
      "one of which a part was captured",
      { amount_received: 1000 },
      inState("Captured", { stated: money(1000, "EUR") })
    ],
    ["one of another capture method", { capture_method: "of_tomorrow" }, { capture: null }],
    ["a declined one", failed, inState("Declined", declinedSoftly)],
    ["a refusal on a page", { ...failed, metadata: { ...told, checkout: "true" } }, inState("NeedsCustomer")],
    [
      "metadata that was changed by hand",
      { metadata: { attempt_id: "att_1", method: "cash", initiator: 7, country: "" } },
      { reference: null, country: null, method: null, cardBrand: null, initiator: null }
    ]
  ] as const) {
    itRuns(`${what} is listed as Stripe keeps it`, function* () {
      assert.deepStrictEqual<unknown>(yield* one(fields), {
        items: [{ ...plain, ...more }],
        unreadable: [],
        nextCursor: null
      })
    })
  }
  itRuns("payments of other programs are left out, whatever they look like", function* () {
    for (const metadata of [{}, null, { attempt_id: "" }, { attempt_id: 7 }, { attempt_id: "a\nb" }]) {
      const page = yield* one({ metadata, status: "of_tomorrow", amount: "?" })
      assert.deepStrictEqual<unknown>(page, { items: [], unreadable: [], nextCursor: null })
    }
  })
  itRuns("one of ours that cannot be read is named beside the others, without its values", function* () {
    for (const [fields, at] of [
      [{ status: "of_tomorrow" }, "status"],
      [{ status: "requires_confirmation" }, "status"],
      [{ amount: -1 }, "amount"],
      [{ currency: "xyz" }, "amount"],
      [{ created: "hunter2" }, "created"]
    ] as const) {
      const given = list([intentAt(2), intentAt(1, fields)])
      const page = yield* charges(connected([answer(200, given)]).connector)
      assert.deepStrictEqual(attemptsOf(page.items), ["att_2"])
      assert.deepStrictEqual(page.unreadable, [{ reference: "pi_1", reason: `it is not to be understood, at ${at}` }])
    }
    const shows = yield* one({ metadata: { ...told, reference: `key ${secretKey}` } })
    assert.deepStrictEqual<unknown>([shows.items, shows.unreadable.length], [[], 1])
  })
  itRuns("refunds of our charges and by hand are listed, those without a payment are not", function* () {
    const given = refundList([
      refundAt(5, { status: "of_tomorrow" }),
      refundAt(4, { payment_intent: null }),
      refundAt(3, { metadata: {}, status: "pending" }),
      refundAt(2, { status: "failed", failure_reason: "lost_or_stolen_card", amount: 500 }),
      refundAt(1)
    ])
    const { items, unreadable } = yield* refunds(connected([answer(200, given)]).connector)
    const of = { providerRef: paymentIntent().id, money: eur }
    assert.deepStrictEqual<unknown>(items, [
      {
        ...{ ...of, refundId: "rf_1", created: 1_001_000 },
        state: { _tag: "Succeeded", providerRefundId: "re_1", stated: eur }
      },
      {
        ...{ ...of, refundId: "rf_2", money: money(500, "EUR"), created: 1_002_000 },
        state: { _tag: "RefundFailed", providerRefundId: "re_2", reason: "lost_or_stolen_card" }
      },
      {
        ...{ ...of, refundId: null, created: 1_003_000 },
        state: { _tag: "RefundPending", providerRefundId: "re_3", stated: eur }
      }
    ])
    assert.deepStrictEqual(unreadable, [{ reference: "re_5", reason: "it is not to be understood, at status" }])
  })
  itRuns("each dispute is listed by its payment, as it is now, also over pages", function* () {
    const at = (index: number, fields: object = {}) =>
      dispute({ id: `du_${index}`, created: 1_000 + index, ...fields }) as unknown as Stored
    const stripe = stripeWith(() => many(101, at))
    const listed = (yield* itemsIn((cursor) => disputes(stripe.connector, cursor))).map(({ disputeId }) => disputeId)
    assert.deepStrictEqual(listed, numbered("du_", 101))
    assert.include(stripe.requests[0]?.url, "/v1/disputes?created%5Bgte%5D=1000&created%5Blt%5D=9000")
    const others = [at(4, { payment_intent: null }), at(3, { status: "of_tomorrow" }), at(2, { status: "lost" }), at(1)]
    const { items, unreadable } = yield* disputes(
      connected([answer(200, list(others, false, "/v1/disputes"))]).connector
    )
    const of = {
      ...{ charge: { providerRef: paymentIntent().id }, money: eur },
      ...{ reason: "other", providerReason: "general", at: null }
    }
    assert.deepStrictEqual<unknown>(items, [
      { ...of, disputeId: "du_1", verdict: "opened", status: "needs_response" },
      { ...of, disputeId: "du_2", verdict: "lost", status: "lost" }
    ])
    assert.deepStrictEqual(unreadable, [{ reference: "du_3", reason: "it is not to be understood, at status" }])
  })
})
