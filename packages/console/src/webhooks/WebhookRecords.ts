/** Webhook endpoints and deliveries as the console's API shows them. Times are in RFC 3339. */
import type { DeliveryState, SendFailure } from "@pointsman/core"
import { Schema } from "effect"
import { described, Text, TextOrNull } from "../api/Records.ts"

/** As `pointsman webhooks` names them. */
export const stateNames = {
  Due: "due",
  Sending: "sending",
  Delivered: "delivered",
  Refused: "refused",
  GivenUp: "given_up"
} as const satisfies Readonly<Record<DeliveryState, string>>

export const failureNames = {
  TimedOut: "timed_out",
  NoConnection: "no_connection",
  AddressRefused: "address_refused",
  NoAnswer: "no_answer",
  EndpointWithdrawn: "endpoint_withdrawn",
  SecretUnreadable: "secret_unreadable"
} as const satisfies Readonly<Record<SendFailure, string>>

export type StateName = (typeof stateNames)[DeliveryState]
export type FailureName = (typeof failureNames)[SendFailure]

export const states: ReadonlyArray<StateName> = Object.values(stateNames)

export const State = Schema.Literals(states)

export const Endpoint = Schema.Struct({
  id: Text,
  url: Text.annotateKey(described("Without credentials, and without the values of its query.")),
  events: Schema.Array(Text).annotateKey(described('The event types that it receives; `["*"]` for all of them.')),
  active: Schema.Boolean,
  secret_rotated: TextOrNull.annotateKey(
    described("When an operator replaced the secret; `null` for the secret of the configuration.")
  ),
  previous_secret: Schema.NullOr(Schema.Struct({ until: TextOrNull })).annotateKey(
    described(
      "The former secret, while it signs too; `until` is `null` if it signs until the configuration no longer names it."
    )
  )
}).annotate({ identifier: "WebhookEndpoint", description: "Where events are sent." })

export type Endpoint = typeof Endpoint.Type

export const Delivery = Schema.Struct({
  id: Text,
  state: State,
  event_id: Text,
  event_type: Text,
  payment_id: Text,
  endpoint_id: Text,
  url: TextOrNull.annotateKey(described("As the endpoint's.")),
  attempts: Schema.Int.annotateKey(described("How many were ever begun.")),
  next_attempt: TextOrNull.annotateKey(described("`null` unless the delivery is due.")),
  created: Text
}).annotate({ identifier: "Delivery", description: "One event on its way to one endpoint." })

export type Delivery = typeof Delivery.Type

export const RotatedSecret = Schema.Struct({
  endpoint: Endpoint,
  secret: Text.annotateKey(described("The new secret, which no other request returns."))
}).annotate({ identifier: "RotatedSecret", description: "An endpoint with its new secret." })

export type RotatedSecret = typeof RotatedSecret.Type

const DeliveryAttempt = Schema.Struct({
  number: Schema.Int,
  sent: Text,
  ended: TextOrNull.annotateKey(described("`null` while it is in flight, or if its result was not recorded.")),
  response_status: Schema.NullOr(Schema.Int).annotateKey(described("The HTTP status of the endpoint's response.")),
  failure: Schema.NullOr(Schema.Literals(Object.values(failureNames))).annotateKey(
    described("Why there was no response.")
  )
}).annotate({ identifier: "DeliveryAttempt", description: "One time that the delivery was sent." })

export type DeliveryAttempt = typeof DeliveryAttempt.Type

export const DeliveryFile = Schema.Struct({
  delivery: Delivery,
  body: Text.annotateKey(described("The body of the request, byte for byte, unless personal data was erased since.")),
  attempts: Schema.Array(DeliveryAttempt)
}).annotate({ identifier: "DeliveryFile", description: "A delivery with its body and its attempts." })

export type DeliveryFile = typeof DeliveryFile.Type
