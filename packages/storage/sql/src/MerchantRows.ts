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
import { type Columns, type Parts, type Row, readJson } from "./Columns.ts"

export const makeMerchantRows = <V>(parts: Parts<V>) => {
  const { bindText, bindTextOrNull, readBoolean, readText, readTextOrNull } = parts

  const merchantColumns: Columns<Merchant, V> = {
    partner_id: ({ partnerId }) => bindText(partnerId),
    id: ({ id }) => bindText(id),
    workspace_id: ({ workspaceId }) => bindText(workspaceId),
    name: ({ name }) => bindText(name),
    email: ({ email }) => bindText(email),
    email_key: ({ email }) => bindText(emailKey(email)),
    country: ({ country }) => bindText(country),
    category: ({ category }) => bindTextOrNull(category),
    invitation_hash: ({ invitationHash }) => bindText(invitationHash),
    created_at: ({ createdAt }) => createdAt
  }

  const readStanding = (row: Row): MerchantStanding => ({
    merchant: {
      id: readText(row["id"]),
      partnerId: readText(row["partner_id"]),
      workspaceId: readText(row["workspace_id"]),
      name: readText(row["name"]),
      email: readText(row["email"]),
      country: readText(row["country"]),
      category: readTextOrNull(row["category"]),
      invitationHash: readText(row["invitation_hash"]),
      createdAt: row["created_at"] as number
    },
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
