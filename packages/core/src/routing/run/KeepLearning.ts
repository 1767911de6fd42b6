/** Lets the servers of an installation learn from one another, in the background. */
import { Effect, Schedule } from "effect"
import { LearnedRates } from "./LearnedRates.ts"

export const keepLearning = Effect.fnUntraced(function* (everyMillis: number) {
  const { exchange, forget } = yield* LearnedRates
  const exchanging = Effect.forever(Effect.andThen(exchange, Effect.sleep(everyMillis)))
  const forgetting = Effect.repeat(forget, Schedule.spaced("1 hour"))
  return yield* Effect.all([exchanging, forgetting], { concurrency: 2 }).pipe(
    Effect.andThen(Effect.never),
    // What was learned since the last time is not lost when a server stops.
    Effect.onInterrupt(() => exchange)
  )
})
