/** The sender of webhooks, at real sockets. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, createServer as createSocketServer } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { signatureHeader } from "@pointsman/core"
import { signatureOf } from "@pointsman/core/internal"
import type { WebhookNotAnswered } from "@pointsman/core/ports"
import { NodeWebhookSender } from "@pointsman/transport-node"
import { Clock, Deferred, Effect, Fiber, Layer, Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Stripe } from "stripe"

interface Heard {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

const ok = (_: IncomingMessage, response: ServerResponse) => void response.end("ok")

/** A receiver on this machine, for the life of the test. */
const receiver = (answer: (request: IncomingMessage, response: ServerResponse) => void = ok) =>
  Effect.acquireRelease(
    Effect.callback<Receiver>((resume) => {
      const heard: Array<Heard> = []
      const ended = Deferred.makeUnsafe<void>()
      let connections = 0
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const { headers, method, url } = request
          heard.push({ headers, method, url, body: Buffer.concat(chunks).toString() })
          answer(request, response)
        })
      })
      server.on("connection", (socket) => {
        connections += 1
        socket.on("error", () => undefined)
        socket.on("close", () => Deferred.doneUnsafe(ended, Effect.void))
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ server, heard, ended: Deferred.await(ended), port, connections: () => connections }))
      })
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
      })
  )

interface Receiver {
  readonly server: ReturnType<typeof createServer>
  readonly heard: ReadonlyArray<Heard>
  /** Done when a connection is over. */
  readonly ended: Effect.Effect<void>
  readonly port: number
  readonly connections: () => number
}

const post = (options: NodeWebhookSender.NodeWebhookSenderOptions, url: string) =>
  Effect.flatMap(NodeWebhookSender.make(options), ({ send }) =>
    send({ url, headers: { "x-test": "1" }, body: new TextEncoder().encode('{"é":1}') })
  )

const failureOf = <A>(sending: Effect.Effect<A, WebhookNotAnswered, never>) =>
  Effect.map(Effect.flip(sending), ({ failure }) => failure)

const open = { allowPrivate: true }

/** Public by its range, of which IANA has assigned nothing: a connection to it reaches nothing. */
const unassigned = "2000::1"

