/** Keys whose time may be over: what they were claimed for, and deleting them as they were read. */
import type { Ledger, OldClaimsQuery, StorageError } from "@pointsman/core/ports"
import { list } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindTenant, bindText, paymentOfClaim, rows } from "./Rows.ts"

const place = "claimed_at, workspace_id, environment, key"

export const selectOldClaims = ({
  after,
  claimedBefore,
  limit
}: OldClaimsQuery): readonly [string, ReadonlyArray<string>] => {
  const following = after && [String(after.claimedAt), ...bindTenant(after.tenant), bindText(after.key)]
  // The payment of each is looked up by its key: a join might read all payments for the sake of a page.
  const sql = `select ${list(Object.keys(rows.claimColumns))}, ${paymentOfClaim("claims")} as payment
    from claims where claimed_at < $1
    ${following === undefined ? "" : `and (${place}) > ($3::bigint, $4::text, $5::text, $6::text)`}
    order by ${place} limit $2`
  return [sql, [String(claimedBefore), String(limit), ...(following ?? [])]]
}

const forget = `delete from claims using jsonb_to_recordset($1::text::jsonb)
    as old (workspace_id text, environment text, key text, version bigint)
  where claims.workspace_id = old.workspace_id and claims.environment = old.environment and claims.key = old.key
    and claims.version = old.version
  returning 1 as one`

type OldKeys = Parameters<Ledger["Service"]["forgetClaims"]>[0]

const asRows = (claims: OldKeys): string =>
  JSON.stringify(
    claims.map(({ key, tenant, version }) => ({
      workspace_id: bindText(tenant.workspaceId),
      environment: tenant.environment,
      key: bindText(key),
      version
    }))
  )

/** If it is unknown whether it was written, the caller looks again and finds those that are left. */
export const forgetClaims = (db: Database, claims: OldKeys): Effect.Effect<number, StorageError> =>
  Effect.map(db.update("forgetClaims", forget, [asRows(claims)]), (rows) => rows.length)

/** Of one workspace, which the statement names: in a distributed database it goes to the workspace's node. */
export const forgetClaimsOf = (
  db: Database,
  workspaceId: string,
  claims: OldKeys
): Effect.Effect<number, StorageError> =>
  Effect.map(db.update("forgetClaims", forgetOf, [bindText(workspaceId), asRows(claims)]), (rows) => rows.length)

const forgetOf = `delete from claims using jsonb_to_recordset($2::text::jsonb)
    as old (environment text, key text, version bigint)
  where claims.workspace_id = $1 and claims.environment = old.environment and claims.key = old.key
    and claims.version = old.version
  returning 1 as one`
