/**
 * A clock that is stopped until a test advances it, for a server in the test's own process.
 *
 * Effect's `TestClock` walks through every sleep on the way: a background that looks once a second would be woken
 * 86,400 times for a day. This one jumps, as the clock of a machine does that was asleep: a fiber that was to be woken
 * on the way wakes now, once. To see that nothing happens before its time, a test turns to the millisecond before it.
 *
 * A provider call and the attempt at a webhook each sleep towards their time-out. So a server is at rest when only those
 * sleep who always do, and nobody has to guess how long the loopback takes.
 */
import { type Clock, Duration, Effect } from "effect"

export interface TurnedClock {
  readonly clock: Clock.Clock
  /** Epoch milliseconds. */
  readonly now: () => number
  /** How many sleep. */
  readonly sleeping: () => number
  readonly turnTo: (millis: number) => void
}

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

const nanos = (millis: number): bigint => BigInt(millis) * 1_000_000n

export const makeTurnedClock = (startMillis: number): TurnedClock => {
  let now = startMillis
  const sleepers = new Set<Sleeper>()
  const currentTimeMillisUnsafe = () => now
  const currentTimeNanosUnsafe = () => nanos(now)
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe,
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanosUnsafe: currentTimeNanosUnsafe,
    monotonicTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    sleep: (duration) =>
      Effect.callback<void>((resume) => {
        const millis = Duration.toMillis(duration)
        if (millis <= 0) return resume(Effect.yieldNow)
        const sleeper: Sleeper = {
          at: now + millis,
          wake: () => {
            sleepers.delete(sleeper)
            resume(Effect.void)
          }
        }
        sleepers.add(sleeper)
        return Effect.sync(() => sleepers.delete(sleeper))
      })
  }
  return {
    clock,
    now: currentTimeMillisUnsafe,
    sleeping: () => sleepers.size,
    turnTo: (millis) => {
      now = Math.max(now, millis)
      const due = [...sleepers].filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at)
      for (const { wake } of due) wake()
    }
  }
}
