/** An event that happened just now, as one line: for people, and for programs. */
import { Schema } from "effect"
import { printable } from "./Words.ts"

/** As the API and webhooks have it. */
export const EventShape = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  created: Schema.String,
  data: Schema.Record(Schema.String, Schema.Json)
})
export type EventShape = typeof EventShape.Type

/** The status of the answer to what was passed on; `null`: there was none. `undefined`: nothing was passed on. */
export type Answered = number | null | undefined

export const textIn = (event: EventShape, name: string): string | null => {
  const value = event.data[name]
  return typeof value === "string" ? value : null
}

export const eventDocument = (event: EventShape, answered: Answered) => ({
  time: event.created,
  type: event.type,
  payment_id: textIn(event, "payment_id"),
  status: textIn(event, "payment_status"),
  event_id: event.id,
  forwarded: answered === undefined ? null : { status: answered }
})

export const eventLine = (event: EventShape, answered: Answered): string =>
  [
    event.created,
    printable(event.type).padEnd(24),
    printable(textIn(event, "payment_id") ?? "-"),
    printable(textIn(event, "payment_status") ?? "-").padEnd(18),
    ...(answered === undefined ? [] : [answered === null ? "-> no answer" : `-> ${answered}`])
  ]
    .join("  ")
    .trimEnd()
