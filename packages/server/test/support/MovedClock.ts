/**
 * This machine's clock, which a test can push ahead or hold, for a server in the test's own process. Unlike a
 * `TurnedClock` it goes on by itself: a sleep ends when its time has passed, by this machine or by pushes.
 */
import { Clock, Duration, Effect } from "effect"

export interface MovedClock {
  readonly clock: Clock.Clock
  /** Lets so many milliseconds pass at once. */
  readonly push: (millis: number) => void
  /** From now on the time that is read changes only by pushes. Sleeps last as before. */
  readonly hold: () => void
  /** How many sleeps of exactly this length have begun. */
  readonly slept: (millis: number) => number
}

interface Sleeper {
  /** When it is over: milliseconds that passed, by this machine or by pushes. */
  readonly until: number
  timer: NodeJS.Timeout
  readonly wake: () => void
}

/** The longest that Node's timers wait. */
const longestMillis = 2 ** 31 - 1

export const makeMovedClock = (aheadMillis = 0): MovedClock => {
  const ofThisMachine = Effect.runSync(Clock.clockWith(Effect.succeed))
  const sleepers = new Set<Sleeper>()
  const begun = new Map<number, number>()
  let ahead = aheadMillis
  const passed = () => performance.now() + ahead
  let held: { readonly wall: bigint; readonly monotonic: bigint } | undefined

  const currentTimeNanosUnsafe = () =>
    (held?.wall ?? ofThisMachine.currentTimeNanosUnsafe()) + BigInt(ahead) * 1_000_000n
  const monotonicTimeNanosUnsafe = () =>
    (held?.monotonic ?? ofThisMachine.monotonicTimeNanosUnsafe()) + BigInt(ahead) * 1_000_000n
  const currentTimeMillisUnsafe = () => Number(currentTimeNanosUnsafe() / 1_000_000n)

  const arm = (sleeper: Sleeper) => {
    clearTimeout(sleeper.timer)
    const left = sleeper.until - passed()
    if (left <= 0) sleeper.wake()
    else sleeper.timer = setTimeout(() => arm(sleeper), Math.min(left, longestMillis))
  }
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanosUnsafe,
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanosUnsafe,
    monotonicTimeNanos: Effect.sync(monotonicTimeNanosUnsafe),
    sleep: (duration) => {
      const millis = Duration.toMillis(duration)
      if (millis <= 0) return Effect.yieldNow
      return Effect.callback<void>((resume) => {
        begun.set(millis, (begun.get(millis) ?? 0) + 1)
        const sleeper: Sleeper = {
          until: passed() + millis,
          timer: setTimeout(() => arm(sleeper), Math.min(millis, longestMillis)),
          wake: () => {
            sleepers.delete(sleeper)
            resume(Effect.void)
          }
        }
        sleepers.add(sleeper)
        return Effect.sync(() => {
          sleepers.delete(sleeper)
          clearTimeout(sleeper.timer)
        })
      })
    }
  }
  return {
    clock,
    push: (millis) => {
      ahead += millis
      for (const sleeper of [...sleepers]) arm(sleeper)
    },
    hold: () => {
      held = {
        wall: ofThisMachine.currentTimeNanosUnsafe(),
        monotonic: ofThisMachine.monotonicTimeNanosUnsafe()
      }
    },
    slept: (millis) => begun.get(millis) ?? 0
  }
}
