/** Which payment has a charge: a reference of the provider belongs to one payment of its connection. */
import type { SQLInputValue } from "node:sqlite"
import { referencesOf } from "@pointsman/core/internal"
import { type Change, ReferenceTaken } from "@pointsman/core/ports"
import { Result } from "effect"
import type { Database } from "./Database.ts"
import { bindTenant, bindText, readText } from "./Rows.ts"

const isReference = "workspace_id = ? and environment = ? and connection_id = ? and provider_ref = ?"

/**
 * Inside an open transaction, before the payment is written: what is to be run once it is. Fails where another payment
 * has a reference that the change names. What the payment itself stands on it keeps: an older version may have written
 * the same of both.
 */
export const takeReferences = (db: Database): ((change: Change) => Result.Result<() => void, ReferenceTaken>) => {
  const holder = db.prepare(`select payment_id from charge_references where ${isReference}`)
  const own = db.prepare(`select 1 from payments where ${isReference} and id = ?`)
  const take = db.prepare(`insert into charge_references
    (workspace_id, environment, connection_id, provider_ref, payment_id) values (?, ?, ?, ?, ?)`)
  return ({ attempts, payment: { after }, tenant }) => {
    const free: Array<ReadonlyArray<SQLInputValue>> = []
    for (const { connectionId, isTaken, providerRef } of referencesOf(after, attempts)) {
      const key = [...bindTenant(tenant), bindText(connectionId), bindText(providerRef)]
      const row = holder.get(...key)
      const paymentId = row === undefined ? undefined : readText(row["payment_id"])
      if (paymentId === undefined) {
        if (isTaken) free.push([...key, bindText(after.id)])
      } else if (paymentId !== after.id && own.get(...key, bindText(after.id)) === undefined) {
        return Result.fail(new ReferenceTaken({ connectionId, providerRef, paymentId }))
      }
    }
    return Result.succeed(() => {
      for (const values of free) take.run(...values)
    })
  }
}
