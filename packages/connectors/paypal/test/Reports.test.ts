/** Reports that are fetched from PayPal, against a PayPal that pages as its documentation says. */

import { assert, describe } from "@effect/vitest"
import { assertSecondUnreadable, playedConnector, reportIn, unknownBecause } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import type { TransportAnswer } from "@pointsman/core/connector"
import { attemptId, operationId, refundId } from "./Calls.ts"
import { amount, answer, clientSecret, credentials, definition, type Fields, orderId, token } from "./PayPal.ts"

const noon = Date.UTC(2026, 10, 21, 12)
const hour = 3_600_000
const window = { createdFrom: noon, createdBefore: noon + hour }

/** https://developer.paypal.com/docs/api/transaction-search/v1/#transactions_get */
const transaction = (id: string, fields: Fields = {}) => ({
  transaction_info: {
    paypal_account_id: "6STWC2LSUYYYE",
    transaction_id: id,
    paypal_reference_id: orderId,
    paypal_reference_id_type: "ODR",
    transaction_event_code: "T0006",
    transaction_initiation_date: "2026-11-21T12:00:05+0000",
    transaction_updated_date: "2026-11-21T12:00:07+0000",
    transaction_amount: amount("19.99"),
    fee_amount: amount("-0.84"),
    transaction_status: "S",
    invoice_id: operationId,
    custom_field: attemptId,
    protection_eligibility: "01",
    ...fields
  }
})

const moved = (transaction_event_code: string, value: string) => ({
  transaction_event_code,
  transaction_amount: amount(value)
})

const search = (details: ReadonlyArray<unknown>, fields: Fields = {}) =>
  answer(200, {
    transaction_details: details,
    account_number: "XZXSPECPDZHZU",
    start_date: "2026-11-21T12:00:00+0000",
    end_date: "2026-11-21T12:59:59+0000",
    last_refreshed_datetime: "2026-11-21T15:59:59+0000",
    page: 1,
    total_items: details.length,
    total_pages: 1,
    links: [],
    ...fields
  })

const payPalWith = (answerTo: (query: URLSearchParams) => TransportAnswer) => {
  const asked: Array<URLSearchParams> = []
  const { connector } = playedConnector(
    definition,
    ({ method, url }) => {
      const { pathname, searchParams } = new URL(url)
      if (pathname === "/v1/oauth2/token") return answer(200, token())
      assert.deepStrictEqual([method, pathname], ["GET", "/v1/reporting/transactions"])
      asked.push(searchParams)
      return answerTo(searchParams)
    },
    { credentials }
  )
  return { asked, connector }
}

const report = reportIn("paypal-settlement", window)
const rowsOf = (...details: ReadonlyArray<unknown>) => report.rows(payPalWith(() => search(details)).connector)

const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })

