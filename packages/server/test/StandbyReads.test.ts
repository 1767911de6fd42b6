/** A server whose settings name a standby: what it answers from there, and what it says of one that may not be read. */
import { assert, describe, it } from "vitest"
import { liveKey } from "./support/Configurations.ts"
import { startReplicated } from "./support/failover/Replicated.ts"
import { isLong } from "./support/LongRuns.ts"
import { environmentOn, newDatabase, postgresMissing } from "./support/PostgresServer.ts"
import type { ServerHere } from "./support/ServerHere.ts"
import { openShop } from "./support/ShopHere.ts"
import { until, untilAnswer } from "./support/Until.ts"

const path = "/api/v1/payments"

const start = async (url: string, readUrl: string) => {
  const shop = await openShop({ environment: { ...environmentOn(url), POINTSMAN_DATABASE_READ_URL: readUrl } })
  return {
    ...shop,
    checkup: async () => {
      const { checks }: { readonly checks: ReadonlyArray<Readonly<Record<string, string>>> } = await shop.data("doctor")
      return checks.filter(({ check }) => check === "standby").map(({ says, verdict }) => `${verdict}: ${says}`)
    },
    metric: async (name: string): Promise<number> => {
      const text = await (await fetch(`${shop.server.url}/metrics`)).text()
      return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "mu").exec(text)?.[1])
    }
  }
}

const readiness = async (
  server: ServerHere,
  isSo: (body: { readonly standby?: object; readonly warnings?: ReadonlyArray<string> }) => boolean
) => {
  const ask = async () => {
    const { body, status } = await server.request("GET", "/health/ready", { key: null })
    assert.strictEqual(status, 200)
    return body
  }
  return untilAnswer("readiness shows it", ask, isSo)
}

const get = (server: ServerHere, route: string) =>
  fetch(`${server.url}${route}`, { headers: { authorization: `Bearer ${liveKey}` } })

describe.skipIf(postgresMissing !== undefined)("a server with a standby", () => {
  it("a standby URL of the primary is served by it, and readiness and doctor say why", async () => {
    const url = await newDatabase()
    const { checkup, create, metric, server } = await start(url, url)
    const fault = "it is not a standby: it was promoted, or is the primary itself"
    const body = await readiness(server, ({ standby }) => standby !== undefined)
    assert.deepStrictEqual(body.standby, { used: false, lag_seconds: null })
    await readiness(server, ({ warnings = [] }) => warnings.join("\n").includes(fault))
    assert.strictEqual(await metric("pointsman_standby_used"), 0)
    assert.deepStrictEqual(await checkup(), [
      `warning: ${fault}: reads go to the primary. POINTSMAN_DATABASE_READ_URL (--database-read-url) names it`
    ])
    const id = await create("0001")
    const events = await get(server, "/api/v1/events")
    assert.isNull(events.headers.get("pointsman-as-of"))
    assert.include(await events.text(), id)
  })

  it.skipIf(!isLong)("a following standby answers events, and the primary what clients act on", async () => {
    const { standbyUrl, url } = await startReplicated(false)
    const { checkup, create, metric, server } = await start(url, standbyUrl)
    const { standby } = await readiness(server, (body) => Object(body.standby).used === true)
    assert.isAtMost(Object(standby).lag_seconds, 30)
    const before = Date.now()
    const id = await create("0001")
    for (const route of [path, `${path}/${id}`]) {
      const response = await get(server, route)
      assert.isNull(response.headers.get("pointsman-as-of"))
      assert.include(await response.text(), id)
    }
    await until("the standby follows", async () => {
      const events = await get(server, "/api/v1/events")
      const asOf = events.headers.get("pointsman-as-of")
      const text = await events.text()
      if (asOf === null || !text.includes(id)) return false
      assert.isAtLeast(Date.parse(asOf), before - 2_000)
      assert.isAtMost(Date.parse(asOf), Date.now())
      return true
    })
    assert.strictEqual(await metric("pointsman_standby_used"), 1)
    assert.isBelow(await metric("pointsman_standby_lag_seconds"), 30)
    assert.match((await checkup()).join(), /^ok: it is \d+\.\d s behind the primary$/u)
  })
})
