/** An amount as people read it: in the manner of a locale, with the decimals that its currency has. */
import { scaleOf } from "./Currency.ts"
import type { Money } from "./Money.ts"

/**
 * `€19.99`, `¥1,999`, `KWD 1.999` in the locale `en`. Exact for every whole number of minor units. Throws a `RangeError`
 * for a malformed locale, and an `Error` for a code that is not a currency.
 */
export const amountText = ({ currency, minorUnits }: Money, locale: string): string => {
  const scale = scaleOf(currency)
  if (scale === undefined) throw new Error(`unknown scale of the currency ${currency}`)
  // The runtime's own decimals differ for some currencies, and a wrong scale is a wrong amount.
  const format = new Intl.NumberFormat(locale, {
    style: "currency",
    currency,
    minimumFractionDigits: scale,
    maximumFractionDigits: scale
  })
  const text = format.format(decimal(minorUnits, scale))
  // From right to left, the sign would change places with its letters: "JP¥" would be read as "¥JP".
  return text.startsWith(rightToLeftMark) ? text.replace(/\p{Lu}\p{Sc}/u, `$&${leftToRightMark}`) : text
}

const rightToLeftMark = "\u200f"
const leftToRightMark = "\u200e"

/** Exact: never through a fraction that a double cannot hold. */
const decimal = (minorUnits: number, scale: number): `${number}` => `${minorUnits}e-${scale}` as `${number}`

/** `12.34` for 1234 EUR cents, `-0.05` for -5: exact, with the decimals of the currency and without separators. */
export const decimalText = ({ currency, minorUnits }: Money): string => {
  const scale = scaleOf(currency) ?? 0
  const digits = String(Math.abs(minorUnits)).padStart(scale + 1, "0")
  const sign = minorUnits < 0 ? "-" : ""
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
