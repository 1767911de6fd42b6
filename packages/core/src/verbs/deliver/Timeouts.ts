/** Interrupts attempts after their time. One fiber watches all: a sleeping one beside each costs processor time. */
import { Clock, Effect, Exit, type Fiber, Latch, Option } from "effect"

export interface Timeouts {
  /** None after the time. For a fiber that is uninterruptible but here: it continues with what follows. */
  readonly within: <A, E, R>(attempt: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
  /** To be run once beside the attempts. */
  readonly watch: Effect.Effect<never>
}

interface Attempt {
  /** Milliseconds of the monotonic clock: a system clock that is set ends nothing early. */
  readonly until: number
  readonly fiber: Fiber.Fiber<unknown, unknown>
  isOver: boolean
}

/** `millis`: for each attempt, so that those that began first are over first. */
export const makeTimeouts = (millis: number): Timeouts => {
  const underWay = new Set<Attempt>()
  const hasSome = Latch.makeUnsafe()
  const hasNone = Latch.makeUnsafe(true)

  const endOverdue = Effect.map(monotonicMillis, (now) => {
    for (const attempt of underWay) {
      if (attempt.until > now) return
      underWay.delete(attempt)
      attempt.isOver = true
      attempt.fiber.interruptUnsafe()
    }
  })

  return {
    within: (effect) =>
      Effect.gen(function* () {
        const until = (yield* monotonicMillis) + millis
        const attempt: Attempt = { until, fiber: yield* Effect.fiber, isOver: false }
        underWay.add(attempt)
        hasSome.openUnsafe()
        hasNone.closeUnsafe()
        const exit = yield* Effect.exit(Effect.interruptible(effect))
        underWay.delete(attempt)
        if (underWay.size === 0) hasNone.openUnsafe()
        if (Exit.isSuccess(exit)) return Option.some(exit.value)
        return attempt.isOver ? Option.none() : yield* Effect.failCause(exit.cause)
      }),
    watch: Effect.forever(
      Effect.gen(function* () {
        const [oldest] = underWay
        if (oldest === undefined) {
          hasSome.closeUnsafe()
          return yield* hasSome.await
        }
        // Nothing sleeps where nothing is under way.
        yield* Effect.timeoutOption(hasNone.await, Math.max(0, Math.ceil(oldest.until - (yield* monotonicMillis))))
        yield* endOverdue
      })
    )
  }
}

const millisOf = (nanos: bigint): number => Number(nanos) / 1_000_000

const monotonicMillis = Effect.map(Clock.monotonicTimeNanos, millisOf)
