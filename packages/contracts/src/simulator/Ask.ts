/** Has a process do something for a caller, and notes what the caller heard of it. */
import type { Payment, Pointsman } from "@pointsman/core"
import { Cause, type Effect, Exit } from "effect"
import type { Told } from "./Asked.ts"
import type { MortalProcess } from "./MortalProcess.ts"
import type { Plan } from "./Plan.ts"
import { wordOf } from "./Words.ts"

export type Work<A> = (pointsman: Pointsman["Service"]) => Effect.Effect<A, unknown>

export type Asking = ReturnType<typeof makeAsking>

export const makeAsking = (plan: Plan, listen: (line: string) => void) => {
  /** Every success that a caller received. */
  const told: Array<Told> = []
  /** What could not be explained as it happened. */
  const wrong: Array<string> = []
  return {
    /** `what`: the question in words. */
    ask: <A>(process: MortalProcess, what: string, work: Work<A>, onEnd?: (exit: Exit.Exit<A, unknown>) => void) => {
      plan.note(`process ${process.number}: ${what}`)
      listen(`asks ${process.number} ${what}`)
      process.ask(work, (exit) => {
        listen(`hears ${process.number} ${what}: ${wordOf(exit)}`)
        if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
          wrong.push(`${what} broke: ${String(Cause.squash(exit.cause))}`)
        }
        onEnd?.(exit)
      })
    },
    /** For `onEnd`: a success has to be true for ever. */
    hears: (what: string) => (exit: Exit.Exit<{ readonly payment: Payment }, unknown>) => {
      if (Exit.isSuccess(exit)) told.push({ what, payment: exit.value.payment })
    },
    told,
    wrong
  }
}
