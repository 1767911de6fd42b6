/** How long one request may wait for the storage, over all that it asks. */
import { Context, Effect } from "effect"

export interface StorageAllowance {
  /** In milliseconds. The storage takes off it what each of its operations took. */
  leftMillis: number
}

/** `undefined` for work that no client waits for. */
export const StorageAllowance = Context.Reference<StorageAllowance | undefined>("pointsman/ports/StorageAllowance", {
  defaultValue: () => undefined
})

/** A request may take 15 seconds besides its provider calls: the rest is for authentication and pauses. */
export const requestMillis = 7_000
/** Even a request that has used its allowance up may still record what a provider said. */
const leastMillis = 500

/** Work that a client waits for, with an allowance of its own. */
export const withAllowance = <A, E, R>(
  work: Effect.Effect<A, E, R>,
  leftMillis = requestMillis
): Effect.Effect<A, E, R> => Effect.suspend(() => Effect.provideService(work, StorageAllowance, { leftMillis }))

/** For work that continues after its request was answered. */
export const withoutAllowance = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, StorageAllowance, undefined)

/** The limit of one operation: half of what is left, so that there is time to find out what came of it. */
export const limitOf = (allowance: StorageAllowance | undefined, limitMillis: number): number =>
  allowance === undefined ? limitMillis : Math.min(limitMillis, Math.max(leastMillis, allowance.leftMillis / 2))
