/** What happens to card numbers in texts that would be stored. */
import { Context } from "effect"

export interface CardNumberPolicy {
  /** Of digits alone, which may be an order number: whether they are refused as well. */
  readonly bare: BareCardNumbers
  /** Whether the warning about them is due: one an hour. */
  readonly warns: (nowMillis: number) => boolean
}

/** What happens to a card number that is written as digits alone. */
export type BareCardNumbers = "warn" | "refuse"

const warningMillis = 60 * 60_000

export const cardNumberPolicy = (bare: BareCardNumbers): CardNumberPolicy => {
  let warnedAt = Number.NEGATIVE_INFINITY
  return {
    bare,
    warns: (nowMillis) => {
      if (nowMillis - warnedAt < warningMillis) return false
      warnedAt = nowMillis
      return true
    }
  }
}

export const CardNumbers = Context.Reference<CardNumberPolicy>("pointsman/ports/CardNumbers", {
  defaultValue: () => cardNumberPolicy("warn")
})
