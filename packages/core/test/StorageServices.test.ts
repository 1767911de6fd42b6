/** What the type of a storage's layer asks of it. */
import { expect, it } from "@effect/vitest"
import type { Ids, StorageError, StorageHandle, StorageServices } from "@pointsman/core/ports"
import type { Layer } from "effect"

type Required = StorageHandle["~pointsman/storage"]

/** The services without which a layer is still taken for a storage. */
type Optional<Service> = Service extends unknown
  ? Layer.Layer<Exclude<StorageServices, Service>, StorageError, Ids> extends Required
    ? Service
    : never
  : never

it("a storage layer without any one of its services does not compile", () => {
  const isEachRequired: [Optional<StorageServices>] extends [never] ? true : false = true
  const isWholeTaken: Layer.Layer<StorageServices, StorageError, Ids> extends Required ? true : false = true
  expect([isEachRequired, isWholeTaken]).toEqual([true, true])
})
