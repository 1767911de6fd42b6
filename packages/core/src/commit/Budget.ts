/** How often and for how long a store is asked again: as long as a client waits. */
import { Clock, Context, Effect, Schedule } from "effect"

/** Past this many tries something is wrong, however often other writers come first. */
const triesAtMost = 20
/** From the first try on. Only the second begins after it: a process that froze still holds what a provider said. */
const budgetMillis = 3_000
const firstPauseMillis = 50

/** When the chain of tries that this work belongs to is over, in epoch milliseconds. */
const ChainEnd = Context.Reference<number | undefined>("pointsman/payment/ChainEnd", { defaultValue: () => undefined })

export interface Budget {
  /** Epoch milliseconds. */
  readonly endsAt: number
  tries: number
  pauseMillis: number
}

/** For a loop whose first try begins now. */
export const newBudget = (context: Context.Context<never>): Budget => {
  const endsAt =
    Context.get(context, ChainEnd) ?? Context.get(context, Clock.Clock).currentTimeMillisUnsafe() + budgetMillis
  return { endsAt, tries: 1, pauseMillis: firstPauseMillis }
}

/** What is run with it ends when it does: a loop inside a loop gets no more. */
export const inBudget = <A, E, R>({ endsAt }: Budget, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(work, ChainEnd, endsAt)

/** Whether there may be another try. With `pauses` it waits first, each time twice as long, never past the end. */
export const another = Effect.fnUntraced(function* (budget: Budget, pauses: boolean) {
  const left = budget.endsAt - (yield* Clock.currentTimeMillis)
  const isSpent = budget.tries > 1 && left <= 0
  if (budget.tries >= triesAtMost || isSpent) return false
  budget.tries += 1
  if (!pauses) return true
  yield* Effect.sleep(Math.min(budget.pauseMillis, Math.max(left, 0)))
  budget.pauseMillis *= 2
  return true
})

/** For writes that may be sent twice: again for as long as a client waits. */
export const insistently = <A, E, R>(
  step: Effect.Effect<A, E, R>,
  isWorthIt: (failure: E) => boolean = () => true
): Effect.Effect<A, E, R> =>
  Effect.retry(step, { schedule: Schedule.exponential(firstPauseMillis), times: 6, while: isWorthIt })
