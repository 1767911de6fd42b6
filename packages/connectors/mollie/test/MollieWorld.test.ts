/** `POINTSMAN_MOLLIE_SEEDS` sets how many worlds, and `POINTSMAN_MOLLIE_SEED` runs one again. */
import { MollieConnector } from "@pointsman/connector-mollie"
import { worldSuite } from "@pointsman/contracts/connector"
import * as MemoryStorage from "@pointsman/storage-memory"
import { apiKey } from "./Mollie.ts"
import { openMollie } from "./World.ts"

const { POINTSMAN_MOLLIE_SEED: one, POINTSMAN_MOLLIE_SEEDS: count = "8" } = process.env

worldSuite({
  definition: MollieConnector.definition,
  credentials: { apiKey, webhookUrl: "https://shop.example/api/v1/psp-webhooks/mollie" },
  webhookSecret: null,
  instrument: "cst_1/mdt_1",
  open: openMollie,
  storage: MemoryStorage.layer(),
  seeds: { one, count },
  concludesAbsence: true
})
