/** Report files that are fetched from Checkout.com, in the shapes of its SDKs' own tests. */

import { assert, describe } from "@effect/vitest"
import { CheckoutConnector } from "@pointsman/connector-checkout"
import { playedConnector } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import type { Connector, TransportAnswer } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { answer, credentials, secretKey } from "./Checkout.ts"

const window = { createdFrom: Date.UTC(2022, 1, 18), createdBefore: Date.UTC(2022, 1, 19), cursor: null }

type Fields = Readonly<Record<string, unknown>>

const file = (id: string, format = "CSV") => ({
  id,
  filename: `financial-actions_ent_znj4ih5kn4fuxiaquoudv5mvwy_20220218_${id}_1.csv`,
  format,
  _links: { self: { href: `https://123456789.api.checkout.com/reports/rpt_1/files/${id}` } }
})

/** `Reports` of https://github.com/checkout/checkout-sdk-node */
const report = (id: string, fields: Fields = {}) => ({
  id,
  created_on: "2022-02-18T13:00:12.357Z",
  last_modified_on: "2022-02-18T13:16:12.357Z",
  type: "FinancialActionsByPayoutId",
  description: "Reconciliation Report for X.",
  account: { client_id: "cli_bvaelhppmfiufdnatam37wrfc4", entity_id: "ent_znj4ih5kn4fuxiaquoudv5mvwy" },
  tags: ["payout_id:pay_123456789"],
  from: "2022-02-17T12:00:00Z",
  to: "2022-02-18T12:00:00Z",
  files: [file(`file_${id.slice(4)}`)],
  _links: { self: { href: `https://123456789.api.checkout.com/reports/${id}` } },
  ...fields
})

const listOf = (data: ReadonlyArray<unknown>, token?: string) =>
  answer(200, {
    count: data.length,
    limit: 100,
    data,
    _links: {
      self: { href: "https://123456789.api.checkout.com/reports?limit=100" },
      ...(token === undefined
        ? {}
        : { next: { href: `https://123456789.api.checkout.com/reports?pagination_token=${token}&limit=100` } })
    }
  })

const checkoutWith = (answerTo: (url: URL) => TransportAnswer) =>
  playedConnector(
    CheckoutConnector.definition,
    ({ method, url }) => {
      assert.strictEqual(method, "GET")
      return answerTo(new URL(url))
    },
    { credentials }
  )

const reportOf = ({ reports }: Connector) =>
  reports?.find(({ name }) => name === "checkout-financial-actions") ?? assert.fail("no such report")

const listed = (answerTo: (url: URL) => TransportAnswer) => reportOf(checkoutWith(answerTo).connector).list(window)

