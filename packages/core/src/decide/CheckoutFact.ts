/**
 * What a provider's record says of a payment whose customer was sent to a checkout. A record that is not there means
 * "not paid yet" for as long as the customer can still pay, and for an hour more. A checkout without an end stays open
 * until an operator closes it. Pure.
 */
import type { AskedAt, Attempt, Checkout } from "../model/Attempt.ts"
import type { Payment } from "../model/Payment.ts"
import type { ChargeState, Found } from "../model/ProviderStatement.ts"
import { type ChargeFact, chargeFactOf } from "./ChargeFact.ts"

/** A payment that was made in the last moment may take this long to show in the provider's record, in milliseconds. */
const checkoutGraceMillis = 60 * 60 * 1000

/** `undefined`: nothing is known yet. `asked`: before the lookup began, or when a message was written. */
export const checkoutFactOf = (
  payment: Payment,
  attempt: Attempt & { readonly checkout: Checkout },
  found: Found<ChargeState>,
  asked: AskedAt
): ChargeFact | undefined => {
  const isOver = isCheckoutOver(attempt, asked)
  if (found._tag === "NotFound") return isOver && found.conclusive ? { on: "CheckoutEnded" } : undefined
  // The provider's page shows the challenge: the customer is at it.
  if (found.state._tag === "NeedsCustomer" && !isOver) return undefined
  return chargeFactOf(payment, attempt.connectionId, found.state)
}

/** The customer cannot have paid on it since, and what was sent for it has arrived or never will. */
export const isCheckoutOver = (
  { checkout, sentAt, timeoutMillis }: Attempt & { readonly checkout: Checkout },
  { agesFrom, askedAt }: AskedAt
): boolean => {
  if (checkout.expiresAt === null) return false
  const since = agesFrom ?? Number.NEGATIVE_INFINITY
  return (
    askedAt >= Math.max(checkout.expiresAt, since) + checkoutGraceMillis &&
    askedAt >= Math.max(sentAt, since) + 2 * timeoutMillis
  )
}
