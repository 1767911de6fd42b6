/**
 * Which of the planted faults are judged: the first one, by its test, and the first that is simulated, by simulations,
 * which shows that faults are planted and found. `POINTSMAN_MUTATIONS=all` judges every one; any other value those whose
 * name contains it.
 */
import { faults, type PlantedFault } from "./Faults.ts"

const chosen = process.env["POINTSMAN_MUTATIONS"] ?? ""

const judged = (all: ReadonlyArray<PlantedFault>): ReadonlyArray<PlantedFault> => {
  if (chosen === "") return all.slice(0, 1)
  return chosen === "all" ? all : all.filter(({ name }) => name.includes(chosen))
}

/** By the test that is named beside them. */
export const judgedByTest: ReadonlyArray<PlantedFault> = judged(faults)

export const simulated = faults.filter(({ simulatedOn }) => simulatedOn !== undefined)

export const judgedBySimulation: ReadonlyArray<PlantedFault> = judged(simulated)

if (judgedByTest.length === 0) throw new Error(`POINTSMAN_MUTATIONS: no fault has "${chosen}" in its name`)

/** What a judge says of one planted fault, as a line of JSON on its standard output. */
export interface Verdict {
  /** The fault's. */
  readonly name: string
  /** How it ended with the fault: `failed` is what is asked for. */
  readonly planted: string
  /** How the same ended without it: `passed`. */
  readonly control: string
}

export const tell = (verdict: Verdict): void => {
  process.stdout.write(`${JSON.stringify(verdict)}\n`)
}
