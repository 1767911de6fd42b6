/** What events and answers say of a payment, with its wire names: it is stored once and shown by the API, webhooks and the library. */
import { categoryOfDecline, type Decline, declineView } from "./Decline.ts"
import type { EventDraft, JsonObject } from "./Event.ts"
import type { EventType } from "./EventType.ts"
import type { Payment } from "./Payment.ts"
import { statusOf } from "./PaymentMachine.ts"
import type { RoutingAttempt } from "./RoutingDecision.ts"

/** The event that a move emits, from the payment after the move. */
export const paymentEvent = (type: EventType, payment: Payment, extra: JsonObject = {}): EventDraft => ({
  type,
  paymentId: payment.id,
  createdAt: payment.updatedAt,
  data: {
    payment_id: payment.id,
    reference: payment.reference,
    payment_status: statusOf[payment.state],
    environment: payment.tenant.environment,
    amount: payment.money.minorUnits,
    currency: payment.money.currency,
    ...(payment.metadata == null ? {} : { metadata: payment.metadata }),
    ...(type === "payment.declined"
      ? { decline_category: payment.declineCategory, decline_code: payment.declineReason }
      : {}),
    ...capturedAmount(type, payment),
    ...extra
  }
})

/** What is captured after the event; without it `payment.captured` is of all. The journal reads it from events. */
const capturedAmount = (type: EventType, { capturedMinor, money }: Payment): JsonObject => {
  const isStated =
    type === "payment.capture_failed" || (type === "payment.captured" && capturedMinor !== money.minorUnits)
  return isStated ? { captured_amount: capturedMinor } : {}
}

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
