/** Core's records as the API shows them. */
import {
  type DeliveryAttempt,
  type Event,
  type Delivery as Recorded,
  signingSecrets,
  viewOfEvent
} from "@pointsman/core"
import type { WebhookEndpoint } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { timeOrNull } from "../api/Records.ts"
import { type Delivery, type DeliveryFile, type Endpoint, failureNames, stateNames } from "./WebhookRecords.ts"

const { timeView } = InProcess

/** An address may hold secrets of the receiver. */
const shownUrl = (text: string): string => {
  const url = URL.parse(text)
  if (url === null) return "–"
  return `${url.origin}${url.pathname}${url.search === "" ? "" : "?…"}`
}

/** `now`: epoch milliseconds. */
export const endpointView = (endpoint: WebhookEndpoint, now: number): Endpoint => {
  const { active, events, id, rotation, url } = endpoint
  return {
    id,
    url: shownUrl(url),
    events: [...events],
    active,
    secret_rotated: rotation === undefined ? null : timeView(rotation.at),
    previous_secret:
      signingSecrets(endpoint, now).length === 1
        ? null
        : { until: rotation === undefined ? null : timeView(rotation.previousUntil) }
  }
}

export const deliveryView = (
  delivery: Recorded,
  { paymentId, type }: Event,
  endpoint: WebhookEndpoint | undefined
): Delivery => ({
  id: delivery.id,
  state: stateNames[delivery.state],
  event_id: delivery.eventId,
  event_type: type,
  payment_id: paymentId,
  endpoint_id: delivery.endpointId,
  url: endpoint === undefined ? null : shownUrl(endpoint.url),
  attempts: delivery.attempts,
  // While it is being sent, its time is that of a lease.
  next_attempt: delivery.state === "Due" ? timeOrNull(delivery.dueAt) : null,
  created: timeView(delivery.createdAt)
})

export const deliveryFileView = (
  delivery: Delivery,
  event: Event,
  attempts: ReadonlyArray<DeliveryAttempt>
): DeliveryFile => ({
  delivery,
  body: JSON.stringify(viewOfEvent(event)),
  attempts: attempts.map(({ end, endedAt, number, sentAt }) => ({
    number,
    sent: timeView(sentAt),
    ended: timeOrNull(endedAt),
    response_status: end?._tag === "Answered" ? end.status : null,
    failure: end?._tag === "Failed" ? failureNames[end.failure] : null
  }))
})
