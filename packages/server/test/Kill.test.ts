/**
 * `kill -9` while payments are in flight. A provider that outlives the server counts what moved; the store is read
 * by the next server. `POINTSMAN_KILL_ROUNDS` sets the number of rounds: 3 unless set.
 */
import { formatApiKey } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { type ScriptedProvider, startProvider } from "./support/ScriptedProvider.ts"
import { type JsonAnswer, type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const rounds = Number(process.env["POINTSMAN_KILL_ROUNDS"] ?? 3)
const key = formatApiKey("sandbox", new Uint8Array(64).fill(1))
const path = "/api/v1/payments"

/** Long enough for a restart, short enough to wait for. A provider's time-out must be shorter. */
const claimWindow = "5 seconds"

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

const start = (folder: string, provider: ScriptedProvider) =>
  startServer({
    folder,
    configuration: configurationFor(provider),
    environment: {
      POINTSMAN_CLAIM_WINDOW: claimWindow,
      POINTSMAN_PROVIDER_TIMEOUT: "4 seconds",
      POINTSMAN_RATE_LIMIT: "off"
    }
  })

const create = (server: ServerProcess, reference: string): Promise<JsonAnswer> =>
  server.request("POST", path, {
    key,
    idempotencyKey: reference,
    body: { amount: 1999, currency: "EUR", country: "NL", reference }
  })

/** Creates one payment after the other until the server is gone; what was answered 201 is acknowledged. */
const createUntilGone = async (
  server: ServerProcess,
  name: string,
  onAcknowledged: () => void
): Promise<ReadonlyArray<JsonAnswer>> => {
  const acknowledged: Array<JsonAnswer> = []
  try {
    // Bounded by the kill, which comes within a second.
    for (let number = 0; ; number++) {
      const answer = await create(server, `${name}-${String(number).padStart(5, "0")}`)
      assert.strictEqual(answer.status, 201)
      acknowledged.push(answer)
      onAcknowledged()
    }
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause // `fetch` fails so when the connection is gone.
    return acknowledged
  }
}

describe("kill -9 while a provider call is in flight", () => {
  it(`${rounds} rounds: the key answers 409, then UNKNOWN; the provider is asked once; what was acknowledged is there`, {
    timeout: 30_000 + rounds * 30_000
  }, async () => {
    const folder = temporaryFolder()
    const provider = await startProvider()
    const acknowledged: Array<JsonAnswer> = []
    let server = await start(folder, provider)

    for (let round = 1; round <= rounds; round++) {
      const inFlight = `in-flight-${round}`
      const hold = provider.hold("charge")
      const lost = create(server, inFlight).catch((cause: unknown) => cause)
      await hold.arrived
      const first = Promise.withResolvers<void>()
      const lanes = Array.from({ length: 4 }, (_, lane) =>
        createUntilGone(server, `round-${round}-lane-${lane}`, first.resolve)
      )
      // However slow the machine: something was acknowledged, and more is under way.
      await first.promise
      await new Promise((resolve) => setTimeout(resolve, 100 + ((round * 37) % 200)))
      await server.kill("SIGKILL")
      hold.release() // The provider executes it, and there is nobody to tell.
      assert.instanceOf(await lost, TypeError)
      const answered = (await Promise.all(lanes)).flat()
      assert.isNotEmpty(answered)
      acknowledged.push(...answered)

      server = await start(folder, provider)
      const early = await create(server, inFlight)
      assert.deepStrictEqual([early.status, early.body.error.code], [409, "idempotency_in_progress"])

      const late = await untilOther(server, inFlight)
      assert.deepStrictEqual([late.status, late.body.data?.status], [201, "UNKNOWN"])
      assert.strictEqual(late.headers.get("idempotent-replay"), "true")
      assert.isNull(late.body.data.decline_reason)
      const again = await create(server, inFlight)
      assert.deepStrictEqual(again.body, late.body)
      assert.lengthOf(
        provider.calls.filter((call) => call.operation === "charge" && call.body.reference === inFlight),
        1
      )
      const timeline = await server.request("GET", `${path}/${late.body.data.payment_id}/events`, { key })
      assert.deepStrictEqual(
        timeline.body.data.map((event: { readonly type: string }) => event.type),
        ["payment.created", "payment.unknown"]
      )
    }

    for (const answer of acknowledged) {
      const { payment_id: id, routing: _, ...payment } = answer.body.data
      const read = await server.request("GET", `${path}/${id}`, { key })
      assert.deepStrictEqual(read.body.data, { ...payment, payment_id: id })
      assert.strictEqual(payment.status, "CAPTURED")
      assert.lengthOf(provider.chargesOf(id), 1)
    }
    // Whatever was in flight at a kill: nobody was charged twice.
    const charged = provider.charges.map((charge) => charge.paymentId)
    assert.strictEqual(new Set(charged).size, charged.length)
    assert.strictEqual((await server.stop()).code, 0)
  })
})

/** Asks under the key until the answer is no longer that it is in progress; at most twice the claim window. */
const untilOther = async (server: ServerProcess, reference: string): Promise<JsonAnswer> => {
  for (let asked = 0; asked < 100; asked++) {
    const answer = await create(server, reference)
    if (answer.body.error?.code !== "idempotency_in_progress") return answer
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error("the key still answers that it is in progress")
}

describe("the client hangs up", () => {
  it("given a client that goes away while the provider is asked, then the payment is recorded with its outcome", async () => {
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
    // Long enough for the server to see that the socket is closed; it would interrupt now if it did.
    await new Promise((resolve) => setTimeout(resolve, 200))
    hold.release()
    const answer = await untilOther(server, "hung-up-1")
    assert.deepStrictEqual([answer.status, answer.body.data.status], [201, "CAPTURED"])
    assert.strictEqual(answer.headers.get("idempotent-replay"), "true")
    assert.lengthOf(provider.calls, 1)
    assert.lengthOf(provider.charges, 1)
  })
})
