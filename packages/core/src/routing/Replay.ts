/**
 * Makes a stored decision again, under the same configuration or another one. Pure: no provider is asked and nothing is
 * written. Everything that a decision depends on is stored with it, so that under its own configuration it comes out the
 * same, however long ago it was made.
 */
import { Result } from "effect"
import type { Connection } from "../model/Connection.ts"
import type { Payment } from "../model/Payment.ts"
import { type Exclusion, type RoutingDecision, wholeDecision } from "../model/RoutingDecision.ts"
import type { RoutingSettings } from "../model/RoutingSettings.ts"
import type { CandidateRates } from "../model/SuccessRate.ts"
import type { ProviderSupports } from "./Eligibility.ts"
import { planRoute, type RoutePlan } from "./RoutePlan.ts"
import { drawSeed } from "./RoutingPolicy.ts"
import type { RoutingStrategy } from "./Strategy.ts"

/** What routing decides by. */
export interface RoutingConfiguration {
  readonly settings: RoutingSettings
  readonly connections: ReadonlyArray<Connection>
  /** The limits of a connection's provider itself. */
  readonly providerSupports: (connection: Connection) => ProviderSupports
  readonly strategies: ReadonlyArray<RoutingStrategy>
  /** Where another merchant's country or category is to be tried; what was given then unless set. */
  readonly merchant?: { readonly country: string | null; readonly category: string | null } | undefined
}

/** A payment with the decision that was made on it. */
export interface RoutedPayment extends Payment {
  readonly routing: RoutingDecision
}

export const isRouted = (payment: Payment): payment is RoutedPayment => payment.routing !== null

/** Where a payment goes, as far as two decisions are compared. */
export interface ReplayedRoute {
  readonly path: RoutingDecision["path"]
  readonly rule: string | null
  readonly mode: string
  readonly strategy: string
  /** Connection ids in the order in which they are asked; none where no connection can take the payment. */
  readonly order: ReadonlyArray<string>
  readonly maxAttempts: number
  readonly degraded: boolean
  readonly excluded: ReadonlyArray<Exclusion>
}

export interface Replayed {
  readonly payment: RoutedPayment
  readonly before: ReplayedRoute
  /** `null` where no connection can take the payment: `excluded` says why. */
  readonly after: ReplayedRoute | null
  readonly excluded: ReadonlyArray<Exclusion>
  /** `reordered`: the same connection first, and another difference. `moved`: another one first; `nowhere`: none. */
  readonly verdict: "same" | "reordered" | "moved" | "nowhere"
}

/** `rates`: what to go by where the decision has none stored, because nothing was measured for it then. */
export const replay = (
  payment: RoutedPayment,
  configuration: RoutingConfiguration,
  rates: (connectionId: string) => CandidateRates
): Replayed => {
  const routing = wholeDecision(payment.routing)
  const { candidates, given } = routing
  const { connections, merchant, providerSupports, settings, strategies } = configuration
  const known = new Map(candidates.map((candidate) => [candidate.connectionId, candidate.rates]))
  const planned = planRoute({
    seed: drawSeed(payment.tenant, payment.idempotencyKey, payment.id),
    payment,
    merchantCountry: merchant === undefined ? given.merchantCountry : merchant.country,
    merchantCategory: merchant === undefined ? given.merchantCategory : merchant.category,
    instrumentConnectionIds: given.instruments === null ? null : new Set(given.instruments),
    settings,
    connections,
    unable: given.unable,
    providerSupports,
    circuits: given.circuits,
    strategies,
    rates: ({ id }) => known.get(id) ?? rates(id)
  })
  const before = routeOf(routing)
  if (Result.isFailure(planned)) {
    const { excluded } = planned.failure
    const after = routeOf(planned.failure.decision)
    const isSame = before.order.length === 0 && compare(before, after) === "same"
    return { payment, before, after: null, excluded, verdict: isSame ? "same" : "nowhere" }
  }
  const after = routeOf(planned.success.decision)
  return { payment, before, after, excluded: after.excluded, verdict: compare(before, after) }
}

const routeOf = (decision: RoutePlan["decision"]): ReplayedRoute => ({
  path: decision.path,
  rule: decision.rule,
  mode: decision.mode,
  strategy: decision.strategy,
  order: decision.candidates.map(({ connectionId }) => connectionId),
  maxAttempts: decision.maxAttempts,
  degraded: decision.degraded,
  excluded: decision.excluded
})

const compare = (before: ReplayedRoute, after: ReplayedRoute): Replayed["verdict"] => {
  if (before.order[0] !== after.order[0]) return "moved"
  return comparable(before) === comparable(after) ? "same" : "reordered"
}

/** A reason's wording may change; what it says may not. */
const comparable = ({ excluded, ...route }: ReplayedRoute): string =>
  JSON.stringify([route, excluded.map(({ code, connectionId }) => [connectionId, code])])
