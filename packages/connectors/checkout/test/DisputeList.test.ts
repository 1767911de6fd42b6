/** Checkout.com's list of disputes, for recovery. */

import { assert, describe } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import type { Connector, TransportAnswer } from "@pointsman/core/connector"
import { money } from "@pointsman/core/connector"
import { Effect } from "effect"
import { attemptId, connected, reference } from "./Calls.ts"
import { answer, dispute, paymentId, secretKey } from "./Checkout.ts"

const noon = Date.UTC(2026, 10, 21, 12)
const window = { createdFrom: noon, createdBefore: noon + 60 * 60_000, cursor: null }
const list = (connector: Connector) => connector.listDisputes?.(window) ?? Effect.die("no list")

const entry = (fields: object = {}) =>
  dispute({ status: "evidence_required", last_update: "2026-11-21T12:30:00Z", ...fields })
const part = (data: ReadonlyArray<unknown>, total = data.length): TransportAnswer =>
  answer(200, { limit: 250, skip: 0, total_count: total, data })
const many = (count: number) => Array.from({ length: count }, (_, at) => entry({ id: `dsp_${at}` }))

const plain = {
  charge: { providerRef: paymentId },
  disputeId: "dsp_9rjdlsd4epepfjyyf9vl",
  money: money(1234, "EUR"),
  at: noon + 30 * 60_000
}

describe("the list of disputes", () => {
  for (const [fields, expected] of [
    [{}, { verdict: "opened", status: "needs_response" }],
    [{ status: "evidence_under_review" }, { verdict: "opened", status: "under_review" }],
    [{ status: "arbitration_under_review" }, { verdict: "opened", status: "under_review" }],
    [{ status: "won" }, { verdict: "won" }],
    [{ status: "canceled" }, { verdict: "won" }],
    [{ status: "resolved", resolved_reason: "already_refunded" }, { verdict: "won" }],
    [{ status: "resolved", resolved_reason: "rapid_dispute_resolution" }, { verdict: "lost" }],
    [{ status: "lost" }, { verdict: "lost" }],
    [{ status: "expired" }, { verdict: "lost" }],
    [{ status: "accepted" }, { verdict: "lost" }],
    [{ status: "arbitration_won" }, { verdict: "won" }],
    [{ status: "arbitration_lost" }, { verdict: "lost" }],
    [{ payment_reference: reference }, { charge: { attemptId }, verdict: "opened", status: "needs_response" }],
    [
      { evidence_required_by: "2026-12-01T00:00:00Z" },
      { verdict: "opened", status: "needs_response", dueBy: Date.UTC(2026, 11, 1) }
    ]
  ] as const) {
    itRuns(`${JSON.stringify(fields)} is what it says now, since its last change`, function* () {
      const { connector, requests } = connected([part([entry(fields)])])
      assert.deepStrictEqual<unknown>(yield* list(connector), {
        items: [{ ...plain, ...expected }],
        unreadable: [],
        nextCursor: null
      })
      assert.strictEqual(
        requests[0]?.url,
        "https://checkout.example/disputes?limit=250&skip=0&to=2026-11-21T13%3A00%3A00.000Z&from=2026-11-21T12%3A00%3A00.000Z"
      )
    })
  }
  itRuns("each of several parts begins with the last entry of the part before", function* () {
    const all = many(300)
    const { connector, requests } = connected([part(all.slice(0, 250), 300), part(all.slice(249), 300)])
    const { items } = yield* list(connector)
    assert.deepStrictEqual(
      items.map(({ disputeId }) => disputeId),
      all.map(({ id }) => id).toReversed()
    )
    assert.include(requests[1]?.url, "skip=249")
  })
  itRuns("a list that changes while read, or never ends, is Unanswered and never a part", function* () {
    const all = many(300)
    for (const second of [part(all.slice(248, 299), 300), part([], 300), part([all[249]], 300)]) {
      const failed = yield* Effect.flip(list(connected([part(all.slice(0, 250), 300), second]).connector))
      assert.include(failed.reason, "changed while it was read")
    }
    const parts = Array.from({ length: 20 }, (_, at) =>
      part([entry({ id: `d${at}` }), entry({ id: `d${at + 1}` })], 99)
    )
    assert.include((yield* Effect.flip(list(connected(parts).connector))).reason, "more than 5000 disputes")
  })
  itRuns("a key that may not view disputes has no list", function* () {
    for (const [status, isUnsupported] of [
      [403, true],
      [401, undefined],
      [500, undefined]
    ] as const) {
      const failed = yield* Effect.flip(list(connected([answer(status, {})]).connector))
      assert.strictEqual(failed._tag === "pointsman/Unanswered" && failed.isUnsupported, isUnsupported)
    }
  })
  itRuns("unreadable entries are named beside the others, without their values", function* () {
    for (const [fields, at] of [
      [{ status: "of_tomorrow" }, "it is not to be understood at status"],
      [{ last_update: "hunter2" }, "it is not to be understood at last_update"],
      [{ payment_id: 7 }, "it is not to be understood at payment_id"],
      [{ payment_id: `pay_${secretKey}` }, "it shows a secret"]
    ] as const) {
      const { items, unreadable } = yield* list(
        connected([part([entry(), entry({ id: "dsp_2", ...fields })])]).connector
      )
      assert.strictEqual(items.length, 1)
      assert.deepStrictEqual(unreadable, [{ reference: "dsp_2", reason: at }])
    }
  })
})
