/** Asks everything that a route depends on, and plans it. */
import { Clock, Effect, Option } from "effect"
import { Connectors } from "../ports/Connector.ts"
import { Directory } from "../ports/Directory.ts"
import { Circuits } from "../routing/Circuits.ts"
import type { Connection } from "../routing/Connection.ts"
import { planRoute } from "../routing/RoutePlan.ts"
import { defaultRoutingSettings } from "../routing/RoutingSettings.ts"
import type { Tenant } from "../workspace/Tenant.ts"
import type { Workspace } from "../workspace/Workspace.ts"
import type { Instrument } from "./CreateRequest.ts"
import type { PaymentDetails } from "./Payment.ts"

export interface RouteRequest<R = never> {
  readonly tenant: Tenant
  readonly workspace: Workspace
  readonly paymentId: string
  readonly details: PaymentDetails
  readonly instruments: ReadonlyArray<Instrument> | null
  /** Connections of which this is `false` are passed over, as inactive ones are. */
  readonly isAble: (connection: Connection) => Effect.Effect<boolean, never, R>
}

export const routePayment = Effect.fnUntraced(function* <R>(request: RouteRequest<R>) {
  const directory = yield* Directory
  const connectors = yield* Connectors
  const circuits = yield* Circuits
  const connections = yield* directory.connections(request.tenant)
  const settings = yield* directory.routing(request.tenant)
  const able = yield* Effect.filter(connections, request.isAble)
  const now = yield* Clock.currentTimeMillis
  return planRoute({
    paymentId: request.paymentId,
    payment: request.details,
    merchantCountry: request.workspace.country,
    merchantCategory: request.workspace.category,
    instrumentConnectionIds:
      request.instruments === null ? null : new Set(request.instruments.map((instrument) => instrument.connectionId)),
    settings: Option.getOrElse(settings, () => defaultRoutingSettings),
    connections: able,
    providerSupports: (connection) =>
      Option.match(connectors.definition(connection.connector), {
        onNone: () => ({}),
        onSome: (definition) => definition.supports
      }),
    isCircuitOpen: (connection) => circuits.isOpen(connection, now)
  })
})

/** A charge is something that every connection can be asked for. */
export const takesCharges = (_connection: Connection): Effect.Effect<boolean> => Effect.succeed(true)
