/** Where a payment goes: which connections, in which order, how far, and why. Pure. */
import { Result } from "effect"
import { matches } from "./Condition.ts"
import type { Connection, Supports } from "./Connection.ts"
import { draw } from "./Draw.ts"
import { type EligibilityQuestion, eligibilityVersion, exclusionOf } from "./Eligibility.ts"
import type { Exclusion, RoutingDecision } from "./RoutingDecision.ts"
import { defaultMaxAttempts, type RoutingMode, type RoutingSettings } from "./RoutingSettings.ts"

export interface RouteQuestion extends EligibilityQuestion {
  readonly paymentId: string
  readonly settings: RoutingSettings
  /** The tenant's connections; inactive ones are passed over. */
  readonly connections: ReadonlyArray<Connection>
  /** The limits of a connection's provider itself. */
  readonly providerSupports: (connection: Connection) => Supports
  readonly isCircuitOpen: (connection: Connection) => boolean
}

export interface RoutePlan {
  readonly mode: RoutingMode
  /** The connections to ask, in this order; at least one. */
  readonly order: ReadonlyArray<Connection>
  readonly maxAttempts: number
  /** Without attempts yet. */
  readonly decision: RoutingDecision
}

/** No connection can take the payment. */
export interface NoRoute {
  readonly excluded: ReadonlyArray<Exclusion>
}

export const planRoute = (question: RouteQuestion): Result.Result<RoutePlan, NoRoute> => {
  const course = chooseCourse(question)
  const excluded: Array<Exclusion> = []
  const eligible: Array<Connection> = []
  for (const connection of byPriority(question.connections)) {
    const exclusion = exclusionOf(connection, question.providerSupports(connection), question)
    if (exclusion === undefined) eligible.push(connection)
    else excluded.push(exclusion)
  }
  const named = course.mode === "fixed" ? fixedOrder(question, course, eligible) : orderOf(course, eligible)
  // With every circuit of the course open there is nothing to lose: they are tried anyway, and the answer says so.
  const degraded = named.length > 0 && named.every(question.isCircuitOpen)
  const broken = degraded ? [] : eligible.filter(question.isCircuitOpen)
  for (const { id, name } of broken) {
    excluded.push({
      connectionId: id,
      name,
      code: "CIRCUIT_OPEN",
      reason: "Too many of its calls failed in a row."
    })
  }
  const order = named.filter((connection) => !broken.includes(connection))
  if (order.length === 0) return Result.fail({ excluded })
  return Result.succeed({
    mode: course.mode,
    order,
    maxAttempts: course.mode === "fixed" ? 1 : Math.min(course.maxAttempts, order.length),
    decision: {
      path: course.path,
      strategy: course.strategy,
      mode: course.mode,
      rule: course.rule,
      candidates: order.map(({ id, name, priority }) => ({ connectionId: id, name, priority })),
      attempts: [],
      excluded,
      eligibilityVersion,
      degraded
    }
  })
}

interface Course {
  readonly path: RoutingDecision["path"]
  readonly strategy: string
  readonly rule: string | null
  readonly mode: RoutingMode
  readonly order: ReadonlyArray<string> | undefined
  /** Connection ids that come first, before the rest of the order. */
  readonly first: string | undefined
  readonly maxAttempts: number
}

/** A matching rule wins; else the control group; else the engine (decisions, section 5). */
const chooseCourse = ({ settings, payment, paymentId }: RouteQuestion): Course => {
  const maxAttempts = settings.maxAttempts ?? defaultMaxAttempts
  const rule = settings.rules?.find((rule) => matches(rule.when, payment))
  if (rule !== undefined) {
    const { split, order, mode } = rule.use
    return {
      path: "rule",
      strategy: split === undefined ? strategyOf(order) : "split",
      rule: rule.name,
      mode,
      order: order ?? (split === undefined ? undefined : Object.keys(split)),
      first: split === undefined ? undefined : drawFrom(split, draw(paymentId, `split:${rule.name}`)),
      maxAttempts: rule.use.maxAttempts ?? maxAttempts
    }
  }
  const { control } = settings
  if (control !== undefined && draw(paymentId, "control") < control.share) {
    return {
      path: "control",
      strategy: "order",
      rule: null,
      mode: settings.mode,
      order: control.order,
      first: undefined,
      maxAttempts
    }
  }
  return {
    path: "engine",
    strategy: strategyOf(settings.order),
    rule: null,
    mode: settings.mode,
    order: settings.order,
    first: undefined,
    maxAttempts
  }
}

const strategyOf = (order: ReadonlyArray<string> | undefined): string => (order === undefined ? "priority" : "order")

/** The id at which the running sum of weights passes the drawn share. */
const drawFrom = (weights: Readonly<Record<string, number>>, drawn: number): string | undefined => {
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0)
  let passed = 0
  for (const [id, weight] of Object.entries(weights)) {
    passed += weight
    if (drawn * total < passed) return id
  }
  return undefined
}

const byPriority = (connections: ReadonlyArray<Connection>): ReadonlyArray<Connection> =>
  connections
    .filter((connection) => connection.active)
    .sort((a, b) => a.priority - b.priority || (a.id < b.id ? -1 : 1))

const orderOf = (course: Course, usable: ReadonlyArray<Connection>): ReadonlyArray<Connection> => {
  const ids = course.order ?? usable.map((connection) => connection.id)
  const first = course.first === undefined ? [] : [course.first]
  return [...new Set([...first, ...ids])].flatMap((id) => usable.filter((connection) => connection.id === id))
}

/** `fixed` names one connection: where that one cannot take the payment, no other one does. */
const fixedOrder = (
  question: RouteQuestion,
  course: Course,
  eligible: ReadonlyArray<Connection>
): ReadonlyArray<Connection> => {
  const id = course.first ?? course.order?.[0] ?? byPriority(question.connections)[0]?.id
  return eligible.filter((connection) => connection.id === id)
}
