/** What the events of a dispute say. Pure. */
import type { Dispute } from "../model/Dispute.ts"
import type { EventDraft, JsonObject } from "../model/Event.ts"
import type { EventType } from "../model/EventType.ts"
import type { Payment } from "../model/Payment.ts"
import { paymentEvent } from "../model/PaymentEvents.ts"

const timeText = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

/** Besides what every event of a payment says; `amount` and `currency` there are the payment's. */
export const disputeEvent = (
  type: EventType,
  payment: Payment,
  dispute: Dispute,
  now: number,
  extra: JsonObject = {}
): EventDraft => ({
  ...paymentEvent(type, payment, {
    dispute_id: dispute.id,
    dispute_status: dispute.status,
    dispute_amount: dispute.money?.minorUnits ?? null,
    dispute_currency: dispute.money?.currency ?? null,
    dispute_reason: dispute.reason,
    evidence_due_by: timeText(dispute.evidenceDueBy),
    ...extra
  }),
  createdAt: now
})
