/**
 * What routing settings say and can never come to: a rule that no payment matches, one whose payments earlier rules
 * decide, one whose connections can take none of them. Nothing here is a mistake, as a connection may be switched off
 * for a night. What is reported is certain; what cannot be decided within a bound is not reported.
 */
import type { AutoSettings, Condition, Connection, RoutingSettings, Supports } from "@pointsman/core"
import { askedConnections, type CourseSettings } from "./AskedConnections.ts"
import { type Barrier, barriersOf, conditionsOfLimits, type MerchantFacts } from "./LimitBoxes.ts"
import { coverageOf, type Effort, emptyFields, type PaymentBox } from "./PaymentBox.ts"
import { type PaymentSpace, paymentSpace } from "./PaymentSpace.ts"
import { contradictionOf, listed, rulesOf } from "./RuleReasons.ts"

/** `contradictory`: no payment matches it. `unreachable`: what matches it is decided before. `dead`: none of its
 * connections can take what it decides. `unused`: a part of it has no effect. `unpriced`: it decides by value,
 * and connections have no fees. */
export const ruleFindingKinds = ["contradictory", "unreachable", "dead", "unused", "unpriced"] as const
export type RuleFindingKind = (typeof ruleFindingKinds)[number]

export interface RuleFinding {
  readonly place: RulePlace
  readonly kind: RuleFindingKind
  /** One sentence that names what is responsible: limits, rules, connections. */
  readonly reason: string
}

/** A rule, by its index; the control group; or what is asked where no rule matches. */
export type RulePlace =
  | { readonly _tag: "Rule"; readonly index: number; readonly name: string }
  | { readonly _tag: "Control" }
  | { readonly _tag: "Engine" }

/** What is looked at of a connection. */
export type RuleConnection = Pick<Connection, "id" | "active" | "supports" | "restrictions" | "fees">

/** The routing settings of one tenant, and what they work on. */
export interface RuleQuestion<C extends RuleConnection = Connection> extends MerchantFacts {
  readonly settings: RoutingSettings
  /** The tenant's connections, inactive ones too. */
  readonly connections: ReadonlyArray<C>
  /** The limits of a connection's provider itself. */
  readonly providerSupports: (connection: C) => Supports
}

/**
 * For all questions together: some 400 milliseconds, so that no settings hold up a start. 50 rules on 20 connections
 * need between none and 100,000.
 */
const cutsAtMost = 200_000

/** In the order of the rules; the control group and the engine come last. */
export const ruleFindings = <C extends RuleConnection>(question: RuleQuestion<C>): ReadonlyArray<RuleFinding> => {
  const rules = question.settings.rules ?? []
  const map = mapOf(question)
  const decided = rules.map(({ name, when }) => ({ name, box: map.space.boxOf(when) }))
  return [
    ...rules.flatMap(({ name, use, when }, index): ReadonlyArray<RuleFinding> => {
      const place: RulePlace = { _tag: "Rule", index, name }
      const payments = { box: map.space.boxOf(when), before: decided.slice(0, index) }
      const nothing = withoutPayments(place, when, payments, map)
      if (nothing !== undefined) return [nothing]
      return [...findingsOf(place, use, payments, map), ...needlessAttempts(place, use.mode, use.maxAttempts)]
    }),
    ...findingsWithoutRule(question.settings, { box: map.space.all, before: decided }, map),
    ...feeFindings(question)
  ]
}

/** What each question needs to know, made once. */
interface RoutingMap {
  readonly space: PaymentSpace
  readonly active: ReadonlyArray<string>
  /** By connection id: `undefined` where it is not active. */
  readonly barriers: ReadonlyMap<string, ReadonlyArray<Barrier> | undefined>
  readonly effort: Effort
}

/** Payments of the box that none of the rules before decides. */
interface Payments {
  readonly box: PaymentBox
  readonly before: ReadonlyArray<{ readonly name: string; readonly box: PaymentBox }>
}

