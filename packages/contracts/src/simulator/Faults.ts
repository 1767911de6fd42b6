/** What goes wrong in a run, and how often: drawn from the plan, and said in words. */
import type { CommitFault } from "@pointsman/core/testing"
import { type Boundary, type Crossing, type Fate, isCommit, isWrite } from "./Boundary.ts"
import type { Draw } from "./Draw.ts"
import type { Postage } from "./Mail.ts"
import type { Fault } from "./Plan.ts"
import type { Letter } from "./ProviderMail.ts"
import { hour, minute, second } from "./Time.ts"

/** Probabilities, each for one call. */
export interface Rates {
  /** That the process dies or freezes there, where that matters most. */
  readonly fate: number
  readonly commit: number
  /** Of what the store is asked besides. */
  readonly storage: number
  readonly provider: number
  readonly receiver: number
  readonly mail: number
  /** That a capture takes another amount than it was asked for. */
  readonly captured: number
}

/** In some runs there is one kind of fault alone, and in some none. */
export const drawRates = (draw: Draw): Rates => ({
  fate: draw.pick([0, 0.02, 0.06]),
  commit: draw.pick([0, 0.05, 0.15]),
  storage: draw.pick([0, 0.01, 0.04]),
  provider: draw.pick([0, 0.3, 0.6]),
  receiver: draw.pick([0, 0.3, 0.6]),
  mail: draw.pick([0, 0.4, 0.9]),
  captured: draw.pick([0, 0, 0.3])
})

/** Where it matters most when a process dies: the rest is looks at what is due, and reads. */
const matters: ReadonlySet<Crossing> = new Set<Crossing>([
  "ledger.commit",
  "ledger.storeMessage",
  "ledger.keepMessage",
  "deliveries.record",
  "deliveries.replace",
  "settlements.begin",
  "settlements.applyBatch",
  "provider.charge",
  "provider.openCheckout",
  "provider.capture",
  "provider.void",
  "provider.refund",
  "provider.submitDispute",
  "provider.acceptDispute",
  "receiver.send"
])

export const fateRate = ({ crossing }: Boundary, { fate }: Rates): number => (matters.has(crossing) ? fate : fate / 10)

export interface Blow {
  readonly fate: Fate
  /** Of a process that dies: when its supervisor starts another one, in milliseconds. */
  readonly restartsAfter: number
}

export const drawBlow = (draw: Draw, { crossing, process, side }: Boundary): Fault<Blow> => {
  const where = `process ${process} ${side} ${crossing}`
  if (draw.chance(0.6)) {
    const restartsAfter = draw.pick([second, minute, 30 * minute])
    return { is: { fate: "dies", restartsAfter }, words: `${where}: dies, back after ${restartsAfter / second} s` }
  }
  const fate = draw.pick([second, 6 * second, 40 * second, 20 * minute])
  return { is: { fate, restartsAfter: 0 }, words: `${where}: freezes for ${fate / second} s` }
}

/** How far a process's clock is ahead of the store's, in milliseconds: ten minutes at most. */
export const drawSkew = (draw: Draw): number =>
  draw.pick([0, 3 * second, -3 * second, 65 * second, -65 * second, 10 * minute, -10 * minute])

export const drawStorageFault = (draw: Draw, crossing: Crossing): Fault<CommitFault> => {
  const is = storageFault(draw, crossing)
  return { is, words: `${crossing}: ${inWords(is)}` }
}

const storageFault = (draw: Draw, crossing: Crossing): CommitFault => {
  if (!isWrite(crossing)) return "unwritten"
  if (!isCommit(crossing)) return draw.pick<CommitFault>(["unwritten", second])
  const fault = draw.pick(["unwritten", "lost", "unheard", "late", "slow"])
  if (fault === "late") return { landsAfter: draw.pick([0, 1, second, 20 * second]) }
  return fault === "slow" ? draw.pick([1, 3 * second, 6 * second, 20 * minute]) : fault
}

/** As a message gets here when nothing is wrong with the way. */
export const ordinaryPostage: Postage = [50]

export const drawPostage = (draw: Draw, { about, id, mayBeLost }: Letter): Fault<Postage> => {
  const is = draw.pick<Postage>([mayBeLost ? [] : [minute], [0, second], [10 * second], [hour], [minute, 5 * hour, 0]])
  const when =
    is.length === 0 ? "never arrives" : `arrives after ${is.map((millis) => `${millis / second} s`).join(" and ")}`
  return { is, words: `message ${id} about a ${about} ${when}` }
}

/** What is captured of what was asked for: less, more, or more than was ever authorized. */
export const drawCaptured = (draw: Draw, askedMinor: number): Fault<number> => {
  const is = draw.pick([1, Math.ceil(askedMinor / 2), askedMinor + 1, askedMinor + 100_000])
  return { is, words: `${is} is captured of ${askedMinor}` }
}

export const inWords = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value))
