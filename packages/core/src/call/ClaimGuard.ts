/** What keeps a claim from being written after records were lost (decision 31). */
import type { ClaimGuard } from "../ports/Ledger.ts"
import type { PaymentSettings } from "../ports/PaymentSettings.ts"

export const claimGuard = ({ afterRestore }: PaymentSettings, key: ClaimGuard["key"]): ClaimGuard => ({
  refusesMissing: afterRestore === "refuse",
  key
})
