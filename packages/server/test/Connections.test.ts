/** What one client may hold by its connections: requests that it pipelines, responses that it does not read, idle ones. */
import { once } from "node:events"
import type { Socket } from "node:net"
import { assert, describe, it } from "vitest"
import { makeSources } from "../src/SourceOf.ts"
import { assertSilentReaderIsCut, listenHere } from "./support/ListenHere.ts"
import { ask, dial, statusOf } from "./support/RawSocket.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { until } from "./support/Until.ts"

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: pay.example\r\n\r\n`

/** Sends a request on it. */
const isServed = (socket: Socket): Promise<boolean> =>
  new Promise((resolve) => {
    if (socket.closed) return resolve(false)
    socket.once("data", (answer) => resolve(/served/u.test(String(answer))))
    socket.once("close", () => resolve(false))
    socket.on("error", () => {}).write(get("/"))
  })

/** The server learns a little later that a connection was closed. */
const untilServed = (url: string, from: string) =>
  until(`${from} is served`, async () => {
    const socket = await dial(url, { from })
    const isIt = await isServed(socket)
    socket.destroy()
    return isIt
  })

/** So many connections, from one address after the other. */
const dialMany = async (url: string, count: number, ...addresses: ReadonlyArray<string>) => {
  const sockets: Array<Socket> = []
  for (let at = 0; at < count; at++) {
    const socket = await dial(url, { from: addresses[at % addresses.length] })
    sockets.push(socket.resume())
  }
  return sockets
}

const areServed = async (sockets: ReadonlyArray<Socket>) =>
  (await Promise.all(sockets.map(isServed))).filter(Boolean).length

const closed = async (socket: Socket) => void (socket.closed || (await once(socket, "close")))

describe("requests that a client pipelines", () => {
  it("ten pipelined requests are handled one after the other, answered in order", async () => {
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
    await until("ten answers", () => received.includes("/number/9"))
    assert.deepStrictEqual(
      [...received.matchAll(/\/number\/(\d)/gu)].map(([, number]) => number),
      [..."0123456789"]
    )
    assert.strictEqual(most, 1)
  })

  it("far more pipelined requests than may wait close the connection, after one", async () => {
    let handled = 0
    const { url } = await listenHere(({ url: path }, response) => {
      // The pipelined ones are never answered.
      if (path === "/") response.end()
      else handled += 1
    })
    const socket = await dial(url)
    socket.resume()
    socket.write(get("/held").repeat(200))
    await closed(socket)
    assert.strictEqual(handled, 1)
    assert.strictEqual(await (await fetch(url)).text(), "")
  })

  it("others are answered beside 100 clients that pipeline metrics and read nothing", {
    timeout: 180_000
  }, async () => {
    const server = await startServerHere()
    const flood = Array.from({ length: 100 }, async () => {
      const socket = await dial(server.url, { from: "127.0.0.2" })
      socket.pause()
      socket.write(get("/metrics").repeat(200))
      return socket
    })
    const sockets = await Promise.all(flood)
    const live = await ask(server.url, ["GET /health/live HTTP/1.1", "Host: pay.example"])
    assert.strictEqual(statusOf(live), "200")
    for (const socket of sockets) await closed(socket.resume())
  })
})

describe("a response that its client does not read", () => {
  it("a client that does not read in time is closed, and one that reads is not", () => assertSilentReaderIsCut(dial))
})

describe("the number of connections", () => {
  it("connections above one address's limit are closed, but not a trusted proxy's", async () => {
    const { url } = await listenHere((_request, response) => response.end("served"), {
      sources: makeSources(["127.0.0.3"])
    })
    const sockets = await dialMany(url, 1_100, "127.0.0.2")
    assert.strictEqual(await areServed(sockets), 1_024)
    assert.strictEqual(await (await fetch(url)).text(), "served")
    assert.strictEqual(await areServed(await dialMany(url, 1_100, "127.0.0.3")), 1_100)
    for (const socket of sockets) socket.destroy()
    await untilServed(url, "127.0.0.2")
  })

  it("one connection above all addresses' limit is closed, and a free place is taken", async () => {
    const { url } = await listenHere((_request, response) => response.end("served"))
    const addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"]
    const sockets = await dialMany(url, 4_096, ...addresses)
    for (const from of [addresses[0], "127.0.0.7"]) {
      const refused = await dial(url, { from })
      await closed(refused.resume())
    }
    assert.lengthOf(
      sockets.filter((socket) => socket.closed),
      0
    )
    sockets[0]?.destroy()
    await untilServed(url, "127.0.0.7")
  })
})

describe("an idle connection", () => {
  /** Sends a request now and then on one connection, as a load balancer does. */
  const answerOn = async (socket: Socket): Promise<string> => {
    socket.write(get("/health/live"))
    let received = ""
    while (!received.includes('"live"')) received += String((await once(socket, "data"))[0])
    return received
  }

  it("a connection is kept for the announced time, and a set one is closed after it", async () => {
    const folder = temporaryFolder()
    const flags = ["--database-url", "sqlite::memory:"]
    const usual = await startServerHere({ folder, flags })
    const set = await startServerHere({ folder, flags, environment: { POINTSMAN_KEEP_ALIVE: "1 second" } })
    const [kept, short] = [await dial(usual.url), await dial(set.url)]
    assert.match(await answerOn(kept), /^keep-alive: timeout=75\r$/im)
    assert.match(await answerOn(short), /^keep-alive: timeout=1\r$/im)
    await closed(short.resume())
    assert.isFalse(kept.closed)
    assert.match(await answerOn(kept), /200 OK/u)
  })
})
