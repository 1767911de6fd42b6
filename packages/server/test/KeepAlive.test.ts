/** How long a connection without a request is kept. */
import { connect } from "node:net"
import { assert, describe, it, onTestFinished } from "vitest"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

/** Sends a request now and then on one connection, as a load balancer does; `closed` once the server has closed it. */
const connectionTo = (url: string) => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let received = ""
  let isClosed = false
  socket.on("data", (chunk) => {
    received += chunk
  })
  socket.on("error", () => {})
  socket.on("close", () => {
    isClosed = true
  })
  return {
    isClosed: () => isClosed,
    ask: async () => {
      received = ""
      socket.write("GET /health/live HTTP/1.1\r\nHost: pay.example\r\n\r\n")
      await until("an answer", () => received.includes('"live"'))
      return received
    }
  }
}

describe("an idle connection", () => {
  it("a connection is kept for the announced time, and a set one is closed after it", async () => {
    const folder = temporaryFolder()
    const flags = ["--database-url", "sqlite::memory:"]
    const usual = await startServerHere({ folder, flags })
    const set = await startServerHere({ folder, flags, environment: { POINTSMAN_KEEP_ALIVE: "1 second" } })
    const [kept, closed] = [connectionTo(usual.url), connectionTo(set.url)]
    assert.match(await kept.ask(), /^keep-alive: timeout=75\r$/im)
    assert.match(await closed.ask(), /^keep-alive: timeout=1\r$/im)
    await until("the one with a setting is closed", closed.isClosed)
    assert.isFalse(kept.isClosed())
    assert.match(await kept.ask(), /200 OK/u)
  })
})
