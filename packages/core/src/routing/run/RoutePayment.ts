/** Plans a route. A caller that does not ask its first connection gives the probe back (`giveBackProbe`). */
import { Clock, Effect, Option, Result } from "effect"
import type { Instrument } from "../../decide/CreateRequest.ts"
import type { Connection } from "../../model/Connection.ts"
import type { PaymentDetails } from "../../model/Payment.ts"
import { defaultRoutingSettings } from "../../model/RoutingSettings.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { Workspace } from "../../model/Workspace.ts"
import { Connectors } from "../../ports/Connector.ts"
import { Directory } from "../../ports/Directory.ts"
import { drawSeed } from "../Draw.ts"
import { providerLimits } from "../ProviderLimits.ts"
import { planRoute, type RoutePlan, type RouteQuestion } from "../RoutePlan.ts"
import { RoutingStrategies } from "../Strategy.ts"
import { Circuits } from "./Circuits.ts"
import { LearnedRates } from "./LearnedRates.ts"

export interface RouteRequest<R = never> {
  readonly tenant: Tenant
  readonly workspace: Workspace
  readonly paymentId: string
  /** The merchant's; `null` where the request had none. */
  readonly idempotencyKey: string | null
  readonly details: PaymentDetails
  readonly instruments: ReadonlyArray<Instrument> | null
  /** Whether a connection can do what is asked at all; those that cannot are passed over, as inactive ones are. */
  readonly isAble: (connection: Connection) => Effect.Effect<boolean, never, R>
}

export const routePayment = Effect.fnUntraced(function* <R>(request: RouteRequest<R>) {
  const { paymentId } = request
  const circuits = yield* Circuits
  const question = yield* routeQuestion(request)
  const now = yield* Clock.currentTimeMillis
  const plan = planRoute(question(now))
  // In one go with the decision: of many that are decided at once, one is the probe.
  if (Result.isSuccess(plan)) circuits.keepProbe(firstOf(plan.success), paymentId, now)
  return plan
})

/** All that the plan depends on; the circuits and the rates as they are when the question is asked (epoch milliseconds). */
export const routeQuestion = Effect.fnUntraced(function* <R>(request: RouteRequest<R>) {
  const directory = yield* Directory
  const connectors = yield* Connectors
  const circuits = yield* Circuits
  const learned = yield* LearnedRates
  const strategies = yield* RoutingStrategies
  const { details, idempotencyKey, instruments, paymentId, tenant, workspace } = request
  const connections = yield* directory.connections(tenant)
  const settings = yield* directory.routing(tenant)
  const unable = yield* Effect.filter(connections, (connection) =>
    Effect.map(request.isAble(connection), (isAble) => !isAble)
  )
  return (now: number): RouteQuestion => {
    const rates = learned.ratesFor(tenant, details, now)
    return {
      seed: drawSeed(tenant, idempotencyKey, paymentId),
      payment: details,
      merchantCountry: workspace.country,
      merchantCategory: workspace.category,
      instrumentConnectionIds:
        instruments === null ? null : new Set(instruments.map(({ connectionId }) => connectionId)),
      settings: Option.getOrElse(settings, () => defaultRoutingSettings),
      connections,
      unable: unable.map(({ id }) => id),
      providerSupports: providerLimits(connectors),
      circuits: connections.flatMap((connection) => circuits.seen(connection, now) ?? []),
      strategies,
      rates: ({ id }) => rates(id)
    }
  }
})

/** A plan has at least one connection. */
export const firstOf = ({ order }: RoutePlan): Connection => order[0] as Connection

/** The payment does not ask the first connection of its plan after all. */
export const giveBackProbe = Effect.fnUntraced(function* (plan: RoutePlan, paymentId: string) {
  const circuits = yield* Circuits
  circuits.giveBackProbe(firstOf(plan), paymentId)
})

/** A charge is something that every connection can be asked for. */
export const takesCharges = (_connection: Connection): Effect.Effect<boolean> => Effect.succeed(true)
