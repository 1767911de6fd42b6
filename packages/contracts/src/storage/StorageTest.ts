import type { Vitest } from "@effect/vitest"
import type { Deliveries, Directory, Ids, Ledger, Merchants, SealedTexts, SuccessRates } from "@pointsman/core/ports"

/** What a chapter registers its tests with: the storage under test and new ids are at hand. */
export type StorageTest = Vitest.MethodsNonLive<
  Ledger | Deliveries | Directory | Merchants | SuccessRates | SealedTexts | Ids
>
