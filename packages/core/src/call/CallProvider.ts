/** Asks one provider one thing, and always comes back with what is known afterwards. */
import { Cause, Clock, Context, Effect, Exit, type Fiber, Option } from "effect"
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

/** Gives what the provider said, or that it said nothing: it never fails. */
export const callProvider = <Answer>(
  connection: Connection,
  call: (connector: Connector) => Effect.Effect<Answer, NotSent | Unanswered>,
  /** Epoch milliseconds; see `BeginBy`. A lookup may be sent at any time. */
  beginBy = Number.POSITIVE_INFINITY
) =>
  Effect.contextWith((context: Context.Context<OpenConnections>) => {
    const { connector, timeoutMillis } = Context.get(context, OpenConnections)
    return Effect.matchCauseEffect(connector(connection), {
      onFailure: (cause) =>
        Effect.succeed(new NotSent({ reason: "the connection cannot be used", cause: Cause.squash(cause) })),
      onSuccess: (opened) =>
        awaitAnswer(
          Effect.runForkWith(Context.add(context, BeginBy, beginBy)),
          // Suspended: a connector that throws before it gives an effect is as broken as one that dies within it.
          Effect.suspend(() => call(opened)),
          timeoutMillis(connection) + graceMillis
        )
    })
  })

type Ended<Answer> = Answer | NotSent | Unanswered

/** In a fiber of its own: interruption cancels no sent request, and a connector that hangs holds no payment. */
const awaitAnswer = <Answer>(
  fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>,
  call: Effect.Effect<Answer, NotSent | Unanswered>,
  millis: number
): Effect.Effect<Ended<Answer>> => {
  const asked = fork(call)
  const exit = asked.pollUnsafe()
  if (exit !== undefined) return Effect.succeed(endOf(exit))
  return withoutPlace(
    Effect.callback((resume) => {
      const giveUp = () => resume(Effect.succeed(new Unanswered({ reason: "the connector did not return in time" })))
      const alarm = fork(Effect.andThen(Effect.sleep(millis), Effect.sync(giveUp)))
      asked.addObserver((exit) => {
        alarm.interruptUnsafe()
        resume(Effect.succeed(endOf(exit)))
      })
      return Effect.sync(() => alarm.interruptUnsafe())
    })
  )
}

/** A defect tells nothing about the provider: it may have executed. */
const endOf = <Answer>(exit: Exit.Exit<Answer, NotSent | Unanswered>): Ended<Answer> =>
  Exit.isSuccess(exit)
    ? exit.value
    : Option.getOrElse(
        Cause.findErrorOption(exit.cause),
        () => new Unanswered({ reason: "the connector failed", cause: Cause.squash(exit.cause) })
      )

/** As `callProvider`, with its duration and a span. */
export const askProvider = <Answer extends { readonly _tag: string }>(
  connection: Connection,
  about: Omit<ProviderCall, "connectionId">,
  call: Parameters<typeof callProvider<Answer>>[1],
  beginBy?: number
) => observeCall({ ...about, connectionId: connection.id })(callProvider<Answer>(connection, call, beginBy))

/** Sends what was claimed at `sentAt`, as long as that is recent. */
export const sendClaimed = <Answer extends { readonly _tag: string }>(
  connection: Connection,
  about: Omit<ProviderCall, "connectionId">,
  sentAt: number,
  call: Parameters<typeof callProvider<Answer>>[1]
) =>
  Effect.contextWith((context: Context.Context<OpenConnections>) => {
    const beginBy = sentAt + Context.get(context, PaymentSettings).sendWithinMillis
    return Context.get(context, Clock.Clock).currentTimeMillisUnsafe() > beginBy
      ? Effect.succeed(new NotSent({ reason: "its claim grew too old to send on" }))
      : askProvider(connection, about, call, beginBy)
  })
