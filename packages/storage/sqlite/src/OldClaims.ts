/** Keys whose time may be over: what they were claimed for, and deleting them as they were read. */
import type { Ledger, OldClaimsQuery, StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import type { Effect } from "effect"
import { withPayment } from "./Claims.ts"
import { type Database, snapshot, update } from "./Database.ts"
import { bindTenant, bindText } from "./Rows.ts"

const place = "claimed_at, workspace_id, environment, key"

export const selectOldClaims = (db: Database, { after, claimedBefore, limit }: OldClaimsQuery) =>
  snapshot(
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
        .flatMap((row) => {
          const { claim, payment } = withPayment(db)(row)
          return payment === undefined ? [] : [{ claim, payment }]
        })
  )

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
