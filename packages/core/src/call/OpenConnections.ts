/** From a connection's record to the connector that speaks for it: its credentials opened, once. */
import { Context, Effect, Layer, Option, Redacted, Result, Schema } from "effect"
import { withSpans } from "../metrics/ProviderCall.ts"
import { type Connection, credentialsContext } from "../model/Connection.ts"
import { type Connector, Connectors } from "../ports/Connector.ts"
import { Secrets } from "../ports/Secrets.ts"
import { Transport } from "../ports/Transport.ts"

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
    /** Logs why a connection takes no messages: once for each record of it, however often somebody sends one. */
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
