/** Where a payment goes: which connections, in which order, how far, why, and what follows an attempt. Pure. */
import { Result } from "effect"
import type { AttemptEnd } from "../model/Attempt.ts"
import type { Connection } from "../model/Connection.ts"
import type { PaymentDetails } from "../model/Payment.ts"
import type { NotSent, Rejected } from "../model/ProviderStatement.ts"
import type {
  CircuitSeen,
  Exclusion,
  RoutingCandidate,
  RoutingDecision,
  RoutingDraw,
  RoutingMode
} from "../model/RoutingDecision.ts"
import { defaultExploration, defaultMaxApprovalLoss, type RoutingSettings } from "../model/RoutingSettings.ts"
import type { CandidateRates } from "../model/SuccessRate.ts"
import { bySuccess } from "./BySuccess.ts"
import type { ValueObjective } from "./ByValue.ts"
import { type EligibilityQuestion, eligibilityVersion, exclusionOf, type ProviderSupports } from "./Eligibility.ts"
import { feeOf } from "./Fees.ts"
import { draw, policyOf, type RoutingPolicy } from "./RoutingPolicy.ts"
import type { RoutingStrategy, StrategyAnswer, StrategyCandidate, StrategyQuestion } from "./Strategy.ts"

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

/** Why a connection is passed over, as one sentence. Another server's failures are not counted here. */
const openReason = ({ failures, probeAt }: CircuitSeen): string => {
  const ours = failures === 1 ? "Its last call failed" : `Its last ${failures} calls failed`
  const why = failures === 0 ? "Another server saw its calls fail" : ours
  return probeAt === null ? `${why}.` : `${why}; it is probed from ${new Date(probeAt).toISOString()} on.`
}

// The order in which the connections of a policy are asked.

export interface OrderQuestion {
  readonly seed: string
  readonly payment: PaymentDetails
  /** Where the merchant is registered; `null` when unknown. */
  readonly merchantCountry: string | null
  readonly settings: RoutingSettings
  readonly strategies: ReadonlyArray<RoutingStrategy>
  readonly rates: (connection: Connection) => CandidateRates
  readonly draw: (purpose: string) => number
}

export interface Ordered {
  readonly order: ReadonlyArray<Connection>
  readonly candidates: ReadonlyArray<RoutingCandidate>
  readonly note: string | null
  /** Where the objective was value. */
  readonly maxApprovalLossPpm?: number
}

/** `usable`: in the configured order, or by priority. */
const orderBy = (policy: RoutingPolicy, usable: ReadonlyArray<Connection>, question: OrderQuestion): Ordered => {
  const strategy = strategyFor(policy, question)
  if (strategy === undefined) return { order: usable, candidates: usable.map((one) => candidateOf(one)), note: null }
  if (typeof strategy === "string") return { ...orderBy(plain(policy), usable, question), note: strategy }
  const candidates = usable.map(
    (connection): StrategyCandidate => ({
      connectionId: connection.id,
      name: connection.name,
      priority: connection.priority,
      rates: question.rates(connection),
      fee: feeOf(connection.fees ?? [], question.payment, question.merchantCountry)
    })
  )
  const asked: StrategyQuestion = { payment: question.payment, candidates, draw: question.draw }
  const answer = policy.orderer === "auto" ? strategy.order(asked) : answerOf(strategy, asked)
  if (answer === undefined) {
    const note = `The strategy "${strategy.name}" failed, so the configured order was used.`
    return { ...orderBy(plain(policy), usable, question), note }
  }
  const byId = new Map(
    usable.map((connection, index) => [connection.id, { connection, rates: candidates[index]?.rates }])
  )
  const named = answer.order.flatMap((id) => byId.get(id)?.connection ?? [])
  // What a split drew stays first; what the strategy did not name comes last.
  const drawn = policy.first === undefined ? [] : usable.filter(({ id }) => id === policy.first)
  const order = [...new Set([...drawn, ...named, ...usable])]
  return {
    order,
    candidates: order.map((connection) => {
      const known = byId.get(connection.id)?.rates ?? null
      const rates = known === null || answer.values !== undefined ? known : withoutMemory(known)
      const value = answer.values?.[connection.id]
      return {
        ...candidateOf(connection),
        score: answer.scores?.[connection.id] ?? null,
        rates,
        ...(value === undefined ? {} : { value })
      }
    }),
    note: answer.note ?? null,
    ...(answer.values === undefined ? {} : objectiveOf(question.settings))
  }
}

const candidateOf = ({ id, name, priority }: Connection): RoutingCandidate => ({
  connectionId: id,
  name,
  priority,
  score: null,
  rates: null
})

/** What the objective `value` alone weighs is left out. */
const withoutMemory = ({ connection, segment }: CandidateRates): CandidateRates => ({
  connection: { succeeded: connection.succeeded, failed: connection.failed },
  segment: { succeeded: segment.succeeded, failed: segment.failed }
})

