/** Claims with their payments, which complete the stored answers. */
import type { Claim, Tenant } from "@pointsman/core"
import type { Row } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { bindTenant, bindText, readTenant, rows } from "./Rows.ts"

export interface ClaimRows {
  readonly claim: Row
  /** `undefined` where it is not stored. */
  readonly payment: Row | undefined
}

const select = "select * from claims where workspace_id = ? and environment = ? and key = ?"
const selectPayment = "select * from payments where workspace_id = ? and environment = ? and id = ?"

/** To be called within a transaction, so that both are of one moment. */
export const selectClaim =
  (db: Database) =>
  (tenant: Tenant, key: string): ClaimRows | undefined => {
    const claim = db.prepare(select).get(...bindTenant(tenant), bindText(key))
    return claim === undefined ? undefined : withPayment(db)(claim)
  }

export const withPayment =
  (db: Database) =>
  (claim: ReturnType<ReturnType<Database["prepare"]>["get"]> & {}): ClaimRows => ({
    claim,
    payment: db.prepare(selectPayment).get(...bindTenant(readTenant(claim)), claim["payment_id"] ?? null)
  })

export const readClaim = ({ claim, payment }: ClaimRows): Claim =>
  rows.readClaim(claim, payment === undefined ? undefined : rows.readPayment(payment))
