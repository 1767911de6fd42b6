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

export interface Plan {
  /** For what holds for the whole run. */
  readonly draw: Draw
  /** Begins a step; `undefined` where it is left out. It does nothing until it is written down. */
  readonly step: (number: number) => Draw | undefined
  /** Something may go wrong here, so often out of one. `what` draws it, and says it in words. */
  readonly fault: <A>(probability: number, what: (draw: Draw) => Fault<A>) => A | undefined
  /** A whole number from 0 to below `bound`, for what is no fault: how long things take. */
  readonly jitter: (bound: number) => number
  /** Writes the current step down as it turned out. */
  readonly note: (what: string) => void
  /** From here on nothing goes wrong any more. */
  readonly endFaults: () => void
  /** From here on things may go wrong again. */
  readonly resumeFaults: () => void
  readonly isOver: () => boolean
  readonly happened: ReadonlyArray<Planned>
}

export interface Fault<A> {
  readonly is: A
  readonly words: string
}

export interface PlanOptions {
  readonly seed: number
  /** The steps and the faults that are not left out; all of them unless set. */
  readonly only?: ReadonlySet<PlanId> | undefined
  /** Milliseconds since the beginning of the world. */
  readonly elapsed: () => number
}

/** The stream of the run as a whole; steps count from 1. */
const wholeRun = 0
const faultStream = 1
const jitterStream = 2

export const makePlan = ({ elapsed, only, seed }: PlanOptions): Plan => {
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
    draw: drawFrom(seed, wholeRun),
    step: (number) => {
      step = number
      faults = 0
      jitter = drawFrom(seed, step, jitterStream)
      if (isLeftOut(String(number))) return undefined
      place = happened.length
      happened.push({ id: String(number), kind: "step", at: elapsed(), what: "nothing to do" })
      return drawFrom(seed, number)
    },
    jitter: (bound) => jitter.below(bound),
    note: (what) => {
      happened[place ?? happened.length] = { id: String(step), kind: "step", at: elapsed(), what }
      place = undefined
    },
    fault: (probability, what) => {
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
    endFaults: () => {
      isOver = true
    },
    resumeFaults: () => {
      isOver = false
    },
    isOver: () => isOver
  }
}
