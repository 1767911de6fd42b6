/**
 * Asks one provider one thing, and always comes back with what is known afterwards. A connection's record leads to the
 * connector that speaks for it; its credentials are opened once.
 */
import { Cause, Clock, Context, Effect, Exit, type Fiber, Layer, Option, Redacted, Result, Schema } from "effect"
import { observeCall, type ProviderCall, withSpans } from "../metrics/ProviderCall.ts"
import { type Connection, credentialsContext } from "../model/Connection.ts"
import { NotSent, Unanswered } from "../model/ProviderStatement.ts"
import { withoutPlace } from "../ports/Admission.ts"
import { type Connector, Connectors } from "../ports/Connector.ts"
import { PaymentSettings } from "../ports/PaymentSettings.ts"
import { Secrets } from "../ports/Secrets.ts"
import { BeginBy, Transport } from "../ports/Transport.ts"

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

/** The connection cannot be used: its connector is not installed, or its credentials cannot be read. */
export class ConnectionBroken extends Schema.TaggedError<ConnectionBroken>()("pointsman/ConnectionBroken", {
  connectionId: Schema.String,
  reason: Schema.String
}) {}

export interface OpenConnectionsOptions {
  /** Time-out of a provider call where the connection names none, in milliseconds. */
  readonly providerTimeoutMillis: number
}

export class OpenConnections extends Context.Service<
  OpenConnections,
  {
    readonly connector: (connection: Connection) => Effect.Effect<Connector, ConnectionBroken>
    readonly timeoutMillis: (connection: Connection) => number
    /** When the log last had a message that failed verification, by connection, in epoch milliseconds. */
    readonly refusalLoggedAt: Map<string, number>
    /** Logs why a connection takes no messages: once for each record of it, however many arrive. */
    readonly reportOnce: (connection: Connection, reason: string) => Effect.Effect<void>
  }
>()("pointsman/routing/OpenConnections") {
  static readonly layer = (
    options: OpenConnectionsOptions
  ): Layer.Layer<OpenConnections, never, Connectors | Secrets | Transport> =>
    Layer.effect(
      OpenConnections,
      Effect.gen(function* () {
        const connectors = yield* Connectors
        const secrets = yield* Secrets
        const transport = withSpans(yield* Transport)
        // Bounded by the configuration: one entry a connection, replaced when its record changes.
        const open = new Map<string, { readonly of: Connection; readonly connector: Connector }>()
        const reported = new Map<string, { readonly of: Connection; readonly reason: string }>()
        const timeoutMillis = (connection: Connection) => connection.timeoutMillis ?? options.providerTimeoutMillis

        const isSame = (a: Connection, b: Connection) =>
          a.connector === b.connector &&
          a.sealedCredentials === b.sealedCredentials &&
          a.environment === b.environment &&
          a.timeoutMillis === b.timeoutMillis

        const connect = Effect.fnUntraced(function* (connection: Connection) {
          const broken = (reason: string) => new ConnectionBroken({ connectionId: connection.id, reason })
          const definition = connectors.definition(connection.connector)
          if (Option.isNone(definition)) return yield* broken(`connector "${connection.connector}" is not installed`)
          const credentials = yield* Effect.mapError(
            secrets.open(connection.sealedCredentials, credentialsContext(connection.id)),
            ({ _tag }) =>
              broken(
                _tag === "pointsman/SealBroken"
                  ? "its credentials cannot be decrypted with this encryption key"
                  : "its credentials cannot be decrypted: the encryption key is unavailable"
              )
          )
          const account = {
            connectionId: connection.id,
            environment: connection.environment,
            // Without its cause: a parser's message quotes what it was given.
            credentials: yield* Effect.try({
              try: (): unknown => JSON.parse(Redacted.value(credentials)),
              catch: () => broken("its credentials are not JSON")
            }),
            timeoutMillis: timeoutMillis(connection)
          }
          const connector = definition.value.connect(account, transport)
          if (Result.isFailure(connector)) return yield* broken(connector.failure)
          open.set(connection.id, { of: connection, connector: connector.success })
          return connector.success
        })

        return OpenConnections.of({
          timeoutMillis,
          refusalLoggedAt: new Map(),
          reportOnce: (connection, reason) =>
            Effect.suspend(() => {
              const { id, sealedWebhookSecret } = connection
              const known = reported.get(id)
              const isKnown =
                known?.reason === reason &&
                isSame(known.of, connection) &&
                known.of.sealedWebhookSecret === sealedWebhookSecret
              if (isKnown) return Effect.void
              reported.set(id, { of: connection, reason })
              return Effect.logError(`connection ${id} takes no messages: ${reason}`)
            }),
          connector: (connection) => {
            const known = open.get(connection.id)
            return known !== undefined && isSame(known.of, connection)
              ? Effect.succeed(known.connector)
              : connect(connection)
          }
        })
      })
    )
}
