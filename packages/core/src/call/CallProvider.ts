/** Asks one provider one thing, and always comes back with what is known afterwards. */
import { Cause, Clock, Deferred, Effect, Exit, Fiber } from "effect"
import { observeCall, type ProviderCall } from "../metrics/ProviderCall.ts"
import type { Connection } from "../model/Connection.ts"
import { NotSent, Unanswered } from "../model/ProviderStatement.ts"
import { withoutPlace } from "../ports/Admission.ts"
import type { Connector } from "../ports/Connector.ts"
import { PaymentSettings } from "../ports/PaymentSettings.ts"
import { BeginBy } from "../ports/Transport.ts"
import { OpenConnections } from "./OpenConnections.ts"

/** Beyond its own time-out a connector gets this long to come back before it is given up, in milliseconds. */
const graceMillis = 5_000

/** In a fiber of its own: interruption cancels no sent request, and a connector that hangs holds no payment. */
export const callProvider = Effect.fnUntraced(function* <Answer>(
  connection: Connection,
  call: (connector: Connector) => Effect.Effect<Answer, NotSent | Unanswered>,
  /** Epoch milliseconds; see `BeginBy`. A lookup may be sent at any time. */
  beginBy = Number.POSITIVE_INFINITY
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

/** As `callProvider`, with its duration and a span. */
export const askProvider = <Answer extends { readonly _tag: string }>(
  connection: Connection,
  about: Omit<ProviderCall, "connectionId">,
  call: Parameters<typeof callProvider<Answer>>[1],
  beginBy?: number
) => observeCall({ ...about, connectionId: connection.id })(callProvider<Answer>(connection, call, beginBy))

/** Sends what was claimed at `sentAt`, as long as that is recent. */
export const sendClaimed = Effect.fnUntraced(function* <Answer extends { readonly _tag: string }>(
  connection: Connection,
  about: Omit<ProviderCall, "connectionId">,
  sentAt: number,
  call: Parameters<typeof callProvider<Answer>>[1]
) {
  const beginBy = sentAt + (yield* PaymentSettings).sendWithinMillis
  if ((yield* Clock.currentTimeMillis) > beginBy) return new NotSent({ reason: "its claim grew too old to send on" })
  return yield* askProvider(connection, about, call, beginBy)
})
