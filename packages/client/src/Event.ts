/** Events by their type. */
import type { EventDataOf } from "./EventData.ts"

export type EventType = keyof EventDataOf

/** An event of one of some types. */
export type EventOf<Type extends EventType> = {
  readonly [One in Type]: {
    /** The same event may reach you more than once: skip an id that you have processed. */
    readonly id: string
    readonly type: One
    readonly created: string
    readonly data: EventDataOf[One]
  }
}[Type]

/** `type` says what is in `data`. A newer server may write further types: ignore those that you do not know. */
export type Event = EventOf<EventType>
