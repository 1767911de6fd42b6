import type { Vitest } from "@effect/vitest"
import type { Ids, StorageServices } from "@pointsman/core/ports"

/** What a chapter registers its tests with: the storage under test and new ids are at hand. */
export type StorageTest = Vitest.MethodsNonLive<StorageServices | Ids>
