/** The protocol's lists of charges and refunds, for recovery. */

import { assert, describe } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import {
  type ListedPage,
  type ListRequest,
  money,
  type NotSent,
  type TransportAnswer,
  type Unanswered
} from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { answer, apiKey, connect } from "./Provider.ts"

const window: ListRequest = {
  createdFrom: Date.UTC(2026, 10, 21, 12),
  createdBefore: Date.UTC(2026, 10, 22),
  cursor: null
}

const listed = Effect.fnUntraced(function* (
  what: "charges" | "refunds" | "disputes",
  answered: TransportAnswer,
  request = window
) {
  const { connector, requests } = connect([answered])
  const { listCharges: charges, listDisputes: disputes, listRefunds: refunds } = connector
  const list: Effect.Effect<ListedPage<unknown>, NotSent | Unanswered> | undefined = { charges, disputes, refunds }[
    what
  ]?.(request)
  const result = yield* Effect.result(list ?? Effect.die("no list"))
  return { result, request: requests[0] }
})

/** What is listed on the only page. */
const page = Effect.fnUntraced(function* (what: "charges" | "refunds" | "disputes", ...items: ReadonlyArray<unknown>) {
  const { result } = yield* listed(what, answer(200, { [what]: items }))
  const { nextCursor, ...told } = Result.getOrThrow(result)
  assert.isNull(nextCursor)
  return told as unknown
})

const charge = (fields: object = {}) => ({
  provider_reference: "ch_1",
  status: "captured",
  captured_amount: 700,
  amount: 1000,
  currency: "EUR",
  attempt_id: "att_1",
  created: "2026-11-21T13:00:00.250+01:00",
  ...fields
})
const refund = (fields: object = {}) => ({
  provider_refund_id: "re_1",
  provider_reference: "ch_1",
  status: "failed",
  failure_reason: "closed",
  amount: 300,
  currency: "EUR",
  refund_id: "rf_1",
  created: "2026-11-21T12:00:00Z",
  ...fields
})
const plain = {
  attemptId: "att_1",
  ...{ paymentId: null, idempotencyKey: null, reference: null, country: null, method: null, cardBrand: null },
  ...{ initiator: null, capture: null, money: money(1000, "EUR"), created: Date.UTC(2026, 10, 21, 12, 0, 0, 250) },
  state: { _tag: "Captured", providerRef: "ch_1", stated: money(700, "EUR") }
}

describe("requests", () => {
  itRuns("a window is in RFC 3339, its cursor encoded, without an idempotency key", function* () {
    const times = "created_from=2026-11-21T12%3A00%3A00.000Z&created_before=2026-11-22T00%3A00%3A00.000Z"
    for (const what of ["charges", "refunds"] as const) {
      const first = yield* listed(what, answer(200, { [what]: [] }))
      assert.strictEqual(first.request?.url, `https://provider.example/v1/${what}?${times}`)
      const next = yield* listed(what, answer(200, { [what]: [] }), { ...window, cursor: "a b&c" })
      assert.strictEqual(next.request?.url, `https://provider.example/v1/${what}?${times}&cursor=a%20b%26c`)
      assert.strictEqual(next.request?.method, "GET")
      assert.isUndefined(next.request?.headers["idempotency-key"])
    }
  })
})

