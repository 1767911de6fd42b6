/** How often reports are fetched, as the configuration file says it. */
import { assert, describe, it } from "@effect/vitest"
import { formatMistake, openConnectionOf, understandConfiguration } from "@pointsman/configuration"
import type { ConnectorDefinition, Connectors, FetchedReport, Transport } from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"

const report = (missing?: string): FetchedReport => ({
  name: "scripted-balance",
  delayMillis: 0,
  ...(missing === undefined ? {} : { missing }),
  list: () => Effect.never
})

const definition = (reports: ReadonlyArray<FetchedReport> | null): ConnectorDefinition => ({
  name: "sandbox",
  environments: ["sandbox"],
  supports: {},
  connect: () =>
    Result.succeed({
      charge: () => Effect.never,
      lookUpCharge: () => Effect.never,
      ...(reports === null ? {} : { reports })
    })
})

const transport: Transport["Service"] = { send: () => Effect.die("nothing is sent while a file is checked") }

const understand = (stated: unknown, reports: ReadonlyArray<FetchedReport> | null = [report()]) => {
  const connectors: Connectors["Service"] = {
    names: ["sandbox"],
    definition: () => Option.some(definition(reports))
  }
  const connection = { id: "main", environment: "sandbox", ...(stated === undefined ? {} : { reports: stated }) }
  return understandConfiguration(
    { workspaces: [{ id: "acme", connections: [connection] }] },
    {
      connectors,
      transport,
      claimWindowMillis: 900_000,
      claimWindowSetting: "the claim window",
      providerTimeoutMillis: 30_000,
      environment: {}
    }
  )
}

const scheduleOf = (stated: unknown) => {
  const [workspace] = Result.getOrThrow(understand(stated)).workspaces
  const [connection] = workspace?.connections ?? []
  return workspace && connection && openConnectionOf(workspace, connection).reports
}

const mistakes = (stated: unknown, reports?: ReadonlyArray<FetchedReport> | null) =>
  Result.match(understand(stated, reports), { onFailure: (all) => all.map(formatMistake), onSuccess: () => [] })

const at = "workspaces[0].connections[0].reports"

describe("a schedule of reports in the configuration file", () => {
  it("a connection has its duration in milliseconds, and without one none", () => {
    for (const [every, everyMillis] of [
      ["1 hour", 3_600_000],
      ["90 minutes", 5_400_000],
      ["7 days", 604_800_000]
    ]) {
      assert.deepStrictEqual(scheduleOf({ every }), { everyMillis })
    }
    assert.isUndefined(scheduleOf(undefined))
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
    assert.deepStrictEqual(mistakes(schedule, [report(missing)]), [
      `${at}: expected credentials that allow it: ${missing}`
    ])
    assert.deepStrictEqual(mistakes(schedule, [report(missing), report()]), [])
  })
})
