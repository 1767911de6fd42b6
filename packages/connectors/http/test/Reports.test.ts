/** The protocol's report rows. */

import { assert, describe } from "@effect/vitest"
import { assertSecondUnreadable, reportIn, unknownBecause } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { answer, apiKey, connect } from "./Provider.ts"

const report = reportIn("http", {
  createdFrom: Date.UTC(2026, 10, 21, 12),
  createdBefore: Date.UTC(2026, 10, 21, 13)
})

const row = (fields: object = {}) => ({
  row_id: "mv_1",
  kind: "charge",
  gross: 1999,
  currency: "EUR",
  occurred_at: "2026-11-21T13:00:00.250+01:00",
  ...fields
})

const pageOf = (rows: ReadonlyArray<unknown>, next_cursor: string | null = null) => answer(200, { rows, next_cursor })

describe("report rows", () => {
  itRuns("a report's window is in RFC 3339, its cursor encoded, without a key", function* () {
    const times = "occurred_from=2026-11-21T12%3A00%3A00.000Z&occurred_before=2026-11-21T13%3A00%3A00.000Z"
    const { connector, requests } = connect([pageOf([]), pageOf([])])
    yield* report.page(connector)
    yield* report.page(connector, "a/b c")
    const url = `GET https://provider.example/v1/report_rows?${times}`
    assert.deepStrictEqual(
      requests.map((request) => `${request.method} ${request.url}`),
      [url, `${url}&cursor=a%2Fb%20c`]
    )
    assert.notProperty(requests[0]?.headers, "idempotency-key")
  })

  itRuns("a full row and a plain one each say what their fields say", function* () {
    const full = row({
      row_id: "mv_2",
      kind: "refund",
      gross: -500,
      attempt_id: "att_1",
      operation_id: "op_1",
      refund_id: "rf_1",
      provider_reference: "ch_1",
      provider_refund_id: "re_1",
      dispute_id: "dp_1",
      reference: "order 1",
      payout_currency: "USD",
      converted: -550,
      fee: 10,
      net: -560,
      payout_id: "po_1",
      settled_at: "2026-11-22T00:00:00Z",
      generated_at: "2026-11-23T00:00:00Z"
    })
    const { connector } = connect([pageOf([row({ fee: null, reference: null }), full], "c1")])
    const usd = (minorUnits: number) => ({ minorUnits, currency: "USD" })
    const names = {
      attemptId: "att_1",
      operationId: "op_1",
      refundId: "rf_1",
      providerRef: "ch_1",
      providerRefundId: "re_1",
      disputeId: "dp_1",
      reference: "order 1"
    }
    const { entries, nextCursor } = yield* report.page(connector)
    assert.strictEqual(nextCursor, "c1")
    assert.deepStrictEqual<unknown>(
      entries.map((entry) => entry._tag === "Row" && entry.row),
      [
        {
          id: "mv_1",
          kind: "charge",
          names: Object.fromEntries(Object.keys(names).map((name) => [name, null])),
          gross: { minorUnits: 1999, currency: "EUR" },
          converted: null,
          fee: null,
          net: null,
          payoutId: null,
          occurredAt: Date.UTC(2026, 10, 21, 12, 0, 0, 250),
          settledAt: null
        },
        {
          id: "mv_2",
          kind: "refund",
          names,
          gross: { minorUnits: -500, currency: "EUR" },
          converted: usd(-550),
          fee: usd(10),
          net: usd(-560),
          payoutId: "po_1",
          occurredAt: Date.UTC(2026, 10, 21, 12, 0, 0, 250),
          settledAt: Date.UTC(2026, 10, 22),
          generatedAt: Date.UTC(2026, 10, 23)
        }
      ]
    )
  })

  for (const [what, field, fields] of [
    ["an empty id", "row_id", { row_id: "" }],
    ["an unknown kind", "kind", { kind: "sale" }],
    ["a fraction of a minor unit", "gross", { gross: 19.99 }],
    ["an amount as a text", "gross", { gross: "1999" }],
    ["a charge below 0", "gross", { gross: -1999 }],
    ["an unknown currency", "currency", { currency: "XXX" }],
    ["a time without an offset", "occurred_at", { occurred_at: "2026-11-21 12:00" }],
    ["an unknown currency of the payout", "payout_currency", { payout_currency: "XXX", converted: 1 }],
    ["another currency of the payout alone", "converted", { payout_currency: "USD" }],
    ["a converted amount in one currency", "converted", { converted: 1999 }],
    ["a fee alone", "net", { fee: 45 }],
    ["a net amount alone", "fee", { net: 45 }],
    ["the key of the adapter", "", { reference: apiKey }]
  ] as const) {
    itRuns(`a row with ${what} is unreadable at "${field}", others are not`, function* () {
      const entries = yield* report.entries(connect([pageOf([row(), row(fields)])]).connector)
      assertSecondUnreadable(entries, field)
      assert.notInclude(JSON.stringify(entries), apiKey)
    })
  }

  for (const [what, wrong, reason] of [
    ["a 501", answer(501, {}), "the adapter has no list of report rows (status 501)"],
    ["a 404", answer(404, { rows: [] }), "status 404"],
    ["a 503", answer(503, { rows: [], next_cursor: null }), "status 503"],
    ["a page without rows", answer(200, { charges: [] }), "rows"],
    ["a cursor that shows the key", pageOf([], apiKey), "next_cursor"]
  ] as const) {
    itRuns(`${what} makes the page unanswered with the reason, and never empty`, function* () {
      assert.include(yield* unknownBecause(report.page(connect([wrong]).connector)), reason)
    })
  }

  itRuns("a page with the same cursor again is unanswered", function* () {
    yield* unknownBecause(report.page(connect([pageOf([], "c1")]).connector, "c1"))
  })
})