const plain = (policy: RoutingPolicy): RoutingPolicy => ({ ...policy, orderer: null })

/** `undefined` where the configured order is the order; a sentence where the strategy that was named is not there. */
const strategyFor = (policy: RoutingPolicy, question: OrderQuestion): RoutingStrategy | string | undefined => {
  const { seed, settings, strategies } = question
  if (policy.orderer === null) return undefined
  if (policy.orderer === "auto") {
    // Who drew its first place explores nothing besides.
    const exploration = policy.first === undefined ? (settings.auto?.exploration ?? defaultExploration) : 0
    return bySuccess(seed, exploration, objectiveOf(settings))
  }
  return (
    strategies.find((one) => one?.name === policy.orderer) ??
    `The strategy "${policy.orderer}" does not exist, so the configured order was used.`
  )
}

/** `undefined` where approval is the objective. */
const objectiveOf = ({ auto }: RoutingSettings): ValueObjective | undefined =>
  auto?.objective === "value"
    ? { maxApprovalLossPpm: Math.round((auto.maxApprovalLoss ?? defaultMaxApprovalLoss) * 1_000_000) }
    : undefined

/** The longest sentence of a strategy's that is stored, in characters. */
const noteAtMost = 300

/**
 * A strategy is third-party code. One that fails, or gives no order, must not stop payments; what it makes of the
 * payment that it receives changes nothing of the one that is charged; and what it says besides is stored only where it
 * is what it should be.
 */
const answerOf = (strategy: RoutingStrategy, question: StrategyQuestion): StrategyAnswer | undefined => {
  const { candidates, payment } = question
  try {
    const answer = strategy.order({
      ...question,
      payment: { ...payment, money: { ...payment.money } },
      candidates: candidates.map((one) => ({ ...one, rates: withoutMemory(one.rates) }))
    })
    // It gives no order; and an unhandled rejection ends the process.
    if (answer instanceof Promise) answer.catch(() => {})
    const { note, order, scores } = answer
    if (!Array.isArray(order)) return undefined
    return {
      order: order.filter((id) => typeof id === "string"),
      scores: Object.fromEntries(Object.entries(scores ?? {}).filter(([, score]) => Number.isFinite(score))),
      note: typeof note === "string" && note !== "" ? note.slice(0, noteAtMost) : undefined
    }
  } catch {
    return undefined
  }
}

// What follows an attempt: the next connection is asked, or the payment ends. `docs/reference/next-steps.md` is made by
// asking this part, and every line of it is tried in a test.

/** What may follow an attempt that certainly executed nothing; after an unanswered one nothing may. */
export type NothingExecuted = SoftDecline | Rejected | NotSent
export interface SoftDecline {
  readonly _tag: "Declined"
  readonly soft: true
}

const followers: Readonly<Record<RoutingMode, Readonly<Record<NothingExecuted["_tag"], boolean>>>> = {
  fixed: { Declined: false, Rejected: false, "pointsman/NotSent": false },
  priority: { Declined: false, Rejected: true, "pointsman/NotSent": true },
  failover: { Declined: true, Rejected: true, "pointsman/NotSent": true },
  auto: { Declined: true, Rejected: true, "pointsman/NotSent": true }
}

/** Whether the mode lets another connection be asked after this end. */
export const mayFollow = (mode: RoutingMode, end: NothingExecuted): boolean => followers[mode][end._tag]

/** The end, where it certainly executed nothing. Every other one is the outcome of the payment. */
export const nothingExecuted = (end: AttemptEnd): NothingExecuted | undefined => {
  switch (end._tag) {
    case "Rejected":
    case "pointsman/NotSent":
      return end
    case "Declined":
      return end.soft ? { _tag: "Declined", soft: true } : undefined
    case "pointsman/Unanswered":
    case "Authorized":
    case "Captured":
    case "Pending":
    case "NeedsCustomer":
    case "Canceled":
    case "CheckoutOpened":
      return undefined
  }
}

/** Whether another connection is asked after so many attempts, the last of which ended so; if there is one. */
export const isFollowed = (
  { maxAttempts, mode }: Pick<RoutePlan, "maxAttempts" | "mode">,
  made: number,
  end: AttemptEnd
): boolean => {
  const nothing = nothingExecuted(end)
  return nothing !== undefined && made < maxAttempts && mayFollow(mode, nothing)
}

/** The connections of the plan that may be asked after those of `made`, the last of which ended so, in this order. */
export const nextConnections = (
  plan: RoutePlan,
  made: ReadonlyArray<{ readonly connectionId: string }>,
  end: AttemptEnd
): ReadonlyArray<Connection> =>
  isFollowed(plan, made.length, end)
    ? plan.order.filter((connection) => !made.some((attempt) => attempt.connectionId === connection.id))
    : []
