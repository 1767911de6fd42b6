/** Which page a customer sees of a payment. */
import type { HostedPage, Payment } from "@pointsman/core"
import { leadsToProvider } from "@pointsman/core/internal"

export type Screen =
  /** The sandbox's buttons. */
  | "Buttons"
  /** The way to the provider's own checkout. */
  | "Checkout"
  /** The page's time ran out before anything began on it. */
  | "Expired"
  /** The outcome of the payment, or its progress. */
  | "Result"

export const screenOf = (payment: Payment, page: HostedPage): Screen => {
  switch (payment.state) {
    case "AwaitingCustomer":
      return leadsToProvider(payment) ? "Checkout" : "Buttons"
    case "CheckoutOpen":
      return "Checkout"
    case "Cancelled":
      // A customer can cancel only before that time; and what was routed had begun.
      return payment.routing === null && payment.updatedAt >= page.expiresAt ? "Expired" : "Result"
    default:
      return "Result"
  }
}

/** Whether the charge's end is still to come, so that it is worth looking again. */
export const isOpenEnded = (payment: Payment): boolean => openEnded.has(payment.state)

const openEnded: ReadonlySet<Payment["state"]> = new Set<Payment["state"]>([
  "CheckoutOpen",
  "Charging",
  "ChargePending",
  "ChargeUnknown",
  "ChargeMismatched"
])
