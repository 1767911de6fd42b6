/** Asks one provider one thing, and always comes back with what is known afterwards. */
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import type { Connection } from "../model/Connection.ts"
import { NotSent, Unanswered } from "../model/ProviderStatement.ts"
import { withoutPlace } from "../ports/Admission.ts"
import type { Connector } from "../ports/Connector.ts"
import { BeginBy } from "../ports/Transport.ts"
import { OpenConnections } from "./OpenConnections.ts"

/** Beyond its own time-out a connector gets this long to come back before it is given up, in milliseconds. */
const graceMillis = 5_000

/**
 * The call runs in a fiber of its own: our interruption does not cancel a request that went out, and a
 * connector that never returns cannot hold the payment for ever.
 */
export const callProvider = Effect.fnUntraced(function* <Answer>(
  connection: Connection,
  call: (connector: Connector) => Effect.Effect<Answer, NotSent | Unanswered>,
  /** Epoch milliseconds; see `BeginBy`. */
  beginBy: number
) {
  const connections = yield* OpenConnections
  const connector = yield* Effect.exit(connections.connector(connection))
  if (Exit.isFailure(connector)) {
    return new NotSent({ reason: "the connection cannot be used", cause: Cause.squash(connector.cause) })
  }
  const end = yield* Deferred.make<Answer | NotSent | Unanswered>()
  // Suspended: a connector that throws before it gives an effect is as broken as one that dies within it.
  yield* Effect.suspend(() => call(connector.value)).pipe(
    Effect.provideService(BeginBy, beginBy),
    Effect.catch((failure) => Effect.succeed(failure)),
    // A defect tells nothing about the provider: it may have executed.
    Effect.catchCause((cause) =>
      Effect.succeed(new Unanswered({ reason: "the connector failed", cause: Cause.squash(cause) }))
    ),
    Effect.flatMap((answer) => Deferred.succeed(end, answer)),
    Effect.forkDetach({ startImmediately: true })
  )
  if (yield* Deferred.isDone(end)) return yield* Deferred.await(end)
  const alarm = yield* Effect.sleep(connections.timeoutMillis(connection) + graceMillis).pipe(
    Effect.andThen(() => Deferred.succeed(end, new Unanswered({ reason: "the connector did not return in time" }))),
    Effect.forkDetach
  )
  const answer = yield* withoutPlace(Deferred.await(end))
  yield* Fiber.interrupt(alarm)
  return answer
})