const mapOf = <C extends RuleConnection>(question: RuleQuestion<C>): RoutingMap => {
  const { connections, providerSupports, settings } = question
  const space = paymentSpace([
    ...(settings.rules ?? []).map(({ when }) => when),
    ...connections.flatMap((connection) => [
      ...conditionsOfLimits(connection.supports),
      ...conditionsOfLimits(providerSupports(connection)),
      ...connection.restrictions
    ])
  ])
  return {
    space,
    active: connections.flatMap(({ active, id }) => (active ? [id] : [])),
    barriers: new Map(
      connections.map((connection) => [
        connection.id,
        connection.active ? barriersOf(connection, providerSupports(connection), question, space) : undefined
      ])
    ),
    effort: { left: cutsAtMost }
  }
}

const withoutPayments = (
  place: RulePlace,
  when: Condition,
  payments: Payments,
  map: RoutingMap
): RuleFinding | undefined => {
  const [field] = emptyFields(payments.box)
  if (field !== undefined) return { place, kind: "contradictory", reason: contradictionOf(field, when) }
  const deciders = decidersOf(payments, map)
  return deciders === undefined
    ? undefined
    : { place, kind: "unreachable", reason: `Every payment that it matches is decided earlier by ${deciders}.` }
}

/** The rules that decide all of the payments together, as a phrase. */
const decidersOf = ({ before, box }: Payments, map: RoutingMap): string | undefined => {
  const coverage = coverageOf(
    box,
    before.map((rule) => rule.box),
    map.effort
  )
  if (coverage._tag !== "Covered") return undefined
  return rulesOf(coverage.by.flatMap((index) => before[index]?.name ?? []))
}

/** What the connections of a part can take of the payments that it decides. */
const findingsOf = (
  place: RulePlace,
  course: CourseSettings,
  payments: Payments,
  map: RoutingMap
): ReadonlyArray<RuleFinding> => {
  const { areNamed, asked, passedOver } = askedConnections(course, map.active)
  const never = asked.flatMap((id) => {
    const because = neverTakes(id, payments, map)
    return because === undefined ? [] : [{ id, because }]
  })
  if (never.length === asked.length) {
    const why = never.slice(0, connectionsNamedAtMost).map(({ because, id }) => `${id} ${because}`)
    const rest = never.length - why.length
    const all = rest > 0 ? [...why, `and neither can ${rest} more`] : why
    const reason = asked.length === 0 ? "no connection is active" : all.join("; ")
    return [{ place, kind: "dead", reason: `No connection can accept ${decidedBy[place._tag]}: ${reason}.` }]
  }
  // With `fixed`, what is drawn for a connection goes nowhere else.
  const lost =
    course.mode === "fixed" && asked.length > 1 ? ", so payments that the split assigns to it have no route" : ""
  const useless = [
    ...(areNamed ? never.map(({ because, id }) => ({ id, because: `it ${because}`, lost })) : []),
    ...passedOver.map((passed) => ({ ...passed, lost: "" }))
  ]
  return useless.map(({ because, id, lost }) => {
    const reason = `${id} is never tried ${askedBy[place._tag]}${lost}: ${because}.`
    return { place, kind: "unused", reason }
  })
}

const decidedBy = {
  Rule: "the payments that it decides",
  Control: "the payments that it decides",
  Engine: "the payments that match no rule"
} as const
const askedBy = {
  Rule: "by this rule",
  Control: "by the control group",
  Engine: "for payments that match no rule"
} as const

/** As many connections as a sentence can explain and still be read. */
const connectionsNamedAtMost = 4

/** Why the connection takes none of the payments, as what it does: "does not take USD". */
const neverTakes = (id: string, { before, box }: Payments, map: RoutingMap): string | undefined => {
  if (!map.barriers.has(id)) return "is not a connection of this workspace"
  const barriers = map.barriers.get(id)
  if (barriers === undefined) return "is not active"
  // Its own limits first: where they are enough, no rule is blamed.
  const coverage = coverageOf(
    box,
    [...barriers, ...before].map((one) => one.box),
    map.effort
  )
  if (coverage._tag !== "Covered") return undefined
  const says = coverage.by.flatMap((index) => barriers[index]?.says(box) ?? [])
  const names = coverage.by.flatMap((index) => before[index - barriers.length]?.name ?? [])
  return (
    [...new Set(says)].join(" and ") +
    (names.length === 0 ? "" : `, and ${rulesOf(names)} decide${names.length === 1 ? "s" : ""} the rest before`)
  )
}

