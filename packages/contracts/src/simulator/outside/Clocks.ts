/**
 * Clocks that are wrong. Those of the processes differ by minutes from the store's, and the provider executes what it did
 * not answer nearly as late as it may: a process that compares a time of one clock with a time of another believes too
 * early that it never will. Or the one clock that all of them share jumps by days.
 */
import { type CallHandling, timeoutMillis } from "../CallHandling.ts"
import { drawFrom } from "../Draw.ts"
import type { MortalProcess } from "../MortalProcess.ts"
import { day, hour, type Jump, second } from "../Time.ts"
import type { World } from "../World.ts"
import { type Acting, nothingActs, nothingOutside, type Outside, type OutsideOptions } from "./Outside.ts"

/** How many of the charges, captures and refunds are executed that late. */
const lateShare = 0.4
/** Before how many steps every process looks at what is due, and how often. */
const lookShare = 0.6
const looks = 6
const lookEveryMillis = 10 * second

const executedLate =
  ({ plan }: OutsideOptions): NonNullable<Outside["handlingOf"]> =>
  ({ name }) =>
    plan.fault(lateShare, (draw) => {
      const doneAfter = timeoutMillis + draw.below(timeoutMillis)
      const is: CallHandling = { _tag: "Unheard", doneAfter, silentFor: draw.pick([0, timeoutMillis]) }
      return { is, words: `${name} is not answered, and executed after ${doneAfter / second} s` }
    })

const lookOften = async (world: World, times: number) => {
  for (let look = 0; look < times; look++) {
    for (const process of world.alive()) process.ask((pointsman) => pointsman.checkDue)
    await world.time.pass(lookEveryMillis)
  }
}

export const withDifferingClocks = (options: OutsideOptions): Outside => ({
  ...nothingOutside,
  handlingOf: executedLate(options),
  begin: async ({ world }) => ({
    ...nothingActs,
    before: async () => {
      const { plan } = options
      if (plan.fault(lookShare, () => ({ is: true, words: "every process looks at what is due" })) !== true) return
      await lookOften(world, looks)
    }
  })
})

const jumpStream = -11

/** Before how many steps the clock jumps. */
const jumpShare = 0.15
/** How far it may be from the world's, in days. */
const farthest = 9
/** A call that was sent before a jump is not under way any more after this. */
const callMillis = 2 * timeoutMillis + 6 * second

/** All that a provider does late is done, and has been looked up, in milliseconds. */
const openMillis = 40 * hour

export const withJumpingClocks = (options: OutsideOptions): Outside => ({
  ...nothingOutside,
  handlingOf: executedLate(options),
  begin: async ({ world }) => jumping(options, world)
})

const jumping = ({ plan, seed }: OutsideOptions, world: World): Acting => {
  const { time } = world
  const history: Array<Jump> = []
  const aheadMillis = () => history.at(-1)?.aheadMillis ?? 0
  let startsFrom = 0

  /** Every process lives through it, and looks at what is due while calls from before are under way. */
  const jumpTo = async (ahead: number) => {
    history.push({ at: time.now(), aheadMillis: ahead })
    startsFrom = time.now() + callMillis
    await lookOften(world, Math.ceil(callMillis / lookEveryMillis))
  }

  return {
    ...nothingActs,
    jumps: {
      clockOf: drawFrom(seed, jumpStream).pick(["machine", "store"]),
      aheadMillis,
      agesFrom: () => {
        const last = history.at(-1)
        return last === undefined ? null : last.at + last.aheadMillis
      },
      startsFrom: () => startsFrom,
      history
    },
    before: async () => {
      const ahead = plan.fault(jumpShare, (draw) => {
        const is = Math.round((draw.fraction() * 2 - 1) * farthest * day)
        return { is, words: `the clock jumps, and is ${Math.round(is / hour)} hours ahead` }
      })
      if (ahead !== undefined) await jumpTo(ahead)
    },
    // The clock is right again. What it dated ahead is open until that time, and is looked up after it.
    end: async (process) => {
      const latest = Math.max(0, ...history.map((jump) => jump.aheadMillis))
      if (aheadMillis() !== 0) await jumpTo(0)
      await lookFor(world, process, latest + openMillis)
    }
  }
}

const lookFor = async (world: World, process: MortalProcess, millis: number) => {
  for (let passed = 0; passed < millis; passed += hour) {
    process.ask((pointsman) => pointsman.checkDue)
    await world.time.pass(hour)
  }
}