describe("NodeWebhookSender", () => {
  itRunsLive("bytes and headers arrive at a private address if allowed, and the status returns", function* () {
    const at = yield* receiver((_, response) => void response.writeHead(202).end())
    assert.strictEqual(yield* post(open, `http://127.0.0.1:${at.port}/hook?a=1`), 202)
    const [heard, ...others] = at.heard
    assert.lengthOf(others, 0)
    assert.deepInclude(heard, { method: "POST", url: "/hook?a=1", body: '{"é":1}' })
    assert.deepInclude(heard?.headers, { "x-test": "1", "content-length": "8", "user-agent": "Pointsman" })
  })

  itRunsLive("Stripe's package accepts a signed body unchanged", function* () {
    const at = yield* receiver()
    const { send } = yield* NodeWebhookSender.make(open)
    const body = new TextEncoder().encode(
      JSON.stringify({ id: "evt_1", data: { reference: "Löwe № 9 – 日本 🚂\u2028" } })
    )
    const now = Math.floor((yield* Clock.currentTimeMillis) / 1_000)
    const signature = yield* signatureOf([Redacted.make("whsec_shop")], now, body).pipe(
      Effect.provide(Mac.layerWebCrypto.pipe(Layer.provide(SecureRandom.layerWebCrypto)))
    )
    yield* send({ url: `http://127.0.0.1:${at.port}/`, headers: { [signatureHeader]: signature }, body })
    const { body: raw = "", headers } = at.heard[0] ?? {}
    const header = String(headers?.[signatureHeader])
    assert.deepStrictEqual(Stripe.webhooks.constructEvent(raw, header, "whsec_shop"), JSON.parse(raw))
    assert.throws(() => Stripe.webhooks.constructEvent(raw, header, "whsec_other"), /No signatures found matching/u)
  })

  it.live.each([301, 302, 303, 307, 308])("a redirect %i is the answer and is not followed", (status) =>
    Effect.gen(function* () {
      const aim = yield* receiver()
      const at = yield* receiver((_, response) => {
        response.writeHead(status, { location: `http://127.0.0.1:${aim.port}/` }).end()
      })
      assert.strictEqual(yield* post(open, `http://127.0.0.1:${at.port}/`), status)
      assert.strictEqual(aim.connections(), 0)
    })
  )

  const spellings = (port: number) => [
    `http://127.0.0.1:${port}/`,
    `http://127.1:${port}/`,
    `http://0x7f000001:${port}/`,
    `http://2130706433:${port}/`,
    `http://0177.0.0.1:${port}/`,
    `http://0.0.0.0:${port}/`,
    `http://[::1]:${port}/`,
    `http://[::ffff:127.0.0.1]:${port}/`,
    `http://[::127.0.0.1]:${port}/`,
    `https://127.0.0.1:${port}/`,
    "http://169.254.169.254/latest/meta-data/",
    "http://[fd00:ec2::254]/latest/meta-data/"
  ]
  itRunsLive("no connection is made to a private address by default, however spelt", function* () {
    const at = yield* receiver()
    for (const url of spellings(at.port))
      assert.strictEqual(yield* failureOf(Effect.scoped(post({}, url))), "AddressRefused")
    assert.strictEqual(at.connections(), 0)
  })

  const answersOf: Readonly<Record<string, ReadonlyArray<string>>> = {
    "a private one": ["127.0.0.1"],
    "a public one and a private one": [unassigned, "127.0.0.1"],
    "a private one and a public one": ["127.0.0.1", unassigned],
    "one of IPv6 that holds a private one": ["::ffff:127.0.0.1"],
    "none at all": []
  }
  it.live.each(Object.entries(answersOf))("no connection is made to a name with %s", ([, addresses]) =>
    Effect.gen(function* () {
      const at = yield* receiver()
      const resolve = async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }))
      const failure = yield* failureOf(Effect.scoped(post({ resolve }, `http://merchant.example:${at.port}/`)))
      assert.strictEqual(failure, "AddressRefused")
      assert.strictEqual(at.connections(), 0)
    })
  )

  itRunsLive("the checked answer is used of a name that becomes private after it", function* () {
    const at = yield* receiver()
    const asked: Array<string> = []
    const resolve = async (name: string) => {
      asked.push(name)
      return [asked.length === 1 ? { address: unassigned, family: 6 } : { address: "127.0.0.1", family: 4 }]
    }
    const { send } = yield* NodeWebhookSender.make({ resolve, connectTimeoutMillis: 300 })
    const request = { url: `http://merchant.example:${at.port}/`, headers: {}, body: new Uint8Array(0) }
    assert.strictEqual(yield* failureOf(send(request)), "NoConnection")
    assert.deepStrictEqual(asked, ["merchant.example"])
    assert.strictEqual(yield* failureOf(send(request)), "AddressRefused")
    assert.strictEqual(at.connections(), 0)
  })

  itRunsLive("a name server that fails, or a closed port, has no connection", function* () {
    const at = yield* receiver()
    const resolve = () => Promise.reject(new Error("no such name"))
    assert.strictEqual(yield* failureOf(Effect.scoped(post({ resolve }, "http://merchant.example/"))), "NoConnection")
    yield* Effect.callback<void>((resume) => void at.server.close(() => resume(Effect.void)))
    assert.strictEqual(yield* failureOf(Effect.scoped(post(open, `http://127.0.0.1:${at.port}/`))), "NoConnection")
  })

  it.live.each(["ftp://127.0.0.1/", "file:///etc/passwd", "http://user:secret@127.0.0.1/", "/hook", ""])(
    "nothing is sent to the URL %s and no secret is disclosed",
    (url) =>
      Effect.gen(function* () {
        const refusal = yield* Effect.flip(Effect.scoped(post(open, url)))
        assert.strictEqual(refusal.failure, "NoConnection")
        assert.notInclude(JSON.stringify(refusal), "secret")
      })
  )

  itRunsLive("a connection that is cut after the request has no answer", function* () {
    const at = yield* receiver((request) => request.socket.destroy())
    assert.strictEqual(yield* failureOf(Effect.scoped(post(open, `http://127.0.0.1:${at.port}/`))), "NoAnswer")
    assert.lengthOf(at.heard, 1)
  })

  itRunsLive("what is no HTTP is no answer, and nothing of it is reported", function* () {
    const server = createSocketServer((socket) => {
      socket.on("error", () => undefined)
      socket.end("hello-from-inside\r\n")
    })
    yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    const { port } = server.address() as AddressInfo
    const refusal = yield* Effect.flip(Effect.scoped(post(open, `http://127.0.0.1:${port}/`)))
    assert.strictEqual(refusal.failure, "NoAnswer")
    assert.notInclude(JSON.stringify(refusal), "hello-from-inside")
  })

  itRunsLive("the status of an answer without an end counts at once, and the line is ended", function* () {
    const at = yield* receiver((_, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(65_536)));
      }
      response.on("drain", more)
      more()
    })
    const { send } = yield* NodeWebhookSender.make(open)
    const status = yield* send({ url: `http://127.0.0.1:${at.port}/`, headers: {}, body: new Uint8Array(0) })
    assert.strictEqual(status, 200)
    yield* at.ended
  })

  itRunsLive("the status of an answer without its body counts at once, and the line is ended", function* () {
    const at = yield* receiver((_, response) => {
      response.writeHead(200, { "content-length": "5" })
      response.flushHeaders()
    })
    const { send } = yield* NodeWebhookSender.make(open)
    const status = yield* send({ url: `http://127.0.0.1:${at.port}/`, headers: {}, body: new Uint8Array(0) })
    assert.strictEqual(status, 200)
    yield* at.ended
  })

  itRunsLive("the connection of an unanswered attempt that is interrupted is ended", function* () {
    const arrived = Deferred.makeUnsafe<void>()
    const at = yield* receiver(() => Deferred.doneUnsafe(arrived, Effect.void))
    const { send } = yield* NodeWebhookSender.make(open)
    const sending = yield* Effect.forkChild(
      send({ url: `http://127.0.0.1:${at.port}/`, headers: {}, body: new Uint8Array(0) })
    )
    yield* Deferred.await(arrived)
    yield* Fiber.interrupt(sending)
    yield* at.ended
  })
})
