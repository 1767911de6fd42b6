/** What a connection's provider charges, as the configuration file says it. Pure: percentages are text, and become integers. */
import { type FeeCondition, type FeeRule, isCurrency } from "@pointsman/core"
import { amountText } from "@pointsman/core/internal"
import type { Mistake } from "./DecodeFile.ts"

/** One entry of `fees`. */
export interface FeeFile {
  readonly when?: FeeCondition
  readonly fixed?: Readonly<Record<string, number>>
  readonly percent?: string
}

/** No more than a payment can have, in minor units. */
export const mostFixedFee = 100_000_000

export const percentExpected = 'a percentage from 0 to 100 as text, with at most 4 decimals, such as "1.45"'

/** Of "1.45": 14,500. `undefined` for any other text. */
const partsPerMillion = (text: string): number | undefined => {
  const [, whole, decimals = ""] = /^(0|[1-9][0-9]{0,2})(?:\.([0-9]{1,4}))?$/u.exec(text) ?? []
  if (whole === undefined) return undefined
  const parts = Number(whole) * 10_000 + Number(decimals.padEnd(4, "0"))
  return parts <= 1_000_000 ? parts : undefined
}

export const isPercent = (text: string): boolean => partsPerMillion(text) !== undefined

export const hasFee = ({ fixed, percent }: FeeFile): boolean =>
  percent !== undefined || Object.keys(fixed ?? {}).length > 0

export const feeExpected = "`fixed` with at least one currency, `percent`, or both"

export const feeRuleOf = ({ fixed, percent, when }: FeeFile): FeeRule => {
  const parts = percent === undefined ? undefined : partsPerMillion(percent)
  return {
    ...(when === undefined ? {} : { when }),
    ...(fixed === undefined ? {} : { fixed }),
    ...(parts === undefined ? {} : { partsPerMillion: parts })
  }
}

/** As the configuration file has it. */
export const feeFileOf = ({ fixed, partsPerMillion, when }: FeeRule): FeeFile => ({
  ...(when === undefined ? {} : { when }),
  ...(fixed === undefined ? {} : { fixed }),
  ...(partsPerMillion === undefined ? {} : { percent: percentText(partsPerMillion) })
})

const percentText = (parts: number): string => String(parts / 10_000)

/** `1.45 % and €0.25; region domestic, eea; method card`, for people. */
export const feeText = ({ fixed = {}, partsPerMillion, when = {} }: FeeRule): string => {
  const amounts = Object.entries(fixed).map(([currency, minorUnits]) => amountText({ minorUnits, currency }, "en"))
  const charged = [
    ...(partsPerMillion === undefined ? [] : [`${percentText(partsPerMillion)} %`]),
    ...(amounts.length === 0 ? [] : [amounts.join(" or ")])
  ]
  const conditions = Object.entries(when).map(([field, values]) => `${field} ${values.join(", ")}`)
  return [charged.join(" and "), ...conditions].join("; ")
}

/** Of an object whose fields are named after currencies. */
export const checkCurrencies = (
  byCurrency: Readonly<Record<string, number>> | undefined,
  path: ReadonlyArray<PropertyKey>
): ReadonlyArray<Mistake> =>
  Object.keys(byCurrency ?? {})
    .filter((currency) => !isCurrency(currency))
    .map((currency) => ({
      path: [...path, currency],
      message: 'expected an ISO 4217 currency code as the name of the field, such as "EUR"'
    }))

/** `merchantCountry`: of the workspace; a region is seen from there. */
export const checkFees = (
  fees: ReadonlyArray<FeeFile>,
  merchantCountry: string | undefined,
  path: ReadonlyArray<PropertyKey>
): ReadonlyArray<Mistake> => {
  const conditions = fees.map(({ when }) => conditionKey(when))
  return fees.flatMap((fee, index) => {
    const { fixed = {}, when } = fee
    const at = [...path, index]
    const same = conditions.indexOf(conditions[index] ?? "")
    const forAll = conditions.indexOf(noCondition)
    return [
      ...checkCurrencies(fixed, [...at, "fixed"]),
      ...(when?.region !== undefined && merchantCountry === undefined
        ? [
            {
              path: [...at, "when", "region"],
              message: "expected the workspace to have a `country`: a region is seen from there"
            }
          ]
        : []),
      ...(same < index
        ? [
            {
              path: when === undefined ? at : [...at, "when"],
              message: `expected another condition than that of fees[${same}]: the first fee whose condition a payment meets is charged`
            }
          ]
        : forAll !== -1 && forAll < index
          ? [
              {
                path: at,
                message: `expected before fees[${forAll}], which has no condition, so that it is charged for every payment that comes to it`
              }
            ]
          : [])
    ]
  })
}

/** Equal for conditions that mean the same: lists in any order, and texts in any case. */
const conditionKey = (when: FeeCondition | undefined): string =>
  JSON.stringify(
    Object.entries(when ?? {})
      .map(([field, values]) => [field, values.map((value: string) => value.toLowerCase()).sort()] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )

const noCondition = conditionKey(undefined)
