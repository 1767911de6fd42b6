/** An entry of a payment's timeline as the API and webhooks show it. */
import { Schema } from "effect"
import { documented } from "./Documented.ts"
import { pageOf } from "./Pages.ts"
import { DateTime } from "./Payment.ts"

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
