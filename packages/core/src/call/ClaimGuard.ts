/** What keeps a claim from being written after records were lost (decision 31). */
import { Effect } from "effect"
import type { ClaimGuard } from "../ports/Ledger.ts"
import { PaymentSettings } from "../ports/PaymentSettings.ts"

export const claimGuard = Effect.fnUntraced(function* (key: ClaimGuard["key"]) {
  const { afterRestore } = yield* PaymentSettings
  return { refusesMissing: afterRestore === "refuse", key } satisfies ClaimGuard
})
