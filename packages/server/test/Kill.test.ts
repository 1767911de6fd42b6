/**
 * `kill -9`, and a client that hangs up, while a charge is in flight: what its key is answered, and that nobody is
 * charged twice. A provider that outlives the server counts what moved; the store is read by the next server.
 */
import { formatApiKey } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { pay } from "./support/Pay.ts"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { each, type JsonAnswer, type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const key = formatApiKey("sandbox", new Uint8Array(64).fill(1))
const path = "/api/v1/payments"

/** Longer than the claim window, which is 15 minutes, and than a claim is old by then. */
const afterClaimWindowMillis = 16 * 60_000

const configurationFor = (provider: ScriptedProvider) => ({
  workspaces: [
    {
      id: "acme",
      name: "Acme",
      keys: [{ environment: "sandbox", secret: key }],
      connections: [
        {
          id: "main",
          name: "Main acquirer",
          environment: "sandbox",
          connector: "http",
          credentials: { baseUrl: provider.url, apiKey: provider.apiKey }
        }
      ]
    }
  ]
})

const start = (folder: string, provider: ScriptedProvider, clockAheadMillis?: number) =>
  startServer({ folder, configuration: configurationFor(provider), clockAheadMillis })

const create = (server: ServerProcess, reference: string): Promise<JsonAnswer> =>
  pay(server, reference, { reference }, key)

describe("kill -9 while a provider call is in flight", () => {
  it("a killed charge's key is 409, then UNKNOWN, and no provider is asked again", async () => {
    const folder = temporaryFolder()
    const provider = await startProvider()
    const server = await start(folder, provider)
    const acknowledged = await create(server, "acknowledged-1")
    assert.deepStrictEqual([acknowledged.status, acknowledged.body.data.status], [201, "CAPTURED"])
    const hold = provider.hold("charge")
    const lost = create(server, "in-flight-1").catch((cause: unknown) => cause)
    await hold.arrived
    await server.kill("SIGKILL")
    hold.release() // The provider executes it, and there is nobody to tell.
    assert.instanceOf(await lost, TypeError)

    const next = await start(folder, provider)
    const early = await create(next, "in-flight-1")
    assert.deepStrictEqual([early.status, early.body.error.code], [409, "idempotency_in_progress"])
    assert.deepStrictEqual((await create(next, "acknowledged-1")).body, acknowledged.body)
    await next.kill("SIGKILL")

    const last = await start(folder, provider, afterClaimWindowMillis)
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

describe("the client hangs up", () => {
  it("a payment has its outcome though its client left while the provider was asked", async () => {
    const provider = await startProvider()
    const server = await start(temporaryFolder(), provider)
    const hold = provider.hold("charge")
    const gone = new AbortController()
    const request = fetch(`${server.url}${path}`, {
      method: "POST",
      signal: gone.signal,
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": "hung-up-1"
      },
      body: JSON.stringify({ amount: 1999, currency: "EUR", country: "NL", reference: "hung-up-1" })
    }).catch((cause: unknown) => cause)
    await hold.arrived
    gone.abort()
    await request
    // Once it answers another request, the server has seen that the socket is closed; it would interrupt now if it did.
    assert.strictEqual((await server.request("GET", path, { key })).status, 200)
    hold.release()
    const answer = await untilOther(server, "hung-up-1")
    assert.deepStrictEqual([answer.status, answer.body.data.status], [201, "CAPTURED"])
    assert.strictEqual(answer.headers.get("idempotent-replay"), "true")
    assert.lengthOf(provider.calls, 1)
    assert.lengthOf(provider.charges, 1)
  })
})

/** Asks under the key until the answer is no longer that it is in progress. */
const untilOther = async (server: ServerProcess, reference: string): Promise<JsonAnswer> => {
  let answer = await create(server, reference)
  await until("the key is no longer in progress", async () => {
    if (answer.body.error?.code !== "idempotency_in_progress") return true
    answer = await create(server, reference)
    return false
  })
  return answer
}
