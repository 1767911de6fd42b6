/** Settlements that are fetched from Mollie, against a Mollie that pages as its documentation says. */

import { assert, describe, it } from "@effect/vitest"
import { MollieConnector } from "@pointsman/connector-mollie"
import { assertSecondUnreadable, playedConnector, reportIn, unknownBecause } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import type { TransportAnswer, TransportRequest } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { EntitySettlement$inboundSchema } from "mollie-api-typescript/models/entitysettlement.js"
import { answer, capture, chargeback, type Fields, payment, refund } from "./Mollie.ts"

const liveKey = "live_ofTheReports0123456789abcdefghij"
const reportToken = "access_ofTheReports0123456789abcdefgh"
const paidOut = Date.UTC(2026, 10, 21, 9, 41, 44)
const window = { createdFrom: Date.UTC(2026, 10, 21), createdBefore: Date.UTC(2026, 10, 22) }
const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })
const amount = (value: string, currency = "EUR") => ({ value, currency })
const link = (href: string) => ({ href, type: "application/hal+json" })

/** https://docs.mollie.com/reference/get-settlement */
const settlement = (id: string, fields: Fields = {}) => ({
  resource: "settlement",
  id,
  reference: `1234567.2611.${id.at(-1)}`,
  status: "paidout",
  createdAt: "2026-11-20T12:50:14+00:00",
  amount: amount("39.75"),
  balanceId: "bal_3kUf4yU2nT",
  periods: {},
  settledAt: "2026-11-21T09:41:44+00:00",
  invoiceId: "inv_FrvewDA3Pr",
  _links: { self: link(`https://api.mollie.com/v2/settlements/${id}`) },
  ...fields
})

const cost = (gross: string, currency = "EUR") => ({
  description: "Credit card",
  method: "creditcard",
  count: 10,
  rate: { fixed: amount("0.25"), percentage: "2.8" },
  amountNet: amount(gross, currency),
  amountVat: null,
  amountGross: amount(gross, currency)
})

interface Books {
  /** Newest first. */
  readonly settlements?: ReadonlyArray<Fields>
  /** By the settlement and the list: `stl_1/payments`. */
  readonly settled?: Readonly<Record<string, ReadonlyArray<Fields>>>
  /** Entries of a page; as many as are asked for unless set. */
  readonly ofPage?: number
}

/** https://docs.mollie.com/reference/pagination: `from` is the first entry of the page. */
const paged = ({ ofPage, settled = {}, settlements = [] }: Books, { url }: TransportRequest): TransportAnswer => {
  const { pathname, searchParams } = new URL(url)
  const path = pathname.replace("/v2/settlements", "").slice(1)
  const name = path.split("/")[1] ?? "settlements"
  const all = path === "" ? settlements : (settled[path] ?? [])
  const from = searchParams.get("from")
  const at = from === null ? 0 : all.findIndex(({ id }) => id === from)
  const size = ofPage ?? Number(searchParams.get("limit"))
  const data = all.slice(at, at + size)
  const next = all[at + size]
  const href = `https://api.mollie.com${pathname}?from=${next?.["id"]}&limit=${size}`
  return answer(200, {
    count: data.length,
    _embedded: { [name]: data },
    _links: { self: link(url), previous: null, next: next === undefined ? null : link(href) }
  })
}

const mollieWith = (answerTo: (request: TransportRequest) => TransportAnswer, credentials: Fields = { reportToken }) =>
  playedConnector(
    MollieConnector.definition,
    (request) => {
      assert.strictEqual(request.method, "GET")
      return answerTo(request)
    },
    { environment: "production", credentials: { apiKey: liveKey, ...credentials } }
  )

const report = reportIn("mollie-settlement", window)
const rowsOf = (books: Books) => report.rows(mollieWith((request) => paged(books, request)).connector)

const live = { mode: "live" }

