/** Amounts as operators type them: with the decimals of the currency, and never through a fraction. */
import { amountLimits } from "@pointsman/core"
import { decimalText, scaleOf } from "@pointsman/core/internal"

export const amountExpected = (currency: string): string =>
  `an amount in ${currency}, such as ${decimalText({ minorUnits: 10 ** ((scaleOf(currency) ?? 0) + 1), currency })}`

/** Minor units; `undefined` for a text that is no amount of the currency. A comma is a point. */
export const readAmount = (text: string, currency: string): number | undefined => {
  const scale = scaleOf(currency) ?? 0
  const [, whole, fraction = ""] = /^(\d{1,12})(?:[.,](\d{1,4}))?$/u.exec(text.trim()) ?? []
  if (whole === undefined || fraction.length > scale) return undefined
  const minorUnits = Number(`${whole}${fraction.padEnd(scale, "0")}`)
  return minorUnits >= 1 && minorUnits <= amountLimits.maximum ? minorUnits : undefined
}
