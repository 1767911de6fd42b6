/** Idempotency keys of creates: they are in the rows of their payments, until their time is over. */
import type { Claim, Tenant } from "@pointsman/core"
import type { Ledger, OldClaim, OldClaimsQuery, StorageError } from "@pointsman/core/ports"
import { readClaimRow } from "@pointsman/storage-sql"
import type { Effect } from "effect"
import { readPayment, selectKeyRow } from "./Books.ts"
import { type Database, update } from "./Database.ts"
import { keyHash, tenantsOf } from "./Keys.ts"

export const selectClaim = (db: Database, tenant: Tenant, key: string): Claim | undefined => {
  const row = selectKeyRow(db, tenant, key)
  return row && readClaimRow(row, readPayment(tenant, row))
}

type Place = NonNullable<OldClaimsQuery["after"]>

const placeOf = (db: Database, { claimedAt, key, tenant }: Place) =>
  [claimedAt, claimedAt, tenantsOf(db).find(tenant), keyHash(key)] as const

/** Those of one millisecond are sorted. */
export const selectOldClaims = (
  db: Database,
  { after, claimedBefore, limit }: OldClaimsQuery
): ReadonlyArray<OldClaim> =>
  db
    .prepare(`select * from payments indexed by payments_by_claim where key is not null and claimed_at < ?
      ${after === undefined ? "" : "and claimed_at >= ? and (claimed_at, t, key) > (?, ?, ?)"} order by claimed_at, t, key limit ?`)
    .all(claimedBefore, ...(after === undefined ? [] : placeOf(db, after)), limit)
    .map((row) => {
      const tenant = tenantsOf(db).read(row["t"])
      const payment = readPayment(tenant, row)
      return { tenant, claim: readClaimRow(row, payment), payment }
    })

/** A key that is free. */
export const freeKey = `update payments set key = null, claim_version = null, claimed_at = null, claim = null
  where t = ? and key = ?`

/** Also if it may have been written: the caller looks again and finds those that are left. */
export const forgetClaims = (
  db: Database,
  claims: Parameters<Ledger["Service"]["forgetClaims"]>[0]
): Effect.Effect<number, StorageError> =>
  update(db, "forgetClaims", () => {
    const forget = db.prepare(`${freeKey} and claim_version = ?`)
    return claims.reduce(
      (sum, { key, tenant, version }) =>
        sum + Number(forget.run(tenantsOf(db).find(tenant), keyHash(key), version).changes),
      0
    )
  })
