/** Keys whose time may be over: what they were claimed for, and deleting them as they were read. */
import type { Ledger, OldClaimsQuery, StorageError } from "@pointsman/core"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { claimColumns, tenantRow } from "./PaymentRows.ts"
import { bindRow, bindText, list } from "./Rows.ts"

const place = "claimed_at, workspace_id, environment, key"

export const selectOldClaims = ({
  after,
  claimedBefore,
  limit
}: OldClaimsQuery): readonly [string, ReadonlyArray<string>] => {
  const following = after && [
    String(after.claimedAt),
    bindText(after.tenant.workspaceId),
    after.tenant.environment,
    bindText(after.key)
  ]
  const found = `select ${list(claimColumns)} from claims where claimed_at < $1
    ${following === undefined ? "" : `and (${place}) > ($3::bigint, $4::text, $5::text, $6::text)`}
    order by ${place} limit $2`
  return [
    `select found.*, to_json(payments) as payment from (${found}) as found join payments
      on payments.workspace_id = found.workspace_id and payments.environment = found.environment
        and payments.id = found.payment_id
      order by claimed_at, found.workspace_id, found.environment, key`,
    [String(claimedBefore), String(limit), ...(following ?? [])]
  ]
}

const forget = `delete from claims using jsonb_to_recordset($1::text::jsonb)
    as old (workspace_id text, environment text, key text, version bigint)
  where claims.workspace_id = old.workspace_id and claims.environment = old.environment and claims.key = old.key
    and claims.version = old.version
  returning 1 as one`

/** Where nobody knows whether it was written: whoever is told so looks again, and finds those that are left. */
export const forgetClaims = (
  db: Database,
  claims: Parameters<Ledger["Service"]["forgetClaims"]>[0]
): Effect.Effect<number, StorageError> =>
  Effect.map(
    db.update("forgetClaims", forget, [
      JSON.stringify(claims.map(({ key, tenant, version }) => bindRow({ ...tenantRow(tenant), key, version })))
    ]),
    (rows) => rows.length
  )
