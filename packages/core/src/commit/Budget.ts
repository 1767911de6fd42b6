/** How often and for how long a store is asked again: as long as a client waits. */
import { Clock, Context, Effect, Schedule } from "effect"

/** Past this many tries something is wrong, however often other writers come first. */
const triesAtMost = 20
/**
 * From the first try on. No try begins after it but the second: a process that froze in its first one still holds what a
 * provider said, and may find that another writer came first.
 */
const budgetMillis = 3_000
const firstPauseMillis = 50

/** When the chain of tries that this work belongs to is over, in epoch milliseconds: a loop inside a loop gets no more. */
const ChainEnd = Context.Reference<number | undefined>("pointsman/payment/ChainEnd", { defaultValue: () => undefined })

export interface Budget {
  /** Whether there may be another try. With `pauses` it waits first, each time twice as long, never past the end. */
  readonly another: (pauses: boolean) => Effect.Effect<boolean>
  /** Work that is part of a try: the loops in it end when this one does. */
  readonly spend: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** To be taken as the first try begins. */
export const startBudget: Effect.Effect<Budget> = Effect.gen(function* () {
  const endsAt = (yield* ChainEnd) ?? (yield* Clock.currentTimeMillis) + budgetMillis
  let tries = 1
  let pauseMillis = firstPauseMillis
  return {
    another: Effect.fnUntraced(function* (pauses) {
      const left = endsAt - (yield* Clock.currentTimeMillis)
      const isSpent = tries > 1 && left <= 0
      if (tries >= triesAtMost || isSpent) return false
      tries += 1
      if (!pauses) return true
      yield* Effect.sleep(Math.min(pauseMillis, Math.max(left, 0)))
      pauseMillis *= 2
      return true
    }),
    spend: (work) => Effect.provideService(work, ChainEnd, endsAt)
  }
})

/** For writes that may be sent twice: again for as long as a client waits. */
export const insistently = <A, E, R>(
  step: Effect.Effect<A, E, R>,
  isWorthIt: (failure: E) => boolean = () => true
): Effect.Effect<A, E, R> =>
  Effect.retry(step, { schedule: Schedule.exponential(firstPauseMillis), times: 6, while: isWorthIt })
