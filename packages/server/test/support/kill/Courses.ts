/** How a call may go at a provider with moods: executed at once, slowly, late or never, and answered or not. */
import { setTimeout as pause } from "node:timers/promises"
import { type Reply, refusal } from "../ProviderRecord.ts"
import type { Draw } from "./Draw.ts"

/** What is executed without an answer is executed within this time, in milliseconds. */
const latestMillis = 400

/** `dropped`: the connection is cut. `silent`: it stays open without an answer. */
export type Reaction = Reply | "dropped" | "silent"

export type Course =
  | "answered"
  | "slow"
  | "executedSilent"
  | "silent"
  | "executedDropped"
  | "dropped"
  | "late"
  | "executedFailed"
  | "failed"
  | "refused"

export const coursesOf = (draw: Draw) => {
  const underWay = new Set<string>()

  /** Within `latestMillis`; until then it is under way. */
  const later = (id: string, act: () => unknown) => {
    underWay.add(id)
    setTimeout(
      () => {
        act()
        underWay.delete(id)
      },
      draw.between(20, latestMillis)
    )
  }

  const take = async (course: Course, id: string, execute: () => Reply): Promise<Reaction> => {
    switch (course) {
      case "answered":
        return execute()
      case "slow":
        underWay.add(id)
        await pause(draw.between(20, 300))
        underWay.delete(id)
        return execute()
      case "executedSilent":
        execute()
        return "silent"
      case "executedDropped":
        execute()
        return "dropped"
      case "silent":
      case "dropped":
        return course
      case "late":
        later(id, execute)
        return draw.chance(0.5) ? "dropped" : "silent"
      case "executedFailed":
        execute()
        return refusal(500, "broken")
      case "failed":
        return refusal(503, "broken")
      case "refused":
        return refusal(422, "not_now")
    }
  }

  return {
    underWay,
    later,
    take,
    /** Resolves when nothing is left that is executed late. */
    idle: async () => {
      // Bounded by the latest that anything is executed.
      while (underWay.size > 0) await pause(10)
    }
  }
}
