/** Keys whose time may be over: what they were claimed for, and deleting them as they were read. */
import { type Ledger, type OldClaimsQuery, StorageError } from "@pointsman/core"
import { Effect, Result } from "effect"
import { bindText, type Database, type Row, snapshot, transaction } from "./Database.ts"
import { bindTenant, readTenant } from "./PaymentRows.ts"

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

export const forgetClaims = (
  db: Database,
  claims: Parameters<Ledger["Service"]["forgetClaims"]>[0]
): Effect.Effect<number, StorageError> =>
  Effect.suspend(() => {
    const forget = db.prepare(
      "delete from claims where workspace_id = ? and environment = ? and key = ? and version = ?"
    )
    const done = transaction(db, () =>
      claims.reduce(
        (sum, { key, tenant, version }) =>
          sum + Number(forget.run(...bindTenant(tenant), bindText(key), version).changes),
        0
      )
    )
    return Result.isSuccess(done)
      ? Effect.succeed(done.success)
      : // Also where it may be written: whoever is told so looks again, and finds those that are left.
        Effect.fail(new StorageError({ operation: "forgetClaims", cause: done.failure.cause }))
  })
