/** The decline of a payment and of an attempt, as the merchant sees it. */
import { categoryOfDecline, type Decline, declineView } from "./Decline.ts"
import type { Payment } from "./Payment.ts"
import { statusOf } from "./PaymentMachine.ts"
import type { RoutingAttempt } from "./RoutingDecision.ts"

/** `undefined` for a payment that is not declined. */
export const declineOfPayment = ({
  declineCategory,
  declineReason,
  routing,
  state
}: Pick<Payment, "declineCategory" | "declineReason" | "routing" | "state">): Decline | undefined => {
  if (declineCategory === null || statusOf[state] !== "DECLINED") return undefined
  const attempt = routing?.attempts.findLast(({ code, outcome }) => outcome === "Declined" && code === declineReason)
  return declineView(declineCategory, declineReason, attempt?.decline)
}

/** `undefined` where it was not declined, or was recorded without what a decline needs. */
export const declineOfAttempt = ({ code, decline, outcome }: RoutingAttempt): Decline | undefined =>
  outcome === "Declined" && decline !== undefined
    ? declineView(categoryOfDecline(decline.code), code, decline)
    : undefined
