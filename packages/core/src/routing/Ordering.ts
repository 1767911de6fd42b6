/** Puts a policy's connections into the order in which they are asked. Pure. */
import type { Connection } from "../model/Connection.ts"
import type { PaymentDetails } from "../model/Payment.ts"
import type { RoutingCandidate } from "../model/RoutingDecision.ts"
import { defaultExploration, defaultMaxApprovalLoss, type RoutingSettings } from "../model/RoutingSettings.ts"
import type { CandidateRates } from "../model/SuccessRate.ts"
import { bySuccess } from "./BySuccess.ts"
import type { ValueObjective } from "./ByValue.ts"
import { feeOf } from "./Fees.ts"
import type { RoutingPolicy } from "./RoutingPolicy.ts"
import type { RoutingStrategy, StrategyAnswer, StrategyCandidate, StrategyQuestion } from "./Strategy.ts"

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
export const orderBy = (policy: RoutingPolicy, usable: ReadonlyArray<Connection>, question: OrderQuestion): Ordered => {
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
 * A strategy is somebody else's code. One that fails, or gives no order, must not stop payments; what it makes of the
 * payment that it receives changes nothing of the one that is charged; and what it says besides is stored only where
 * it is what it should be.
 */
const answerOf = (strategy: RoutingStrategy, question: StrategyQuestion): StrategyAnswer | undefined => {
  const { candidates, payment } = question
  try {
    const answer = strategy.order({
      ...question,
      payment: { ...payment, money: { ...payment.money } },
      candidates: candidates.map((one) => ({ ...one, rates: withoutMemory(one.rates) }))
    })
    // It gives no order; and a promise that nobody waits for ends the process when it is broken.
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
