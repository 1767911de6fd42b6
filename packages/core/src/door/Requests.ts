/** How the requests of clients run. */
import { Context, Effect } from "effect"
import { withAllowance } from "../ports/StorageAllowance.ts"
import { type NotAdmitted, StorageCondition } from "../ports/StorageCondition.ts"
import { StorageError } from "../ports/StorageError.ts"
import type { DoorContext, DoorServices } from "./DoorContext.ts"

export const requests = (context: DoorContext) => {
  const { admit } = Context.get(context, StorageCondition)
  /** With an allowance of time for all that it asks of the storage. */
  const ask = <A, E>(work: Effect.Effect<A, E, DoorServices>) => withAllowance(Effect.provideContext(work, context))
  const notBegun = (cause: NotAdmitted) => new StorageError({ operation: "beginHosted", cause })
  return {
    ask,
    /** What may move money: only while the storage takes new work. */
    begin: <A, E>(work: Effect.Effect<A, E, DoorServices>) => Effect.andThen(admit, ask(work)),
    beginHosted: <A, E>(work: Effect.Effect<A, E, DoorServices>) =>
      Effect.andThen(Effect.mapError(admit, notBegun), ask(work))
  }
}
