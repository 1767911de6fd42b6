import { DateTime } from "effect"
import type { EventType } from "./EventType.ts"

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | ReadonlyArray<JsonValue>
  | { readonly [key: string]: JsonValue }
export type JsonObject = { readonly [key: string]: JsonValue }

/** An entry of a payment's append-only timeline. */
export interface Event extends EventDraft {
  /** `evt_` and a UUIDv7. The ledger stamps it as it writes, so that the order of ids is the order of commits. */
  readonly id: string
}

/** An event on its way into the ledger. */
export interface EventDraft {
  readonly type: EventType
  readonly paymentId: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  /** Wire names, as the API and webhooks show them. */
  readonly data: JsonObject
}

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
