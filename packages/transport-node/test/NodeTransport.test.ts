import { assert, describe, it } from "@effect/vitest"
import {
  httpAnswer,
  refusedUrl,
  type SocketProvider,
  type SocketProviderOptions,
  socketProvider
} from "@pointsman/contracts/connector"
import { itRuns, itRunsLive } from "@pointsman/contracts/vitest"
import { BeginBy, NotSent, type TransportAnswer, type TransportRequest, Unanswered } from "@pointsman/core/connector"
import { make, type NodeTransportOptions } from "@pointsman/transport-node"
import { Clock, Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { loadUndici, makeOver } from "../src/NodeTransport.ts"
import { selfSigned } from "./Certificates.ts"

const timeoutMillis = 30_000
const secret = "sk_secret_value"

const chargeAt = (url: string, more: Partial<TransportRequest> = {}): TransportRequest => ({
  method: "POST",
  url: `${url}/charges?token=${secret}`,
  headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
  body: JSON.stringify({ instrument: secret }),
  timeoutMillis,
  ...more
})

/** A transport and a provider at a socket, for the life of the test. */
const setup = (provider: SocketProviderOptions, transport?: NodeTransportOptions) =>
  Effect.gen(function* () {
    const at = yield* socketProvider(provider)
    const { send } = yield* make(transport)
    return { at, send, charge: send(chargeAt(at.url)) }
  })

const answers =
  (...texts: ReadonlyArray<string>): NonNullable<SocketProviderOptions["onRequest"]> =>
  (socket, _request, index) => {
    socket.write(texts[Math.min(index, texts.length - 1)] ?? "")
  }

/** undici offers a connection for use again one turn of the event loop after the answer. */
const idle = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 5)))

const nextTurn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))

const assertNotSent = (at: Pick<SocketProvider, "requests">, error: NotSent | Unanswered) => {
  assert.instanceOf(error, NotSent)
  assert.strictEqual(at.requests.length, 0)
  assert.notInclude(JSON.stringify(error), secret)
}

const assertUnanswered = (at: SocketProvider, error: NotSent | Unanswered, requests = 1) => {
  assert.instanceOf(error, Unanswered)
  assert.strictEqual(at.requests.length, requests)
  assert.notInclude(JSON.stringify(error), secret)
}

