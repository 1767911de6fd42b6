/** A clock that is turned ahead between two steps of a run, and otherwise goes as fast as this machine's. */
import { Clock, Effect } from "effect"

export interface TurnedTime {
  readonly clock: Clock.Clock
  /** Epoch milliseconds. */
  readonly now: () => number
  /** To a later time, in epoch milliseconds; a time that is over already changes nothing. */
  readonly turnTo: (millis: number) => void
}

export const makeTurnedTime = (startMillis: number): TurnedTime => {
  const machine = Clock.Clock.defaultValue()
  let ahead = startMillis - machine.currentTimeMillisUnsafe()
  const now = () => machine.currentTimeMillisUnsafe() + ahead
  const nanos = () => machine.currentTimeNanosUnsafe() + BigInt(ahead) * 1_000_000n
  return {
    now,
    turnTo: (millis) => {
      ahead += Math.max(0, millis - now())
    },
    clock: {
      currentTimeMillisUnsafe: now,
      currentTimeMillis: Effect.sync(now),
      currentTimeNanosUnsafe: nanos,
      currentTimeNanos: Effect.sync(nanos),
      monotonicTimeNanosUnsafe: () => machine.monotonicTimeNanosUnsafe(),
      monotonicTimeNanos: machine.monotonicTimeNanos,
      sleep: (duration) => machine.sleep(duration)
    }
  }
}
