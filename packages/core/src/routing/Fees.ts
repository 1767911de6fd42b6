/** What a payment would cost at a connection. Pure, in whole minor units. */
import type { FeeCondition, FeeRegion, FeeRule } from "../model/Connection.ts"
import type { PaymentDetails } from "../model/Payment.ts"
import type { Fee } from "../model/RoutingDecision.ts"
import { isInEea } from "../money/Money.ts"
import { matchesBesidesAmount } from "./RoutingPolicy.ts"

/**
 * By the first rule whose condition the payment meets. `undefined` where the fee is unknown: no rule is met, the rule
 * names no fixed fee in the payment's currency, or it depends on the region and the merchant's country is not known. A fee
 * in another currency is never converted.
 */
export const feeOf = (
  rules: ReadonlyArray<FeeRule>,
  payment: PaymentDetails,
  merchantCountry: string | null
): Fee | undefined => {
  const { currency, minorUnits } = payment.money
  for (const [index, rule] of rules.entries()) {
    const isMet = meets(rule.when ?? {}, payment, merchantCountry)
    if (isMet === undefined) return undefined
    if (!isMet) continue
    const fixed = rule.fixed === undefined ? 0 : rule.fixed[currency.toUpperCase()]
    if (fixed === undefined) return undefined
    return { feeMinor: fixed + shareOf(minorUnits, rule.partsPerMillion ?? 0), rule: index + 1 }
  }
  return undefined
}

/** `undefined` where it cannot be decided. */
const meets = (when: FeeCondition, payment: PaymentDetails, merchantCountry: string | null): boolean | undefined => {
  const { region } = when
  // The object itself: what a condition tests is prepared once for each.
  if (!matchesBesidesAmount(when, payment)) return false
  if (region === undefined) return true
  return merchantCountry === null ? undefined : region.includes(regionOf(payment.country, merchantCountry))
}

const regionOf = (country: string, merchantCountry: string): FeeRegion => {
  if (country.toUpperCase() === merchantCountry.toUpperCase()) return "domestic"
  return isInEea(country.toUpperCase()) ? "eea" : "international"
}

/** Exact: the product of the largest amount and the whole is below 2 ** 53. A half is rounded up. */
const shareOf = (minorUnits: number, partsPerMillion: number): number => {
  const millionths = minorUnits * partsPerMillion + 500_000
  return (millionths - (millionths % 1_000_000)) / 1_000_000
}