describe("nothing left this machine", () => {
  itRuns("a port without a listener is NotSent", function* () {
    const { send } = yield* make()
    const error = yield* Effect.flip(send(chargeAt(yield* refusedUrl)))
    assertNotSent({ requests: [] }, error)
    assert.include(error.reason, "ECONNREFUSED")
  })

  itRuns("a name that does not exist is NotSent", function* () {
    const { send } = yield* make()
    assertNotSent({ requests: [] }, yield* Effect.flip(send(chargeAt("http://provider.invalid"))))
  })

  for (const [what, onConnection] of [
    ["closes", (socket) => socket.end()],
    ["resets", (socket) => socket.resetAndDestroy()],
    ["speaks no TLS", (socket) => socket.end("HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")]
  ] satisfies ReadonlyArray<readonly [string, NonNullable<SocketProviderOptions["onConnection"]>]>) {
    itRuns(`a provider that ${what} at the TLS hello is NotSent`, function* () {
      const { at, send } = yield* setup({ onConnection: (socket) => socket.once("data", () => onConnection(socket)) })
      assertNotSent(at, yield* Effect.flip(send(chargeAt(at.url.replace("http:", "https:")))))
      assert.strictEqual(at.connections(), 1)
    })
  }

  itRuns("a certificate that is not signed is NotSent and not a byte inside TLS", function* () {
    const { at, charge } = yield* setup({ tls: selfSigned("127.0.0.1") })
    const error = yield* Effect.flip(charge)
    assertNotSent(at, error)
    assert.include(error.reason, "DEPTH_ZERO_SELF_SIGNED_CERT")
    assert.strictEqual(at.bytes(), 0)
  })

  itRuns("a trusted certificate of another host is NotSent and not a byte inside TLS", function* () {
    const certificate = selfSigned("127.0.0.2")
    const { at, charge } = yield* setup({ tls: certificate }, { trustedCertificates: [certificate.cert] })
    const error = yield* Effect.flip(charge)
    assertNotSent(at, error)
    assert.include(error.reason, "ERR_TLS_CERT_ALTNAME_INVALID")
    assert.strictEqual(at.bytes(), 0)
  })

  itRuns("a provider that never answers the TLS hello is NotSent at the timeout", function* () {
    const { at, send } = yield* setup({})
    const sending = yield* Effect.forkChild(Effect.flip(send(chargeAt(at.url.replace("http:", "https:")))))
    yield* at.whenConnections(1)
    yield* TestClock.adjust(timeoutMillis)
    assertNotSent(at, yield* Fiber.join(sending))
  })

  itRunsLive("a provider that never answers the TLS hello is NotSent at the connect timeout", function* () {
    const { at, send } = yield* setup({}, { connectTimeoutMillis: 50 })
    const error = yield* Effect.flip(send(chargeAt(at.url.replace("http:", "https:"))))
    assertNotSent(at, error)
    assert.include(error.reason, "UND_ERR_CONNECT_TIMEOUT")
  })

  itRuns("a call that still waits for its connection at its moment to begin is NotSent", function* () {
    const { at, send } = yield* setup({})
    const hello = send(chargeAt(at.url.replace("http:", "https:")))
    const sending = yield* Effect.forkChild(Effect.flip(Effect.provideService(hello, BeginBy, 5_000)))
    yield* at.whenConnections(1)
    yield* TestClock.adjust(5_000)
    assert.isUndefined(sending.pollUnsafe())
    yield* TestClock.adjust(1)
    const error = yield* Fiber.join(sending)
    assertNotSent(at, error)
    assert.include(error.reason, "deadline for sending had passed")
  })

  itRuns("a call queued while its process froze is not written when its turn comes", function* () {
    // A clock that jumps without waking a sleeper: the queue's turn comes before the timer's.
    let now = 0
    const frozen: Clock.Clock = {
      ...(yield* Clock.Clock),
      currentTimeMillisUnsafe: () => now
    }
    const { at, charge } = yield* setup({ onRequest: answers(httpAnswer(200, "ok")) })
    const call = charge.pipe(Effect.provideService(BeginBy, 5_000), Effect.provideService(Clock.Clock, frozen))
    assert.strictEqual((yield* call).body, "ok")
    const sending = yield* Effect.forkChild(Effect.flip(call), { startImmediately: true })
    now = 5_001
    const error = yield* Fiber.join(sending)
    assert.instanceOf(error, NotSent)
    assert.strictEqual(at.requests.length, 1)
  })

  itRuns("a call that waits for one connection past its timeout is NotSent for good", function* () {
    let answerFirst = () => {}
    const { at, send } = yield* setup(
      {
        onRequest: (socket, _request, index) => {
          if (index === 0) answerFirst = () => socket.write(httpAnswer(200, "first"))
          else socket.write(httpAnswer(200, "third"))
        }
      },
      { connectionsPerOrigin: 1 }
    )
    const first = yield* Effect.forkChild(send(chargeAt(at.url, { timeoutMillis: 60_000 })))
    yield* at.whenRequests(1)
    const second = yield* Effect.forkChild(Effect.flip(send(chargeAt(at.url, { body: "second" }))))
    yield* TestClock.adjust(timeoutMillis)
    const error = yield* Fiber.join(second)
    assert.instanceOf(error, NotSent)
    answerFirst()
    assert.strictEqual((yield* Fiber.join(first)).body, "first")
    // The withdrawn request was before this one in the queue, and must be skipped.
    assert.strictEqual((yield* send(chargeAt(at.url, { body: "third" }))).body, "third")
    assert.deepStrictEqual(
      at.requests.map(({ body }) => body),
      [JSON.stringify({ instrument: secret }), "third"]
    )
    assert.strictEqual(at.connections(), 1)
  })

  itRuns("a waiting call that is interrupted is never sent on the one connection", function* () {
    let answerFirst = () => {}
    const { at, send, charge } = yield* setup(
      { onRequest: (socket) => (answerFirst = () => socket.write(httpAnswer(200, "ok"))) },
      { connectionsPerOrigin: 1 }
    )
    const first = yield* Effect.forkChild(charge)
    yield* at.whenRequests(1)
    const second = yield* Effect.forkChild(send(chargeAt(at.url, { body: "second" })), { startImmediately: true })
    yield* Fiber.interrupt(second)
    assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(second)))
    answerFirst()
    yield* Fiber.join(first)
    const third = yield* Effect.forkChild(send(chargeAt(at.url, { body: "third" })))
    yield* at.whenRequests(2)
    answerFirst()
    yield* Fiber.join(third)
    assert.strictEqual(at.requests[1]?.body, "third")
    assert.strictEqual(at.requests.length, 2)
  })

  for (const [what, request] of [
    ["a relative URL", { url: "/charges" }],
    ["another protocol", { url: "ftp://127.0.0.1/charges" }],
    ["a user in the URL", { url: `http://user:${secret}@127.0.0.1/charges` }],
    ["a header that breaks the line", { headers: { authorization: `Bearer ${secret}\r\nx: y` } }]
  ] satisfies ReadonlyArray<readonly [string, Partial<TransportRequest>]>) {
    itRuns(`${what} is NotSent`, function* () {
      const { at, send } = yield* setup({})
      assertNotSent(at, yield* Effect.flip(send(chargeAt(at.url, request))))
      assert.strictEqual(at.connections(), 0)
    })
  }
})

