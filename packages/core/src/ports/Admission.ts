/**
 * Admits as many requests at once as one process completes quickly. More of them would all become slow: each shares the
 * processor, and the connections to the storage, with every other.
 *
 * A request waits for a bounded time, as in "Fail at Scale" (https://queue.acm.org/detail.cfm?id=2839461): for long after
 * a calm moment, and briefly while the queue does not become empty. Under overload the last request is served first.
 */
import { Context, Effect } from "effect"
import { NotAdmitted } from "./StorageCondition.ts"

export interface Admission {
  /** Calls `begin` when there is a place, or `refuse` where that takes too long. Who has begun leaves once. */
  readonly enter: (begin: () => void, refuse: () => void) => void
  readonly leave: () => void
  /** Takes a place at once, also where none is free: what was begun comes first. */
  readonly enterAgain: () => void
}

/** Who admits requests. Without one, all are admitted. */
export const Admission = Context.Reference<Admission | undefined>("pointsman/ports/Admission", {
  defaultValue: () => undefined
})

/** Who gave this request its place. Background work has none. */
export const PlaceOf = Context.Reference<Admission | undefined>("pointsman/ports/PlaceOf", {
  defaultValue: () => undefined
})

/** For how long a request waits, in milliseconds: a burst that can be served within it is served whole. */
const calmMillis = 1_000
/** A queue that was not empty for longer than this shows that more come than are served. Milliseconds. */
const overloadedAfterMillis = 300
/** For how long a request waits then, in milliseconds. */
const overloadedMillis = 500
/** How many may wait for each place then, before the oldest is refused. */
const waitingPerPlace = 4
const retryAfterMillis = 1_000

export interface AdmissionOptions {
  /** How many requests have a place at once. Those that wait for a provider need none. */
  readonly places: number
  /** Called once for each request that is refused. */
  readonly onRefused?: () => void
}

interface Waiting {
  readonly begin: () => void
  readonly refuse: () => void
  readonly timer: NodeJS.Timeout
}

export const makeAdmission = ({ onRefused, places }: AdmissionOptions): Admission => {
  /** The first is the oldest. */
  const waiting: Array<Waiting> = []
  let taken = 0
  let waitingSince = 0
  /** Since the queue was full, and until it is empty: who came last is served first, and who came first is refused. */
  let isShedding = false
  let isFilling = false

  const leave = () => {
    taken -= 1
    // Who begins and leaves at once, as its client has gone, is followed here: thousands may wait.
    if (isFilling) return
    isFilling = true
    while (taken < places) {
      const next = isShedding ? waiting.pop() : waiting.shift()
      if (next === undefined) {
        isShedding = false
        break
      }
      clearTimeout(next.timer)
      taken += 1
      next.begin()
    }
    isFilling = false
  }
  const refuseOldest = () => {
    const oldest = waiting.shift()
    clearTimeout(oldest?.timer)
    oldest?.refuse()
    onRefused?.()
  }
  return {
    enter: (begin, refuse) => {
      if (taken < places) {
        taken += 1
        return begin()
      }
      if (waiting.length === 0) waitingSince = performance.now()
      const isOverloaded = performance.now() - waitingSince > overloadedAfterMillis
      const giveUp = () => {
        const at = waiting.indexOf(place)
        if (at < 0) return
        waiting.splice(at, 1)
        refuse()
        onRefused?.()
      }
      const place: Waiting = { begin, refuse, timer: setTimeout(giveUp, isOverloaded ? overloadedMillis : calmMillis) }
      waiting.push(place)
      if (!isOverloaded || waiting.length <= places * waitingPerPlace) return
      isShedding = true
      // One for itself, and one so that the queue becomes short again; a burst before it is not refused at once.
      refuseOldest()
      if (waiting.length > places * waitingPerPlace) refuseOldest()
    },
    leave,
    enterAgain: () => {
      taken += 1
    }
  }
}

const refused = new NotAdmitted({ reason: "more requests wait than this process serves", retryAfterMillis })

/** Who waits is not interrupted, for a second at most: a place that it was just given would be lost. */
const enter = (admission: Admission): Effect.Effect<void, NotAdmitted> =>
  Effect.uninterruptible(
    Effect.callback((resume) =>
      admission.enter(
        () => resume(Effect.void),
        () => resume(Effect.fail(refused))
      )
    )
  )

/** Runs `work` with a place of its own, unless the request has one. Where none becomes free, `work` is not begun. */
export const withPlace =
  (admission: Admission) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E | NotAdmitted, R> =>
    Effect.flatMap(PlaceOf, (given) => {
      if (given !== undefined) return work
      const placed = Effect.provideService(work, PlaceOf, admission)
      return Effect.uninterruptibleMask((restore) =>
        Effect.andThen(
          enter(admission),
          Effect.onExit(restore(placed), () => Effect.sync(admission.leave))
        )
      )
    })

/** Runs `work`, which waits for another party, without the place of the request that it is part of. */
export const withoutPlace = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(PlaceOf, (admission) => {
    if (admission === undefined) return work
    admission.leave()
    return Effect.onExit(work, () => Effect.sync(admission.enterAgain))
  })
