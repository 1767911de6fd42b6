/**
 * A connector and its transport together against a provider at a real socket: each fault that comes after the request,
 * its one result, and the count of requests. The connector suite plays answers; this shows what reaches the wire.
 */
import { assert, describe } from "@effect/vitest"
import { type Connector, NotSent, Unanswered } from "@pointsman/core/connector"
import { Effect, type Scope } from "effect"
import { itRunsLive } from "../vitest.ts"
import { httpAnswer, refusedUrl, type SocketProviderOptions, socketProvider } from "./SocketProvider.ts"

export interface SocketFaults {
  /** Of the provider, with its article: "a Stripe". */
  readonly provider: string
  /** A connector over the transport under test, whose provider is at this address. */
  readonly connectTo: (baseUrl: string) => Effect.Effect<Connector, never, Scope.Scope>
  /** Everything that could move money, and what is looked up, by name; each must be one request. */
  readonly operations: Readonly<
    Record<string, (connector: Connector) => Effect.Effect<unknown, NotSent | Unanswered> | undefined>
  >
  /** The body of a success. */
  readonly success: string
  /** Answers of the provider's own after which nothing is known, by what it does. */
  readonly answers: Readonly<
    Record<
      string,
      { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
    >
  >
}

const sockets = (success: string): Readonly<Record<string, SocketProviderOptions>> => ({
  "resets the connection once it has read the request": { onRequest: (socket) => socket.resetAndDestroy() },
  "closes without a word": { onRequest: (socket) => socket.end() },
  "answers half of what it said it would": {
    onRequest: (socket) =>
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${success.length}\r\n\r\n${success.slice(0, success.length / 2)}`)
  },
  "says to come back elsewhere": {
    onRequest: (socket) => socket.write(httpAnswer(307, success, { location: "http://127.0.0.1:1/elsewhere" }))
  }
})

export const socketFaultsSuite = ({ answers, connectTo, operations, provider, success }: SocketFaults): void => {
  const answering = Object.entries(answers).map(([what, { body, headers, status }]) => {
    const answer = httpAnswer(status, body, headers)
    return [what, { onRequest: (socket) => socket.write(answer) } satisfies SocketProviderOptions] as const
  })
  describe(`${provider} that fails`, () => {
    for (const [what, options] of [...Object.entries(sockets(success)), ...answering]) {
      itRunsLive(`${provider} that ${what} is Unanswered`, function* () {
        for (const [name, operation] of Object.entries(operations)) {
          const at = yield* socketProvider(options)
          const connector = yield* connectTo(at.url)
          const failed = yield* Effect.flip(operation(connector) ?? Effect.die(`no ${name}`))
          assert.instanceOf(failed, Unanswered, name)
          assert.strictEqual(at.requests.length, 1, name)
        }
      })
    }
    itRunsLive("an address at which nothing listens is NotSent, whatever was asked", function* () {
      const connector = yield* connectTo(yield* refusedUrl)
      for (const [name, operation] of Object.entries(operations)) {
        assert.instanceOf(yield* Effect.flip(operation(connector) ?? Effect.die(`no ${name}`)), NotSent, name)
      }
    })
  })
}