describe("reports of PayPal", () => {
  itRuns("a capture's row names attempt, operation and order, and has the fee", function* () {
    const { asked, connector } = payPalWith(() => search([transaction("8MC585209K746392H")]))
    assert.deepStrictEqual(yield* report.rows(connector), [
      {
        id: "8MC585209K746392H",
        kind: "charge",
        names: {
          ...{ attemptId, operationId, refundId: null, providerRef: orderId },
          ...{ providerRefundId: null, disputeId: null, reference: null }
        },
        gross: eur(1999),
        converted: null,
        fee: eur(84),
        net: eur(1915),
        payoutId: null,
        occurredAt: noon + 5_000,
        settledAt: null
      }
    ])
    assert.deepStrictEqual(
      [...(asked[0]?.entries() ?? [])],
      [
        ["start_date", "2026-11-21T12:00:00Z"],
        ["end_date", "2026-11-21T12:59:59Z"],
        ["fields", "transaction_info"],
        ["balance_affecting_records_only", "Y"],
        ["page_size", "500"],
        ["page", "1"]
      ]
    )
  })

  itRuns("each kind of transaction has a row of its kind, with the file's sign", function* () {
    const cases = [
      ["T0006", "5.00", "charge"],
      ["T0001", "-5.00", "adjustment"],
      ["T1107", "-5.00", "refund"],
      ["T1107", "5.00", "refund_failed"],
      ["T1106", "-5.00", "dispute"],
      ["T1201", "5.00", "dispute_reversed"],
      ["T0106", "-5.00", "fee"],
      ["T0400", "-5.00", "payout"],
      ["T1101", "5.00", "payout_failed"],
      ["T1110", "-5.00", "adjustment"],
      ["T9999", "5.00", "adjustment"]
    ] as const
    const rows = yield* rowsOf(
      ...cases.map(([code, value], at) => transaction(`t${at}`, { ...moved(code, value), fee_amount: undefined }))
    )
    assert.deepStrictEqual(
      rows.map(({ gross, kind }) => [kind, gross.minorUnits]),
      cases.map(([, value, kind]) => [kind, Number(value) * 100])
    )
    assert.deepStrictEqual([rows[7]?.payoutId, rows[8]?.payoutId, rows[0]?.payoutId], ["t7", "t8", null])
  })

  itRuns("a refund of ours and one by hand name their transactions, and ours its refund", function* () {
    const ours = { ...moved("T1107", "-5.00"), fee_amount: amount("0.20") }
    const ofTransaction = { invoice_id: undefined, paypal_reference_id_type: "TXN" }
    const rows = yield* rowsOf(
      transaction("r1", { ...ours, ...ofTransaction, custom_field: refundId }),
      transaction("r2", { ...ours, custom_field: undefined, invoice_id: "order 7" })
    )
    const paid = [eur(-20), eur(-480)]
    assert.deepStrictEqual(
      rows.map(({ fee, names: { providerRef, providerRefundId, reference, refundId }, net }) => [
        ...[refundId, providerRefundId, providerRef, reference],
        ...[fee, net]
      ]),
      [
        [refundId, "r1", null, null, ...paid],
        [null, "r2", orderId, "order 7", ...paid]
      ]
    )
  })

  itRuns("transactions that wait, were denied or only hold money are no rows", function* () {
    const rows = yield* rowsOf(
      transaction("a", { transaction_status: "P" }),
      transaction("b", { transaction_status: "D" }),
      transaction("c", { transaction_event_code: "T1300" }),
      transaction("d", { transaction_status: "V" }),
      transaction("e", { ...moved("T1107", "-5.00"), transaction_status: "P" }),
      // A payout that its receiver has not claimed left the balance.
      transaction("f", { ...moved("T0001", "-1.00"), transaction_status: "P" }),
      transaction("g", { ...moved("T0001", "1.00"), transaction_status: "P" })
    )
    assert.deepStrictEqual(
      rows.map(({ id }) => id),
      ["d", "f"]
    )
  })

  itRuns("each of three pages is asked for once, and no transaction is missing", function* () {
    const { asked, connector } = payPalWith((query) =>
      search([transaction(`t${query.get("page")}`)], { total_items: 3, total_pages: 3 })
    )
    assert.lengthOf(yield* report.entries(connector), 3)
    assert.deepStrictEqual(
      asked.map((query) => query.get("page")),
      ["1", "2", "3"]
    )
  })

  itRuns("the report of an empty window is empty after one request", function* () {
    const { asked, connector } = payPalWith(() => search([], { total_pages: 0 }))
    assert.deepStrictEqual(yield* report.entries(connector), [])
    assert.lengthOf(asked, 1)
  })

  itRuns("a page with data older than the window's end is unanswered", function* () {
    const { connector } = payPalWith(() => search([], { last_refreshed_datetime: "2026-11-21T12:59:59+0000" }))
    const reason = "PayPal has not yet listed all transactions of the window"
    assert.strictEqual(yield* unknownBecause(report.page(connector)), reason)
  })

  itRuns("an answer without the age of its data leaves the page unanswered", function* () {
    for (const last_refreshed_datetime of [undefined, null]) {
      const { connector } = payPalWith(() => search([], { last_refreshed_datetime }))
      const reason = "PayPal does not say up to when it has listed transactions"
      assert.strictEqual(yield* unknownBecause(report.page(connector)), reason)
    }
  })

  for (const [field, fields] of [
    ["transaction_info.transaction_amount", { transaction_amount: amount("5.001") }],
    ["transaction_info.transaction_amount", { transaction_amount: amount("5.00", "XXX") }],
    ["transaction_info.fee_amount", { fee_amount: amount("-0.10", "USD") }],
    ["transaction_info.transaction_initiation_date", { transaction_initiation_date: "yesterday" }],
    ["transaction_info", { invoice_id: clientSecret }]
  ] as const) {
    itRuns(`a wrong ${field} (${Object.keys(fields)}) makes only its entry unreadable`, function* () {
      const all = yield* report.entries(
        payPalWith(() => search([transaction("a"), transaction("b", fields)])).connector
      )
      assertSecondUnreadable(all, field)
      assert.notInclude(JSON.stringify(all), clientSecret)
    })
  }

  for (const [what, wrong, reason] of [
    ["an error of PayPal's", answer(500, { name: "INTERNAL_SERVER_ERROR" }), "with status 500"],
    ["an app without the permission", answer(403, { name: "NOT_AUTHORIZED" }), 'select "Transaction Search"'],
    ["too many transactions", answer(400, { name: "RESULTSET_TOO_LARGE" }), "more transactions than PayPal lists"],
    ["a page of something else", answer(200, { balances: [] }), "see total_pages"],
    ["no JSON", answer(200, "<html>"), "settles nothing"]
  ] as const) {
    itRuns(`${what} makes the page unanswered with the reason, and never empty`, function* () {
      assert.include(yield* unknownBecause(report.page(payPalWith(() => wrong).connector)), reason)
    })
  }
})
