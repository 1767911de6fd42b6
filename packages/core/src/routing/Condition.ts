import type { PaymentDetails } from "../payment/Payment.ts"
import type { AmountRange, Condition } from "./Connection.ts"

const isIn = (list: ReadonlyArray<string>, value: string | null): boolean =>
  value !== null && list.some((item) => item.toLowerCase() === value.toLowerCase())

export const isInRange = (range: AmountRange, minorUnits: number): boolean =>
  minorUnits >= (range.min ?? 0) && minorUnits <= (range.max ?? Number.MAX_SAFE_INTEGER)

/** One test for each field of a condition: a field without a test does not compile. */
const tests: {
  readonly [Field in keyof Required<Condition>]: (
    wanted: NonNullable<Condition[Field]>,
    payment: PaymentDetails
  ) => boolean
} = {
  currency: (wanted, payment) => isIn(wanted, payment.money.currency),
  amount: (wanted, payment) => isInRange(wanted, payment.money.minorUnits),
  country: (wanted, payment) => isIn(wanted, payment.country),
  method: (wanted, payment) => isIn(wanted, payment.method),
  cardBrand: (wanted, payment) => isIn(wanted, payment.cardBrand),
  initiator: (wanted, payment) => isIn(wanted, payment.initiator),
  captureMethod: (wanted, payment) => isIn(wanted, payment.captureMethod)
}

/** The fields that a condition may name. */
export const conditionFields = Object.keys(tests) as ReadonlyArray<keyof Condition>

/** Whether the payment is one that this field of the condition asks for; a field that is not named asks for all. */
export const matchesIn = (field: keyof Condition, condition: Condition, payment: PaymentDetails): boolean => {
  const wanted = condition[field]
  const test = tests[field] as (wanted: unknown, payment: PaymentDetails) => boolean
  return wanted === undefined || test(wanted, payment)
}

/** A payment matches when every field that the condition names does; a condition that names none matches all. */
export const matches = (condition: Condition, payment: PaymentDetails): boolean =>
  conditionFields.every((field) => matchesIn(field, condition, payment))
