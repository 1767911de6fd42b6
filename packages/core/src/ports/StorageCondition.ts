/** What a storage knows of its own state. One that provides nothing here always takes new work. */
import { Context, Effect, Schema } from "effect"

/** Nothing new is begun at present. Nothing was written or sent, and no key was consumed. */
export class NotAdmitted extends Schema.TaggedError<NotAdmitted>()("pointsman/NotAdmitted", {
  reason: Schema.String,
  /** In milliseconds: when the same request is worth sending again. */
  retryAfterMillis: Schema.Finite
}) {}

export interface StorageReading {
  /** Why the storage takes no new work until an operator acts; `null` where it does. No secret. */
  readonly refusal: string | null
  /** What an operator should know: each a sentence, without a secret. */
  readonly warnings: ReadonlyArray<string>
  /** How far this machine's clock is ahead of the storage's, in milliseconds; not for a storage without its own. */
  readonly clockAheadMillis?: number | undefined
  /** The copy of the store that `StaleReads` may be answered from; absent where there is none. */
  readonly standby?: StandbyReading | undefined
}

export interface StandbyReading {
  /** Why reads go to the store itself; `null` where they may be answered by the copy. No secret. */
  readonly fault: string | null
  /** How far it is behind the store, in milliseconds; `null` where that is unknown. */
  readonly lagMillis: number | null
}

export interface StorageCondition {
  /** What is known at this moment. It sends no query. */
  readonly read: Effect.Effect<StorageReading>
  /** Succeeds where a new payment or operation may be begun. It sends no query. */
  readonly admit: Effect.Effect<void, NotAdmitted>
}

/** Provided by storages that can be overloaded or become unsafe while they run. */
export const StorageCondition = Context.Reference<StorageCondition>("pointsman/ports/StorageCondition", {
  defaultValue: () => ({ read: Effect.succeed({ refusal: null, warnings: [] }), admit: Effect.void })
})
