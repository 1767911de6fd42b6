/** How partners' merchants lie in their table, and what a provision is refused for. */
import type { Merchant, MerchantStanding, Workspace } from "@pointsman/core"
import { emailKey } from "@pointsman/core/internal"
import {
  AllowanceExhausted,
  AlreadyInvited,
  ApiKeyRevoked,
  NotAPartner,
  type ProvisionFailure
} from "@pointsman/core/ports"
import { Result } from "effect"
import { type Columns, type Parts, plain, type Row, readJson, recordOf } from "./Columns.ts"

export const makeMerchantRows = <V>({ bindText, readBoolean, text, textOrNull }: Parts<V>) => {
  const merchant = recordOf<Merchant, V>({
    partner_id: text,
    id: text,
    workspace_id: text,
    name: text,
    email: text,
    country: text,
    category: textOrNull,
    invitation_hash: text,
    created_at: plain()
  })
  const merchantColumns: Columns<Merchant, V> = {
    ...merchant.columns,
    email_key: ({ email }) => bindText(emailKey(email))
  }
  const readStanding = (row: Row): MerchantStanding => ({
    merchant: merchant.read(row),
    suspended: readBoolean(row["suspended"]),
    hasLiveKey: readBoolean(row["has_live_key"])
  })

  /**
   * The checks in the port's order; `false` where the merchant is there already. The row: `is_there`, `is_revoked`,
   * `partner` of the workspace or null, `is_invited` and `present`, which counts the partner's merchants.
   */
  const checkProvision = (row: Row): Result.Result<boolean, ProvisionFailure> => {
    if (readBoolean(row["is_there"])) return Result.succeed(false)
    if (readBoolean(row["is_revoked"])) return Result.fail(new ApiKeyRevoked())
    const partner = readJson<Workspace["partner"]>(row["partner"])
    if (partner === null) return Result.fail(new NotAPartner())
    if (readBoolean(row["is_invited"])) return Result.fail(new AlreadyInvited())
    const { allowance } = partner
    if ((row["present"] as number) >= allowance) return Result.fail(new AllowanceExhausted({ allowance }))
    return Result.succeed(true)
  }

  return { merchantColumns, readStanding, checkProvision }
}
