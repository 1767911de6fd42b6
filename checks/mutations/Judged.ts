/**
 * Which of the planted faults are judged: the first one, by its test, and the first that is simulated, by simulations,
 * which shows that faults are planted and found. `POINTSMAN_MUTATIONS=all` judges every one, in about twenty minutes;
 * `2/3` the second of three parts. Any other value judges those whose name contains it.
 */
import type { Mutation } from "./Mutation.ts"
import { mutations } from "./Mutations.ts"

const chosen = process.env["POINTSMAN_MUTATIONS"] ?? ""
const [, part, parts] = /^(\d+)\/(\d+)$/u.exec(chosen) ?? []

/** `unset`: how many where nothing is chosen. */
const judged = (all: ReadonlyArray<Mutation>, unset: number): ReadonlyArray<Mutation> => {
  if (chosen === "") return all.slice(0, unset)
  if (parts !== undefined) return all.filter((_, index) => index % Number(parts) === Number(part) - 1)
  return chosen === "all" ? all : all.filter(({ name }) => name.includes(chosen))
}

/** By the test that is named beside them. */
export const judgedByTest: ReadonlyArray<Mutation> = judged(mutations, 1)

export const simulated = mutations.filter(({ simulatedOn }) => simulatedOn !== undefined)

export const judgedBySimulation: ReadonlyArray<Mutation> = judged(simulated, 1)
