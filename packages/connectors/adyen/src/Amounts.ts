/**
 * Amounts as Adyen counts them: in minor units of ISO 4217, but for four currencies in which Adyen's number of decimals
 * is the one that counts (https://docs.adyen.com/development-resources/currency-codes).
 *
 * Nothing is rounded. Adyen takes no fractions of a rupiah, so that an
 * amount with sen cannot be said to it.
 */
import { type Money, money, scaleOf } from "@pointsman/core/connector"

/** Decimals at Adyen where ISO 4217 says otherwise: CLP and ISK have none there, CVE and IDR two. */
export const deviations: ReadonlyMap<string, number> = new Map([
  ["CLP", 2],
  ["CVE", 0],
  ["IDR", 0],
  ["ISK", 2]
])

/** An amount on Adyen's wire. */
export interface Amount {
  readonly value: number
  readonly currency: string
}

/** `undefined` where Adyen has no word for it. */
export const toAdyen = ({ currency, minorUnits }: Money): Amount | undefined => {
  const value = shifted(minorUnits, shiftOf(currency))
  return value === undefined ? undefined : { value, currency }
}

/** `undefined` for an amount that our minor units cannot express. */
export const fromAdyen = ({ currency, value }: Amount): Money | undefined => {
  const minorUnits = shifted(value, -shiftOf(currency))
  return minorUnits === undefined ? undefined : money(minorUnits, currency)
}

/** How many decimals more Adyen counts. */
const shiftOf = (currency: string): number => {
  const here = scaleOf(currency)
  return here === undefined ? 0 : (deviations.get(currency) ?? here) - here
}

const shifted = (amount: number, decimals: number): number | undefined => {
  const factor = 10 ** Math.abs(decimals)
  const result = decimals < 0 ? amount / factor : amount * factor
  return Number.isSafeInteger(result) ? result : undefined
}
