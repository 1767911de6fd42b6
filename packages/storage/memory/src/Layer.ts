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
  StorageHistory,
  type StorageServices,
  SuccessRates
} from "@pointsman/core/ports"
import { Context, Effect, Layer, Semaphore } from "effect"
import { make as makeAudit } from "./Audit.ts"
import { make as makeDeliveries } from "./Deliveries.ts"
import { make as makeDirectory } from "./Directory.ts"
import { make as makeLedger } from "./Ledger.ts"
import { make as makeMerchants } from "./Merchants.ts"
import { make as makeOperators } from "./Operators.ts"
import { make as makePasskeys } from "./Passkeys.ts"
import { make as makeRecordLosses } from "./RecordLoss.ts"
import { make as makeRetention } from "./Retention.ts"
import { make as makeSealedTexts } from "./SealedTexts.ts"
import { make as makeSettlements } from "./Settlements.ts"
import { make as makeState, snapshot } from "./State.ts"
import { make as makeSuccessRates } from "./SuccessRates.ts"

export interface MemoryStorageOptions {
  /** For race tests: lets other fibers run between the checks of a change and its writes. `false` unless set. */
  readonly yieldBetween?: boolean
}

/** A store that lives as long as the layer and forgets everything with it: for tests and trials. */
export const layer = (options: MemoryStorageOptions = {}): Layer.Layer<StorageServices, never, Ids> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const state = makeState()
      const turn = Semaphore.makeUnsafe(1)
      const ledger = yield* makeLedger(state, options, turn)
      return Context.make(Ledger, ledger).pipe(
        Context.add(Deliveries, makeDeliveries(state)),
        Context.add(Directory, makeDirectory(state)),
        Context.add(Merchants, makeMerchants(state, options)),
        Context.add(SealedTexts, makeSealedTexts(state)),
        Context.add(SuccessRates, makeSuccessRates()),
        Context.add(RecordLosses, makeRecordLosses(state)),
        Context.add(Retention, makeRetention(state, turn)),
        Context.add(Settlements, makeSettlements(state, turn)),
        Context.add(Audit, makeAudit(state)),
        Context.add(Operators, makeOperators(state)),
        Context.add(Passkeys, makePasskeys(state)),
        Context.add(StorageHistory, { firstVersion: () => firstVersionIn(state.history) }),
        Context.add(StorageSnapshots, { take: Effect.sync(() => Effect.sync(snapshot(state))), startsHistory: true })
      )
    })
  )
