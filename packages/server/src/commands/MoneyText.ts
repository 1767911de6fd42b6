/** Amounts for people: `€19.99`. Programs get minor units. */
import { amountText, scaleOf } from "@pointsman/core/internal"

/** With the spaces that an operator types and searches for, and not those that do not break. */
export const moneyText = (minorUnits: number, currency: string): string =>
  // The currencies of another server's answer may be more than this program knows.
  scaleOf(currency) === undefined
    ? `${minorUnits} ${currency} in minor units`
    : amountText({ minorUnits, currency }, "en").replaceAll("\u00A0", " ")
