/** Which payment has a charge: a reference of the provider belongs to one payment of its connection. */
import type { SQLInputValue } from "node:sqlite"
import type { Tenant } from "@pointsman/core"
import { type ChargeReference, referencesOf } from "@pointsman/core/internal"
import { type Change, ReferenceTaken } from "@pointsman/core/ports"
import { Result } from "effect"
import type { Database } from "./Database.ts"
import { bindTenant, bindText, insertInto, readText } from "./Rows.ts"

const columns = ["workspace_id", "environment", "connection_id", "provider_ref", "payment_id"]
const isReference = "workspace_id = ? and environment = ? and connection_id = ? and provider_ref = ?"

const bindReference = (tenant: Tenant, { connectionId, providerRef }: ChargeReference) => [
  ...bindTenant(tenant),
  bindText(connectionId),
  bindText(providerRef)
]

/**
 * Inside an open transaction, before the payment is written: what is to be run once it is. Fails where another payment
 * has a reference that the change names.
 */
export const takeReferences = (db: Database): ((change: Change) => Result.Result<() => void, ReferenceTaken>) => {
  const holder = db.prepare(`select payment_id from charge_references where ${isReference}`)
  const take = db.prepare(insertInto("charge_references", columns))
  const name = db.prepare(`${insertInto("named_references", columns)} on conflict do nothing`)
  return (change) => {
    const {
      payment: { after },
      tenant
    } = change
    const taken: Array<ReadonlyArray<SQLInputValue>> = []
    const named: Array<ReadonlyArray<SQLInputValue>> = []
    for (const reference of referencesOf(change)) {
      const key = bindReference(tenant, reference)
      const row = holder.get(...key)
      const paymentId = row === undefined ? undefined : readText(row["payment_id"])
      if (paymentId === undefined) {
        const list = reference.isTaken ? taken : named
        list.push([...key, bindText(after.id)])
      } else if (paymentId !== after.id) {
        const { connectionId, providerRef } = reference
        return Result.fail(new ReferenceTaken({ connectionId, providerRef, paymentId }))
      }
    }
    return Result.succeed(() => {
      for (const values of taken) take.run(...values)
      for (const values of named) name.run(...values)
    })
  }
}

const ofRecord = "workspace_id = recorded.workspace_id and environment = recorded.environment"
const isCharge = "connection_id = recorded.connection_id and provider_ref = recorded.provider_ref"
const selectRecordedIn = (table: string) => `select payment_id as id,
    exists (select 1 from payments where ${ofRecord} and id = recorded.payment_id and ${isCharge}) as is_own,
    exists (select 1 from attempts where ${ofRecord} and payment_id = recorded.payment_id and ${isCharge}) as is_attempt
  from ${table} as recorded where ${isReference}`
const selectRecorded = `${selectRecordedIn("charge_references")} union ${selectRecordedIn("named_references")} order by id`

/** The payments that are based on a charge; else those with an attempt that names it. */
export const selectOfCharge = (db: Database, tenant: Tenant, charge: ChargeReference): ReadonlyArray<string> => {
  const key = bindReference(tenant, charge)
  const recorded = db.prepare(selectRecorded).all(...key, ...key)
  const own = recorded.filter((row) => row["is_own"] === 1)
  return (own.length > 0 ? own : recorded.filter((row) => row["is_attempt"] === 1)).map((row) => readText(row["id"]))
}

const namesAttemptIn = (table: string): string => `exists (
  select 1 from ${table} as recorded
  where recorded.workspace_id = messages.workspace_id and recorded.environment = messages.environment
    and recorded.connection_id = messages.connection_id and recorded.provider_ref = messages.subject_id
    and exists (select 1 from attempts where ${ofRecord} and payment_id = recorded.payment_id and ${isCharge})
)`

/** Whether a message's subject is the reference of an attempt. */
export const namesAttempt = `(${namesAttemptIn("charge_references")} or ${namesAttemptIn("named_references")})`
