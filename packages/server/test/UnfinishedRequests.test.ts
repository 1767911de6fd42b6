/** Clients that send a part of a request and keep the rest. */
import { assert, describe, it } from "vitest"
import { listenHere } from "./support/ListenHere.ts"
import { type DialOptions, dial, statusOf } from "./support/RawSocket.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { until } from "./support/Until.ts"

const host = "Host: pay.example"
const bodyPromised = ["Content-Type: application/json", "Content-Length: 200", "", '{"amount":']
const mebibyte = 1_048_576
const message = "POST /api/v1/psp-webhooks/anybody HTTP/1.1"

/** Writes, and collects what comes. */
const say = async (url: string, text: string, options?: DialOptions) => {
  const socket = await dial(url, options)
  let received = ""
  let closed = false
  socket.on("data", (chunk) => {
    received += chunk
  })
  socket.on("close", () => {
    closed = true
  })
  socket.write(text)
  return { socket, received: () => received, isClosed: () => closed }
}

const areClosed = (clients: ReadonlyArray<{ readonly isClosed: () => boolean }>) =>
  until("all are closed", () => clients.every(({ isClosed }) => isClosed()))

const head = [message, host, `Content-Length: ${mebibyte}`, "", ""].join("\r\n")

/** Payments are made beside the clients, and whole messages are read once these are gone. */
const assertServed = async (server: ServerHere, clients: ReadonlyArray<Awaited<ReturnType<typeof say>>>) => {
  const order = { amount: 1000, currency: "EUR", country: "NL" }
  assert.strictEqual((await server.request("POST", "/api/v1/payments", { body: order })).status, 201)
  for (const { socket } of clients) socket.destroy()
  await areClosed(clients)
  // The server learns a little later that the connections were closed that held its memory.
  await until("a whole message is read", async () => {
    const whole = await say(server.url, head + "x".repeat(mebibyte))
    await until("it is answered", () => whole.received() !== "")
    whole.socket.destroy()
    return statusOf(whole.received()) === "401"
  })
}

describe("a request that does not arrive whole", () => {
  it("a request on any path is 408 or closed when its time is over", {
    timeout: 180_000
  }, async () => {
    const server = await startServerHere({ environment: { POINTSMAN_REQUEST_TIMEOUT: "300 millis" } })
    const heads: Readonly<Record<string, ReadonlyArray<string>>> = {
      nothing: [""],
      "a part of the head": ["GET /health/live HTTP/1.1", host, "X-Rest: "],
      payment: ["POST /api/v1/payments HTTP/1.1", host, `Authorization: Bearer ${server.sandboxKey}`, ...bodyPromised],
      "payment without a key": ["POST /api/v1/payments HTTP/1.1", host, ...bodyPromised],
      message: [message, host, ...bodyPromised],
      "message in chunks": [message, host, "Transfer-Encoding: chunked", "", "5", "12345", ""],
      page: [
        "POST /hosted/0123456789 HTTP/1.1",
        host,
        "Content-Type: application/x-www-form-urlencoded",
        "Content-Length: 20",
        "",
        "action="
      ]
    }
    const clients = await Promise.all(
      Object.entries(heads).map(async ([name, lines]) => ({ name, ...(await say(server.url, lines.join("\r\n"))) }))
    )
    const open = () => clients.filter(({ isClosed }) => !isClosed()).map(({ name }) => name)
    await until(
      () => `closed but for ${open().join(", ")}`,
      () => open().length === 0
    )
    const answers = clients.map(({ received }) => statusOf(received()))
    for (const answer of answers) assert.include(["408", "401", "closed"], answer)
    assert.strictEqual((await server.request("GET", "/health/live")).status, 200)
  })

  it("a request that arrived whole is answered though the answer takes longer", async () => {
    const arrived = Promise.withResolvers<() => void>()
    const { url } = await listenHere(
      (request, response) => {
        request.resume().once("end", () => arrived.resolve(() => response.end("paid")))
      },
      { requestTimeoutMillis: 300 }
    )
    const answer = fetch(url, { method: "POST", body: "order" })
    const pay = await arrived.promise
    // One that comes later and never whole shows that the time of the first is over.
    await areClosed([await say(url, "POST / HTTP/1.1\r\n")])
    pay()
    assert.strictEqual(await (await answer).text(), "paid")
  })
})

describe("bodies that are held back", () => {
  it("a request above 40 MB of one address is 429, and payments are made", {
    timeout: 180_000
  }, async () => {
    const server = await startServerHere()
    const chunked = [message, host, "Transfer-Encoding: chunked", "", ""].join("\r\n")
    const piece = `1\r\nx\r\n`.repeat(50_000)
    const clients = await Promise.all([
      ...Array.from({ length: 40 }, () => say(server.url, head + "x".repeat(mebibyte - 1))),
      ...Array.from({ length: 10 }, () => say(server.url, chunked + piece))
    ])
    const refused = () => clients.filter(({ received }) => statusOf(received()) === "429").length
    await until(
      () => `30 are refused: ${refused()} were`,
      () => refused() >= 30
    )
    assert.match(clients.map(({ received }) => received()).join(""), /^retry-after: 1\r$/im)
    assert.isBelow(refused(), 40)

    await assertServed(server, clients)
  })

  it("a request above all that five addresses of 16 MiB may hold is 503; payments pass", {
    timeout: 180_000
  }, async () => {
    const server = await startServerHere()
    const held = head + "x".repeat(mebibyte - 1)
    const addresses = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"]
    const clients = await Promise.all(
      addresses.flatMap((from) => Array.from({ length: 16 }, () => say(server.url, held, { from })))
    )
    const answered = () => clients.map(({ received }) => statusOf(received())).filter((status) => status !== "closed")
    await until(
      () => `28 are answered: ${answered().length} were`,
      () => answered().length >= 28
    )
    assert.deepStrictEqual([...new Set(answered())], ["503"])
    // 48 MiB are 48 of these messages, and one more beyond what connections have of their own.
    assert.isBelow(answered().length, 34)
    const another = await say(server.url, held, { from: "127.0.0.7" })
    await until("one more is answered", () => another.received() !== "")
    assert.strictEqual(statusOf(another.received()), "503")
    assert.match(another.received(), /^retry-after: 1\r$/im)

    await assertServed(server, clients)
  })
})
