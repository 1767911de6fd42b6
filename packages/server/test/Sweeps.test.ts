/** The background of a running server, with short intervals, against a provider that keeps its own record. */
import { formatApiKey } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const key = formatApiKey("sandbox", new Uint8Array(64).fill(21))
const path = "/api/v1/payments"

/** Longer than anything takes here on a busy machine. */
const patienceMillis = 30_000

const start = (folder: string, provider: ScriptedProvider) =>
  startServer({
    folder,
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
      POINTSMAN_PROVIDER_TIMEOUT: "1 second",
      POINTSMAN_CLAIM_WINDOW: "2 seconds",
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
  it("given a charge that was executed and not answered, then it becomes CAPTURED", async () => {
    const provider = await startProvider()
    const server = await start(temporaryFolder(), provider)
    provider.next("charge", (call) => {
      call.execute()
      return "silent"
    })
    const created = await create(server)
    assert.deepStrictEqual([created.status, created.body.data.status], [201, "UNKNOWN"])
    const id = created.body.data.payment_id
    await until(server, id, { status: "CAPTURED", captured_amount: 1999 })
    assert.deepStrictEqual(await typesOf(server, id), ["payment.created", "payment.unknown", "payment.captured"])
    assert.lengthOf(callsOf(provider, "charge"), 1)
  })

  it("given a charge that never arrived, then it becomes FAILED, and not before twice its time-out", async () => {
    const provider = await startProvider()
    const server = await start(temporaryFolder(), provider)
    provider.next("charge", () => "drop")
    const sent = performance.now()
    const created = await create(server)
    const id = created.body.data.payment_id
    await until(server, id, { status: "FAILED", decline_reason: "provider_error" })
    assert.isAtLeast(performance.now() - sent, 2_000)
    assert.deepStrictEqual(await typesOf(server, id), ["payment.created", "payment.unknown", "payment.failed"])
    assert.isAtLeast(callsOf(provider, "lookUpCharge").length, 2)
    assert.lengthOf(callsOf(provider, "charge"), 1)
  })

  it("given a capture that was executed and not answered, and one that never arrived", async () => {
    const provider = await startProvider()
    const server = await start(temporaryFolder(), provider)
    const executed = (await create(server, { capture_method: "manual" })).body.data.payment_id
    const lost = (await create(server, { capture_method: "manual" })).body.data.payment_id
    provider.next("capture", (call) => {
      call.execute()
      return "drop"
    })
    const first = await server.request("POST", `${path}/${executed}/capture`, { key, body: { amount: 1500 } })
    assert.deepStrictEqual([first.status, first.body.error.code], [502, "capture_result_unknown"])
    provider.next("capture", () => "drop")
    await server.request("POST", `${path}/${lost}/capture`, { key })
    await until(server, executed, { status: "CAPTURED", captured_amount: 1500 })
    await until(server, lost, { status: "AUTHORIZED", captured_amount: 0 })
    // Nothing happened, so it can be captured now.
    const again = await server.request("POST", `${path}/${lost}/capture`, { key })
    assert.deepStrictEqual([again.status, again.body.data.status], [200, "CAPTURED"])
  })

  it("given a refund that was executed and not answered, and one that never arrived", async () => {
    const provider = await startProvider()
    const server = await start(temporaryFolder(), provider)
    const id = (await create(server)).body.data.payment_id
    provider.next("refund", (call) => {
      call.execute()
      return "drop"
    })
    const first = await server.request("POST", `${path}/${id}/refunds`, { key, body: { amount: 500 } })
    assert.deepStrictEqual([first.status, first.body.error.code], [502, "refund_result_unknown"])
    await until(server, id, { status: "PARTIALLY_REFUNDED", refunded_amount: 500, refund_pending_amount: 0 })
    provider.next("refund", () => "drop")
    await server.request("POST", `${path}/${id}/refunds`, { key, body: { amount: 700 } })
    assert.strictEqual((await read(server, id)).refund_pending_amount, 700)
    await until(server, id, { status: "PARTIALLY_REFUNDED", refunded_amount: 500, refund_pending_amount: 0 })
    assert.deepStrictEqual(await typesOf(server, id), [
      "payment.created",
      "payment.captured",
      "payment.refund_unknown",
      "payment.refunded",
      "payment.refund_unknown",
      "payment.refund_failed"
    ])
  })

  it("given kill -9 while a charge and a refund are in flight, then the next server settles both", async () => {
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
    const next = await start(folder, provider)
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