describe("the request may have left", () => {
  itRuns("a silent provider is Unanswered at the timeout, and the line is cut", function* () {
    const { at, charge } = yield* setup({})
    const sending = yield* Effect.forkChild(Effect.flip(charge))
    yield* at.whenRequests(1)
    yield* TestClock.adjust(timeoutMillis - 1)
    assert.isUndefined(sending.pollUnsafe())
    yield* TestClock.adjust(1)
    assertUnanswered(at, yield* Fiber.join(sending))
    yield* at.whenQuiet
  })

  itRuns("half an answer at the timeout is Unanswered", function* () {
    const { at, charge } = yield* setup({ onRequest: answers(httpAnswer(200, "0123456789").slice(0, -1)) })
    const sending = yield* Effect.forkChild(Effect.flip(charge))
    yield* at.whenRequests(1)
    yield* TestClock.adjust(timeoutMillis)
    assertUnanswered(at, yield* Fiber.join(sending))
  })

  for (const [what, answer] of [
    ["is reset after the request", (socket) => socket.resetAndDestroy()],
    ["is closed after the request", ""],
    [
      "is reset in the middle of the answer",
      (socket) => socket.write(httpAnswer(200, "0123456789").slice(0, -5), () => socket.resetAndDestroy())
    ],
    [
      "is reset in the middle of an answer without a length",
      (socket) => socket.write("HTTP/1.1 200 OK\r\n\r\n01234", () => socket.resetAndDestroy())
    ],
    [
      "is reset after the headers of an answer that was to be the last one",
      (socket) =>
        socket.write("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 10\r\n\r\n", () =>
          socket.resetAndDestroy()
        )
    ],
    ["ends before its stated length", httpAnswer(200, "0123456789").slice(0, -5)],
    ["ends before its last chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n01234\r\n"],
    ["answers in no HTTP", "SSH-2.0-OpenSSH_9.6\r\n"],
    ["answers binary noise", Buffer.from([0, 255, 13, 10, 13, 10, 200])],
    ["answers 100, which was not asked for", "HTTP/1.1 100 Continue\r\n\r\n"],
    ["switches protocols", "HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n"],
    ["states headers without an end", `HTTP/1.1 200 OK\r\nx: ${"y".repeat(100_000)}\r\n\r\n{}`],
    ["states two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} "],
    ["answers 10 MB", httpAnswer(200, "x".repeat(10_000_000))],
    ["answers 10 MB without a length", `HTTP/1.1 200 OK\r\n\r\n${"x".repeat(10_000_000)}`],
    [
      "answers no UTF-8",
      (socket) =>
        socket.write(Buffer.concat([Buffer.from(httpAnswer(200, "ab").slice(0, -2)), Buffer.from([0xc3, 0x28])]))
    ],
    ["answers compressed", (socket) => socket.write(httpAnswer(200, "text", { "content-encoding": "gzip" }))]
  ] satisfies ReadonlyArray<readonly [string, string | Buffer | NonNullable<SocketProviderOptions["onRequest"]>]>) {
    itRuns(`a connection that ${what} is Unanswered after one request`, function* () {
      const { at, charge } = yield* setup({
        onRequest: typeof answer === "function" ? answer : (socket) => socket.end(answer)
      })
      assertUnanswered(at, yield* Effect.flip(charge))
      assert.strictEqual(at.connections(), 1)
    })
  }

  for (const method of ["GET", "POST", "PUT", "DELETE"] as const) {
    itRuns(`a kept connection reset as ${method} uses it is Unanswered, and not sent twice`, function* () {
      const { at, send } = yield* setup({
        onRequest: (socket, _request, index) => {
          if (index === 0) socket.write(httpAnswer(200, "ok"))
          else socket.resetAndDestroy()
        }
      })
      // undici does not keep a connection on which GET or DELETE had a body.
      const body = method === "GET" || method === "DELETE" ? undefined : "{}"
      const request = chargeAt(at.url, { method, body })
      yield* send(request)
      yield* idle
      assertUnanswered(at, yield* Effect.flip(send(request)), 2)
      assert.strictEqual(at.connections(), 1)
    })
  }

  itRunsLive("no request arrives twice on connections that close, and NotSent means never", function* () {
    const { at, send } = yield* setup({
      onRequest: (socket, _request, index) => {
        socket.write(httpAnswer(200, "ok"))
        // Stays open, so that some connections are used again, however fast the machine is.
        if (index % 10 === 9) return
        // Around the moment at which the next request is written.
        if (index % 3 === 0) socket.end()
        else if (index % 3 === 1) setImmediate(() => socket.resetAndDestroy())
        else setTimeout(() => socket.resetAndDestroy(), index % 2)
      }
    })
    const arrivals = (body: string) => at.requests.filter((request) => request.body === body).length
    const notSent: Array<string> = []
    let answered = 0
    for (let round = 0; round < 200; round++) {
      for (let turn = 0; turn < round % 4; turn++) yield* nextTurn
      const body = `round ${round}`
      const sent = yield* Effect.result(send(chargeAt(at.url, { body })))
      if (sent._tag === "Success") {
        answered += 1
        assert.strictEqual(arrivals(body), 1)
      } else if (sent.failure._tag === "pointsman/NotSent") {
        notSent.push(body)
      }
    }
    for (let round = 0; round < 200; round++) assert.isAtMost(arrivals(`round ${round}`), 1)
    for (const body of notSent) assert.strictEqual(arrivals(body), 0)
    // Most connections were closed by the provider, and some were used again.
    assert.isAbove(answered, 50)
    assert.isBelow(at.connections(), 200)
  })
})

