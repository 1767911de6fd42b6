/** What holds for a whole run, drawn from its plan. */
import type { PointsmanOptions } from "@pointsman/core"
import { type ProviderWays, plainWays } from "./CallHandling.ts"
import type { Draw } from "./Draw.ts"
import type { Temper } from "./DrawAct.ts"
import { drawRates } from "./Faults.ts"
import { hour, minute, second } from "./Time.ts"

/** No run has more at once. */
export const processesAtMost = 3

export type Run = ReturnType<typeof drawRun>

const { givesCaptureIds, listsRefunds, namesRefunds } = plainWays
const withoutPeople = { givesCaptureIds, listsRefunds, namesRefunds }

export const drawRun = (draw: Draw) => {
  const steps = 8 + draw.below(28)
  /** How many there are at first. */
  const processes = 1 + draw.below(processesAtMost)
  // A look at nothing costs as much as a payment: what a commit makes due is sent without one, and steps check too.
  const backgroundEveryMillis = draw.pick([10 * minute, 45 * minute, 3 * hour])
  const checkIntervals = draw.pick<PointsmanOptions["checkIntervals"]>([
    {},
    { unknownMillis: 10 * second, pendingMillis: minute, refundMillis: 10 * second, deadRequestMillis: minute }
  ])
  /** The longest way to the store, a provider or a receiver, in milliseconds. */
  const slowest = draw.pick([0, 3, 30])
  const rates = drawRates(draw)
  const ways: ProviderWays = {
    writesOfOperations: draw.chance(0.4),
    answersWithoutAmounts: draw.chance(0.3),
    namesByReference: draw.chance(0.4),
    ...withoutPeople
  }
  const temper = draw.pick<Temper>(["honest", "contradictory", "contradictory"])
  // Of a charge whose reference is contested the judge asks for a review alone, so most runs are without.
  const reusesReferences = temper === "contradictory" && draw.chance(0.2)
  return { steps, processes, backgroundEveryMillis, checkIntervals, slowest, rates, ways, temper, reusesReferences }
}

/**
 * What a provider stated in a message alone, and that was lost, is in no list and cannot come back. Calls go unanswered often:
 * what is believed of them after the loss is what matters.
 */
export const honest = (run: Run): Run => ({
  ...run,
  ways: { ...run.ways, answersWithoutAmounts: false },
  rates: { ...run.rates, captured: 0, provider: Math.max(run.rates.provider, 0.3) },
  temper: "honest",
  reusesReferences: false
})

/** People act at the provider. One may know ids of captures, list refunds, and name ours by our id; or none of it. */
export const withPeople = (run: Run, draw: Draw): Run => ({
  ...run,
  ways: {
    ...run.ways,
    givesCaptureIds: draw.chance(0.6) && !run.ways.answersWithoutAmounts,
    namesRefunds: draw.chance(0.7),
    listsRefunds: draw.chance(0.5)
  },
  reusesReferences: false
})

/** What is unknown is known by lookups alone: those go to the other account. */
export const unheard = (run: Run): Run => ({
  ...run,
  rates: { ...run.rates, provider: 0.6, mail: 0.9 },
  reusesReferences: false
})
