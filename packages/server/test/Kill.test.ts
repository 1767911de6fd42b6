/**
 * `kill -9` while a charge and a refund are in flight: what the charge's key is answered, that no customer is charged or
 * refunded twice, and that the next server settles both. A provider that outlives the server counts what moved. When the
 * background looks, and what it makes of what it finds, is proved under a turned clock in Schedules.test.ts.
 */
import { assert, describe, it } from "vitest"
import { configurationWith, connectionTo, liveKey as key } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { environmentOn, newDatabase, postgresMissing, setDatabaseAhead } from "./support/PostgresServer.ts"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { each, type ServerOptions, type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const path = "/api/v1/payments"

/** Longer than the claim window, which is 15 minutes, and than a claim is old by then. */
const afterClaimWindowMillis = 16 * 60_000

const start = (provider: ScriptedProvider, options: ServerOptions = {}) =>
  startServer({ ...options, configuration: configurationWith({ ...connectionTo(provider), timeout: "30 seconds" }) })

const create = (server: ServerProcess, reference: string) => pay(server, reference, { reference })

const get = async (server: ServerProcess, of: string) =>
  (await server.request("GET", `${path}/${of}`, { key })).body.data

const everySecond = {
  POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second",
  POINTSMAN_REFUND_CHECK_INTERVAL: "1 second",
  POINTSMAN_DEAD_REQUEST_INTERVAL: "1 second"
}

/** The settings of a new store, and what moves its own clock ahead. */
const storages = {
  SQLite: async () => ({ environment: {}, goAhead: async () => {} }),
  PostgreSQL: async () => {
    const url = await newDatabase()
    return { environment: environmentOn(url), goAhead: (millis: number) => setDatabaseAhead(url, millis) }
  }
}

for (const [storage, open] of Object.entries(storages)) {
  const isSkipped = storage === "PostgreSQL" && postgresMissing !== undefined
  describe.skipIf(isSkipped)(`kill -9 while a provider call is in flight, on ${storage}`, () => {
    it("a killed charge's key is 409, then UNKNOWN, and no provider is asked again", async () => {
      const { environment, goAhead } = await open()
      const options = { environment: { ...environment, ...everySecond }, folder: temporaryFolder() }
      const provider = await startProvider()
      const server = await start(provider, options)
      const acknowledged = await create(server, "acknowledged-1")
      assert.deepStrictEqual([acknowledged.status, acknowledged.body.data.status], [201, "CAPTURED"])
      const refunded = acknowledged.body.data.payment_id
      const holds = [provider.hold("charge"), provider.hold("refund")]
      const lost = Promise.allSettled([
        create(server, "in-flight-1"),
        server.request("POST", `${path}/${refunded}/refunds`, { key, body: {} })
      ])
      await Promise.all(holds.map(({ arrived }) => arrived))
      await server.kill("SIGKILL")
      // The provider executes both, and there is nobody to tell.
      for (const { release } of holds) release()
      for (const end of await lost) assert.strictEqual(end.status, "rejected")

      const next = await start(provider, options)
      const early = await create(next, "in-flight-1")
      assert.deepStrictEqual([early.status, early.body.error.code], [409, "idempotency_in_progress"])
      assert.deepStrictEqual((await create(next, "acknowledged-1")).body, acknowledged.body)
      await next.kill("SIGKILL")

      await goAhead(afterClaimWindowMillis)
      const lookUp = provider.hold("lookUpCharge")
      const last = await start(provider, { ...options, clockAheadMillis: afterClaimWindowMillis })
      const late = await create(last, "in-flight-1")
      assert.deepStrictEqual([late.status, late.body.data.status], [201, "UNKNOWN"])
      assert.strictEqual(late.headers.get("idempotent-replay"), "true")
      assert.isNull(late.body.data.decline_reason)
      assert.deepStrictEqual((await create(last, "in-flight-1")).body, late.body)
      assert.deepStrictEqual((await create(last, "acknowledged-1")).body, acknowledged.body)
      lookUp.release()
      const inFlight = late.body.data.payment_id
      await until("the charge is settled", async () => (await get(last, inFlight)).status === "CAPTURED")
      await until("the refund is settled", async () => (await get(last, refunded)).status === "REFUNDED")
      assert.strictEqual((await get(last, inFlight)).captured_amount, 1999)
      assert.deepInclude(await get(last, refunded), { refunded_amount: 1999, refund_pending_amount: 0 })
      const types = ["created", "unknown", "captured"].map((type) => `payment.${type}`)
      assert.deepStrictEqual(each(await get(last, `${inFlight}/events`), "type"), types)
      const sent = provider.calls.filter(({ operation }) => !operation.startsWith("lookUp"))
      assert.deepStrictEqual(each(sent, "operation").toSorted(), ["charge", "charge", "refund"])
      assert.lengthOf(provider.charges, 2)
      assert.strictEqual((await last.stop()).code, 0)
    })
  })
}