describe("pages", () => {
  itRuns("501 is unsupported, and an invalid page only Unanswered", function* () {
    for (const what of ["charges", "refunds"] as const) {
      for (const [answered, isUnsupported] of [
        [answer(501, {}), true],
        [answer(404, { found: false }), undefined],
        [answer(400, { error: { code: "attempt_id_missing", message: "attempt_id" } }), undefined],
        // An adapter that knows no lists may look for a charge without an id, or answer the other list.
        [answer(200, charge()), undefined],
        [answer(200, { [what === "charges" ? "refunds" : "charges"]: [] }), undefined],
        [answer(200, { [what]: {} }), undefined],
        [answer(200, { [what]: [], next_cursor: "" }), undefined],
        [answer(200, { [what]: [], next_cursor: 2 }), undefined],
        [answer(200, { [what]: [], next_cursor: "here" }), undefined],
        [answer(200, { [what]: [], next_cursor: `to ${apiKey}` }), undefined]
      ] as const) {
        const { result } = yield* listed(what, answered, { ...window, cursor: "here" })
        if (Result.isSuccess(result) || result.failure._tag !== "pointsman/Unanswered") {
          return assert.fail(`expected Unanswered to ${answered.body}`)
        }
        assert.strictEqual(result.failure.isUnsupported, isUnsupported)
      }
    }
  })
  itRuns("a charge of which the adapter knows no more is null in what it does not say", function* () {
    const { result } = yield* listed("charges", answer(200, { charges: [charge()], next_cursor: "more" }))
    assert.deepStrictEqual<unknown>(Result.getOrThrow(result), { items: [plain], unreadable: [], nextCursor: "more" })
  })
  itRuns("unreadable entries are named beside the others, without their values", function* () {
    const at = (field: string) => `it is not as the protocol says at ${field}`
    for (const [entry, reference, reason] of [
      [charge({ attempt_id: undefined }), "ch_1", at("attempt_id")],
      [charge({ amount: undefined }), "ch_1", at("amount")],
      [charge({ currency: null }), "ch_1", at("currency")],
      [charge({ currency: "XYZ" }), "ch_1", at("currency")],
      [charge({ status: "of_tomorrow" }), "ch_1", at("status")],
      [charge({ status: "declined" }), "ch_1", at("decline")],
      [charge({ created: "hunter2" }), "ch_1", at("created")],
      [charge({ method: "cash" }), "ch_1", at("method")],
      [charge({ reference: `order ${apiKey}` }), "ch_1", "it shows a secret"],
      [charge({ provider_reference: ".." }), null, at("provider_reference")],
      [charge({ provider_reference: apiKey }), null, "it shows a secret"],
      [null, null, at("")]
    ] as const) {
      const told = yield* page("charges", entry, charge())
      assert.deepStrictEqual(told, { items: [plain], unreadable: [{ reference, reason }] })
    }
  })
  itRuns("each refund is listed with its charge, also one that was not made by us", function* () {
    const of = {
      ...{ providerRef: "ch_1", money: money(300, "EUR"), created: Date.UTC(2026, 10, 21, 12) },
      state: { _tag: "RefundFailed", providerRefundId: "re_1", reason: "closed" }
    }
    const told = yield* page("refunds", refund(), refund({ refund_id: null }), refund({ provider_reference: "" }))
    assert.deepStrictEqual(told, {
      items: [
        { ...of, refundId: "rf_1" },
        { ...of, refundId: null }
      ],
      unreadable: [{ reference: "re_1", reason: "it is not as the protocol says at provider_reference" }]
    })
  })

  const dispute = (fields: object = {}) => ({
    ...{ dispute_id: "dp_1", attempt_id: "att_1", status: "needs_response", updated: "2026-11-21T12:00:00Z" },
    ...{ amount: 300, currency: "EUR", reason: "fraudulent", evidence_due_by: "2026-12-01T00:00:00Z" },
    ...fields
  })
  itRuns("each dispute has its charge, its terms, and the verdict of its status", function* () {
    const of = {
      ...{ charge: { attemptId: "att_1" }, disputeId: "dp_1", at: Date.UTC(2026, 10, 21, 12) },
      ...{ money: money(300, "EUR"), reason: "fraudulent", providerReason: "fraudulent" },
      dueBy: Date.UTC(2026, 11, 1)
    }
    for (const [fields, expected] of [
      [{}, { verdict: "opened", status: "needs_response" }],
      [{ status: "under_review" }, { verdict: "opened", status: "under_review" }],
      [{ status: "warning" }, { verdict: null, status: "warning" }],
      [{ status: "won" }, { verdict: "won", status: "won" }],
      [{ status: "lost" }, { verdict: "lost", status: "lost" }],
      [{ status: "accepted" }, { verdict: "lost", status: "accepted" }],
      [
        { attempt_id: null, provider_reference: "ch_1" },
        { charge: { providerRef: "ch_1" }, verdict: "opened", status: "needs_response" }
      ]
    ] as const) {
      const { request, result } = yield* listed("disputes", answer(200, { disputes: [dispute(fields)] }))
      const [item, ...others] = Result.getOrThrow(result).items
      assert.deepStrictEqual<unknown>([item, others], [{ ...of, ...expected }, []])
      assert.include(request?.url, "/v1/disputes?created_from=2026-11-21T12%3A00%3A00.000Z&created_before=")
    }
  })
  itRuns("an adapter without the list has none; a dispute without its charge is named", function* () {
    for (const [status, isUnsupported] of [
      [501, true],
      [404, true],
      [405, true],
      [500, undefined],
      [401, undefined]
    ] as const) {
      const { result } = yield* listed("disputes", answer(status, { error: { code: "none", message: "none" } }))
      const failure = Result.isFailure(result) ? result.failure : undefined
      assert.strictEqual(failure?._tag === "pointsman/Unanswered" && failure.isUnsupported, isUnsupported)
    }
    for (const [fields, at] of [
      [{ attempt_id: null }, "attempt_id"],
      [{ status: "of_tomorrow" }, "status"],
      [{ updated: null }, "updated"]
    ] as const) {
      assert.deepStrictEqual(yield* page("disputes", dispute(fields)), {
        items: [],
        unreadable: [{ reference: "dp_1", reason: `it is not as the protocol says at ${at}` }]
      })
    }
  })
})
