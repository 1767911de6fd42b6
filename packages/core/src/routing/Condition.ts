import type { AmountRange, Condition } from "../model/Connection.ts"
import type { PaymentDetails } from "../model/Payment.ts"

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