describe("settlements of Mollie", () => {
  itRuns("a settlement's payments, captures, refunds and chargebacks are its rows", function* () {
    const settled = {
      "stl_1/payments": [payment({ ...live, id: "tr_1", settlementAmount: amount("12.34") })],
      "stl_1/captures": [capture({ ...live, id: "cpt_1", paymentId: "tr_2" })],
      "stl_1/refunds": [
        refund({ ...live, id: "re_1", paymentId: "tr_1", amount: amount("5.00") }),
        // Made in the dashboard.
        refund({ ...live, id: "re_2", paymentId: "tr_1", amount: amount("2.00"), metadata: null })
      ],
      "stl_1/chargebacks": [chargeback({ id: "chb_1", paymentId: "tr_2", settlementAmount: amount("-12.34") })]
    }
    const rows = yield* rowsOf({ settlements: [settlement("stl_1")], settled })
    const paid = ["1234567.2611.1", paidOut]
    assert.deepStrictEqual(
      rows.map(({ gross, id, kind, names, payoutId, settledAt }) => [
        ...[id, kind, gross, names.providerRef, payoutId, settledAt],
        ...[names.attemptId, names.operationId, names.refundId, names.providerRefundId, names.disputeId]
      ]),
      [
        ["tr_1", "charge", eur(1234), "tr_1", ...paid, "att_1", null, null, null, null],
        ["cpt_1", "charge", eur(1234), "tr_2", ...paid, null, "op_1", null, null, null],
        ["re_1", "refund", eur(-500), "tr_1", ...paid, null, null, "rf_1", "re_1", null],
        ["re_2", "refund", eur(-200), "tr_1", ...paid, null, null, null, "re_2", null],
        ["chb_1", "dispute", eur(-1234), "tr_2", ...paid, null, null, null, null, "chb_1"]
      ]
    )
    assert.strictEqual(rows[0]?.occurredAt, Date.UTC(2026, 10, 21, 12))
  })

  itRuns("the settlement's sign and amount count for money returned or converted", function* () {
    const rows = yield* rowsOf({
      settlements: [settlement("stl_1")],
      settled: {
        "stl_1/payments": [payment({ ...live, amount: amount("10.00", "USD"), settlementAmount: amount("9.12") })],
        "stl_1/refunds": [refund({ ...live, id: "re_1", amount: amount("5.00"), settlementAmount: amount("5.00") })],
        "stl_1/chargebacks": [chargeback({ id: "chb_1", amount: amount("7.00"), settlementAmount: amount("7.00") })]
      }
    })
    assert.deepStrictEqual(
      rows.map(({ converted, gross, id, kind }) => [id, kind, gross, converted]),
      [
        [rows[0]?.id, "charge", { minorUnits: 1000, currency: "USD" }, eur(912)],
        ["re_1.refund_failed", "refund_failed", eur(500), null],
        ["chb_1.dispute_reversed", "dispute_reversed", eur(700), null]
      ]
    )
  })

  itRuns("the fees of each of two months have one row", function* () {
    const periods = {
      2026: {
        10: { costs: [cost("1.21"), cost("0.30")], revenue: [], invoiceId: null },
        11: { costs: [cost("0.25")], revenue: [] },
        12: { costs: [], revenue: [] }
      }
    }
    const rows = yield* rowsOf({ settlements: [settlement("stl_1", { periods })] })
    assert.deepStrictEqual(
      rows.map(({ gross, id, kind, occurredAt, payoutId }) => [id, kind, gross, payoutId, occurredAt]),
      [
        ["stl_1.2026-10.fee", "fee", eur(-151), "1234567.2611.1", paidOut],
        ["stl_1.2026-11.fee", "fee", eur(-25), "1234567.2611.1", paidOut]
      ]
    )
  })

  itRuns("each row of many settlements paid out in the window comes once", function* () {
    const entries = (of: number) => Array.from({ length: 5 }, (_, at) => payment({ ...live, id: `tr_${of}_${at}` }))
    const settlements = [
      settlement("stl_open", { status: "open", settledAt: null, reference: null }),
      settlement("stl_after", { settledAt: "2026-11-22T00:00:00+00:00" }),
      settlement("stl_3"),
      settlement("stl_failed", { status: "failed" }),
      settlement("stl_2"),
      settlement("stl_1"),
      settlement("stl_before", { settledAt: "2026-11-20T23:59:59+00:00" }),
      settlement("stl_old", { createdAt: "2026-08-01T00:00:00+00:00", settledAt: "2026-08-03T00:00:00+00:00" })
    ]
    const settled = {
      "stl_1/payments": entries(1),
      "stl_2/payments": [],
      "stl_3/payments": entries(3),
      "stl_before/payments": entries(9),
      "stl_after/payments": entries(8),
      "stl_failed/payments": entries(7)
    }
    const rows = yield* rowsOf({ settlements, settled, ofPage: 2 })
    assert.deepStrictEqual(
      rows.map(({ id }) => id),
      [...entries(1), ...entries(3)].map(({ id }) => id)
    )
  })

  itRuns("a pending settlement of the window leaves the page unanswered, others not", function* () {
    const pending = { status: "pending" }
    const settlements = [settlement("stl_2", pending), settlement("stl_1")]
    const { connector } = mollieWith((request) => paged({ settlements }, request))
    const reason = "a settlement of the window is still pending at Mollie"
    assert.strictEqual(yield* unknownBecause(report.page(connector)), reason)
    const later = [settlement("stl_2", { ...pending, settledAt: "2026-11-22T00:00:00+00:00" })]
    assert.deepStrictEqual(yield* rowsOf({ settlements: later }), [])
  })

  itRuns("a window without a settlement is empty after one request, with only the token", function* () {
    const { connector, requests } = mollieWith((request) => paged({}, request))
    assert.deepStrictEqual(yield* report.entries(connector), [])
    assert.lengthOf(requests, 1)
    assert.strictEqual(requests[0]?.headers["authorization"], `Bearer ${reportToken}`)
  })

  it("a report without a token, or in test mode, says what is missing, unasked", () => {
    const missingOf = (environment: "production" | "sandbox", credentials: Fields) => {
      const account = { connectionId: "main", environment, credentials, timeoutMillis: 2_000 }
      const send = () => Effect.die("nothing is sent")
      return Result.getOrThrow(MollieConnector.definition.connect(account, { send })).reports?.[0]?.missing
    }
    const expected = "expected an organization access token (access_…) with settlements.read and payments.read"
    assert.strictEqual(missingOf("production", { apiKey: liveKey }), `credentials.reportToken: ${expected}`)
    assert.include(missingOf("sandbox", { apiKey: "test_ofTheReports0123456789abcdefgh", reportToken }), "test mode")
    assert.isUndefined(missingOf("production", { apiKey: liveKey, reportToken }))
  })

  for (const [field, fields] of [
    ["amount", { amount: amount("1.234") }],
    ["amount", { amount: amount("1.00", "XXX") }],
    ["createdAt", { createdAt: "yesterday" }],
    ["", { metadata: { reference: reportToken } }]
  ] as const) {
    itRuns(`a wrong ${Object.keys(fields)} (${field}) makes only its entry unreadable`, function* () {
      const payments = [payment({ ...live, id: "tr_1" }), payment({ ...live, id: "tr_2", ...fields })]
      const books = { settlements: [settlement("stl_1")], settled: { "stl_1/payments": payments } }
      const all = yield* report.entries(mollieWith((request) => paged(books, request)).connector)
      assertSecondUnreadable(all, field)
      assert.notInclude(JSON.stringify(all), reportToken)
    })
  }

  for (const [what, wrong, reason] of [
    ["an error of Mollie's", answer(500, {}), "status 500"],
    ["a token without the permission", answer(403, {}), "credentials.reportToken"],
    ["a token that was revoked", answer(401, {}), "credentials.reportToken"],
    [
      "a page of something else",
      answer(200, { count: 0, _embedded: { refunds: [] }, _links: { next: null } }),
      "_embedded"
    ],
    ["no JSON", answer(200, "<html>"), "cannot be read"]
  ] as const) {
    itRuns(`${what} makes the page unanswered with the reason, and never empty`, function* () {
      const books = { settlements: [settlement("stl_1")] }
      const { connector } = mollieWith((request) =>
        new URL(request.url).pathname === "/v2/settlements" ? paged(books, request) : wrong
      )
      for (const one of [connector, mollieWith(() => wrong).connector]) {
        assert.include(yield* unknownBecause(report.page(one)), reason)
      }
    })
  }

  itRuns("the next page of a settlement that is not listed any more is unanswered", function* () {
    const { connector } = mollieWith((request) => paged({ settlements: [settlement("stl_1")] }, request))
    const reason = yield* unknownBecause(report.page(connector, "stl_2/payments/"))
    assert.strictEqual(reason, "a settlement is not in Mollie's list any more")
  })

  it("the settlements of these tests are as Mollie describes them", () => {
    const whole = settlement("stl_1", { periods: { 2026: { 11: { costs: [cost("1.21")], revenue: [] } } } })
    const parsed = EntitySettlement$inboundSchema.safeParse(whole)
    assert.isTrue(parsed.success, String(parsed.error))
  })
})
