/** `GET /events`: the polling equivalent of the webhooks. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization, RequiredScope } from "./Authorization.ts"
import { documented } from "./Documented.ts"
import { errors } from "./ErrorSchemas.ts"
import { afterEvent, beforeEvent, limitParameter, pageOf } from "./Pages.ts"
import { DateTime } from "./Payment.ts"
import { ValidationErrors } from "./RequestErrors.ts"

/** An entry of a payment's timeline as the API and webhooks show it. */
export const Event = Schema.Struct({
  id: Schema.String.annotateKey(
    documented("Unique. The same event may be delivered more than once: skip an id that you have processed.", {
      examples: ["evt_01a1fe08-9226-7266-a33a-e3e7f1609a4e"]
    })
  ),
  type: Schema.String.annotateKey(
    documented("The event type. New types may be added.", { examples: ["payment.captured"] })
  ),
  created: DateTime.annotateKey(documented("When the event occurred.")),
  data: Schema.Record(Schema.String, Schema.Json).annotateKey(
    documented("The event's data. The webhooks section of this document lists the fields of each type.")
  )
}).annotate({ identifier: "Event", description: "An entry of a payment's append-only timeline." })
export type Event = typeof Event.Type

export const EventList = pageOf(Event).annotate({ identifier: "EventList", description: "A page of events." })

/** One exact type. Types may be added, so one that we do not write matches nothing and is no error. */
export const EventTypeFilter = Schema.String.check(Schema.isPattern(/^[a-z0-9_.]{1,100}$/u))

export const eventsQueryFields = {
  type: Schema.optionalKey(EventTypeFilter).annotateKey(
    documented("An exact event type. An unknown type matches nothing.", { examples: ["payment.captured"] })
  ),
  before: beforeEvent,
  after: afterEvent,
  limit: limitParameter
}

export class Events extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/events", {
      query: eventsQueryFields,
      success: EventList,
      error: errors("internal_error")
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "events:read")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "listEvents",
          summary: "List events",
          description:
            "The polling alternative to webhooks: events of all payments in the key's environment, newest first. " +
            "To follow the stream, pass the id of your newest event as `after`; the events after it are then " +
            "returned oldest first, without gaps. A response with the header `Pointsman-As-Of` was read from a standby of " +
            "the database: events that were committed after that time may be missing in it, and follow later."
        })
      )
  )
  .annotateMerge(OpenApi.annotations({ title: "Events", description: "Payment events, for polling." })) {}
