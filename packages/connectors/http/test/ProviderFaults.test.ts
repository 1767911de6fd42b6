/** The connector and the transport together against providers at real sockets: each fault, its one result, and the count. */

import { assert, describe, it } from "@effect/vitest"
import { HttpConnector } from "@pointsman/connector-http"
import {
  connectorsAt,
  httpAnswer,
  moneyOperations,
  refusedUrl,
  type SocketProvider,
  type SocketProviderOptions,
  socketProvider
} from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { type Connector, money, NotSent, Unanswered } from "@pointsman/core/connector"
import { make } from "@pointsman/transport-node"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { apiKey, asks, sample } from "./Provider.ts"

const timeoutMillis = 2_000

const connectTo = connectorsAt(HttpConnector.definition, make(), { apiKey })

const setup = (options: SocketProviderOptions) =>
  Effect.gen(function* () {
    const at = yield* socketProvider(options)
    return { at, connector: yield* connectTo(at.url) }
  })

/** Every operation that could move money, and a lookup. */
const operations = [...moneyOperations, "lookUpCharge"] as const

const assertNoSecret = (error: unknown) => {
  assert.notInclude(JSON.stringify(error), apiKey)
  assert.notInclude(JSON.stringify(error), "tok_12345678")
}

const success = JSON.stringify({ provider_reference: "ch_1", status: "captured", captured_amount: 1000 })

for (const name of operations) {
  describe(name, () => {
    const failure = Effect.fnUntraced(function* (connector: Connector) {
      const error = yield* Effect.flip(asks[name](connector))
      assertNoSecret(error)
      return error
    })
    const unanswered = Effect.fnUntraced(function* (options: SocketProviderOptions) {
      const { at, connector } = yield* setup(options)
      assert.instanceOf(yield* failure(connector), Unanswered)
      assert.strictEqual(at.requests.length, 1)
      assert.strictEqual(at.connections(), 1)
    })

    itRuns("a provider that refuses the connection is NotSent", function* () {
      assert.instanceOf(yield* failure(yield* connectTo(yield* refusedUrl)), NotSent)
    })
    itRuns("a name that does not exist is NotSent", function* () {
      assert.instanceOf(yield* failure(yield* connectTo("http://provider.invalid")), NotSent)
    })
    itRuns("a provider without TLS at an https URL is NotSent without a request", function* () {
      const at = yield* socketProvider({ onConnection: (socket) => socket.once("data", () => socket.end("?\r\n")) })
      assert.instanceOf(yield* failure(yield* connectTo(at.url.replace("http:", "https:"))), NotSent)
      assert.strictEqual(at.requests.length, 0)
    })
    itRuns("silence past the timeout is Unanswered after one request", function* () {
      const { at, connector } = yield* setup({})
      const operating = yield* Effect.forkChild(failure(connector))
      yield* at.whenRequests(1)
      yield* TestClock.adjust(timeoutMillis)
      assert.instanceOf(yield* Fiber.join(operating), Unanswered)
      assert.strictEqual(at.requests.length, 1)
    })
    for (const [what, onRequest] of [
      ["a reset after the request", (socket) => socket.resetAndDestroy()],
      [
        "a reset in the middle of the answer",
        (socket) => socket.write(httpAnswer(200, success).slice(0, -10), () => socket.resetAndDestroy())
      ],
      [
        "a reset in the middle of an answer without a length",
        (socket) => socket.write(`HTTP/1.1 200 OK\r\n\r\n${success}`, () => socket.resetAndDestroy())
      ],
      ["an answer that is cut off", (socket) => socket.end(httpAnswer(200, success).slice(0, -10))],
      ["500", (socket) => socket.write(httpAnswer(500, success))],
      ["500 with a refusal", (socket) => socket.write(httpAnswer(500, '{"error":{"code":"a","message":"b"}}'))],
      ["a bare 400", (socket) => socket.write(httpAnswer(400, ""))],
      ["a bare 429", (socket) => socket.write(httpAnswer(429, "slow down"))],
      ["409 with a refusal", (socket) => socket.write(httpAnswer(409, '{"error":{"code":"a","message":"b"}}'))],
      ["a redirect", (socket) => socket.write(httpAnswer(307, success, { location: "/charges" }))],
      ["garbage", (socket) => socket.end("\u0000garbage\r\n\r\n")],
      ["a page", (socket) => socket.write(httpAnswer(200, "<html></html>", { "content-type": "text/html" }))],
      ["10 MB", (socket) => socket.end(httpAnswer(200, JSON.stringify({ filler: "x".repeat(10_000_000) })))],
      ["a success without a reference", (socket) => socket.write(httpAnswer(200, '{"status":"captured"}'))]
    ] satisfies ReadonlyArray<readonly [string, NonNullable<SocketProviderOptions["onRequest"]>]>) {
      it.effect(`${what} is Unanswered after one request`, () => unanswered({ onRequest }))
    }
  })
}

