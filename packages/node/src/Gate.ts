/** Counts what is under way, so that a close can wait for it, and lets nothing in once it is shut. */
import { Deferred, Effect } from "effect"

export interface Gate {
  readonly isShut: () => boolean
  /** Gives what to call at the end, once; `undefined` when it is shut. */
  readonly enter: () => (() => void) | undefined
  readonly shut: () => void
  /** After `shut`: waits until nothing is under way, but no longer than `limitMillis`. Gives how many were left. */
  readonly drain: (limitMillis: number) => Effect.Effect<number>
}

export const makeGate: Effect.Effect<Gate> = Effect.gen(function* () {
  const idle = yield* Deferred.make<void>()
  let underWay = 0
  let shut = false
  const endIfIdle = () => {
    if (shut && underWay === 0) Deferred.doneUnsafe(idle, Effect.void)
  }
  return {
    isShut: () => shut,
    enter: () => {
      if (shut) return undefined
      underWay += 1
      let inside = true
      return () => {
        if (!inside) return
        inside = false
        underWay -= 1
        endIfIdle()
      }
    },
    shut: () => {
      shut = true
      endIfIdle()
    },
    drain: (limitMillis) => Effect.map(Effect.timeoutOption(Deferred.await(idle), limitMillis), () => underWay)
  }
})
