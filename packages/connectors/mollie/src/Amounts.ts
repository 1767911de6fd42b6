/**
 * Amounts as Mollie writes them: a text with exactly the decimals of the currency, "10.00" for EUR and "1000" for JPY
 * (https://docs.mollie.com/reference/common-data-types, https://docs.mollie.com/docs/multicurrency). Its decimals are those of
 * ISO 4217 for every currency that it lists. Nothing is rounded.
 */
import { type Money, money, type SignedMoney, scaleOf } from "@pointsman/core/connector"

/**
 * The currencies of https://docs.mollie.com/docs/multicurrency; which of them a payment method takes, Mollie decides. The page
 * says of none how large an amount may be: Mollie answers 422 above its maximum, which is a rejection.
 */
export const currencies: ReadonlyArray<string> =
  "AED AUD BGN BRL CAD CHF CZK DKK EUR GBP HKD HUF ILS ISK JPY MXN MYR NOK NZD PHP PLN RON RUB SEK SGD THB TWD USD ZAR".split(
    " "
  )

/** An amount on Mollie's wire. */
export interface Amount {
  readonly currency: string
  readonly value: string
}

/** `undefined` for what is no amount of a currency. */
export const toMollie = ({ currency, minorUnits }: Money): Amount | undefined => {
  const scale = scaleOf(currency)
  if (scale === undefined || !Number.isSafeInteger(minorUnits) || minorUnits < 0) return undefined
  const digits = String(minorUnits).padStart(scale + 1, "0")
  const whole = digits.slice(0, digits.length - scale)
  return { currency, value: scale === 0 ? whole : `${whole}.${digits.slice(-scale)}` }
}

const written = /^(0|[1-9][0-9]{0,14})(?:\.([0-9]{1,4}))?$/u

/** `undefined` for another number of decimals than the currency has, and for more than can be counted exactly. */
export const fromMollie = ({ currency, value }: Amount): Money | undefined => {
  const [, whole, decimals = ""] = written.exec(value) ?? []
  if (whole === undefined || decimals.length !== scaleOf(currency)) return undefined
  const minorUnits = Number(`${whole}${decimals}`)
  return Number.isSafeInteger(minorUnits) ? money(minorUnits, currency) : undefined
}

/** An amount of a settlement, which is below 0 where money leaves. */
export const signedFromMollie = ({ currency, value }: Amount): SignedMoney | undefined => {
  const isNegative = value.startsWith("-")
  const amount = fromMollie({ currency, value: isNegative ? value.slice(1) : value })
  if (amount === undefined || amount.minorUnits === 0) return amount
  return { minorUnits: isNegative ? -amount.minorUnits : amount.minorUnits, currency: amount.currency }
}