describe("and without a fault", () => {
  const only = (at: SocketProvider) => {
    assert.strictEqual(at.requests.length, 1)
    return at.requests[0]
  }

  itRuns("a refusal is Rejected after one request", function* () {
    const body = JSON.stringify({ error: { code: "bad_key", message: `Unknown key ${apiKey}.` } })
    const { at, connector } = yield* setup({ onRequest: (socket) => socket.write(httpAnswer(401, body)) })
    const answer = yield* connector.charge(sample.charge)
    assert.deepStrictEqual(answer, { _tag: "Rejected", code: "bad_key", message: "Unknown key ***." })
    only(at)
  })
  it.effect.each([
    ["in a URL", encodeURIComponent(apiKey)],
    ["in Base64", btoa(apiKey)],
    ["behind a user in Base64", btoa(`me:${apiKey}`)],
    ["in Base64 of URLs", btoa(`user:${apiKey}`).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")],
    ["in hexadecimal digits", Buffer.from(apiKey).toString("hex").toUpperCase()]
  ])("the key %s in a refusal is hidden", ([, shown]) =>
    Effect.gen(function* () {
      const body = JSON.stringify({ error: { code: "bad_key", message: `Unknown key ${shown}.` } })
      const { connector } = yield* setup({ onRequest: (socket) => socket.write(httpAnswer(401, body)) })
      const answer = yield* connector.charge(sample.charge)
      assert.match(answer._tag === "Rejected" ? answer.message : "", /^Unknown key .{0,8}\*\*\*.{0,4}\.$/u)
    })
  )
  itRuns("a success whose reference shows the key is unknown, and its reason hides the key", function* () {
    const body = JSON.stringify({ provider_reference: `ch_${btoa(apiKey)}`, status: "captured" })
    const { at, connector } = yield* setup({ onRequest: (socket) => socket.write(httpAnswer(200, body)) })
    const failure = yield* Effect.flip(connector.charge(sample.charge))
    assert.strictEqual(failure._tag, "pointsman/Unanswered")
    assert.match(failure.reason, /\(status 200\) is not as the protocol says at provider_reference$/u)
    only(at)
  })
  itRuns("a success is Captured, and the provider saw our id and key", function* () {
    const { at, connector } = yield* setup({ onRequest: (socket) => socket.write(httpAnswer(200, success)) })
    const answer = yield* connector.charge(sample.charge)
    assert.deepStrictEqual(answer, { _tag: "Captured", providerRef: "ch_1", stated: money(1000, "EUR") })
    const request = only(at)
    assert.strictEqual(request?.path, "/charges")
    assert.strictEqual(request?.headers["idempotency-key"], "att_1")
    assert.strictEqual(request?.headers["authorization"], `Bearer ${apiKey}`)
    assert.strictEqual(JSON.parse(request?.body ?? "").instrument, "tok_12345678")
  })
  const neverReceived = JSON.stringify({ found: false, attempt_id: "att_1" })
  itRuns("a charge that the provider never received is NotFound after one request", function* () {
    const { at, connector } = yield* setup({ onRequest: (socket) => socket.write(httpAnswer(404, neverReceived)) })
    const found = yield* connector.lookUpCharge(sample.lookUpCharge)
    assert.deepStrictEqual(found, { _tag: "NotFound", conclusive: true })
    assert.strictEqual(only(at)?.path, "/charges?attempt_id=att_1")
  })
})
