/** `GET /events`: the polling equivalent of the webhooks. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization, RequiredScope } from "./Authorization.ts"
import { errors } from "./Errors.ts"
import { Event } from "./Event.ts"
import { EventCursor, Limit, pageOf } from "./Pages.ts"
import { ValidationErrors } from "./RequestErrors.ts"

/** One exact type. Types may be added, so one that we do not write matches nothing and is no error. */
export const EventTypeFilter = Schema.String.check(Schema.isPattern(/^[a-z0-9_.]{1,100}$/u))

export class Events extends HttpApiGroup.make("events")
  .add(
    HttpApiEndpoint.get("list", "/events", {
      query: {
        type: Schema.optionalKey(EventTypeFilter),
        before: Schema.optionalKey(EventCursor),
        after: Schema.optionalKey(EventCursor),
        limit: Schema.optionalKey(Limit)
      },
      success: pageOf(Event).annotate({ identifier: "EventList" }),
      error: errors("internal_error")
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "events:read")
      .annotate(OpenApi.Summary, "Events across all payments, newest first; oldest first when only after is given")
  )
  .annotate(OpenApi.Title, "Events") {}
