/**
 * Which of the planted faults are judged: the first one, by its test, and the first that is simulated, by simulations,
 * which shows that faults are planted and found. `POINTSMAN_MUTATIONS=all` judges every one: some minutes.
 */
import type { Mutation } from "./Mutation.ts"
import { mutations } from "./Mutations.ts"

const isAll = process.env["POINTSMAN_MUTATIONS"] === "all"

/** By the test that is named beside them. */
export const judgedByTest: ReadonlyArray<Mutation> = isAll ? mutations : mutations.slice(0, 1)

export const simulated = mutations.filter(({ simulatedOn }) => simulatedOn !== undefined)

export const judgedBySimulation: ReadonlyArray<Mutation> = isAll ? simulated : simulated.slice(0, 1)
