/**
 * What a server that was killed leaves open is settled by the next one, in processes of their own and in real time. When
 * the background looks, and what it makes of what it finds, is proved under a turned clock in Schedules.test.ts.
 */
import { formatApiKey } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const key = formatApiKey("sandbox", new Uint8Array(64).fill(21))
const path = "/api/v1/payments"

/** Longer than anything takes here on a busy machine. */
const patienceMillis = 120_000

const start = (folder: string, provider: ScriptedProvider, clockAheadMillis?: number) =>
  startServer({
    folder,
    clockAheadMillis,
    configuration: {
      workspaces: [
        {
          id: "acme",
          name: "Acme",
          keys: [{ environment: "sandbox", secret: key }],
          connections: [
            {
              id: "main",
              environment: "sandbox",
              connector: "http",
              credentials: { baseUrl: provider.url, apiKey: provider.apiKey }
            }
          ]
        }
      ]
    },
    environment: {
      POINTSMAN_UNKNOWN_CHECK_INTERVAL: "1 second",
      POINTSMAN_PENDING_CHECK_INTERVAL: "1 second",
      POINTSMAN_REFUND_CHECK_INTERVAL: "1 second",
      POINTSMAN_DEAD_REQUEST_INTERVAL: "1 second"
    }
  })

const create = (server: ServerProcess, change: object = {}) =>
  server.request("POST", path, { key, body: { amount: 1999, currency: "EUR", country: "NL", ...change } })

const read = async (server: ServerProcess, id: string) =>
  (await server.request("GET", `${path}/${id}`, { key })).body.data

/** Reads the payment until it is so; fails with what it was last. */
const until = async (server: ServerProcess, id: string, expected: object) => {
  const deadline = AbortSignal.timeout(patienceMillis)
  for (;;) {
    const payment = await read(server, id)
    const isSo = Object.entries(expected).every(([field, value]) => payment[field] === value)
    if (isSo) return payment
    if (deadline.aborted) assert.deepInclude(payment, expected)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const typesOf = async (server: ServerProcess, id: string): Promise<ReadonlyArray<string>> =>
  (await server.request("GET", `${path}/${id}/events`, { key })).body.data.map(
    (event: { readonly type: string }) => event.type
  )

const callsOf = (provider: ScriptedProvider, operation: string) =>
  provider.calls.filter((call) => call.operation === operation)

describe("the background of a running server", { timeout: 3 * patienceMillis }, () => {
  it("the next server settles a charge and a refund in flight at kill -9", async () => {
    const folder = temporaryFolder()
    const provider = await startProvider()
    const server = await start(folder, provider)
    const refunded = (await create(server)).body.data.payment_id
    const refund = provider.hold("refund")
    const charge = provider.hold("charge")
    const gone = Promise.allSettled([
      server.request("POST", `${path}/${refunded}/refunds`, { key, body: {} }),
      create(server, { reference: "in-flight" })
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
    await until(next, body.payment_id, { status: "CAPTURED", captured_amount: 1999 })
    await until(next, refunded, { status: "REFUNDED", refunded_amount: 1999, refund_pending_amount: 0 })
    assert.deepStrictEqual(await typesOf(next, body.payment_id), [
      "payment.created",
      "payment.unknown",
      "payment.captured"
    ])
    assert.lengthOf(provider.charges, 2)
    assert.lengthOf(callsOf(provider, "refund"), 1)
  })
})
