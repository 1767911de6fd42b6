/** Daily files of the Payment accounting report, which Adyen names by their day. */

import { assert, describe, it } from "@effect/vitest"
import { AdyenConnector } from "@pointsman/connector-adyen"
import { playedConnector } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import type { TransportAnswer } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { answer, apiKey, credentials, merchantAccount } from "./Adyen.ts"

const reportKey = "AQEreportUser0123456789"
const text = "Merchant Account,Psp Reference\nPointsmanNL,psp_1\n"
const hour = 60 * 60_000
const at = (day: number, hours = 0) => Date.UTC(2026, 10, day) + hours * hour

type Answers = Readonly<Record<string, TransportAnswer>>

/** `answers`: by the name of the file; any other is not there. */
const adyenWith = (answers: Answers, fields: Readonly<Record<string, unknown>> = { reportKey }, isLive = false) => {
  const { connector, requests } = playedConnector(
    AdyenConnector.definition,
    ({ url }) => answers[url.split("/").at(-1) ?? ""] ?? answer(404, ""),
    { environment: isLive ? "production" : "sandbox", credentials: { ...credentials, ...fields } }
  )
  const { reports = [] } = connector
  const [report] = reports
  assert(report !== undefined && reports.length === 1)
  return { requests, report, file: (name: string) => report.download?.(name) ?? Effect.die("no download") }
}

const fileOf = (day: number) => `payments_accounting_report_2026_11_${String(day).padStart(2, "0")}.csv`
const csv: TransportAnswer = { status: 200, headers: { "content-type": "text/csv" }, body: text }

const failureOf = <A, E extends { readonly reason: string }>(effect: Effect.Effect<A, E>) =>
  Effect.map(Effect.flip(effect), ({ reason }) => reason)

describe("report files of Adyen", () => {
  for (const [what, from, before, files] of [
    ["a day", at(20), at(21), ["2026-11-19"]],
    ["a part that begins a day", at(20), at(20, 1), ["2026-11-19"]],
    ["a part within a day", at(20, 1), at(21), []],
    ["two days and a part", at(20, 1), at(22, 1), ["2026-11-20", "2026-11-21"]]
  ] as const) {
    itRuns(`${what} names the files of the days that end there`, function* () {
      const { report, requests } = adyenWith({})
      const page = yield* report.list({ createdFrom: from, createdBefore: before, cursor: null })
      assert.deepStrictEqual(page, { entries: [], files: files.map((name) => ({ name })), nextCursor: null })
      assert.lengthOf(requests, 0)
    })
  }

  for (const isLive of [false, true]) {
    itRuns(`a day's file downloaded from ${isLive ? "live" : "test"} gives its text`, function* () {
      const { file, requests } = adyenWith({ [fileOf(20)]: csv }, { reportKey }, isLive)
      assert.strictEqual(yield* file("2026-11-20"), text)
      assert.deepStrictEqual(
        requests.map(({ headers, maxAnswerBytes, method, url }) => [method, url, headers["x-api-key"], maxAnswerBytes]),
        [
          [
            "GET",
            `https://ca-${isLive ? "live" : "test"}.adyen.com/reports/download/MerchantAccount/${merchantAccount}/${fileOf(20)}`,
            reportKey,
            32 * 1024 * 1024
          ]
        ]
      )
      assert.notInclude(JSON.stringify(requests), apiKey)
    })
  }

  itRuns("Adyen made no file of a day if one of the days before has one", function* () {
    const { file, requests } = adyenWith({ [fileOf(6)]: csv, [fileOf(21)]: csv })
    assert.isNull(yield* file("2026-11-08"))
    assert.deepStrictEqual(
      requests.map(({ url }) => url.split("/").at(-1)),
      [fileOf(8), fileOf(7), fileOf(6)]
    )
    assert.isNull(yield* file("2026-11-20"))
  })

  itRuns("a day without a file is unanswered if none of the days before has one", function* () {
    const { file, requests } = adyenWith({ [fileOf(5)]: csv, [fileOf(21)]: csv })
    const reason = yield* failureOf(file("2026-11-20"))
    assert.include(reason, `no file ${fileOf(20)}, and none of the 14 days before`)
    assert.lengthOf(requests, 15)
  })

  for (const [status, reason] of [
    [401, "status 401: expected a report user's key"],
    [403, "status 403: expected a report user's key"],
    [500, "status 500"],
    [302, "status 302"]
  ] as const) {
    itRuns(`status ${status}, for the file or one before it, is unanswered, and never empty`, function* () {
      const own = adyenWith({ [fileOf(20)]: answer(status, text), [fileOf(19)]: csv })
      assert.include(yield* failureOf(own.file("2026-11-20")), reason)
      const before = adyenWith({ [fileOf(19)]: answer(status, text), [fileOf(18)]: csv })
      assert.include(yield* failureOf(before.file("2026-11-20")), reason)
    })
  }

  itRuns("a report without a report user's key says what is missing, and asks nothing", function* () {
    const { report, requests } = adyenWith({}, {})
    const missing =
      'credentials.reportKey: expected the API key of a report user with the role "Merchant Report Download role"'
    assert.strictEqual(report.missing, missing)
    const listed = report.list({ createdFrom: at(20), createdBefore: at(21), cursor: null })
    assert.strictEqual(yield* failureOf(listed), missing)
    assert.lengthOf(requests, 0)
  })

  it("the field of a key that no header can have is named", () => {
    const account = { connectionId: "main", environment: "sandbox", timeoutMillis: 1_000 } as const
    const send = () => Effect.die("nothing is sent")
    const connected = (fields: object) =>
      AdyenConnector.definition.connect({ ...account, credentials: { ...credentials, ...fields } }, { send })
    for (const field of ["reportKey", "reportsUrl"]) {
      const refused = connected({ [field]: "a b" })
      assert(Result.isFailure(refused))
      assert.match(refused.failure, new RegExp(`^credentials\\.${field}: expected `, "u"))
    }
  })
})
