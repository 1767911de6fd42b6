/** An entry of a payment's timeline as the API and webhooks show it (specification, Event). */
import { Schema } from "effect"
import { DateTime } from "./Payment.ts"

export const Event = Schema.Struct({
  /** Unique, for de-duplication. */
  id: Schema.String,
  /** For example `payment.captured`; new types may be added. */
  type: Schema.String,
  created: DateTime,
  data: Schema.Record(Schema.String, Schema.Json)
}).annotate({ identifier: "Event" })
export type Event = typeof Event.Type
