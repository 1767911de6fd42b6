/**
 * Servers on one PostgreSQL whose clocks differ: an unknown result is decided by the database's time alone, and a server
 * that is far off serves nothing.
 */
import { assert, describe, it } from "vitest"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { environmentOn, newDatabase, postgresMissing, query, setDatabaseAhead } from "./support/PostgresServer.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { openShop } from "./support/ShopHere.ts"
import { until } from "./support/Until.ts"

const path = "/api/v1/payments"
const second = 1_000

/** "Never received" is believed 5 seconds after the send window and two of these. */
const timeout = "1 second"

const clocks = { "a minute ahead": 65 * second, "ten minutes behind": -600 * second, suspect: 25 * second }
type Name = keyof typeof clocks

describe.skipIf(postgresMissing !== undefined)(
  "servers whose clocks differ from the database's",
  { timeout: 180_000 },
  () => {
    const setUp = async (timeout: string) => {
      const provider = await startProvider()
      const [folder, url] = [temporaryFolder(), await newDatabase()]
      const configuration = configurationWith({ ...connectionTo(provider), timeout })
      const environment = { ...environmentOn(url), POINTSMAN_UNKNOWN_CHECK_INTERVAL: "500 millis" }
      const start = async (name: Name) => {
        await setDatabaseAhead(url, -clocks[name])
        return startServerHere({ folder, configuration, environment })
      }
      return { provider, start }
    }

    it("a server far off serves nothing and says so; a suspect one serves and warns", async () => {
      const { provider, start } = await setUp(timeout)
      for (const [name, says] of [
        ["a minute ahead", /^this machine's clock is 6\d s ahead of the database's/u],
        ["ten minutes behind", /^this machine's clock is (?:600|59\d) s behind the database's/u]
      ] as const) {
        const server = await start(name)
        const refused = await pay(server, "refused-1")
        assert.deepStrictEqual([refused.status, refused.body.error.code], [503, "internal_error"])
        const ready = await server.request("GET", "/health/ready", { key: null })
        assert.strictEqual(ready.status, 503)
        assert.match(ready.body.reason, says)
      }
      assert.lengthOf(provider.calls, 0)
      const server = await start("suspect")
      const suspect = await server.request("GET", "/health/ready", { key: null })
      assert.strictEqual(suspect.status, 200)
      assert.match(suspect.body.warnings.join("\n"), /this machine's clock is 2[0-5] s ahead of the database's/u)
      const metrics = await (await fetch(`${server.url}/metrics`)).text()
      assert.match(metrics, /^pointsman_storage_clock_ahead_seconds(?:\{[^}]*\})? 2[0-5]\.\d+$/mu)
    })

    it("an unknown result stays so at a server ahead until it is found", async () => {
      // By the clock of this server it would be believed at once, and by the database's after 23 seconds.
      const { provider, start } = await setUp("9 seconds")
      const server = await start("suspect")
      provider.always("charge", () => "drop")
      const made = await pay(server, "order-0001")
      assert.deepStrictEqual([made.status, made.body.data.status], [201, "UNKNOWN"])
      const lookUps = () => provider.calls.filter(({ operation }) => operation === "lookUpCharge").length
      await until("three lookups", () => lookUps() >= 3)
      const status = async (): Promise<string> =>
        (await server.request("GET", `${path}/${made.body.data.id}`, { key: liveKey })).body.data.status
      assert.strictEqual(await status(), "UNKNOWN")
      provider.calls.find(({ operation }) => operation === "charge")?.execute()
      await until("it is found", async () => (await status()) !== "UNKNOWN")
      assert.strictEqual(await status(), "CAPTURED")
      assert.lengthOf(provider.charges, 1)
    })
  }
)

describe.skipIf(postgresMissing !== undefined)("an operator's evidence after a failover", () => {
  it("a call old by another clock was never received only at its full age", async () => {
    const url = await newDatabase()
    const { create, provider, run, server } = await openShop({
      configured: (provider) => configurationWith({ ...connectionTo(provider), timeout }),
      environment: environmentOn(url)
    })
    provider.next("charge", () => "drop")
    const id = await create("0001")
    await server.stop()
    const settle = () => run("unknown", "settle", id, "--charge", "never-received", "--evidence", "seen", "--by", "Jo")
    // As a standby leaves it that was promoted now, or so many milliseconds ago.
    const promote = (agoMillis: number) =>
      query(
        url,
        `update timelines set noticed_at = (extract(epoch from clock_timestamp()) * 1000)::bigint - ${agoMillis}
          where timeline <> 'earlier'`
      )
    await query(url, "insert into timelines (timeline, noticed_at) values ('earlier', 0)")
    await setDatabaseAhead(url, 8 * second)
    await promote(0)
    const early = await settle()
    assert.strictEqual(early.code, 1)
    assert.match(early.stderr, /never_received is accepted from \d{4}-/u)
    await promote(8 * second)
    const settled = await settle()
    assert.strictEqual(settled.code, 0, settled.stderr)
    assert.include(settled.stdout, "The payment is now FAILED")
  })
})
