/** The listener alone, with a handler of the test's. Closed when the test ends. */
import type { RequestListener } from "node:http"
import type { Socket } from "node:net"
import { Clock, Effect, Exit, Scope } from "effect"
import { assert, onTestFinished } from "vitest"
import { type Listener, type ListenOptions, listen } from "../../src/Listener.ts"
import { makeSources } from "../../src/SourceOf.ts"
import { makeMovedClock } from "./MovedClock.ts"
import { until } from "./Until.ts"

/** `clock`: by which it closes what is not read; Node's own time-outs go by this machine's. */
export const listenHere = async (
  handler: RequestListener,
  options: Partial<ListenOptions> = {},
  clock = makeMovedClock().clock
): Promise<Listener> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const listening = listen({
    host: "127.0.0.1",
    port: 0,
    sources: makeSources([]),
    names: { host: "HOST", port: "PORT" },
    keepAliveMillis: 60_000,
    requestTimeoutMillis: 15_000,
    ...options
  }).pipe(Effect.provideService(Clock.Clock, clock))
  const listener = await Effect.runPromise(Scope.provide(listening, scope))
  listener.serve(handler)
  return listener
}

/** Of two clients with a large response, the one that does not read it is closed in time, and the one that reads is not. */
export const assertSilentReaderIsCut = async (
  dial: (url: string) => Promise<Socket>,
  options: Partial<ListenOptions> = {}
): Promise<void> => {
  const moved = makeMovedClock()
  moved.hold()
  let isCut = false
  const { url } = await listenHere(
    ({ url: path }, response) => {
      // A client that begins to read, to learn whether it was closed, is not closed any more.
      if (path === "/silent") {
        response.once("close", () => {
          isCut = !response.writableFinished
        })
      }
      response.end(Buffer.alloc(32 * 1024 * 1024))
    },
    options,
    moved.clock
  )
  const [silent, reading] = await Promise.all([dial(url), dial(url)])
  let bytes = 0
  reading.on("data", (chunk) => {
    bytes += chunk.length
  })
  silent.write("GET /silent HTTP/1.1\r\nHost: pay.example\r\n\r\n")
  reading.write("GET / HTTP/1.1\r\nHost: pay.example\r\n\r\n")
  await until("all is read", () => bytes > 32 * 1024 * 1024 || reading.closed)
  assert.isFalse(isCut)
  // Each look of the server is a second later: the first one sees the response, and the last one that it is too old.
  await until("the silent one is cut", () => {
    moved.push(1_000)
    return isCut
  })
  silent.destroy()
  assert.isFalse(reading.closed)
}
