/** Deliveries and their attempts, for programs and for people. */
import type { Delivery, DeliveryAttempt, Event } from "@pointsman/core"
import type { WebhookEndpoint } from "@pointsman/core/ports"
import { facts, shortened, status, type Text, table } from "./Table.ts"
import { timeOf, timeOrNull, wireWord } from "./Words.ts"

/** A delivery with what it is about. */
export interface DeliveryDetails {
  readonly delivery: Delivery
  readonly endpoint: WebhookEndpoint | undefined
  readonly event: Event | undefined
}

export const deliveryView = ({ delivery, endpoint, event }: DeliveryDetails) => ({
  id: delivery.id,
  workspace_id: delivery.tenant.workspaceId,
  environment: delivery.tenant.environment,
  status: wireWord(delivery.state),
  event_id: delivery.eventId,
  event_type: event?.type ?? null,
  payment_id: event?.paymentId ?? null,
  endpoint_id: delivery.endpointId,
  url: endpoint?.url ?? null,
  /** How many were ever begun. */
  attempts: delivery.attempts,
  // While it is being sent its time is that of a lease.
  next_attempt_at: delivery.state === "Due" ? timeOrNull(delivery.dueAt) : null,
  created: timeOf(delivery.createdAt)
})

export type DeliveryView = ReturnType<typeof deliveryView>

export const attemptView = ({ end, endedAt, number, sentAt }: DeliveryAttempt) => ({
  number,
  sent_at: timeOf(sentAt),
  ended_at: timeOrNull(endedAt),
  /** Of the answer. */
  response_status: end?._tag === "Answered" ? end.status : null,
  /** Why there was no answer. */
  failure: end?._tag === "Failed" ? wireWord(end.failure) : null
})

export const deliveriesText = (deliveries: ReadonlyArray<DeliveryView>): Text =>
  table(
    ["DELIVERY", "STATUS", "CREATED", "EVENT", "PAYMENT", "ATTEMPTS", "NEXT ATTEMPT", shortened("ENDPOINT")],
    deliveries.map((one) => [
      one.id,
      status(one.status),
      one.created,
      one.event_type,
      one.payment_id,
      one.attempts,
      one.next_attempt_at,
      one.url
    ])
  )

export const deliveryText = (one: DeliveryView): Text =>
  facts([
    ["Delivery", one.id],
    ["Workspace", `${one.workspace_id} (${one.environment})`],
    ["Status", status(one.status)],
    ["Event", `${one.event_id}${one.event_type === null ? "" : ` (${one.event_type})`}`],
    ["Payment", one.payment_id],
    ["Endpoint", one.url ?? one.endpoint_id],
    ["Created", one.created],
    ["Next attempt", one.next_attempt_at]
  ])

export const attemptsText = (attempts: ReadonlyArray<ReturnType<typeof attemptView>>): Text =>
  table(
    ["ATTEMPT", "SENT", "ENDED", "ANSWER"],
    attempts.map((one) => [
      one.number,
      one.sent_at,
      one.ended_at,
      one.response_status ?? one.failure ?? "no result recorded"
    ])
  )
