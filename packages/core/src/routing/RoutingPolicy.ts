/** What the settings say of one payment: a matching rule wins; else the control group; else the engine. */
import type { AmountRange, Condition } from "../model/Connection.ts"
import type { PaymentDetails } from "../model/Payment.ts"
import type { RoutingDecision, RoutingMode } from "../model/RoutingDecision.ts"
import { defaultMaxAttempts, type RoutingRule, type RoutingSettings } from "../model/RoutingSettings.ts"
import type { Tenant } from "../model/Tenant.ts"

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

// Conditions: of rules, of connections' limits and of fees.

type Test = (payment: PaymentDetails) => boolean

export const isInRange = (range: AmountRange, minorUnits: number): boolean =>
  minorUnits >= (range.min ?? 0) && minorUnits <= (range.max ?? Number.MAX_SAFE_INTEGER)

/** A payment that has nothing where a list is asked for is not among it. */
const oneOf =
  (asked: (payment: PaymentDetails) => string | null | undefined) =>
  (wanted: ReadonlyArray<string>): Test => {
    const isOneOf = among(wanted)
    return (payment) => {
      const value = asked(payment) ?? null
      return value !== null && isOneOf(value)
    }
  }

/** One test for each field of a condition: a field without a test does not compile. */
const testFor: {
  readonly [Field in keyof Required<Condition>]: (wanted: NonNullable<Condition[Field]>) => Test
} = {
  currency: oneOf(({ money }) => money.currency),
  amount: (wanted) => (payment) => isInRange(wanted, payment.money.minorUnits),
  country: oneOf(({ country }) => country),
  method: oneOf(({ method }) => method),
  paymentMethod: oneOf(({ paymentMethod }) => paymentMethod),
  cardBrand: oneOf(({ cardBrand }) => cardBrand),
  initiator: oneOf(({ initiator }) => initiator),
  captureMethod: oneOf(({ captureMethod }) => captureMethod)
}

/** The fields that a condition may name. */
export const conditionFields = Object.keys(testFor) as ReadonlyArray<keyof Condition>

/** What a condition asks for. */
interface Tests {
  readonly besidesAmount: ReadonlyArray<Test>
  readonly of: Readonly<Partial<Record<keyof Condition, Test>>>
}

/** Every payment asks every rule before its own: what a rule tests is prepared once for each configuration. */
const prepared = new WeakMap<Condition, Tests>()

const testsOf = (condition: Condition): Tests => {
  const known = prepared.get(condition)
  if (known !== undefined) return known
  const named = conditionFields.flatMap((field) => {
    const wanted = condition[field]
    const test = testFor[field] as (wanted: unknown) => Test
    return wanted === undefined ? [] : [[field, test(wanted)] as const]
  })
  const tests = {
    besidesAmount: named.flatMap(([field, test]) => (field === "amount" ? [] : [test])),
    of: Object.fromEntries(named)
  }
  prepared.set(condition, tests)
  return tests
}

/** Whether the payment is one that this field of the condition asks for; a field that is not named asks for all. */
export const matchesIn = (field: keyof Condition, condition: Condition, payment: PaymentDetails): boolean =>
  testsOf(condition).of[field]?.(payment) ?? true

/** Whether all but the payment's amount is what the condition asks for; a condition that names nothing asks for all. */
export const matchesBesidesAmount = (condition: Condition, payment: PaymentDetails): boolean =>
  testsOf(condition).besidesAmount.every((test) => test(payment))

export const matchesAmount = ({ amount }: Condition, { money }: PaymentDetails): boolean =>
  amount === undefined || isInRange(amount, money.minorUnits)

/**
 * Whether a list of a configuration names a value, in whatever case. Lists can be long (every country of a continent)
 * and are asked for each payment, by each rule and each connection: so a list is prepared, and the caller keeps the
 * test for as long as the configuration is the same.
 */
export const among = (list: ReadonlyArray<string>): ((value: string) => boolean) => {
  const items = new Set([...list, ...list.map((item) => item.toLowerCase())])
  return (value) => {
    // As it is written, which is what most are found by, and else in lower case.
    if (items.has(value)) return true
    const lower = value.toLowerCase()
    return lower !== value && items.has(lower)
  }
}

/** All of a payment that conditions and limits ask for, but for its amount, as a key. */
export const traitsOf = (payment: PaymentDetails): string =>
  JSON.stringify([
    payment.money.currency,
    payment.country,
    payment.method,
    payment.cardBrand,
    payment.initiator,
    payment.captureMethod,
    payment.paymentMethod ?? null
  ])

/** Card brands come from requests: who makes them up must not fill the memory. */
const rememberedAtMost = 500

/** The answer for a key, from memory where it is there. */
export const remembered = <Answer>(memory: Map<string, Answer>, key: string, answer: () => Answer): Answer => {
  const known = memory.get(key)
  if (known !== undefined) return known
  if (memory.size >= rememberedAtMost) memory.clear()
  const found = answer()
  memory.set(key, found)
  return found
}

const utf8 = new TextEncoder()
/** Its bytes are its characters: no encoder is needed. */
const isAscii = /^[\x20-\x7e]*$/u

/**
 * What the draws for a payment hash (decision 30): the merchant's key, so that a store which lost the payment routes a
 * repeated request as before; the payment's id where the request had no key.
 */
export const drawSeed = ({ environment, workspaceId }: Tenant, key: string | null, paymentId: string): string =>
  key === null ? paymentId : `${workspaceId}:${environment}:${key}`

/**
 * A number in [0, 1) that a seed always gives again, so that a split and the control group decide the same way however
 * often they are asked. `purpose` keeps two draws for one payment independent.
 */
export const draw = (seed: string, purpose: string): number => {
  // FNV-1a, then the finalizer of MurmurHash3: FNV alone leaves its high bits uneven on short texts.
  let hash = 0x811c9dc5
  const text = `${purpose}:${seed}`
  if (isAscii.test(text)) {
    for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  } else {
    for (const byte of utf8.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
