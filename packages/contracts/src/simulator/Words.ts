/** Names and ends of what happens in a run, as people read them. */
import { Cause, Exit } from "effect"

/** Ids of a simulation are counted: their end names them. */
export const short = (id: string | undefined): string =>
  id === undefined ? "no payment" : `payment ${Number.parseInt(id.slice(-6), 16)}`

/** The name of a failure. */
export const tagOf = (cause: Cause.Cause<unknown>): string => {
  const failure = Cause.squash(cause)
  return typeof failure === "object" && failure !== null && "_tag" in failure ? String(failure._tag) : String(failure)
}

export const wordOf = (exit: Exit.Exit<unknown, unknown>): string => {
  if (Exit.isFailure(exit)) return tagOf(exit.cause)
  const { value } = exit
  return typeof value === "object" && value !== null && "payment" in value ? JSON.stringify(value.payment) : "done"
}
