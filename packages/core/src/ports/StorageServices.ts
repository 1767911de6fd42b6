import type { Layer } from "effect"
import type { Audit } from "./Audit.ts"
import type { Deliveries } from "./Deliveries.ts"
import type { Directory } from "./Directory.ts"
import type { Ids } from "./Ids.ts"
import type { Ledger } from "./Ledger.ts"
import type { Merchants } from "./Merchants.ts"
import type { Operators, Passkeys } from "./Operators.ts"
import type { RecordLosses } from "./RecordLoss.ts"
import type { Retention } from "./Retention.ts"
import type { SealedTexts } from "./SealedTexts.ts"
import type { Settlements } from "./Settlements.ts"
import type { StorageError } from "./StorageError.ts"
import type { SuccessRates } from "./SuccessRates.ts"

/** What every storage provides, in one layer. */
export type StorageServices =
  | Ledger
  | Deliveries
  | Directory
  | Merchants
  | SuccessRates
  | SealedTexts
  | Settlements
  | Retention
  | RecordLosses
  | Audit
  | Operators
  | Passkeys

/** A storage that is not opened yet, for programs without Effect. Its user opens it, once, and closes it. */
export interface StorageHandle {
  /** For messages. Never with a password. */
  readonly name: string
  /** Whether what it holds outlives the process; then the encryption key has to as well. */
  readonly lasts: boolean
  readonly "~pointsman/storage": Layer.Layer<StorageServices, StorageError, Ids>
}
