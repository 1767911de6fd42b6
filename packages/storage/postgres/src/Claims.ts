/** Idempotency keys of creates: they are in the rows of their payments, until their time is over. */
import type { Claim, Tenant } from "@pointsman/core"
import type { Ledger, OldClaim, OldClaimsQuery, StorageError } from "@pointsman/core/ports"
import { readClaimRow } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import { bindKey, readPayment, selectKeyed } from "./Books.ts"
import type { Database } from "./Database.ts"
import { keyHash, tenantNumber } from "./Keys.ts"
import { readTenant } from "./Rows.ts"

export const claimOf = (db: Database, tenant: Tenant, key: string): Effect.Effect<Option.Option<Claim>, StorageError> =>
  Effect.map(db.read("claim", selectKeyed, bindKey(tenant, key)), ([row]) =>
    Option.map(Option.fromUndefinedOr(row), (found) => readClaimRow(found, readPayment(tenant, found)))
  )

/** Those of one millisecond are sorted. */
const place = "claimed_at, t, key"

export const oldClaims = (
  db: Database,
  { after, claimedBefore, limit }: OldClaimsQuery
): Effect.Effect<ReadonlyArray<OldClaim>, StorageError> => {
  const last = after && [String(after.claimedAt), tenantNumber(after.tenant), keyHash(after.key)]
  const select = `select p.*, n.workspace_id, n.environment from (
      select * from payments where key is not null and claimed_at < $1
        ${last === undefined ? "" : `and claimed_at >= $3 and (${place}) > ($3::bigint, $4::bigint, $5::uuid)`}
        order by ${place} limit $2
    ) as p cross join lateral (select * from tenants where tenants.t = p.t offset 0) as n
    order by p.claimed_at, p.t, p.key`
  return Effect.map(db.read("oldClaims", select, [String(claimedBefore), String(limit), ...(last ?? [])]), (found) =>
    found.map((row) => {
      const tenant = readTenant(row)
      const payment = readPayment(tenant, row)
      return { tenant, claim: readClaimRow(row, payment), payment }
    })
  )
}

const forget = `update payments as p set key = null, claim = null, claim_version = null, claimed_at = null
  from jsonb_to_recordset($1::text::jsonb) as old (t bigint, key uuid, version bigint)
  where p.t = old.t and p.key = old.key and p.claim_version = old.version
  returning 1 as one`

/** If it is unknown whether it was written, the caller looks again and finds those that are left. */
export const forgetClaims = (
  db: Database,
  claims: Parameters<Ledger["Service"]["forgetClaims"]>[0]
): Effect.Effect<number, StorageError> => {
  const old = claims.map(({ key, tenant, version }) => ({ t: tenantNumber(tenant), key: keyHash(key), version }))
  return Effect.map(db.update("forgetClaims", forget, [JSON.stringify(old)]), (rows) => rows.length)
}
