/** PayPal's list of disputes, for recovery. */

import { assert, describe } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import type { Connector, ListRequest, TransportAnswer } from "@pointsman/core/connector"
import { money } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { attemptId, connected } from "./Calls.ts"
import { amount, answer, baseUrl, captureId, clientSecret, dispute, token } from "./PayPal.ts"

const noon = Date.UTC(2026, 10, 21, 12)
const window = { createdFrom: noon, createdBefore: noon + 60 * 60_000, cursor: null }

const summaries = (ids: ReadonlyArray<string>, next?: string): TransportAnswer =>
  answer(200, {
    items: ids.map((id) => ({ dispute_id: id, status: "OPEN", dispute_state: "REQUIRED_ACTION" })),
    links: [
      { href: `${baseUrl}/v1/customer/disputes?page_size=50`, rel: "self", method: "GET" },
      ...(next === undefined ? [] : [{ href: next, rel: "next", method: "GET" }])
    ]
  })

const listing = Effect.fnUntraced(function* (script: ReadonlyArray<TransportAnswer>, request: ListRequest = window) {
  yield* TestClock.setTime(noon)
  const { connector, requests } = connected([answer(200, token()), ...script])
  const list = (of: Connector) => of.listDisputes?.(request) ?? Effect.die("no list")
  return { requests, result: yield* Effect.result(list(connector)) }
})
const page = (...given: Parameters<typeof listing>) =>
  Effect.map(listing(...given), ({ requests, result }) => ({ requests, ...Result.getOrThrow(result) }))

const plain = {
  charge: { attemptId },
  disputeId: "PP-1",
  money: money(1234, "EUR"),
  at: Date.UTC(2026, 10, 21, 11, 59, 59)
}
const one = (fields: object = {}) => answer(200, dispute(attemptId, { dispute_id: "PP-1", ...fields }))

describe("the list of disputes", () => {
  const refunded = { outcome_code: "RESOLVED_BUYER_FAVOUR", amount_refunded: amount("2.00") }
  // `Messages.test.ts` has the others.
  for (const [fields, expected] of [
    [{}, { verdict: "opened", status: "needs_response" }],
    [
      { status: "RESOLVED", dispute_outcome: refunded },
      { verdict: "lost", money: money(200, "EUR") }
    ]
  ] as const) {
    itRuns(`${JSON.stringify(fields)} is what PayPal says now, since its last change`, function* () {
      const { items, nextCursor, requests, unreadable } = yield* page([summaries(["PP-1"]), one(fields)])
      assert.deepStrictEqual<unknown>([items, unreadable, nextCursor], [[{ ...plain, ...expected }], [], null])
      const [, list, read] = requests.map(({ url }) => url)
      const times = "update_time_after=2026-11-21T12%3A00%3A00.000Z&update_time_before=2026-11-21T13%3A00%3A00.000Z"
      assert.strictEqual(list, `${baseUrl}/v1/customer/disputes?${times}&page_size=50`)
      assert.strictEqual(read, `${baseUrl}/v1/customer/disputes/PP-1`)
    })
  }
  itRuns("a next page is named, and its address is not followed", function* () {
    for (const [query, cursor] of [
      ["next_page_token=a%2Bb%3D", "next_page_token=a%2Bb%3D"],
      ["page=2&page_size=50", "page=2"]
    ]) {
      const { nextCursor } = yield* page([summaries([], `https://elsewhere.example/?${query}`)])
      assert.strictEqual(nextCursor, cursor)
      const { requests } = yield* page([summaries([])], { ...window, cursor: cursor ?? "" })
      assert.isTrue(requests[1]?.url.startsWith(`${baseUrl}/v1/customer/disputes?`))
      assert.isTrue(requests[1]?.url.endsWith(`&${cursor}`))
      const again = yield* listing([summaries([], `${baseUrl}/?${query}`)], { ...window, cursor: cursor ?? "" })
      assert.include(again.result._tag === "Failure" && again.result.failure.reason, "the same page again")
    }
    const { result } = yield* listing([summaries([], `${baseUrl}/v1/customer/disputes`)])
    assert.strictEqual(result._tag, "Failure")
  })
  itRuns("an app without disputes, or a time that PayPal does not list, has no list", function* () {
    const old = { ...window, createdFrom: noon - 180 * 24 * 60 * 60_000 }
    for (const [script, request, isUnsupported] of [
      [[answer(403, { name: "NOT_AUTHORIZED" })], window, true],
      [[], old, true],
      [[answer(500, {})], window, undefined]
    ] as const) {
      const { result } = yield* listing(script, request)
      const failure = result._tag === "Failure" ? result.failure : undefined
      assert.strictEqual(failure?._tag === "pointsman/Unanswered" && failure.isUnsupported, isUnsupported)
    }
    const young = { ...window, createdFrom: old.createdFrom + 1 }
    assert.deepStrictEqual((yield* page([summaries([])], young)).items, [])
  })
  itRuns("others' disputes are left out; one of several of ours is named and not read", function* () {
    const transaction = { seller_transaction_id: captureId }
    const several = (custom?: string) => one({ disputed_transactions: [{ ...transaction, custom }, transaction] })
    const foreign = yield* page([summaries(["PP-1"]), several()])
    assert.deepStrictEqual([foreign.items, foreign.unreadable], [[], []])
    const ours = yield* page([summaries(["PP-1"]), several(attemptId)])
    assert.deepStrictEqual<unknown>(
      [ours.items, ours.unreadable],
      [[], [{ reference: "PP-1", reason: "it is not to be understood at disputed_transactions" }]]
    )
    const named = yield* page([summaries(["PP-1"]), answer(200, dispute(undefined, { dispute_id: "PP-1" }))])
    assert.deepStrictEqual(named.items[0]?.charge, { providerRef: captureId })
  })
  itRuns("a dispute not answered, or another one, is Unanswered and never a part", function* () {
    for (const spoiled of [answer(500, {}), answer(404, {}), one({ dispute_id: "PP-2" })]) {
      assert.strictEqual((yield* listing([summaries(["PP-1"]), spoiled])).result._tag, "Failure")
    }
    const { unreadable } = yield* page([summaries(["PP-1"]), one({ update_time: clientSecret })])
    assert.deepStrictEqual(unreadable, [{ reference: "PP-1", reason: "it is not to be understood at update_time" }])
  })
})
