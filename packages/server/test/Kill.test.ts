/**
 * `kill -9` while a charge is in flight: what its key is answered, and that no customer is charged twice. A
 * provider that outlives the server counts what moved; the store is read by the next server.
 */
import { assert, describe, it } from "vitest"
import { configurationWith, connectionTo, liveKey as key } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { environmentOn, newDatabase, postgresMissing, setDatabaseAhead } from "./support/PostgresServer.ts"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { each, type ServerOptions, type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const path = "/api/v1/payments"

/** Longer than the claim window, which is 15 minutes, and than a claim is old by then. */
const afterClaimWindowMillis = 16 * 60_000

const start = (provider: ScriptedProvider, options: ServerOptions = {}) =>
  startServer({ ...options, configuration: configurationWith({ ...connectionTo(provider), timeout: "30 seconds" }) })

const create = (server: ServerProcess, reference: string) => pay(server, reference, { reference })

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
      const options = { environment, folder: temporaryFolder() }
      const provider = await startProvider()
      const server = await start(provider, options)
      const acknowledged = await create(server, "acknowledged-1")
      assert.deepStrictEqual([acknowledged.status, acknowledged.body.data.status], [201, "CAPTURED"])
      const hold = provider.hold("charge")
      const lost = create(server, "in-flight-1").catch((cause: unknown) => cause)
      await hold.arrived
      await server.kill("SIGKILL")
      hold.release() // The provider executes it, and there is nobody to tell.
      assert.instanceOf(await lost, TypeError)

      const next = await start(provider, options)
      const early = await create(next, "in-flight-1")
      assert.deepStrictEqual([early.status, early.body.error.code], [409, "idempotency_in_progress"])
      assert.deepStrictEqual((await create(next, "acknowledged-1")).body, acknowledged.body)
      await next.kill("SIGKILL")

      await goAhead(afterClaimWindowMillis)
      const last = await start(provider, { ...options, clockAheadMillis: afterClaimWindowMillis })
      const late = await create(last, "in-flight-1")
      assert.deepStrictEqual([late.status, late.body.data.status], [201, "UNKNOWN"])
      assert.strictEqual(late.headers.get("idempotent-replay"), "true")
      assert.isNull(late.body.data.decline_reason)
      assert.deepStrictEqual((await create(last, "in-flight-1")).body, late.body)
      assert.deepStrictEqual((await create(last, "acknowledged-1")).body, acknowledged.body)
      const timeline = await last.request("GET", `${path}/${late.body.data.payment_id}/events`, { key })
      assert.deepStrictEqual(each(timeline.body.data, "type"), ["payment.created", "payment.unknown"])
      assert.deepStrictEqual(
        provider.calls.map(({ body, operation }) => [operation, body.reference]),
        [
          ["charge", "acknowledged-1"],
          ["charge", "in-flight-1"]
        ]
      )
      assert.lengthOf(provider.charges, 2)
      assert.strictEqual((await last.stop()).code, 0)
    })
  })
}
