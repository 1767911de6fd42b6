/** What one client may hold by its connections: requests that it pipelines, responses that it does not read, idle ones. */
import { once } from "node:events"
import type { Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { assert, describe, it } from "vitest"
import { makeSources } from "../src/SourceOf.ts"
import { listenHere } from "./support/ListenHere.ts"
import { ask, dial, statusOf } from "./support/RawSocket.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: pay.example\r\n\r\n`

const isClosed = async (socket: Socket, withinMillis: number) => {
  if (!socket.closed) await Promise.race([once(socket, "close"), sleep(withinMillis)])
  return socket.closed
}

describe("requests that a client pipelines", () => {
  it("given ten, when they come at once, then they are handled one after the other and answered in order", async () => {
    let inside = 0
    let most = 0
    const { url } = await listenHere((request, response) => {
      inside += 1
      most = Math.max(most, inside)
      setTimeout(() => {
        inside -= 1
        response.end(request.url)
      }, 5)
    })
    const socket = await dial(url)
    let received = ""
    socket.on("data", (chunk) => {
      received += chunk
    })
    socket.write(Array.from({ length: 10 }, (_, at) => get(`/number/${at}`)).join(""))
    const end = Date.now() + 5_000
    while (!received.includes("/number/9") && Date.now() < end) await sleep(10)
    assert.deepStrictEqual(
      [...received.matchAll(/\/number\/(\d)/gu)].map(([, number]) => number),
      [..."0123456789"]
    )
    assert.strictEqual(most, 1)
  })

  it("given far more than may wait, when they come at once, then the connection is closed, and one is handled", async () => {
    let handled = 0
    const { url } = await listenHere((_request, response) => {
      handled += 1
      setTimeout(() => response.end(), 1_000)
    })
    const socket = await dial(url)
    socket.resume()
    socket.write(get("/").repeat(200))
    assert.isTrue(await isClosed(socket, 5_000))
    assert.strictEqual(handled, 1)
    assert.strictEqual(await (await fetch(url)).text(), "")
  })

  it("given 100 clients that pipeline metrics and read nothing, then others are answered", {
    timeout: 180_000
  }, async () => {
    const server = await startServerHere({ folder: temporaryFolder() })
    const flood = Array.from({ length: 100 }, async () => {
      const socket = await dial(server.url, { from: "127.0.0.2" })
      socket.pause()
      socket.write(get("/metrics").repeat(200))
      return socket
    })
    const sockets = await Promise.all(flood)
    const live = await ask(server.url, ["GET /health/live HTTP/1.1", "Host: pay.example"])
    assert.strictEqual(statusOf(live), "200")
    for (const socket of sockets) {
      socket.resume()
      assert.isTrue(await isClosed(socket, 5_000))
    }
  })
})

describe("a response that its client does not read", () => {
  it("given the time for it is over, then the connection is closed; given a client that reads, then it is not", async () => {
    const { url } = await listenHere((_request, response) => response.end(Buffer.alloc(32 * 1024 * 1024)), {
      readWithinMillis: 1_000
    })
    const [silent, reading] = await Promise.all([dial(url), dial(url)])
    let bytes = 0
    reading.on("data", (chunk) => {
      bytes += chunk.length
    })
    for (const socket of [silent, reading]) socket.write(get("/"))
    await sleep(5_000)
    silent.resume()
    assert.isTrue(await isClosed(silent, 2_000))
    assert.isFalse(reading.closed)
    assert.isAbove(bytes, 32 * 1024 * 1024)
  })
})

describe("the number of connections", () => {
  it("given a trusted proxy, when it has more connections than one address may have, then all are kept", async () => {
    const { url } = await listenHere((_request, response) => response.end("served"), {
      sources: makeSources(["127.0.0.3"])
    })
    const sockets: Array<Socket> = []
    for (let at = 0; at < 1_100; at++) sockets.push(await dial(url, { from: "127.0.0.3" }))
    for (const socket of sockets) socket.resume()
    await sleep(500)
    assert.lengthOf(
      sockets.filter((socket) => !socket.closed),
      1_100
    )
  })

  it("given all that one address may have, then more of it are closed, and another address is served", async () => {
    const { url } = await listenHere((_request, response) => response.end("served"))
    const sockets: Array<Socket> = []
    for (let at = 0; at < 1_100; at++) sockets.push(await dial(url, { from: "127.0.0.2" }))
    for (const socket of sockets) socket.resume()
    await sleep(500)
    assert.strictEqual(sockets.filter((socket) => !socket.closed).length, 1_024)
    assert.strictEqual(await (await fetch(url)).text(), "served")
    for (const socket of sockets) socket.destroy()
    await sleep(500)
    const again = await dial(url, { from: "127.0.0.2" })
    again.write(get("/"))
    assert.match(String((await once(again, "data"))[0]), /served/u)
  })

  it("given all that five addresses may have together, then one more of any address is closed, and a place that is left is taken", {
    timeout: 120_000
  }, async () => {
    const { url } = await listenHere((_request, response) => response.end("served"))
    const inAll = 4_096
    const addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"]
    const sockets: Array<Socket> = []
    for (let at = 0; at < inAll; at++) {
      const socket = await dial(url, { from: addresses[at % addresses.length] })
      sockets.push(socket.resume())
    }
    for (const from of [addresses[0], "127.0.0.7"]) {
      const refused = await dial(url, { from })
      assert.isTrue(await isClosed(refused.resume(), 5_000), from)
    }
    assert.lengthOf(
      sockets.filter((socket) => socket.closed),
      0
    )
    sockets[0]?.destroy()
    await sleep(500)
    const again = await dial(url, { from: "127.0.0.7" })
    again.write(get("/"))
    assert.match(String((await once(again, "data"))[0]), /served/u)
  })
})
