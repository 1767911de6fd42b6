/** How often reports are fetched, as the configuration file says it. */
import { assert, describe, it } from "@effect/vitest"
import type { FetchedReport } from "@pointsman/core/ports"
import { Effect } from "effect"
import { definition, fileWith, firstConnection, mistakesIn, understand } from "./support/Understand.ts"

const report = (more: Partial<FetchedReport> = {}): FetchedReport => ({
  ...{ name: "scripted-balance", delayMillis: 0, list: () => Effect.never },
  ...more
})

/** `reports`: of the connector, `null` for one without. */
const stating = (fields: object, reports: ReadonlyArray<FetchedReport> | null = [report()]) =>
  understand(fileWith(fields), {
    definitions: [definition("sandbox", ["sandbox"], reports === null ? {} : { reports })]
  })
const mistakes = (schedule: object, reports?: ReadonlyArray<FetchedReport> | null) =>
  mistakesIn(stating({ reports: schedule }, reports))

const at = "workspaces[0].connections[0].reports"

describe("a schedule of reports in the configuration file", () => {
  it("a connection has its duration in milliseconds, and without one none", () => {
    for (const [every, everyMillis] of [
      ["1 hour", 3_600_000],
      ["90 minutes", 5_400_000],
      ["7 days", 604_800_000]
    ]) {
      assert.deepStrictEqual<unknown>(firstConnection(stating({ reports: { every } }))?.reports, { everyMillis })
    }
    assert.isUndefined(firstConnection(stating({}))?.reports)
  })

  it("a duration too short, too long or invalid is refused by field and range", () => {
    for (const every of ["59 minutes", "8 days", "6h", "0 seconds", ""]) {
      assert.deepStrictEqual(mistakes({ every }), [
        `${at}.every: expected a duration from "1 hour" to "7 days", such as "6 hours"`
      ])
    }
  })

  it("a connector without reports, or credentials for them, is a mistake that says it", () => {
    const schedule = { every: "6 hours" }
    for (const none of [[], null]) {
      assert.deepStrictEqual(mistakes(schedule, none), [
        `${at}: expected only where the connector fetches reports: read them from files here`
      ])
    }
    const missing = "credentials.reportToken: expected a token with balances.read"
    assert.deepStrictEqual(mistakes(schedule, [report({ missing })]), [
      `${at}: expected credentials that allow it: ${missing}`
    ])
    assert.deepStrictEqual(mistakes(schedule, [report({ missing }), report()]), [])
  })
})
