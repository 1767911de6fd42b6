/** The connector and the transport together against a Checkout.com at a real socket: each fault, its one result, and the count. */

import { assert, describe, it } from "@effect/vitest"
import { CheckoutConnector } from "@pointsman/connector-checkout"
import { httpAnswer, refusedUrl, type SocketProviderOptions, socketProvider } from "@pointsman/contracts/connector"
import { type Connector, NotSent, Unanswered } from "@pointsman/core/connector"
import { make } from "@pointsman/transport-node"
import { Effect, Result } from "effect"
import { capture, charge, checkout, refundRequest, voidRequest } from "./Calls.ts"
import { credentials, failure, payment } from "./Checkout.ts"

const connectTo = (baseUrl: string) =>
  Effect.map(make(), (transport) =>
    Result.getOrThrow(
      CheckoutConnector.definition.connect(
        {
          connectionId: "main",
          environment: "sandbox",
          credentials: { ...credentials, baseUrl },
          timeoutMillis: 2_000
        },
        transport
      )
    )
  )

/** Every operation that could move money. */
const operations: ReadonlyArray<
  readonly [string, (connector: Connector) => Effect.Effect<unknown, NotSent | Unanswered> | undefined]
> = [
  ["charge", (connector) => connector.charge(charge)],
  ["openCheckout", (connector) => connector.openCheckout?.(checkout)],
  ["capture", (connector) => connector.capture?.(capture)],
  ["void", (connector) => connector.void?.(voidRequest)],
  ["refund", (connector) => connector.refund?.(refundRequest)]
]

const whole = JSON.stringify(payment())

const faults: ReadonlyArray<readonly [string, SocketProviderOptions]> = [
  ["resets the connection once it has read the request", { onRequest: (socket) => socket.resetAndDestroy() }],
  ["closes without a word", { onRequest: (socket) => socket.end() }],
  [
    "answers half of what it said it would",
    {
      onRequest: (socket) =>
        socket.end(`HTTP/1.1 201 Created\r\ncontent-length: ${whole.length}\r\n\r\n${whole.slice(0, whole.length / 2)}`)
    }
  ],
  [
    "says to come back elsewhere",
    { onRequest: (socket) => socket.write(httpAnswer(307, whole, { location: "http://127.0.0.1:1/payments" })) }
  ],
  [
    "is executing another request with the key",
    {
      onRequest: (socket) =>
        socket.write(httpAnswer(429, failure(429, ["too_many_requests"]).body, { "retry-after": "0" }))
    }
  ],
  [
    "says to try again",
    {
      onRequest: (socket) =>
        socket.write(httpAnswer(503, failure(503, ["service_unavailable"]).body, { "retry-after": "0" }))
    }
  ]
]

describe("a Checkout.com that fails", () => {
  for (const [what, options] of faults) {
    it.live(`given a Checkout.com that ${what}, then Unanswered after one request, whatever was asked`, () =>
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
})
