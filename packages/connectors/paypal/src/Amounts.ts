/**
 * Amounts as PayPal writes them (https://developer.paypal.com/api/rest/reference/currency-codes/): a decimal text with a full
 * stop. Nothing is rounded: what PayPal cannot express has no amount there.
 *
 * HUF and TWD have two decimals in ISO 4217, which are ours, and none at PayPal:
 * "If you pass a decimal amount, an error occurs".
 */
import { type Money, money, type SignedMoney, scaleOf } from "@pointsman/core/connector"

/** Those of that page. */
export const currencies: ReadonlyArray<string> =
  "AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD HUF ILS JPY MXN MYR NOK NZD PHP PLN RUB SEK SGD THB TWD USD".split(" ")

const known: ReadonlySet<string> = new Set(currencies)
const withoutDecimals: ReadonlySet<string> = new Set(["HUF", "JPY", "TWD"])

/** An amount on PayPal's wire. */
export interface Amount {
  readonly currency_code: string
  readonly value: string
}

/** `undefined` for an amount that PayPal cannot express, and for a currency that it does not take. */
export const toPayPal = ({ currency, minorUnits }: Money): Amount | undefined => {
  const scale = known.has(currency) ? scaleOf(currency) : undefined
  if (scale === undefined || !Number.isSafeInteger(minorUnits) || minorUnits < 1) return undefined
  const digits = String(minorUnits).padStart(scale + 1, "0")
  const whole = digits.slice(0, digits.length - scale)
  const decimals = digits.slice(digits.length - scale)
  if (!withoutDecimals.has(currency)) return { currency_code: currency, value: `${whole}.${decimals}` }
  return /^0*$/u.test(decimals) ? { currency_code: currency, value: whole } : undefined
}

const written = /^(0|[1-9][0-9]{0,14})(?:\.([0-9]{1,4}))?$/u

/** PayPal writes "5.00", "5.0" and "5" alike. `undefined` for more decimals than the currency has, unless they are zeros. */
export const fromPayPal = ({ currency_code: currency, value }: Amount): Money | undefined => {
  const [, whole, decimals = ""] = written.exec(value) ?? []
  const scale = known.has(currency) ? scaleOf(currency) : undefined
  if (whole === undefined || scale === undefined || !/^0*$/u.test(decimals.slice(scale))) return undefined
  const minorUnits = Number(`${whole}${decimals.slice(0, scale).padEnd(scale, "0")}`)
  return Number.isSafeInteger(minorUnits) ? money(minorUnits, currency) : undefined
}

/** An amount of a report, which is below 0 where money leaves. */
export const signedFromPayPal = ({ currency_code, value }: Amount): SignedMoney | undefined => {
  const isNegative = value.startsWith("-")
  const amount = fromPayPal({ currency_code, value: isNegative ? value.slice(1) : value })
  if (amount === undefined || amount.minorUnits === 0) return amount
  return { minorUnits: isNegative ? -amount.minorUnits : amount.minorUnits, currency: amount.currency }
}
