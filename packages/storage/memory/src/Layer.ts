import { firstVersionIn, StorageSnapshots } from "@pointsman/core/internal"
import type { Ids, StorageHandle, StorageServices } from "@pointsman/core/ports"
import * as Ports from "@pointsman/core/ports"
import { Context, Effect, Layer } from "effect"
import { commit, inTurn } from "./Commit.ts"
import { deliveries } from "./Deliveries.ts"
import { directory, directoryState, merchants, successRates } from "./Directory.ts"
import { ledger } from "./Ledger.ts"
import { audit, operators, passkeys } from "./Operators.ts"
import { recordLosses } from "./RecordLoss.ts"
import { type Methods, port, step } from "./Records.ts"
import { retention } from "./Retention.ts"
import { sealedTexts } from "./SealedTexts.ts"
import { settlements } from "./Settlements.ts"
import { emptyState, snapshot } from "./State.ts"

export interface MemoryStorageOptions {
  /** For race tests: lets other fibers run between what a change was decided on and its write. `false` unless set. */
  readonly yieldBetween?: boolean
}

/** A store that lives as long as the layer and forgets everything with it: for tests and trials. */
export const layer = (options: MemoryStorageOptions = {}): Layer.Layer<StorageServices, never, Ids> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const state = emptyState()
      const make = <Port extends object>(methods: Methods<Port>) => port(state, methods)
      const { delivery, event } = yield* Ports.Ids
      const draw = Effect.runSyncWith(yield* Effect.context<never>())
      const pause = options.yieldBetween === true ? Effect.yieldNow : Effect.void
      const written = inTurn(event, (change) =>
        // How many deliveries need an id is known inside the step alone.
        Effect.andThen(
          pause,
          step(state, () => commit(state, change, () => draw(delivery)))
        )
      )
      const contents = step(state, () => Ports.directorySnapshot(directoryState(state)))
      return Context.make(Ports.Ledger, { ...make(ledger), commit: written }).pipe(
        Context.add(Ports.Deliveries, make(deliveries)),
        Context.add(Ports.Directory, { ...Ports.directoryReads(() => contents), ...make(directory) }),
        Context.add(Ports.Merchants, make(merchants)),
        Context.add(Ports.SealedTexts, make(sealedTexts)),
        Context.add(Ports.SuccessRates, make(successRates)),
        Context.add(Ports.RecordLosses, make(recordLosses)),
        Context.add(Ports.Retention, make(retention)),
        Context.add(Ports.Settlements, make(settlements)),
        Context.add(Ports.Audit, make(audit)),
        Context.add(Ports.Operators, make(operators)),
        Context.add(Ports.Passkeys, make(passkeys)),
        Context.add(Ports.StorageHistory, { firstVersion: () => firstVersionIn(state.history) }),
        Context.add(StorageSnapshots, { take: Effect.sync(() => Effect.sync(snapshot(state))), startsHistory: true })
      )
    })
  )

/** Storage that is gone with the process, for `createPointsman` of `@pointsman/node`. */
export const memory = (): StorageHandle => ({ name: "memory", lasts: false, "~pointsman/storage": layer() })
