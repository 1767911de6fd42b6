/** `GET /events`: the polling equivalent of the webhooks. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization, RequiredScope } from "./Authorization.ts"
import { documented } from "./Documented.ts"
import { errors } from "./ErrorSchemas.ts"
import { EventList, EventTypeFilter } from "./Event.ts"
import { afterEvent, beforeEvent, limitParameter } from "./Pages.ts"
import { ValidationErrors } from "./RequestErrors.ts"

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