describe("the answer", () => {
  const answer = (text: string | Buffer, status = 200) =>
    Effect.gen(function* () {
      const { at, charge } = yield* setup({ onRequest: (socket) => socket.end(text) })
      const result: TransportAnswer = yield* charge
      assert.strictEqual(result.status, status)
      assert.strictEqual(at.requests.length, 1)
      return result
    })

  itRuns("the provider sees exactly the sent method, headers and body", function* () {
    const { at, send } = yield* setup({ onRequest: answers(httpAnswer(200, "{}")) })
    yield* send(chargeAt(at.url, { body: '{"name":"Zoë"}' }))
    const [request] = at.requests
    assert.strictEqual(request?.method, "POST")
    assert.strictEqual(request?.path, `/charges?token=${secret}`)
    assert.strictEqual(request?.body, '{"name":"Zoë"}')
    assert.deepStrictEqual(request?.headers, {
      host: at.url.replace("http://", ""),
      connection: "keep-alive",
      authorization: `Bearer ${secret}`,
      "content-type": "application/json",
      "content-length": "15"
    })
  })

  itRuns("a request over TLS with a trusted certificate is answered", function* () {
    const certificate = selfSigned("127.0.0.1")
    const { at, charge } = yield* setup(
      { tls: certificate, onRequest: answers(httpAnswer(200, "ok")) },
      { trustedCertificates: [certificate.cert] }
    )
    assert.strictEqual((yield* charge).body, "ok")
    assert.strictEqual(at.requests.length, 1)
  })

  itRuns("headers in any case and more than once are in lower case and joined", function* () {
    const { headers } = yield* answer("HTTP/1.1 200 OK\r\nX-One: a\r\nX-ONE: b\r\nContent-Length: 0\r\n\r\n")
    assert.deepStrictEqual(headers, { "x-one": "a, b", "content-length": "0" })
  })

  for (const status of [301, 302, 303, 307, 308]) {
    itRuns(`${status} with a location is returned and not followed`, function* () {
      const { headers } = yield* answer(httpAnswer(status, "", { location: "http://127.0.0.1:1/elsewhere" }), status)
      assert.strictEqual(headers["location"], "http://127.0.0.1:1/elsewhere")
    })
  }

  for (const status of [204, 400, 404, 500, 503]) {
    it.effect(`${status} is an answer`, () => answer(`HTTP/1.1 ${status} X\r\ncontent-length: 0\r\n\r\n`, status))
  }

  itRuns("the last of several interim answers is the answer", function* () {
    const early = "HTTP/1.1 103 Early Hints\r\nx-early: yes\r\n\r\n"
    const { body, headers } = yield* answer(`${early}${early}${httpAnswer(201, "done", {})}`, 201)
    assert.strictEqual(body, "done")
    assert.notProperty(headers, "x-early")
  })

  itRuns("chunks that cut a character in two are whole text", function* () {
    const bytes = Buffer.from("é")
    const text = Buffer.concat([
      Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\n"),
      bytes.subarray(0, 1),
      Buffer.from("\r\n1\r\n"),
      bytes.subarray(1),
      Buffer.from("\r\n0\r\n\r\n")
    ])
    assert.strictEqual((yield* answer(text)).body, "é")
  })

  itRuns("an answer that ends with its connection, in order, is answered", function* () {
    assert.strictEqual((yield* answer("HTTP/1.0 200 OK\r\n\r\n0123456789")).body, "0123456789")
  })

  itRuns("an answer of exactly the limit is answered; one byte more is Unanswered", function* () {
    const { at, send } = yield* setup({ onRequest: answers(httpAnswer(200, "1234"), httpAnswer(200, "12345")) })
    assert.strictEqual((yield* send(chargeAt(at.url, { maxAnswerBytes: 4 }))).body, "1234")
    assertUnanswered(at, yield* Effect.flip(send(chargeAt(at.url, { maxAnswerBytes: 4 }))), 2)
  })

  itRuns("an answer of exactly the default limit of 1 MiB is answered", function* () {
    const { body } = yield* answer(httpAnswer(200, "x".repeat(1_048_576)))
    assert.strictEqual(body.length, 1_048_576)
  })

  itRuns("calls in sequence share a connection, which one given up does not poison", function* () {
    const { at, send } = yield* setup({
      onRequest: (socket, _request, index) => {
        if (index < 2) socket.write(httpAnswer(200, `answer ${index}`))
        // The third one is answered in part, and the rest would come later.
        if (index === 2) socket.write(httpAnswer(200, "late").slice(0, -4))
        if (index === 3) socket.write(httpAnswer(200, "fresh"))
      }
    })
    const charge = send(chargeAt(at.url))
    yield* charge
    yield* idle
    yield* charge
    yield* idle
    assert.strictEqual(at.connections(), 1)
    const third = yield* Effect.forkChild(Effect.flip(charge))
    yield* at.whenRequests(3)
    yield* TestClock.adjust(timeoutMillis)
    assert.instanceOf(yield* Fiber.join(third), Unanswered)
    assert.strictEqual((yield* charge).body, "fresh")
    assert.strictEqual(at.connections(), 2)
  })
})

