import { firstVersionIn, StorageSnapshots } from "@pointsman/core/internal"
import {
  Audit,
  Deliveries,
  Directory,
  type Ids,
  Ledger,
  Merchants,
  Operators,
  Passkeys,
  RecordLosses,
  Retention,
  SealedTexts,
  Settlements,
  type StorageHandle,
  StorageHistory,
  type StorageServices,
  SuccessRates
} from "@pointsman/core/ports"
import { Context, Effect, Layer, Semaphore } from "effect"
import { deliveries } from "./Deliveries.ts"
import { directory, merchants, successRates } from "./Directory.ts"
import { make as makeLedger } from "./Ledger.ts"
import { audit, operators, passkeys } from "./Operators.ts"
import { recordLosses } from "./RecordLoss.ts"
import { type Methods, port } from "./Records.ts"
import { retention } from "./Retention.ts"
import { sealedTexts } from "./SealedTexts.ts"
import { settlements } from "./Settlements.ts"
import { emptyState, snapshot } from "./State.ts"

export interface MemoryStorageOptions {
  /** For race tests: lets other fibers run between the checks of a change and its writes. `false` unless set. */
  readonly yieldBetween?: boolean
}

/** A store that lives as long as the layer and forgets everything with it: for tests and trials. */
export const layer = (options: MemoryStorageOptions = {}): Layer.Layer<StorageServices, never, Ids> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const state = emptyState()
      const turn = Semaphore.makeUnsafe(1)
      const make = <Port extends object>(methods: Methods<Port>) => port(state, methods)
      return Context.make(Ledger, yield* makeLedger(state, options, turn)).pipe(
        Context.add(Deliveries, make(deliveries)),
        Context.add(Directory, make(directory)),
        Context.add(Merchants, make(merchants)),
        Context.add(SealedTexts, make(sealedTexts)),
        Context.add(SuccessRates, make(successRates)),
        Context.add(RecordLosses, make(recordLosses)),
        Context.add(Retention, port(state, retention, turn)),
        Context.add(Settlements, make(settlements)),
        Context.add(Audit, make(audit)),
        Context.add(Operators, make(operators)),
        Context.add(Passkeys, make(passkeys)),
        Context.add(StorageHistory, { firstVersion: () => firstVersionIn(state.history) }),
        Context.add(StorageSnapshots, { take: Effect.sync(() => Effect.sync(snapshot(state))), startsHistory: true })
      )
    })
  )

/** Storage that is gone with the process, for `createPointsman` of `@pointsman/node`. */
export const memory = (): StorageHandle => ({ name: "memory", lasts: false, "~pointsman/storage": layer() })
