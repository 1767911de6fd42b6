/** The connector and the transport together against a Mollie at a real socket: each fault, its one result, and the count. */

import { assert, describe, it } from "@effect/vitest"
import { MollieConnector } from "@pointsman/connector-mollie"
import { httpAnswer, refusedUrl, type SocketProviderOptions, socketProvider } from "@pointsman/contracts/connector"
import { type Connector, NotSent, Unanswered } from "@pointsman/core/connector"
import { make } from "@pointsman/transport-node"
import { Effect, Result } from "effect"
import { captureRequest, charge, checkout, noon, providerRef, refundRequest, voidRequest } from "./Calls.ts"
import { apiKey, failure, payment } from "./Mollie.ts"

const connectTo = (baseUrl: string) =>
  Effect.map(make(), (transport) =>
    Result.getOrThrow(
      MollieConnector.definition.connect(
        { connectionId: "main", environment: "sandbox", credentials: { apiKey, baseUrl }, timeoutMillis: 2_000 },
        transport
      )
    )
  )

type Asks = (connector: Connector) => Effect.Effect<unknown, NotSent | Unanswered> | undefined

const operations: ReadonlyArray<readonly [string, Asks]> = [
  ["charge", (connector) => connector.charge(charge)],
  ["openCheckout", (connector) => connector.openCheckout?.(checkout)],
  ["capture", (connector) => connector.capture?.(captureRequest)],
  ["void", (connector) => connector.void?.(voidRequest)],
  ["refund", (connector) => connector.refund?.(refundRequest)],
  ["lookUpOperation", (connector) => connector.lookUpOperation?.({ ...captureRequest, kind: "capture", sentAt: noon })],
  ["hints", (connector) => connector.hints?.lookUp(providerRef)]
]

const whole = JSON.stringify(payment())

const faults: ReadonlyArray<readonly [string, SocketProviderOptions]> = [
  ["resets the connection once it has read the request", { onRequest: (socket) => socket.resetAndDestroy() }],
  ["closes without a word", { onRequest: (socket) => socket.end() }],
  [
    "answers half of what it said it would",
    {
      onRequest: (socket) =>
        socket.end(`HTTP/1.1 201 OK\r\ncontent-length: ${whole.length}\r\n\r\n${whole.slice(0, whole.length / 2)}`)
    }
  ],
  [
    "says to come back elsewhere",
    { onRequest: (socket) => socket.write(httpAnswer(307, whole, { location: "http://127.0.0.1:1/v2/payments" })) }
  ],
  ["executes and then answers 503", { onRequest: (socket) => socket.write(httpAnswer(503, failure(503).body)) }],
  ["executes and then answers 504 as a gateway", { onRequest: (socket) => socket.write(httpAnswer(504, "<html>")) }]
]

describe("a Mollie that fails", () => {
  for (const [what, options] of faults) {
    it.live(`given a Mollie that ${what}, then Unanswered after one request, whatever was asked`, () =>
      Effect.gen(function* () {
        for (const [name, operation] of operations) {
          const at = yield* socketProvider(options)
          const connector = yield* connectTo(at.url)
          const failed = yield* Effect.flip(operation(connector) ?? Effect.die(`no ${name}`))
          assert.instanceOf(failed, Unanswered, name)
          assert.strictEqual(at.requests.length, 1, name)
        }
      })
    )
  }
  it.live("given nobody at the address, then NotSent, whatever was asked", () =>
    Effect.gen(function* () {
      const connector = yield* connectTo(yield* refusedUrl)
      for (const [name, operation] of operations) {
        assert.instanceOf(yield* Effect.flip(operation(connector) ?? Effect.die(`no ${name}`)), NotSent, name)
      }
    })
  )
  it.live("given a charge and a release over the wire, then the paths, the key and the bodies are Mollie's", () =>
    Effect.gen(function* () {
      const at = yield* socketProvider({
        onRequest: (socket, { path }) =>
          socket.write(path.endsWith("/release-authorization") ? httpAnswer(202, "") : httpAnswer(201, whole))
      })
      const connector = yield* connectTo(at.url)
      assert.strictEqual((yield* connector.charge(charge))._tag, "Captured")
      assert.strictEqual((yield* connector.void?.(voidRequest) ?? Effect.die("no void"))._tag, "Pending")
      assert.deepStrictEqual(
        at.requests.map(({ body, headers, method, path }) => [method, path, headers["idempotency-key"], body !== ""]),
        [
          ["POST", "/v2/payments", "att_1", true],
          ["POST", `/v2/payments/${providerRef}/release-authorization`, "op_1", true]
        ]
      )
    })
  )
})
