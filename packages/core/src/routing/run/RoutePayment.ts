/** Plans a route. A caller that does not ask its first connection gives the probe back (`giveBackProbe`). */
import { Clock, Context, Effect, Option, Result } from "effect"
import type { Instrument } from "../../decide/CreateRequest.ts"
import type { Connection } from "../../model/Connection.ts"
import type { PaymentDetails } from "../../model/Payment.ts"
import { defaultRoutingSettings, type RoutingSettings } from "../../model/RoutingSettings.ts"
import type { Tenant } from "../../model/Tenant.ts"
import type { Workspace } from "../../model/Workspace.ts"
import { Connectors } from "../../ports/Connector.ts"
import { Directory } from "../../ports/Directory.ts"
import { providerLimits } from "../Eligibility.ts"
import { planRoute, type RoutePlan, type RouteQuestion } from "../RoutePlan.ts"
import { drawSeed } from "../RoutingPolicy.ts"
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
  /**
   * Whether a connection can do what is asked at all; those that cannot are passed over, as inactive ones are. Absent for a
   * charge, which every connection can be asked for.
   */
  readonly isAble?: ((connection: Connection) => Effect.Effect<boolean, never, R>) | undefined
}

type RoutingServices = Directory | Connectors | Circuits | LearnedRates

export const routePayment = <R = never>(request: RouteRequest<R>) =>
  Effect.contextWith((context: Context.Context<RoutingServices>) =>
    Effect.map(questionIn(context, request), (question) => {
      const now = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
      const plan = planRoute(question(now))
      // In one go with the decision: of many that are decided at once, one is the probe.
      if (Result.isSuccess(plan)) {
        Context.get(context, Circuits).keepProbe(firstOf(plan.success), request.paymentId, now)
      }
      return plan
    })
  )

/** All that the plan depends on; the circuits and the rates as they are when the question is asked (epoch milliseconds). */
export const routeQuestion = <R = never>(request: RouteRequest<R>) =>
  Effect.contextWith((context: Context.Context<RoutingServices>) => questionIn(context, request))

const questionIn = <R>(context: Context.Context<RoutingServices>, request: RouteRequest<R>) => {
  const { isAble, tenant } = request
  const directory = Context.get(context, Directory)
  return Effect.flatMap(directory.connections(tenant), (connections) =>
    Effect.flatMap(directory.routing(tenant), (settings) => {
      const read = { connections, settings: Option.getOrElse(settings, () => defaultRoutingSettings) }
      if (isAble === undefined) return Effect.succeed(asked(context, request, { ...read, unable: [] }))
      const isUnable = (connection: Connection) => Effect.map(isAble(connection), (able) => !able)
      return Effect.map(Effect.filter(connections, isUnable), (unable) => asked(context, request, { ...read, unable }))
    })
  )
}

interface Read {
  readonly connections: ReadonlyArray<Connection>
  readonly settings: RoutingSettings
  readonly unable: ReadonlyArray<Connection>
}

const asked =
  (
    context: Context.Context<RoutingServices>,
    { details, idempotencyKey, instruments, paymentId, tenant, workspace }: Omit<RouteRequest, "isAble">,
    { connections, settings, unable }: Read
  ) =>
  (now: number): RouteQuestion => {
    const circuits = Context.get(context, Circuits)
    const rates = Context.get(context, LearnedRates).ratesFor(tenant, details, now)
    return {
      seed: drawSeed(tenant, idempotencyKey, paymentId),
      payment: details,
      merchantCountry: workspace.country,
      merchantCategory: workspace.category,
      instrumentConnectionIds:
        instruments === null ? null : new Set(instruments.map(({ connectionId }) => connectionId)),
      settings,
      connections,
      unable: unable.map(({ id }) => id),
      providerSupports: providerLimits(Context.get(context, Connectors)),
      circuits: connections.flatMap((connection) => circuits.seen(connection, now) ?? []),
      strategies: Context.get(context, RoutingStrategies),
      rates: ({ id }) => rates(id)
    }
  }

/** A plan has at least one connection. */
export const firstOf = ({ order }: RoutePlan): Connection => order[0] as Connection

/** The payment does not ask the first connection of its plan after all. */
export const giveBackProbe = Effect.fnUntraced(function* (plan: RoutePlan, paymentId: string) {
  const circuits = yield* Circuits
  circuits.giveBackProbe(firstOf(plan), paymentId)
})
