/**
 * What one client may hold by connections with TLS, before its handshake is done and after. `Connections.test.ts` and
 * `UnfinishedRequests.test.ts` have what is the same without TLS.
 */
import { once } from "node:events"
import type { Socket } from "node:net"
import { assert, describe, it } from "vitest"
import { assertSilentReaderIsCut, listenHere } from "./support/ListenHere.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { dial, dialTls, statusOf } from "./support/RawSocket.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { forListener, newCertificate, writeTlsFiles } from "./support/TlsFiles.ts"
import { until } from "./support/Until.ts"

const tls = newCertificate()
const certificate = forListener(tls)

/** For how long a stop waits for the rest of a request. */
const wholeWithinMillis = 5_000

const get = "GET / HTTP/1.1\r\nHost: pay.example\r\n\r\n"

const closed = async (socket: Socket) => {
  // What is sent as the server closes is answered by a reset.
  socket.on("error", () => {}).resume()
  if (!socket.closed) await new Promise((resolve) => socket.once("close", resolve))
}

const isServed = async (url: string, from?: string) => {
  const socket = await dialTls(url, tls.cert, { from }).catch(() => undefined)
  if (socket === undefined) return false
  socket.write(get)
  const [answer] = await once(socket, "data")
  socket.destroy()
  return statusOf(String(answer)) === "200"
}

/** The record of a ClientHello that promises 512 bytes. */
const helloHead = Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03])

describe("a handshake that is not finished", () => {
  it("a handshake without bytes, or one at a time, is closed after its time", {
    timeout: 180_000
  }, async () => {
    const { url } = await listenHere((_request, response) => response.end(), {
      certificate,
      requestTimeoutMillis: 300
    })
    const [silent, begun, slow] = await Promise.all([dial(url), dial(url), dial(url)])
    begun.write(helloHead)
    slow.write(helloHead)
    const dripping = setInterval(() => slow.write(Buffer.from([0])), 60)
    await Promise.all([silent, begun, slow].map(closed))
    clearInterval(dripping)
    assert.isTrue(await isServed(url))
  })

  it("a stop does not wait for a connection", async () => {
    const folder = temporaryFolder()
    const { clock, slept } = makeMovedClock()
    const server = await startServerHere({ folder, environment: writeTlsFiles(folder, tls).environment, clock })
    const begun = await dial(server.url)
    begun.write(helloHead)
    // The server has seen the first connection once it has taken another.
    await dialTls(server.url, tls.cert)
    const before = slept(wholeWithinMillis)
    assert.strictEqual((await server.stop()).code, 0)
    assert.strictEqual(slept(wholeWithinMillis), before)
    await closed(begun)
  })

  it("TLS connections above one address's limit are closed, and another is served", {
    timeout: 180_000
  }, async () => {
    const { url } = await listenHere((_request, response) => response.end(), { certificate })
    const sockets: Array<Socket> = []
    for (let at = 0; at < 1_100; at++) sockets.push(await dial(url, { from: "127.0.0.2" }))
    for (const socket of sockets) socket.resume()
    const open = () => sockets.filter((socket) => !socket.closed).length
    await until("more are closed", () => open() <= 1_024)
    assert.isTrue(await isServed(url))
    assert.strictEqual(open(), 1_024)
    for (const socket of sockets) socket.destroy()
    await until("its address is served again", () => isServed(url, "127.0.0.2"))
  })
})

describe("a connection with TLS", () => {
  it("a TLS client that does not read is closed after its time", { timeout: 180_000 }, () =>
    assertSilentReaderIsCut((url) => dialTls(url, tls.cert), { certificate })
  )
})
