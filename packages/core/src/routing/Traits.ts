/**
 * Most of what conditions and limits ask of a payment is the same for thousands of payments: all but its amount. So what
 * they say is worked out once for each set of such traits, and remembered for as long as the configuration is the same.
 */
import type { PaymentDetails } from "../model/Payment.ts"

/** All of a payment that conditions and limits ask for, but for its amount, as a key. */
export const traitsOf = (payment: PaymentDetails): string =>
  JSON.stringify([
    payment.money.currency,
    payment.country,
    payment.method,
    payment.cardBrand,
    payment.initiator,
    payment.captureMethod,
    payment.paymentMethod ?? null
  ])

/** Card brands come from requests: who makes them up must not fill the memory. */
const rememberedAtMost = 500

/** The answer for a key, from memory where it is there. */
export const remembered = <Answer>(memory: Map<string, Answer>, key: string, answer: () => Answer): Answer => {
  const known = memory.get(key)
  if (known !== undefined) return known
  if (memory.size >= rememberedAtMost) memory.clear()
  const found = answer()
  memory.set(key, found)
  return found
}
