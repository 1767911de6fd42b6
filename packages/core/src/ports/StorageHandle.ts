import type { Layer } from "effect"
import type { Ids } from "./Ids.ts"
import type { StorageError } from "./StorageError.ts"
import type { StorageServices } from "./StorageServices.ts"

/**
 * A storage that is chosen and not opened yet, for programs that do not use Effect: they pass it on and never look
 * inside. Its user opens it, once, and closes it.
 */
export interface StorageHandle {
  /** For messages. Never with a password. */
  readonly name: string
  /** Whether what it holds outlives the process; then the encryption key has to as well. */
  readonly lasts: boolean
  readonly "~pointsman/storage": Layer.Layer<StorageServices, StorageError, Ids>
}
