/** Keys whose time may be over: what they were claimed for, and deleting them as they were read. */
import type { Ledger, OldClaimsQuery, StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import type { Effect } from "effect"
import { type Database, snapshot, update } from "./Database.ts"
import { bindTenant, bindText, readTenant } from "./Rows.ts"

const place = "claimed_at, workspace_id, environment, key"

export const selectOldClaims = (db: Database, { after, claimedBefore, limit }: OldClaimsQuery) => {
  const payment = db.prepare("select * from payments where workspace_id = ? and environment = ? and id = ?")
  return snapshot(
    db,
    (): ReadonlyArray<{ readonly claim: Row; readonly payment: Row }> =>
      db
        .prepare(`select * from claims indexed by claims_by_time where claimed_at < ?
        ${after === undefined ? "" : `and (${place}) > (?, ?, ?, ?)`} order by ${place} limit ?`)
        .all(
          claimedBefore,
          ...(after === undefined ? [] : [after.claimedAt, ...bindTenant(after.tenant), bindText(after.key)]),
          limit
        )
        .flatMap((claim) => {
          const claimedFor = payment.get(...bindTenant(readTenant(claim)), claim["payment_id"] ?? null)
          return claimedFor === undefined ? [] : [{ claim, payment: claimedFor }]
        })
  )
}

/** Also if it may have been written: the caller looks again and finds those that are left. */
export const forgetClaims = (
  db: Database,
  claims: Parameters<Ledger["Service"]["forgetClaims"]>[0]
): Effect.Effect<number, StorageError> =>
  update(db, "forgetClaims", () => {
    const forget = db.prepare(
      "delete from claims where workspace_id = ? and environment = ? and key = ? and version = ?"
    )
    return claims.reduce(
      (sum, { key, tenant, version }) =>
        sum + Number(forget.run(...bindTenant(tenant), bindText(key), version).changes),
      0
    )
  })
