/**
 * The database's clock, as this process knows it: the time of its last good reading, and what has passed since, by the
 * longer of two counts: the monotonic clock stops while a machine is suspended, and the wall clock may be set back. Where
 * the two differ, or the database's clock jumps, ages ("never received") begin anew.
 */
import { Clock, Context, Effect } from "effect"

export type DatabaseClock = ReturnType<typeof makeDatabaseClock>

export interface Moment {
  readonly monotonic: number
  readonly wall: number
}

interface Reading extends Moment {
  readonly database: number
  /** How wrong it may be, in milliseconds. */
  readonly within: number
}

/** Distinguishes a difference of two clocks from the drift of good ones, and from a step of either. */
const jumpMillis = 1_000
/** How far good clocks drift apart: half a millisecond in each second. */
const driftPerMilli = 0.0005
/** The clocks of servers that serve differ by less. */
const aheadMillis = 10 * 60_000
/** A correction takes no time back. */
const correctionMillis = 1_000

/** The database's time, as a column. */
export const nowColumn = "(extract(epoch from clock_timestamp()) * 1000)::double precision as now"

/** Whether the program runs by the machine's clock. One that was given a clock of its own has decided what time it is. */
export const isRealTime = (clock: Clock.Clock): boolean => clock === Context.get(Context.empty(), Clock.Clock)

export const makeDatabaseClock = (base: Clock.Clock) => {
  let anchor: Reading | undefined
  let heard: Reading | undefined
  let jumpedAt: number | null = null
  let changedAt: number | null = null
  let first: number | undefined
  let last = Number.NEGATIVE_INFINITY

  const begin = (): Moment => ({
    monotonic: Number(base.monotonicTimeNanosUnsafe() / 1_000n) / 1_000,
    wall: base.currentTimeMillisUnsafe()
  })

  const at = (moment: Moment): number => {
    if (anchor === undefined) return moment.wall
    return anchor.database + Math.max(moment.monotonic - anchor.monotonic, moment.wall - anchor.wall)
  }

  const now = (): number => {
    const time = Math.floor(at(begin()))
    last = time < last && last - time < correctionMillis ? last : time
    return last
  }

  /** A clock that was ahead noticed what lies ahead of now. It was set back since: in this process's time, or before it. */
  const agesFrom = (): number | null => {
    const noticed = [jumpedAt, changedAt].filter((at) => at !== null)
    const passed = noticed.filter((at) => at <= now() + aheadMillis)
    if (passed.length < noticed.length) passed.push(first ?? now())
    return passed.length === 0 ? null : Math.max(...passed)
  }

  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: () => base.currentTimeNanosUnsafe(),
    currentTimeNanos: base.currentTimeNanos,
    monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: base.monotonicTimeNanos,
    sleep: (duration) => base.sleep(duration)
  }

  return {
    clock,
    /** Before the database is asked for its time. */
    begin,
    /** What it said, in epoch milliseconds; to be called when it is heard. */
    learn: (begun: Moment, database: number): void => {
      const end = begin()
      const within = (end.monotonic - begun.monotonic) / 2
      const reading = { monotonic: (begun.monotonic + end.monotonic) / 2, wall: end.wall - within, database, within }
      if (heard !== undefined) {
        const passed = reading.monotonic - heard.monotonic
        const jumped = Math.abs(database - heard.database - passed) - within - heard.within
        const stepped = Math.abs(reading.wall - heard.wall - passed)
        // The last jump counts, also one to an earlier time.
        if (jumped > jumpMillis || stepped > jumpMillis) jumpedAt = Math.ceil(database + within)
      }
      heard = reading
      first ??= Math.ceil(database + within)
      if (anchor === undefined || isBetter(anchor, reading)) anchor = reading
    },
    /** The database that is connected is another one than before, or became so at this time by its clock. */
    changed: (atMillis: number): void => {
      changedAt = Math.max(changedAt ?? atMillis, atMillis)
    },
    agesFrom: (): number | null => {
      const moment = begin()
      const isSure =
        heard === undefined || Math.abs(moment.wall - heard.wall - (moment.monotonic - heard.monotonic)) <= jumpMillis
      return isSure ? agesFrom() : now()
    },
    /** How far this machine's clock is ahead of the database's, in milliseconds: at the least, given the round trip. */
    aheadMillis: (): number => {
      if (heard === undefined) return 0
      const ahead = heard.wall - heard.database
      return Math.sign(ahead) * Math.max(0, Math.abs(ahead) - heard.within)
    }
  }
}

/** A reading after a slow round trip does not replace a good one that it agrees with. */
const isBetter = (anchor: Reading, reading: Reading): boolean => {
  const passed = reading.monotonic - anchor.monotonic
  const mayBeWrong = anchor.within + passed * driftPerMilli
  const isStepped = Math.abs(reading.wall - anchor.wall - passed) > mayBeWrong + reading.within
  const isJumped = Math.abs(reading.database - anchor.database - passed) > mayBeWrong + reading.within
  return reading.within <= mayBeWrong || isStepped || isJumped
}
