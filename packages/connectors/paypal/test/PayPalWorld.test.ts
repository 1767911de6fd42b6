/** `POINTSMAN_PAYPAL_SEEDS` sets how many worlds, and `POINTSMAN_PAYPAL_SEED` runs one again. */
import { seedsOf, worldSuite } from "@pointsman/contracts/connector"
import * as MemoryStorage from "@pointsman/storage-memory"
import { credentials, definition, vaultId, webhookId } from "./PayPal.ts"
import { openPayPal } from "./World.ts"

worldSuite({
  definition,
  credentials,
  webhookSecret: webhookId,
  instrument: vaultId,
  open: openPayPal,
  storage: MemoryStorage.layer(),
  seeds: seedsOf("POINTSMAN_PAYPAL", 8),
  concludesAbsence: false
})
