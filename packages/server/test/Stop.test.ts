import { assert, describe, it } from "vitest"
import { configurationWith, connectionTo, liveKey } from "./support/Configurations.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { pay } from "./support/Pay.ts"
import { dial, refusesConnections } from "./support/RawSocket.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { startServer, temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

/** For how long a stop waits for the rest of a request. */
const wholeWithinMillis = 5_000

/** A server in a process of its own, whose provider holds the next charge back. */
const startHeld = async () => {
  const provider = await startProvider()
  const folder = temporaryFolder()
  const start = () => startServer({ folder, configuration: configurationWith(connectionTo(provider)) })
  return { hold: provider.hold("charge"), provider, server: await start(), start }
}

describe("stopping", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "a payment is answered at %s, nothing new is taken, and the exit is 0",
    async (signal) => {
      const { hold, provider, server, start } = await startHeld()
      const answer = pay(server, "order-0001")
      await hold.arrived
      const exited = server.kill(signal)
      await refusesConnections(server)
      hold.release()
      const made = await answer
      assert.deepStrictEqual([made.status, made.body.data.status], [201, "CAPTURED"])
      assert.strictEqual(made.headers.get("connection"), "close")
      const { code, stderr } = await exited
      assert.strictEqual(code, 0)
      assert.match(stderr, /^timestamp=\S+ level=INFO fiber=\S+ message=audit .*\n$/u)

      const replay = await pay(await start(), "order-0001")
      assert.strictEqual(replay.headers.get("idempotent-replay"), "true")
      assert.lengthOf(provider.charges, 1)
    }
  )

  it("a request that never comes whole holds a stop up for five seconds only", async () => {
    const { clock, push, slept } = makeMovedClock()
    const server = await startServerHere({ clock })
    const socket = await dial(server.url)
    const closed = new Promise((resolve) => socket.once("close", resolve))
    const headers = `host: x\r\nauthorization: Bearer ${server.sandboxKey}\r\ncontent-type: application/json`
    socket.write(`POST /api/v1/payments HTTP/1.1\r\n${headers}\r\ncontent-length: 100\r\n\r\n{"amount":`)
    // A second request shows that the first one has reached the server.
    assert.strictEqual((await server.request("GET", "/api/v1/payments")).status, 200)
    const before = slept(wholeWithinMillis)
    const stopped = server.stop()
    await until("the stop waits", () => slept(wholeWithinMillis) > before)
    assert.isFalse(socket.closed)
    push(wholeWithinMillis)
    const { code, stderr } = await stopped
    assert.strictEqual(code, 0)
    assert.notInclude(stderr, "before 1 request")
    await closed
  })

  it("a second SIGTERM waits for a silent provider's timeout, and reports the result", async () => {
    const provider = await startProvider()
    const server = await startServer({
      configuration: configurationWith({ ...connectionTo(provider), timeout: "1500 millis" })
    })
    const arrived = Promise.withResolvers<void>()
    provider.next("charge", () => {
      arrived.resolve()
      return "silent"
    })
    const answer = pay(server, "order-0001")
    await arrived.promise
    server.kill("SIGTERM")
    const exited = server.kill("SIGTERM")
    const made = await answer
    assert.strictEqual(made.status, 201)
    assert.strictEqual(made.body.data.status, "UNKNOWN")
    assert.strictEqual((await exited).code, 0)
  })

  it("a payment whose client left completes at SIGTERM", async () => {
    const { hold, provider, server, start } = await startHeld()
    const body = JSON.stringify({ amount: 1999, currency: "EUR", country: "NL" })
    const lines = [
      ...["POST /api/v1/payments HTTP/1.1", "Host: pay.example", `Authorization: Bearer ${liveKey}`],
      ...["Content-Type: application/json", "Idempotency-Key: order-0001", `Content-Length: ${body.length}`]
    ]
    const leaving = await dial(server.url)
    leaving.write(`${lines.join("\r\n")}\r\n\r\n${body}`)
    await hold.arrived
    leaving.destroy()
    const exited = server.stop()
    await refusesConnections(server)
    hold.release()
    assert.strictEqual((await exited).code, 0)

    const replay = await pay(await start(), "order-0001")
    assert.strictEqual(replay.body.data.status, "CAPTURED")
    assert.lengthOf(provider.charges, 1)
  })

  it("a stop does not wait for connections without a request", async () => {
    const { clock, slept } = makeMovedClock()
    const server = await startServerHere({ clock })
    const [silent, half] = [await dial(server.url), await dial(server.url)]
    const closed = [silent, half].map((socket) => new Promise((resolve) => socket.once("close", resolve)))
    half.write("GET /health/live HTTP/1.1\r\nHos")
    assert.strictEqual((await server.request("GET", "/health/live")).status, 200)
    const before = slept(wholeWithinMillis)
    assert.strictEqual((await server.stop()).code, 0)
    assert.strictEqual(slept(wholeWithinMillis), before)
    await Promise.all(closed)
  })
})
