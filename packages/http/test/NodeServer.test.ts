/** What only a real socket shows: bodies that are too large while they stream, and clients that hang up. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { Deferred, Effect, type Exit } from "effect"
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type Listening, listen } from "./support/Listening.ts"
import { payment, paymentId, scripted } from "./support/Scripted.ts"

let began = Deferred.makeUnsafe<void>()
let goOn = Deferred.makeUnsafe<void>()
let ended: Array<Exit.Exit<unknown, unknown>> = []

// Interruptible on purpose: it is the route that must keep a client's hanging up away from it.
const answer = (idempotencyKey: string | null) =>
  (idempotencyKey === "held-by-the-test"
    ? Deferred.succeed(began, undefined).pipe(Effect.andThen(Deferred.await(goOn)))
    : Effect.void
  ).pipe(
    Effect.as({ payment, isReplay: false }),
    Effect.onExit((exit) => Effect.sync(() => ended.push(exit)))
  )

const script = scripted({
  create: (_caller, request) => answer(request.idempotencyKey),
  capture: (_caller, order) => answer(order.idempotencyKey),
  void: (_caller, order) => answer(order.idempotencyKey),
  refund: (_caller, order) => answer(order.idempotencyKey)
})

let listening: Listening
beforeAll(async () => {
  listening = await listen(script.layer)
})
afterAll(() => listening.close())
beforeEach(() => {
  began = Deferred.makeUnsafe()
  goOn = Deferred.makeUnsafe()
  ended = []
  script.created.length = 0
})

const dial = async (): Promise<Socket> => {
  const socket = connect(Number(new URL(listening.url).port), "127.0.0.1")
  await once(socket, "connect")
  return socket
}
const head = (...lines: ReadonlyArray<string>) => [...lines, "Host: pointsman.test", "", ""].join("\r\n")
const post = (...headers: ReadonlyArray<string>) =>
  head("POST /api/v1/payments HTTP/1.1", "Authorization: Bearer sandbox", "Content-Type: application/json", ...headers)
/** Longer than a client keeps a connection that it may use again, and than a busy machine takes. */
const patience = { timeout: 20_000 }

const connections = () => new Promise((resolve) => listening.server.getConnections((_, count) => resolve(count)))

/** Everything until the server closes. */
const readAll = async (socket: Socket): Promise<string> => {
  let text = ""
  for await (const chunk of socket) text += chunk
  return text
}
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`
const good = JSON.stringify({ amount: 1999, currency: "EUR", country: "NL" })

describe("a body over 16,384 bytes", () => {
  test("chunks without end are 413 while they stream past the limit", async () => {
    const socket = await dial()
    socket.write(post("Transfer-Encoding: chunked"))
    socket.write(chunk(" ".repeat(8_192)))
    socket.write(chunk(" ".repeat(8_192)))
    socket.write(chunk(" "))
    // The body never ends: an answer shows that nobody waits for its end.
    const answer = await readAll(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /u)
    expect(answer.toLowerCase()).toContain("\r\nconnection: close\r\n")
    expect(answer.toLowerCase()).toContain("\r\nx-request-id: req_")
    expect(answer).toContain('"code":"payload_too_large"')
    expect(script.created).toEqual([])
  })

  test("chunks of exactly 16,384 bytes create the payment", async () => {
    const socket = await dial()
    socket.write(post("Transfer-Encoding: chunked", "Connection: close"))
    socket.write(chunk(good.padEnd(10_000, " ")))
    socket.write(chunk(" ".repeat(6_384)))
    socket.write("0\r\n\r\n")
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 201 /u)
  })

  test("a declared length over the limit is 413 before any byte of it came", async () => {
    const socket = await dial()
    socket.write(post("Content-Length: 16385"))
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 413 /u)
  })

  test("Expect: 100-continue with a length over the limit gets no 100 Continue", async () => {
    const socket = await dial()
    socket.write(post("Content-Length: 50000", "Expect: 100-continue"))
    const answer = await readAll(socket)
    expect(answer).toMatch(/^HTTP\/1\.1 413 /u)
    expect(answer).not.toContain("100 Continue")
  })

  test("50 KB declared without a key are 401 and none of them is read", async () => {
    const socket = await dial()
    socket.write(head("POST /api/v1/payments HTTP/1.1", "Content-Length: 50000", "Connection: close"))
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 401 /u)
  })
})

describe("a client that hangs up", () => {
  test.each([
    "/api/v1/payments",
    `/api/v1/payments/${paymentId}/capture`,
    `/api/v1/payments/${paymentId}/void`,
    `/api/v1/payments/${paymentId}/refunds`
  ])("a POST to %s under way runs to its end when its client is gone", async (path) => {
    const body = path === "/api/v1/payments" ? good : ""
    const socket = await dial()
    const gone = new Promise<void>((resolve) => {
      socket.once("close", () => resolve())
    })
    socket.write(
      post(`Content-Length: ${body.length}`, "Idempotency-Key: held-by-the-test").replace("/api/v1/payments", path) +
        body
    )
    await Effect.runPromise(Deferred.await(began))
    socket.destroy()
    await gone
    // The server has seen it when it has no connection left.
    await expect.poll(connections, patience).toBe(0)
    expect(ended).toEqual([])
    await Effect.runPromise(Deferred.succeed(goOn, undefined))
    await expect.poll(() => ended, patience).toHaveLength(1)
    expect(ended[0]?._tag).toBe("Success")
  })

  test("half a body of a client that is gone asks nothing of core", async () => {
    const socket = await dial()
    const arrived = once(listening.server, "request")
    socket.write(post(`Content-Length: ${good.length}`) + good.slice(0, 20))
    await arrived
    socket.destroy()
    await expect.poll(connections, patience).toBe(0)
    expect(script.created).toEqual([])
    expect((await fetch(`${listening.url}/api/v1/nothing`)).status).toBe(404)
  })
})

describe("paths that no client library sends as they are", () => {
  test.each(["/api/v1/payments/..", "/api/v1/payments/%2e%2e", "/api/v1/payments/../../etc/passwd", "*"])(
    "%s is 4xx in the envelope",
    async (path) => {
      const socket = await dial()
      socket.write(head(`GET ${path} HTTP/1.1`, "Authorization: Bearer sandbox", "Connection: close"))
      const answer = await readAll(socket)
      expect(answer).toMatch(/^HTTP\/1\.1 404 /u)
      expect(answer).toContain('"code":"not_found"')
    }
  )
})
