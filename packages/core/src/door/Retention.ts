/** What leaves the store when its time is over. */
import { Effect } from "effect"
import type { StorageError } from "../ports/StorageError.ts"
import { type Sweep, type SweepOrder, sweepInTurn, sweepStore } from "../verbs/retain/SweepStore.ts"
import { type DoorContext, intents } from "./DoorContext.ts"

export interface RetentionMethods {
  /** Removes, or counts, what is not kept any longer. It may be interrupted, repeated, and run beside servers. */
  readonly sweepStore: (order: SweepOrder) => Effect.Effect<Sweep, StorageError>
  /** As `sweepStore`, unless another process does so or did in the last hour. `Pointsman.background` runs it every hour. */
  readonly sweepInTurn: Effect.Effect<void, StorageError>
}

export const retentionMethods = (context: DoorContext): RetentionMethods => ({
  sweepStore: (order) => {
    const act = Effect.provideContext(sweepStore(order), context)
    const { isDryRun, workspaceId } = order
    return isDryRun
      ? act
      : Effect.andThen(intents(context)("retention.sweeping", workspaceId ?? "all workspaces", {}), act)
  },
  sweepInTurn: Effect.provideContext(sweepInTurn, context)
})
