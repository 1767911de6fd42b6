/** What the settings say of one payment: a matching rule wins; else the control group; else the engine. */
import type { PaymentDetails } from "../model/Payment.ts"
import type { RoutingDecision, RoutingMode } from "../model/RoutingDecision.ts"
import { defaultMaxAttempts, type RoutingRule, type RoutingSettings } from "../model/RoutingSettings.ts"
import { matchesAmount, matchesBesidesAmount, remembered, traitsOf } from "./Condition.ts"

export interface RoutingPolicy {
  readonly path: RoutingDecision["path"]
  readonly rule: string | null
  readonly mode: RoutingMode
  /** Connection ids; `undefined` for every connection, by priority. */
  readonly order: ReadonlyArray<string> | undefined
  /** The connection that a split drew: it comes first, before the rest of the order. */
  readonly first: string | undefined
  readonly maxAttempts: number
  /** The strategy that orders the connections: `auto`, or one of the user's; `null` where the configured order is it. */
  readonly orderer: string | null
  /** How the order came about, as decisions name it: `split`, the strategy, `order` or `priority`. */
  readonly strategy: string
}

/** `draw`: a number in [0, 1) that this payment always draws for this purpose. */
export const policyOf = (
  settings: RoutingSettings,
  payment: PaymentDetails,
  draw: (purpose: string) => number
): RoutingPolicy => {
  const maxAttempts = settings.maxAttempts ?? defaultMaxAttempts
  const rule = settings.rules === undefined ? undefined : firstMatching(settings.rules, payment)
  if (rule !== undefined) {
    const { mode, order, split, strategy } = rule.use
    const orderer = ordererOf(mode, strategy)
    return {
      path: "rule",
      rule: rule.name,
      mode,
      order: order ?? (split === undefined ? undefined : Object.keys(split)),
      first: split === undefined ? undefined : drawFrom(split, draw(`split:${rule.name}`)),
      maxAttempts: rule.use.maxAttempts ?? maxAttempts,
      orderer,
      strategy: split === undefined ? (orderer ?? plain(order)) : "split"
    }
  }
  const { control, mode, order } = settings
  if (control !== undefined && draw("control") < control.share) {
    const { order } = control
    return { path: "control", rule: null, mode, order, first: undefined, maxAttempts, orderer: null, strategy: "order" }
  }
  const orderer = ordererOf(mode, settings.strategy)
  const strategy = orderer ?? plain(order)
  return { path: "engine", rule: null, mode, order, first: undefined, maxAttempts, orderer, strategy }
}

/** By the rules, and by the traits of a payment: those that match it but for its amount. */
const memories = new WeakMap<ReadonlyArray<RoutingRule>, Map<string, ReadonlyArray<RoutingRule>>>()

const firstMatching = (rules: ReadonlyArray<RoutingRule>, payment: PaymentDetails): RoutingRule | undefined => {
  const memory = memories.get(rules) ?? new Map<string, ReadonlyArray<RoutingRule>>()
  memories.set(rules, memory)
  return remembered(memory, traitsOf(payment), () =>
    rules.filter(({ when }) => matchesBesidesAmount(when, payment))
  ).find(({ when }) => matchesAmount(when, payment))
}

/** `fixed` names one connection, so that there is nothing to order. */
const ordererOf = (mode: RoutingMode, named: string | undefined): string | null =>
  mode === "auto" ? "auto" : mode === "fixed" ? null : (named ?? null)

const plain = (order: ReadonlyArray<string> | undefined): string => (order === undefined ? "priority" : "order")

/** The id at which the running sum of weights passes the drawn share; in the order of the ids, however they are written. */
const drawFrom = (weights: Readonly<Record<string, number>>, drawn: number): string | undefined => {
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
  let passed = 0
  for (const [id, weight] of Object.entries(weights).sort(([a], [b]) => (a < b ? -1 : 1))) {
    passed += weight
    if (drawn * total < passed) return id
  }
  return undefined
}
