/**
 * The payments that there can be, told apart as far as some conditions and limits do: for each field one value for
 * everything that they name, and one that represents all others. What the API refuses is no payment:
 * amounts outside its limits, codes that are no currency or country.
 */

import {
  type AmountRange,
  amountLimits,
  type Condition,
  captureMethods,
  currencies,
  initiators,
  isCurrency,
  type PaymentDetails,
  paymentMethodNames,
  paymentMethods
} from "@pointsman/core"
import { countries, isCountry, matchesIn } from "@pointsman/core/internal"
import type { PaymentBox } from "./PaymentBox.ts"

export interface PaymentSpace {
  /** Every payment. */
  readonly all: PaymentBox
  /** The bit of payments without a card brand, in the field `cardBrand`. */
  readonly withoutBrand: bigint
  readonly boxOf: (condition: Condition) => PaymentBox
  /** The values that the box has in this field, or `undefined` where unnamed ones are among them. */
  readonly named: (field: keyof Condition, box: PaymentBox) => ReadonlyArray<string> | undefined
}

/** A payment with a certain value in one field. */
interface Sample {
  readonly payment: PaymentDetails
  /** `null`: represents all values that are not named. */
  readonly name: string | null
}

/** `conditions`: everything that must be distinguished. */
export const paymentSpace = (conditions: ReadonlyArray<Condition>): PaymentSpace => {
  const samples = samplesOf(conditions)
  const bits = (field: keyof Condition, isIn: (sample: Sample) => boolean): bigint =>
    samples[field].reduce((mask, sample, at) => (isIn(sample) ? mask | (1n << BigInt(at)) : mask), 0n)
  const boxOf = (condition: Condition): PaymentBox => ({
    currency: bits("currency", ({ payment }) => matchesIn("currency", condition, payment)),
    amount: bits("amount", ({ payment }) => matchesIn("amount", condition, payment)),
    country: bits("country", ({ payment }) => matchesIn("country", condition, payment)),
    method: bits("method", ({ payment }) => matchesIn("method", condition, payment)),
    paymentMethod: bits("paymentMethod", ({ payment }) => matchesIn("paymentMethod", condition, payment)),
    cardBrand: bits("cardBrand", ({ payment }) => matchesIn("cardBrand", condition, payment)),
    initiator: bits("initiator", ({ payment }) => matchesIn("initiator", condition, payment)),
    captureMethod: bits("captureMethod", ({ payment }) => matchesIn("captureMethod", condition, payment))
  })
  return {
    all: boxOf({}),
    withoutBrand: bits("cardBrand", ({ payment }) => payment.cardBrand === null),
    boxOf,
    named: (field, box) => {
      const names = samples[field].filter((_, at) => ((box[field] >> BigInt(at)) & 1n) === 1n).map(({ name }) => name)
      return names.every((name) => name !== null) ? names : undefined
    }
  }
}

const samplesOf = (conditions: ReadonlyArray<Condition>): Readonly<Record<keyof Condition, ReadonlyArray<Sample>>> => {
  const named = <Field extends keyof Condition>(field: Field): ReadonlyArray<NonNullable<Condition[Field]>> =>
    conditions.flatMap((condition) => {
      const wanted = condition[field]
      return wanted === undefined ? [] : [wanted as NonNullable<Condition[Field]>]
    })
  return {
    currency: codes(named("currency").flat(), isCurrency, currencies, (currency) => ({
      money: { ...anyPayment.money, currency }
    })),
    country: codes(named("country").flat(), isCountry, countries, (country) => ({ country })),
    amount: amountStarts(named("amount")).map((minorUnits) =>
      sample({ money: { ...anyPayment.money, minorUnits } }, String(minorUnits))
    ),
    method: paymentMethods.map((method) => sample({ method }, method)),
    paymentMethod: [
      sample({}, null),
      ...paymentMethodNames.map((paymentMethod) => sample({ paymentMethod }, paymentMethod))
    ],
    cardBrand: brands(named("cardBrand").flat()),
    initiator: initiators.map((initiator) => sample({ initiator }, initiator)),
    captureMethod: captureMethods.map((captureMethod) => sample({ captureMethod }, captureMethod))
  }
}

/** Of a sample, one field is looked at. */
const anyPayment: PaymentDetails = {
  money: { minorUnits: amountLimits.minimum, currency: "EUR" },
  country: "NL",
  method: "card",
  cardBrand: null,
  initiator: "cit",
  captureMethod: "automatic",
  reference: null,
  simulation: null
}

const sample = (change: Partial<PaymentDetails>, name: string | null): Sample => ({
  payment: { ...anyPayment, ...change },
  name
})

const codes = (
  named: ReadonlyArray<string>,
  isCode: (code: string) => boolean,
  all: ReadonlyArray<string>,
  change: (code: string) => Partial<PaymentDetails>
): ReadonlyArray<Sample> => {
  const told = new Set(named.map((code) => code.toUpperCase()).filter(isCode))
  const other = all.find((code) => !told.has(code))
  return [
    ...[...told].map((code) => sample(change(code), code)),
    ...(other === undefined ? [] : [sample(change(other), null)])
  ]
}

/** A payment may come without a brand, and no list of brands is all of them. */
const brands = (named: ReadonlyArray<string>): ReadonlyArray<Sample> => {
  const told = new Set(named.map((brand) => brand.toLowerCase()))
  // Longer than each, so none of them.
  const other = `${[...told].join("")}*`
  return [
    ...[...told].map((cardBrand) => sample({ cardBrand }, cardBrand)),
    sample({ cardBrand: other }, null),
    sample({ cardBrand: null }, null)
  ]
}

/** Between one of these and the next, no range begins or ends. */
const amountStarts = (ranges: ReadonlyArray<AmountRange>): ReadonlyArray<number> => {
  const { maximum, minimum } = amountLimits
  const edges = ranges.flatMap(({ max, min }) => [Math.ceil(min ?? minimum), Math.floor(max ?? maximum) + 1])
  return [...new Set([minimum, ...edges.filter((edge) => edge > minimum && edge <= maximum)])].sort((a, b) => a - b)
}
