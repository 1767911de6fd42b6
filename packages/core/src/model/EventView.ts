/** An event as it is shown, by the API and in the body of a webhook alike: who compares the two finds them equal. */
import { DateTime } from "effect"
import type { Event, JsonObject } from "./Event.ts"

export interface EventView {
  readonly id: string
  readonly type: string
  /** ISO 8601, UTC. */
  readonly created: string
  readonly data: JsonObject
}

export const viewOfEvent = (event: Event): EventView => ({
  id: event.id,
  type: event.type,
  created: DateTime.formatIso(DateTime.makeUnsafe(event.createdAt)),
  data: event.data
})