describe("interruption", () => {
  itRuns("the answer to a request whose fiber is interrupted is still recorded", function* () {
    let reply = () => {}
    const { at, charge } = yield* setup({
      onRequest: (socket) => (reply = () => socket.write(httpAnswer(200, "ok")))
    })
    const recorded: Array<string> = []
    const sending = yield* Effect.forkChild(
      Effect.uninterruptible(Effect.tap(charge, ({ body }) => Effect.sync(() => recorded.push(body))))
    )
    yield* at.whenRequests(1)
    const interrupting = yield* Effect.forkChild(Fiber.interrupt(sending), { startImmediately: true })
    reply()
    yield* Fiber.join(interrupting)
    assert.deepStrictEqual(recorded, ["ok"])
    assert.strictEqual(at.requests.length, 1)
  })

  itRuns("an interruptible caller interrupted after sending ends only with the answer", function* () {
    let reply = () => {}
    let closed = false
    const { at, charge } = yield* setup({
      onConnection: (socket) => socket.on("close", () => (closed = true)),
      onRequest: (socket) => (reply = () => socket.write(httpAnswer(200, "ok")))
    })
    const sending = yield* Effect.forkChild(charge)
    yield* at.whenRequests(1)
    const interrupting = yield* Effect.forkChild(Fiber.interrupt(sending), { startImmediately: true })
    yield* idle
    assert.isUndefined(interrupting.pollUnsafe())
    assert.isFalse(closed)
    reply()
    yield* Fiber.join(interrupting)
    assert.isFalse(closed)
  })

  itRuns("the timeout ends a request that is interrupted and never answered", function* () {
    const { at, charge } = yield* setup({})
    const sending = yield* Effect.forkChild(charge)
    yield* at.whenRequests(1)
    const interrupting = yield* Effect.forkChild(Fiber.interrupt(sending), { startImmediately: true })
    yield* TestClock.adjust(timeoutMillis)
    yield* Fiber.join(interrupting)
    yield* at.whenQuiet
  })

  itRuns("an interruption while the connection is made ends at once, never sent", function* () {
    const { at, send } = yield* setup({})
    const sending = yield* Effect.forkChild(send(chargeAt(at.url.replace("http:", "https:"))))
    yield* at.whenConnections(1)
    yield* Fiber.interrupt(sending)
    assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(sending)))
    assert.strictEqual(at.requests.length, 0)
  })
})

