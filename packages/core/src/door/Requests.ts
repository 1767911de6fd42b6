/** How the requests of clients run. */
import { Context, Effect } from "effect"
import { Admission, withPlace } from "../ports/Admission.ts"
import { withAllowance } from "../ports/StorageAllowance.ts"
import { type NotAdmitted, StorageCondition } from "../ports/StorageCondition.ts"
import { StorageError } from "../ports/StorageError.ts"
import type { DoorContext, DoorServices } from "./DoorContext.ts"

export const requests = (context: DoorContext) => {
  const { admit } = Context.get(context, StorageCondition)
  const admission = Context.get(context, Admission)
  /** With an allowance of time for all that it asks of the storage. */
  const ask = <A, E>(work: Effect.Effect<A, E, DoorServices>) => withAllowance(Effect.provideContext(work, context))
  const begin = <A, E>(work: Effect.Effect<A, E, DoorServices>) => {
    const asked = Effect.andThen(admit, ask(work))
    return admission === undefined ? asked : withPlace(admission)(asked)
  }
  const notBegun = (cause: NotAdmitted) => new StorageError({ operation: "beginHosted", cause })
  return {
    ask,
    /** What may move money: only while the storage takes new work. */
    begin,
    // Somebody who pays is waiting: no place is asked for.
    beginHosted: <A, E>(work: Effect.Effect<A, E, DoorServices>) =>
      Effect.andThen(Effect.mapError(admit, notBegun), ask(work))
  }
}
