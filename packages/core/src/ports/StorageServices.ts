import type { Audit } from "./Audit.ts"
import type { Deliveries } from "./Deliveries.ts"
import type { Directory } from "./Directory.ts"
import type { Ledger } from "./Ledger.ts"
import type { Merchants } from "./Merchants.ts"
import type { Operators } from "./Operators.ts"
import type { Passkeys } from "./Passkeys.ts"
import type { RecordLosses } from "./RecordLoss.ts"
import type { Retention } from "./Retention.ts"
import type { SealedTexts } from "./SealedTexts.ts"
import type { Settlements } from "./Settlements.ts"
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
