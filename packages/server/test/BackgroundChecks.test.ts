/**
 * What a server that was killed leaves open is settled by the next one, in processes of their own and in real time. When
 * the background looks, and what it makes of what it finds, is proved under a turned clock in Schedules.test.ts.
 */
import { assert, describe, it } from "vitest"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { pay } from "./support/Pay.ts"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { each, type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const path = "/api/v1/payments"

const start = (folder: string, provider: ScriptedProvider, clockAheadMillis?: number) =>
  startServer({
    folder,
    clockAheadMillis,
    configuration: configurationWith(connectionTo(provider)),
    environment: {
      POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second",
      POINTSMAN_PENDING_CHECK_INTERVAL: "1 second",
      POINTSMAN_REFUND_CHECK_INTERVAL: "1 second",
      POINTSMAN_DEAD_REQUEST_INTERVAL: "1 second"
    }
  })

const get = async (server: ServerProcess, of: string) =>
  (await server.request("GET", `${path}/${of}`, { key: liveKey })).body.data

describe("the background of a running server", { timeout: 360_000 }, () => {
  it("the next server settles a charge and a refund in flight at kill -9", async () => {
    const folder = temporaryFolder()
    const provider = await startProvider()
    const server = await start(folder, provider)
    const refunded = (await pay(server, "order-refunded")).body.data.payment_id
    const refund = provider.hold("refund")
    const charge = provider.hold("charge")
    const gone = Promise.allSettled([
      server.request("POST", `${path}/${refunded}/refunds`, { key: liveKey, body: {} }),
      pay(server, "order-in-flight")
    ])
    const { body } = await charge.arrived
    await refund.arrived
    await server.kill("SIGKILL")
    // The provider executes them, and there is nobody to tell.
    refund.release()
    charge.release()
    await gone
    // Longer than the claim window, which is 15 minutes.
    const next = await start(folder, provider, 16 * 60_000)
    const isNow = (id: string, status: string) =>
      until(`${id} is ${status}`, async () => (await get(next, id)).status === status)
    await isNow(body.payment_id, "CAPTURED")
    await isNow(refunded, "REFUNDED")
    assert.strictEqual((await get(next, body.payment_id)).captured_amount, 1999)
    assert.deepInclude(await get(next, refunded), { refunded_amount: 1999, refund_pending_amount: 0 })
    const types = ["created", "unknown", "captured"].map((type) => `payment.${type}`)
    assert.deepStrictEqual(each(await get(next, `${body.payment_id}/events`), "type"), types)
    assert.lengthOf(provider.charges, 2)
    assert.lengthOf(
      provider.calls.filter(({ operation }) => operation === "refund"),
      1
    )
  })
})
