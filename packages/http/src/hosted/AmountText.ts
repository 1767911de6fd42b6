/** An amount as a customer reads it: in the manner of their own locale, with the decimals that its currency has. */
import type { Money } from "@pointsman/core"
import { scaleOf } from "@pointsman/core/internal"

/** `locale` is a reader's. */
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
  return format.format(decimal(minorUnits, scale))
}

/** Exact: never through a fraction that a double cannot hold. */
const decimal = (minorUnits: number, scale: number): `${number}` => `${minorUnits}e-${scale}` as `${number}`