describe("report files of Checkout.com", () => {
  itRuns("CSV files of a day's financial actions are named, the oldest first", function* () {
    const reports = [
      report("rpt_4", { created_on: "2022-02-19T00:00:00Z" }),
      report("rpt_3", { created_on: "2022-02-18T14:00:00.123456" }),
      report("rpt_2", { files: [file("file_2b"), file("file_2a"), file("file_2x", "XLSX")] }),
      report("rpt_1"),
      report("rpt_5", { type: "Payouts" }),
      report("rpt_0", { created_on: "2022-02-17T23:59:59.999Z" })
    ]
    const { connector, requests } = checkoutWith(() => listOf(reports))
    assert.deepStrictEqual(yield* reportOf(connector).list(window), {
      entries: [],
      files: [
        { name: "rpt_1/file_1", generatedAt: Date.parse("2022-02-18T13:00:12.357Z") },
        { name: "rpt_2/file_2a+file_2b", generatedAt: Date.parse("2022-02-18T13:00:12.357Z") },
        { name: "rpt_3/file_3", generatedAt: Date.parse("2022-02-18T14:00:00.123Z") }
      ],
      nextCursor: null
    })
    const { pathname, searchParams } = new URL(requests[0]?.url ?? "")
    assert.deepStrictEqual(
      [pathname, ...searchParams.entries()],
      [
        "/reports",
        ["created_after", "2022-02-18T00:00:00.000Z"],
        ["created_before", "2022-02-19T00:00:00.000Z"],
        ["limit", "100"]
      ]
    )
    assert.strictEqual(requests[0]?.headers["authorization"], `Bearer ${secretKey}`)
  })

  itRuns("the files of three pages are named in the order of their reports", function* () {
    const pages: Readonly<Record<string, TransportAnswer>> = {
      "": listOf([report("rpt_3")], "b"),
      b: listOf([report("rpt_2")], "c"),
      c: listOf([report("rpt_1")])
    }
    const { files } = yield* listed(
      ({ searchParams }) => pages[searchParams.get("pagination_token") ?? ""] ?? listOf([])
    )
    assert.deepStrictEqual(
      files?.map(({ name }) => name),
      ["rpt_1/file_1", "rpt_2/file_2", "rpt_3/file_3"]
    )
  })

  itRuns("a downloaded file gives its text, and long ones are accepted", function* () {
    const text = "Action ID,Payment ID\nact_1,pay_1\n"
    const { connector, requests } = checkoutWith(() => answer(200, text))
    assert.strictEqual(yield* reportOf(connector).download?.("rpt_1/file_1") ?? Effect.die("none"), text)
    assert.strictEqual(new URL(requests[0]?.url ?? "").pathname, "/reports/rpt_1/files/file_1")
    assert.strictEqual(requests[0]?.headers["accept"], "text/csv")
    assert.strictEqual(requests[0]?.maxAnswerBytes, 32 * 1024 * 1024)
  })

  const parts: Readonly<Record<string, string>> = {
    file_a: "Action ID,Payment ID\r\nact_1,pay_1",
    file_b: "Action ID,Payment ID\nact_1,pay_1\n",
    file_c: "Payment ID,Action ID\npay_1,act_1\n"
  }
  const partsOf = (names: string) => {
    const { connector } = checkoutWith(({ pathname }) => answer(200, parts[pathname.split("/").at(-1) ?? ""] ?? ""))
    return Effect.result(reportOf(connector).download?.(names) ?? Effect.die("none"))
  }

  itRuns("a report in two files is one text with one first line", function* () {
    const text = yield* Effect.fromResult(yield* partsOf("rpt_1/file_a+file_b"))
    assert.strictEqual(text, "Action ID,Payment ID\r\nact_1,pay_1\nact_1,pay_1\n")
  })

  itRuns("a report in two files with other columns is unanswered", function* () {
    const result = yield* partsOf("rpt_1/file_a+file_c")
    assert(Result.isFailure(result) && result.failure._tag === "pointsman/Unanswered")
    assert.include(result.failure.reason, "different columns")
  })

  for (const [what, wrong, reason] of [
    ["an error", answer(500, {}), "status 500"],
    ["a key without the permission", answer(403, {}), "that may view reports in credentials.secretKey"],
    ["a page of something else", answer(200, { items: [] }), "see data"],
    ["a report without a CSV file", listOf([report("rpt_1", { files: [file("file_1", "XLSX")] })]), "no CSV file"],
    ["a time that cannot be read", listOf([report("rpt_1", { created_on: "yesterday" })]), "created_on"],
    ["a next page without a token", answer(200, { data: [], _links: { next: { href: "https://x/reports" } } }), "next"],
    ["the same page again", listOf([], "a"), "the same page again"],
    ["no JSON", answer(200, "<html>"), "status 200"]
  ] as const) {
    itRuns(`${what} makes the list unanswered with the reason, and never empty`, function* () {
      const result = yield* Effect.result(listed(() => wrong))
      assert(Result.isFailure(result) && result.failure._tag === "pointsman/Unanswered")
      assert.include(result.failure.reason, reason)
    })
  }

  itRuns("a missing file is unanswered, and never empty", function* () {
    const { connector } = checkoutWith(() => answer(404, ""))
    const result = yield* Effect.result(reportOf(connector).download?.("rpt_1/file_1") ?? Effect.die("none"))
    assert(Result.isFailure(result) && result.failure._tag === "pointsman/Unanswered")
  })
})
