/** The sender of webhooks, at real sockets. */

import { assert, describe, it } from "@effect/vitest"
import { httpAnswer, refusedUrl, type SocketProviderOptions, socketProvider } from "@pointsman/contracts/connector"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { signatureHeader } from "@pointsman/core"
import { signatureOf } from "@pointsman/core/internal"
import type { WebhookNotAnswered } from "@pointsman/core/ports"
import { NodeWebhookSender } from "@pointsman/transport-node"
import { Clock, Effect, Fiber, Layer, Redacted } from "effect"
import { Mac, SecureRandom } from "effect/crypto"
import { Stripe } from "stripe"

/** A receiver on this machine, for the life of the test. */
const receiver = (answer = httpAnswer(200, "ok")) =>
  Effect.map(socketProvider({ onRequest: (socket) => socket.write(answer) }), (at) => ({
    ...at,
    port: new URL(at.url).port
  }))

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
    const at = yield* receiver(httpAnswer(202, ""))
    assert.strictEqual(yield* post(open, `${at.url}/hook?a=1`), 202)
    const [heard, ...others] = at.requests
    assert.lengthOf(others, 0)
    assert.deepInclude(heard, { method: "POST", path: "/hook?a=1", body: '{"é":1}' })
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
    yield* send({ url: at.url, headers: { [signatureHeader]: signature }, body })
    const { body: raw = "", headers } = at.requests[0] ?? {}
    const header = String(headers?.[signatureHeader])
    assert.deepStrictEqual(Stripe.webhooks.constructEvent(raw, header, "whsec_shop"), JSON.parse(raw))
    assert.throws(() => Stripe.webhooks.constructEvent(raw, header, "whsec_other"), /No signatures found matching/u)
  })

  it.live.each([301, 302, 303, 307, 308])("a redirect %i is the answer and is not followed", (status) =>
    Effect.gen(function* () {
      const aim = yield* receiver()
      const at = yield* receiver(httpAnswer(status, "", { location: aim.url }))
      assert.strictEqual(yield* post(open, at.url), status)
      assert.strictEqual(aim.connections(), 0)
    })
  )

  const spellings = (port: string) => [
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
    const resolve = () => Promise.reject(new Error("no such name"))
    assert.strictEqual(yield* failureOf(Effect.scoped(post({ resolve }, "http://merchant.example/"))), "NoConnection")
    assert.strictEqual(yield* failureOf(Effect.scoped(post(open, yield* refusedUrl))), "NoConnection")
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
    const at = yield* socketProvider({ onRequest: (socket) => socket.destroy() })
    assert.strictEqual(yield* failureOf(Effect.scoped(post(open, at.url))), "NoAnswer")
    assert.lengthOf(at.requests, 1)
  })

  itRunsLive("what is no HTTP is no answer, and nothing of it is reported", function* () {
    const at = yield* socketProvider({ onConnection: (socket) => socket.end("hello-from-inside\r\n") })
    const refusal = yield* Effect.flip(Effect.scoped(post(open, at.url)))
    assert.strictEqual(refusal.failure, "NoAnswer")
    assert.notInclude(JSON.stringify(refusal), "hello-from-inside")
  })

  for (const [what, onRequest] of [
    [
      "an end",
      (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        const more = () => {
          while (!socket.destroyed && socket.write("x".repeat(65_536)));
        }
        socket.on("drain", more)
        more()
      }
    ],
    ["its body", (socket) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n")]
  ] satisfies ReadonlyArray<readonly [string, NonNullable<SocketProviderOptions["onRequest"]>]>) {
    itRunsLive(`the status of an answer without ${what} counts at once, and the line is ended`, function* () {
      const at = yield* socketProvider({ onRequest })
      assert.strictEqual(yield* post(open, at.url), 200)
      yield* at.whenQuiet
    })
  }

  itRunsLive("the connection of an unanswered attempt that is interrupted is ended", function* () {
    const at = yield* socketProvider({})
    const sending = yield* Effect.forkChild(post(open, at.url))
    yield* at.whenRequests(1)
    yield* Fiber.interrupt(sending)
    yield* at.whenQuiet
  })
})