describe("closing", () => {
  itRuns("a call under way is answered before a close, and what comes after is NotSent", function* () {
    let reply = () => {}
    const at = yield* socketProvider({ onRequest: (socket) => (reply = () => socket.write(httpAnswer(200, "ok"))) })
    const scope = yield* Scope.make()
    const { send } = yield* Scope.provide(make(), scope)
    const sending = yield* Effect.forkChild(send(chargeAt(at.url)))
    yield* at.whenRequests(1)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    const late = yield* Effect.flip(send(chargeAt(at.url)))
    assert.instanceOf(late, NotSent)
    assert.isUndefined(closing.pollUnsafe())
    reply()
    assert.strictEqual((yield* Fiber.join(sending)).body, "ok")
    yield* Fiber.join(closing)
    yield* at.whenQuiet
    assert.strictEqual(at.requests.length, 1)
  })

  itRuns("the timeout bounds a close with a silent provider and idle connections", function* () {
    const at = yield* socketProvider({
      onRequest: (socket, _request, index) => {
        if (index === 0) socket.write(httpAnswer(200, "ok"))
      }
    })
    const scope = yield* Scope.make()
    const { send } = yield* Scope.provide(make(), scope)
    yield* send(chargeAt(at.url))
    const sending = yield* Effect.forkChild(Effect.flip(send(chargeAt(at.url))))
    yield* at.whenRequests(2)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void), { startImmediately: true })
    yield* TestClock.adjust(timeoutMillis)
    assert.instanceOf(yield* Fiber.join(sending), Unanswered)
    yield* Fiber.join(closing)
    yield* at.whenQuiet
  })

  itRunsLive("closing ends a connection never established at once after an interruption", function* () {
    const at = yield* socketProvider({})
    const scope = yield* Scope.make()
    // Longer than the test may take: only closing ends it.
    const { send } = yield* Scope.provide(make({ connectTimeoutMillis: 600_000 }), scope)
    const sending = yield* Effect.forkChild(send(chargeAt(at.url.replace("http:", "https:"))))
    yield* at.whenConnections(1)
    yield* Fiber.interrupt(sending)
    yield* Scope.close(scope, Exit.void)
    yield* at.whenQuiet
  })
})

describe("undici, which the first call loads", () => {
  itRuns("a transport that cannot be loaded is NotSent, and the next call loads it", function* () {
    const at = yield* socketProvider({ onRequest: answers(httpAnswer(200, "ok")) })
    const missing = Object.assign(new Error(secret), { code: "ERR_MODULE_NOT_FOUND" })
    let load: typeof loadUndici = () => Promise.reject(missing)
    const { send } = yield* makeOver(() => load(), {})
    const error = yield* Effect.flip(send(chargeAt(at.url)))
    assertNotSent(at, error)
    assert.include(error.reason, "undici cannot be loaded")
    load = loadUndici
    assert.strictEqual((yield* send(chargeAt(at.url))).body, "ok")
  })

  itRuns("a close while the first call loads the transport is NotSent, and unwritten", function* () {
    const at = yield* socketProvider({ onRequest: answers(httpAnswer(200, "ok")) })
    const undici = yield* Effect.promise(loadUndici)
    const scope = yield* Scope.make()
    let end = (_: typeof undici) => {}
    const load: typeof loadUndici = () => new Promise((resolve) => (end = resolve))
    const { send } = yield* Scope.provide(makeOver(load, {}), scope)
    const sending = yield* Effect.forkChild(Effect.flip(send(chargeAt(at.url))), { startImmediately: true })
    yield* nextTurn
    yield* Scope.close(scope, Exit.void)
    end(undici)
    assertNotSent(at, yield* Fiber.join(sending))
  })
})
