/** An amount as a plain decimal, for files that programs read. */
import { scaleOf } from "./Currency.ts"
import type { Money } from "./Money.ts"

/** `12.34` for 1234 EUR cents, `-0.05` for -5: exact, with the decimals of the currency and without separators. */
export const decimalText = ({ currency, minorUnits }: Money): string => {
  const scale = scaleOf(currency) ?? 0
  const digits = String(Math.abs(minorUnits)).padStart(scale + 1, "0")
  const sign = minorUnits < 0 ? "-" : ""
  return scale === 0 ? `${sign}${digits}` : `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}
