/** The listener alone, with a handler of the test's. Closed when the test ends. */
import type { RequestListener } from "node:http"
import { Clock, Effect, Exit, Scope } from "effect"
import { onTestFinished } from "vitest"
import { type Listener, type ListenOptions, listen } from "../../src/Listener.ts"
import { makeSources } from "../../src/SourceOf.ts"
import { makeMovedClock } from "./MovedClock.ts"

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
