/**
 * The time of a simulated world, and the order in which everything in it runs.
 *
 * It is a `TestClock` that wakes who sleeps one by one, and lets all that this sets off run to its end before anything
 * else happens: two runs of the same world do the same things in the same order. What a store does outside of this time
 * (a disk, a socket) holds the clock until it has answered.
 */
import { Duration, Effect, type Scheduler } from "effect"
import type { TestClock } from "effect/testing"

/** In milliseconds. */
export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

export interface Time {
  readonly clock: TestClock.TestClock
  readonly scheduler: Scheduler.Scheduler
  /** Epoch milliseconds. */
  readonly now: () => number
  /** Calls it when so many milliseconds have passed; gives what takes it back. */
  readonly after: (millis: number, act: () => void) => () => void
  /** How many of `after` are still to come. Sleeping fibers are none of them. */
  readonly expected: () => number
  /** Something outside of simulated time is at work: the clock stands still until it is called again with -1. */
  readonly hold: (change: 1 | -1) => void
  /** Lets everything run that can run at this moment. */
  readonly settle: () => Promise<void>
  /** Lets so many milliseconds pass. */
  readonly pass: (millis: number) => Promise<void>
}

interface Alarm {
  readonly at: number
  act: (() => void) | undefined
}

/** The first of January 2026: a time of day that looks like one. */
const beginning = 1_767_225_600_000

/** More tasks than this at one moment are a world that runs in a circle. */
const tasksAtMost = 1_000_000

export const makeTime = (): Time => {
  const { hold, scheduler, settle } = makeTasks()
  let now = beginning
  let expected = 0
  /** The one that rings next comes first; those of the same moment ring in the order in which they were set. */
  const alarms: Array<Alarm> = []

  const set = (millis: number, act: () => void): Alarm => {
    const alarm: Alarm = { at: now + Math.max(0, millis), act }
    alarms.splice(alarms.findLastIndex(({ at }) => at <= alarm.at) + 1, 0, alarm)
    return alarm
  }

  const after = (millis: number, act: () => void) => {
    expected += 1
    const alarm = set(millis, () => {
      expected -= 1
      act()
    })
    return () => {
      if (alarm.act !== undefined) expected -= 1
      alarm.act = undefined
    }
  }

  const pass = async (millis: number) => {
    const end = now + millis
    const before = settle()
    if (before !== undefined) await before
    for (let next = alarms[0]; next !== undefined && next.at <= end; next = alarms[0]) {
      alarms.shift()
      if (next.act === undefined) continue
      now = next.at
      const { act } = next
      next.act = undefined
      act()
      const settled = settle()
      if (settled !== undefined) await settled
    }
    now = end
  }

  const sleep = (duration: Duration.Duration) => {
    const millis = Duration.toMillis(duration)
    if (millis <= 0) return Effect.void
    return Effect.callback<void>((resume) => {
      if (!Number.isFinite(millis)) return
      const alarm = set(millis, () => resume(Effect.void))
      return Effect.sync(() => {
        alarm.act = undefined
      })
    })
  }

  const nanos = () => BigInt(Math.floor(now)) * 1_000_000n
  const clock: TestClock.TestClock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep,
    adjust: (duration) => Effect.promise(() => pass(Duration.toMillis(Duration.fromInputUnsafe(duration)))),
    setTime: (timestamp) => Effect.promise(() => pass(timestamp - now)),
    withLive: (effect) => effect
  }
  return {
    clock,
    scheduler,
    now: () => now,
    after,
    expected: () => expected,
    hold,
    settle: async () => settle(),
    pass
  }
}

/** What runs at one moment, and what is waited for outside of simulated time. */
const makeTasks = () => {
  let tasks: Array<() => void> = []
  let outside = 0

  const scheduleTask = (task: () => void) => {
    tasks.push(task)
  }

  const run = () => {
    let count = 0
    while (tasks.length > 0) {
      const due = tasks
      tasks = []
      for (const task of due) task()
      count += due.length
      if (count > tasksAtMost) throw new Error("the world runs in a circle, and its time does not advance")
    }
  }

  const settleOutside = async () => {
    const turn = boundedTurns("the store")
    while (outside > 0) {
      await turn()
      run()
    }
  }

  /** `undefined` where nothing outside is waited for, so that a world in memory runs without a pause. */
  const settle = (): Promise<void> | undefined => {
    run()
    return outside === 0 ? undefined : settleOutside()
  }

  const hold = (change: 1 | -1) => {
    outside += change
  }

  const scheduler: Scheduler.Scheduler = {
    executionMode: "sync",
    shouldYield: () => false,
    makeDispatcher: () => ({ scheduleTask, flush: run })
  }
  return { hold, scheduler, settle }
}

/** No call of a store takes longer, in milliseconds of real time. */
const outsideMillis = 120_000

/**
 * Gives way to the loop, for what is waited for outside of simulated time. Where that never comes (a lock that is never
 * released), it throws instead of waiting without an end.
 */
export const boundedTurns = (what: string): (() => Promise<void>) => {
  const until = performance.now() + outsideMillis
  return () => {
    if (performance.now() > until) throw new Error(`${what} has not ended after ${outsideMillis / 1000} s of real time`)
    // Effect's own scheduler gives way to the loop.
    return Effect.runPromise(Effect.yieldNow)
  }
}

/** A clock that jumps under all processes at once. Times are those of the world, in epoch milliseconds. */
export interface Jumps {
  /** Of the one machine, whose processes have to notice it; or of the store, which says when it jumped. */
  readonly clockOf: "machine" | "store"
  /** How far it is ahead of the world's now, in milliseconds. */
  readonly aheadMillis: () => number
  /** When it jumped last by its own time; `null` where it did not. */
  readonly agesFrom: () => number | null
  /** Processes that start before this would not know that calls which are under way are dated by another clock. */
  readonly startsFrom: () => number
  /** In the order of time. */
  readonly history: ReadonlyArray<Jump>
}

export interface Jump {
  readonly at: number
  /** From then on. */
  readonly aheadMillis: number
}
