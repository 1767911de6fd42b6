/** `POINTSMAN_PAYPAL_SEEDS` sets how many worlds, and `POINTSMAN_PAYPAL_SEED` runs one again. */
import { worldSuite } from "@pointsman/contracts/connector"
import * as MemoryStorage from "@pointsman/storage-memory"
import { credentials, definition, vaultId, webhookId } from "./PayPal.ts"
import { openPayPal } from "./World.ts"

const { POINTSMAN_PAYPAL_SEED: one, POINTSMAN_PAYPAL_SEEDS: count = "8" } = process.env

worldSuite({
  definition,
  credentials,
  webhookSecret: webhookId,
  instrument: vaultId,
  opensCheckouts: true,
  open: openPayPal,
  storage: MemoryStorage.layer(),
  seeds: { one, count },
  concludesAbsence: false
})