/** Of the rules, and of what is asked where no rule matches. */
const feeFindings = <C extends RuleConnection>({
  connections,
  settings
}: RuleQuestion<C>): ReadonlyArray<RuleFinding> => {
  const { auto, rules = [] } = settings
  const parts: ReadonlyArray<readonly [RulePlace, CourseSettings]> = [
    ...rules.map(({ name, use }, index) => [{ _tag: "Rule", index, name }, use] as const),
    [{ _tag: "Engine" }, settings]
  ]
  return parts.flatMap(([place, course]) => {
    const reason = missingFees(course, auto, connections)
    return reason === undefined ? [] : [{ place, kind: "unpriced", reason }]
  })
}

const needlessAttempts = (
  place: RulePlace,
  mode: CourseSettings["mode"],
  given: number | undefined
): ReadonlyArray<RuleFinding> =>
  mode === "fixed" && given !== undefined && given > 1
    ? [
        {
          place,
          kind: "unused",
          reason: `Its maxAttempts of ${given} has no effect: mode fixed makes one attempt.`
        }
      ]
    : []

/** The control group, and the engine, which is asked for what is left. */
const findingsWithoutRule = (
  settings: RoutingSettings,
  payments: Payments,
  map: RoutingMap
): ReadonlyArray<RuleFinding> => {
  const { control, mode, order, rules = [] } = settings
  const uses = [mode, ...rules.map(({ use }) => use.mode)]
  const engine: RulePlace = { _tag: "Engine" }
  const group: RulePlace = { _tag: "Control" }
  const deciders = decidersOf(payments, map)
  const isDrawn = control !== undefined && control.share > 0
  const unreachable = (place: RulePlace, subject: string, by: string): RuleFinding => ({
    place,
    kind: "unreachable",
    reason: `${subject}: every payment is decided earlier by ${by}.`
  })
  const findings: Array<RuleFinding> = []
  if (isDrawn && deciders !== undefined) findings.push(unreachable(group, "It never receives a payment", deciders))
  else if (isDrawn) findings.push(...findingsOf(group, { mode, order: control.order }, payments, map))
  const taker = deciders ?? (isDrawn && control.share >= 1 ? "the control group, whose share is 1" : undefined)
  if (taker !== undefined) {
    // Rules that leave nothing over are a good way to write rules; an order beside them is never read.
    if (order !== undefined) findings.push(unreachable(engine, "Its order has no effect", taker))
  } else {
    // Without an order, payments that no rule matches need no connection.
    const asked = order === undefined ? { box: payments.box, before: [] } : payments
    findings.push(...findingsOf(engine, { mode, order }, asked, map))
  }
  const isInherited = rules.some(({ use }) => use.mode !== "fixed" && use.maxAttempts === undefined)
  findings.push(...needlessAttempts(engine, mode, isInherited ? undefined : settings.maxAttempts))
  if (settings.auto !== undefined && !uses.includes("auto")) {
    findings.push({
      place: engine,
      kind: "unused",
      reason: "The settings under auto have no effect: no mode here is auto."
    })
  } else if (settings.auto?.maxApprovalLoss !== undefined && settings.auto.objective !== "value") {
    findings.push({
      place: engine,
      kind: "unused",
      reason: "maxApprovalLoss has no effect: the objective is approval."
    })
  }
  return findings
}

/** What mode `auto` lacks to weigh value, as one sentence; `undefined` where the course does not go by value, or where nothing is missing. */
const missingFees = (
  course: CourseSettings,
  auto: AutoSettings | undefined,
  connections: ReadonlyArray<Pick<Connection, "id" | "active" | "fees">>
): string | undefined => {
  if (course.mode !== "auto" || auto?.objective !== "value") return undefined
  const active = new Map(connections.flatMap((one) => (one.active ? [[one.id, one] as const] : [])))
  const asked = askedConnections(course, [...active.keys()]).asked.flatMap((id) => active.get(id) ?? [])
  const without = asked.filter(({ fees = [] }) => fees.length === 0).map(({ id }) => id)
  // With one connection there is nothing to order.
  if (asked.length < 2 || without.length === 0) return undefined
  const state = without.length === 1 ? "states no fees" : "state no fees"
  return without.length === asked.length
    ? `The objective value has no effect: ${listed(without)} ${state}.`
    : `${listed(without)} ${state}, so the objective value cannot compare ${without.length === 1 ? "it" : "them"}.`
}
