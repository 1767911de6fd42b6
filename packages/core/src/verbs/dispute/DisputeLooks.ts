/**
 * What a process remembers of its looks at disputes: whether it has looked at all of them since its clock was set.
 *
 * A clock that was days ahead dates a submission, and the time of its next look-up, days ahead. Nothing of it is due for
 * days when the clock is right again, and the merchant could not submit again before the deadline. So the first look of a
 * process, and the first one after a jump of the clock, is at every dispute that has a time.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { StorageClock } from "../../ports/StorageClock.ts"

export class DisputeLooks extends Context.Service<
  DisputeLooks,
  {
    /** When the process began, in epoch milliseconds by the store's clock. */
    readonly beganAt: number
    /** `agesFrom`: of the store's clock. */
    readonly hasSeenAll: (agesFrom: number | null) => boolean
    readonly sawAll: (agesFrom: number | null) => void
  }
>()("pointsman/dispute/DisputeLooks") {
  static readonly layer: Layer.Layer<DisputeLooks> = Layer.effect(
    DisputeLooks,
    Effect.gen(function* () {
      const storageClock = yield* StorageClock
      const { currentTimeMillis } = storageClock?.clock ?? (yield* Clock.Clock)
      const beganAt = yield* currentTimeMillis
      let seen: number | null | undefined
      return DisputeLooks.of({
        beganAt,
        hasSeenAll: (agesFrom) => seen === agesFrom,
        sawAll: (agesFrom) => {
          seen = agesFrom
        }
      })
    })
  )
}
