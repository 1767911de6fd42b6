/**
 * What a seed plans: steps, and in each of them faults. Every step and every fault draws from a stream of its own, so
 * that leaving one out changes what the others draw as little as can be: that is what lets a failing plan be shrunk.
 */
import { type Draw, drawFrom } from "./Draw.ts"

/** A step by its number, `7`; a fault by its step and its place in it, `7.31`. What lies before the first step is 0. */
export type PlanId = string

/** Something that was planned and came to pass. */
export interface Planned {
  readonly id: PlanId
  readonly kind: "step" | "fault"
  /** Milliseconds since the beginning of the world. */
  readonly at: number
  readonly what: string
}

export type Plan = ReturnType<typeof makePlan>

export interface Fault<A> {
  readonly is: A
  readonly words: string
}

/** The stream of the run as a whole; steps count from 1. */
const wholeRun = 0
const faultStream = 1
const jitterStream = 2

/** `only`: the steps and the faults that are not left out; all of them unless set. `elapsed`: since the beginning. */
export const makePlan = (seed: number, only: ReadonlySet<PlanId> | undefined, elapsed: () => number) => {
  const happened: Array<Planned> = []
  let step = 0
  let faults = 0
  let isOver = false
  /** Where the current step stands among them, until it is written down. */
  let place: number | undefined
  const isLeftOut = (id: PlanId) => only !== undefined && !only.has(id)
  let jitter = drawFrom(seed, step, jitterStream)
  return {
    happened,
    /** For what holds for the whole run. */
    draw: drawFrom(seed, wholeRun),
    /** Begins a step; `undefined` where it is left out. It does nothing until it is written down. */
    step: (number: number): Draw | undefined => {
      step = number
      faults = 0
      jitter = drawFrom(seed, step, jitterStream)
      if (isLeftOut(String(number))) return undefined
      place = happened.length
      happened.push({ id: String(number), kind: "step", at: elapsed(), what: "nothing to do" })
      return drawFrom(seed, number)
    },
    /** A whole number from 0 to below `bound`, for what is no fault: how long things take. */
    jitter: (bound: number) => jitter.below(bound),
    /** Writes the current step down as it turned out. */
    note: (what: string) => {
      happened[place ?? happened.length] = { id: String(step), kind: "step", at: elapsed(), what }
      place = undefined
    },
    /** Something may go wrong here, so often out of one. `what` draws it, and says it in words. */
    fault: <A>(probability: number, what: (draw: Draw) => Fault<A>): A | undefined => {
      faults += 1
      if (isOver || probability <= 0) return undefined
      const draw = drawFrom(seed, step, faultStream, faults)
      if (!draw.chance(probability)) return undefined
      const id = `${step}.${faults}`
      if (isLeftOut(id)) return undefined
      const { is, words } = what(draw)
      happened.push({ id, kind: "fault", at: elapsed(), what: words })
      return is
    },
    /** From here on nothing goes wrong any more, or things may go wrong again. */
    endFaults: (isEnd = true) => {
      isOver = isEnd
    },
    isOver: () => isOver
  }
}
