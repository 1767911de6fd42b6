/** The tools of the connector suite: what they record must be true, or every connector's test is worthless. */
import { connect as dial } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { httpAnswer, refusedUrl, scriptedTransport, socketProvider } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { NotSent, type TransportRequest } from "@pointsman/core/connector"
import { Cause, Effect, Exit } from "effect"
import { assertNormalized } from "../src/connector/AnswersChapter.ts"
import { textIn } from "../src/connector/SecretsChapter.ts"

const request: TransportRequest = { method: "GET", url: "http://provider.example/", headers: {}, timeoutMillis: 1 }

/** Writes these pieces one after the other and reads until the other side closes. */
const talk = (url: string, pieces: ReadonlyArray<string>): Effect.Effect<string> =>
  Effect.promise(
    () =>
      new Promise((resolve, reject) => {
        const { hostname, port } = new URL(url)
        let heard = ""
        const socket = dial(Number(port), hostname, async () => {
          for (const piece of pieces) {
            await new Promise<void>((written) => socket.write(piece, () => setImmediate(written)))
          }
        })
        socket.on("data", (chunk) => {
          heard += chunk.toString()
        })
        socket.on("close", () => resolve(heard))
        socket.on("error", reject)
      })
  )

describe("the scripted transport", () => {
  itRuns("a second request for one entry is recorded and a defect", function* () {
    const { requests, transport } = scriptedTransport([Effect.fail(new NotSent({ reason: "script" }))])
    assert.instanceOf(yield* Effect.flip(transport.send(request)), NotSent)
    const second = yield* Effect.exit(transport.send(request))
    assert.isTrue(Exit.isFailure(second) && Cause.hasDies(second.cause))
    assert.strictEqual(requests.length, 2)
  })
})

describe("the code of a decline", () => {
  it("a soft decline by a code after which money may be taken is refused by the suite", () => {
    const late = { category: "issuer_unavailable" } as const
    assertNormalized("response_late", { ...late, soft: false })
    assert.throws(() => assertNormalized("response_late", { ...late, soft: true }), /soft: false after response_late/)
    assertNormalized("processing_error", { ...late, soft: true })
    assertNormalized("result_uncertain", { category: "other", soft: false })
    assert.throws(() => assertNormalized("result_uncertain", { category: "other", soft: true }), /soft: false/)
    assert.throws(() => assertNormalized("lost_card", { ...late, soft: false }), /normalized: a code of the category/)
  })
})

describe("the provider at a socket", () => {
  itRuns("two requests in pieces on one connection are both seen whole, and once", function* () {
    const at = yield* socketProvider({
      onRequest: (socket, _request, index) => {
        if (index === 1) socket.end(httpAnswer(200, "ü"))
      }
    })
    const heard = yield* talk(at.url, [
      "POST /a?b=c HTT",
      "P/1.1\r\nX-Name: one: two\r\ncontent-length: 2\r\n",
      "\r\nh",
      "iGET /second HTTP/1.1\r\n\r\n"
    ])
    assert.deepStrictEqual(at.requests, [
      { method: "POST", path: "/a?b=c", headers: { "x-name": "one: two", "content-length": "2" }, body: "hi" },
      { method: "GET", path: "/second", headers: {}, body: "" }
    ])
    assert.strictEqual(at.connections(), 1)
    assert.match(heard, /^HTTP\/1\.1 200 Status\r\n(.*\r\n)*content-length: 2\r\n(.*\r\n)*\r\nü$/)
    yield* at.whenQuiet
  })

  itRuns("the bytes of a request without its end count and it does not", function* () {
    const at = yield* socketProvider({ onConnection: (socket) => socket.once("data", () => socket.end()) })
    yield* talk(at.url, ["POST / HTTP/1.1\r\ncontent-length: 5\r\n\r\n1234"])
    assert.strictEqual(at.requests.length, 0)
    assert.isAbove(at.bytes(), 0)
  })

  itRuns("a connection to an address without a listener is refused", function* () {
    const exit = yield* Effect.exit(talk(yield* refusedUrl, []))
    assert.isTrue(Exit.isFailure(exit))
  })
})

describe("the search for secrets", () => {
  it("the search finds a text in an error, cause, map, hidden field, key and circle", () => {
    const circle: Record<string, unknown> = { "secret 6": 1 }
    circle["self"] = circle
    Object.defineProperty(circle, "hidden", { enumerable: false, value: "secret 5" })
    const error = new Error("secret 1", { cause: { reason: "secret 2" } })
    const text = textIn([error, new Map([["secret 3", "secret 4"]]), circle])
    for (const index of [1, 2, 3, 4, 5, 6]) assert.include(text, `secret ${index}`)
  })
})
