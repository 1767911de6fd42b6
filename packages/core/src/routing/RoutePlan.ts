/** Where a payment goes: which connections, in which order, how far, and why. Pure. */
import { Result } from "effect"
import type { Connection } from "../model/Connection.ts"
import type { CircuitSeen, Exclusion, RoutingDecision, RoutingDraw, RoutingMode } from "../model/RoutingDecision.ts"
import type { RoutingSettings } from "../model/RoutingSettings.ts"
import type { CandidateRates } from "../model/SuccessRate.ts"
import { openReason } from "./Circuit.ts"
import { draw } from "./Draw.ts"
import { type EligibilityQuestion, eligibilityVersion, exclusionOf, type ProviderSupports } from "./Eligibility.ts"
import { type Ordered, orderBy } from "./Ordering.ts"
import { policyOf, type RoutingPolicy } from "./RoutingPolicy.ts"
import type { RoutingStrategy } from "./Strategy.ts"

export interface RouteQuestion extends EligibilityQuestion {
  /** What the draws hash; see `drawSeed`. */
  readonly seed: string
  readonly settings: RoutingSettings
  /** The tenant's connections; inactive ones are passed over. */
  readonly connections: ReadonlyArray<Connection>
  /** Connections that cannot do what is asked at all, such as open a checkout, by id: passed over too. */
  readonly unable: ReadonlyArray<string>
  /** The limits of a connection's provider itself. */
  readonly providerSupports: (connection: Connection) => ProviderSupports
  /** The circuits that are not at rest. */
  readonly circuits: ReadonlyArray<CircuitSeen>
  /** The strategies that the settings may name. */
  readonly strategies: ReadonlyArray<RoutingStrategy>
  /** Asked for nothing but a strategy that orders by what was measured. */
  readonly rates: (connection: Connection) => CandidateRates
}

export interface RoutePlan {
  readonly mode: RoutingMode
  /** The connections to ask, in this order; at least one. */
  readonly order: ReadonlyArray<Connection>
  readonly maxAttempts: number
  /** Without attempts yet. */
  readonly decision: RoutingDecision
  /** Why the payment may not be sent to a connection, by the rules of this plan; `undefined` where it may. */
  readonly exclusionOf: (connection: Connection) => Exclusion | undefined
}

/** No connection can take the payment. */
export interface NoRoute {
  readonly excluded: ReadonlyArray<Exclusion>
  /** Without candidates. */
  readonly decision: RoutingDecision
}

/** Draws that are stored. Those beyond it can be made again from the seed, as all of them can. */
const drawsAtMost = 50

export const planRoute = (question: RouteQuestion): Result.Result<RoutePlan, NoRoute> => {
  const { circuits, payment, seed, settings, unable } = question
  const draws: Array<RoutingDraw> = []
  const drawFor = (purpose: string): number => {
    const drawn = draw(seed, purpose)
    // A strategy may draw as often as it likes; the same purpose draws the same.
    if (draws.length < drawsAtMost && !draws.some((one) => one.purpose === purpose)) draws.push({ purpose, drawn })
    return drawn
  }
  const policy = policyOf(settings, payment, drawFor)
  const connections =
    unable.length === 0 ? question.connections : question.connections.filter(({ id }) => !unable.includes(id))
  const exclusionFor = (connection: Connection) =>
    exclusionOf(connection, question.providerSupports(connection), question)
  const excluded: Array<Exclusion> = []
  const eligible: Array<Connection> = []
  for (const connection of byPriority(connections)) {
    const exclusion = exclusionFor(connection)
    if (exclusion === undefined) eligible.push(connection)
    else excluded.push(exclusion)
  }
  const named = policy.mode === "fixed" ? fixedOrder(connections, policy, eligible) : orderOf(policy, eligible)
  const open = new Map(circuits.flatMap((seen) => (seen.isOpen ? [[seen.connectionId, seen]] : [])))
  // With every circuit of the policy open there is nothing to lose: they are tried anyway, and the answer says so.
  const degraded = named.length > 0 && named.every(({ id }) => open.has(id))
  if (!degraded) {
    for (const { id, name } of eligible) {
      const seen = open.get(id)
      if (seen !== undefined) {
        excluded.push({ connectionId: id, name, code: "CIRCUIT_OPEN", reason: openReason(seen) })
      }
    }
  }
  const usable = degraded ? named : named.filter(({ id }) => !open.has(id))
  const decided = (ordered: Omit<Ordered, "order">, maxAttempts: number): RoutingDecision => ({
    path: policy.path,
    strategy: policy.strategy,
    mode: policy.mode,
    rule: policy.rule,
    maxAttempts,
    candidates: ordered.candidates,
    attempts: [],
    excluded,
    eligibilityVersion,
    degraded,
    draws,
    note: ordered.note,
    given: {
      merchantCountry: question.merchantCountry,
      merchantCategory: question.merchantCategory,
      instruments: question.instrumentConnectionIds === null ? null : [...question.instrumentConnectionIds],
      unable,
      circuits
    },
    ...(ordered.maxApprovalLossPpm === undefined ? {} : { maxApprovalLossPpm: ordered.maxApprovalLossPpm })
  })
  if (usable.length === 0) return Result.fail({ excluded, decision: decided({ candidates: [], note: null }, 0) })
  const ordered = orderBy(policy, usable, { ...question, draw: drawFor })
  const { order } = ordered
  const maxAttempts = policy.mode === "fixed" ? 1 : Math.min(policy.maxAttempts, order.length)
  return Result.succeed({
    mode: policy.mode,
    order,
    maxAttempts,
    decision: decided(ordered, maxAttempts),
    exclusionOf: exclusionFor
  })
}

const byPriority = (connections: ReadonlyArray<Connection>): ReadonlyArray<Connection> =>
  connections
    .filter((connection) => connection.active)
    .sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1))

const orderOf = (policy: RoutingPolicy, usable: ReadonlyArray<Connection>): ReadonlyArray<Connection> => {
  if (policy.order === undefined && policy.first === undefined) return usable
  const ids = policy.order ?? usable.map((connection) => connection.id)
  const first = policy.first === undefined ? [] : [policy.first]
  const byId = new Map(usable.map((connection) => [connection.id, connection]))
  return [...new Set([...first, ...ids])].flatMap((id) => byId.get(id) ?? [])
}

/** `fixed` names one connection: where that one cannot take the payment, no other one does. */
const fixedOrder = (
  connections: ReadonlyArray<Connection>,
  policy: RoutingPolicy,
  eligible: ReadonlyArray<Connection>
): ReadonlyArray<Connection> => {
  const id = policy.first ?? policy.order?.[0] ?? byPriority(connections)[0]?.id
  return eligible.filter((connection) => connection.id === id)
}
