/** A row that has an idempotency key, and whose book nobody can read. */
import type { PgClient } from "@effect/sql-pg"
import type { Tenant } from "@pointsman/core"
import { keyHash, tenantNumber } from "../../src/Rows.ts"

const columns = `t, id, version, amount_minor, authorized_minor, captured_minor, refunded_minor, refund_pending_minor,
  created_at, claim_version, claimed_at, key, is_sent, state, currency, claim, details, book`

/** `orElse`: what it does where the key is taken. */
export const holdKey = (sql: PgClient.PgClient, tenant: Tenant, key: string, orElse = "") =>
  sql.unsafe(
    `insert into payments (${columns}) values ($1, gen_random_uuid(), 1, 0, 0, 0, 0, 0, 0, 1, 0, $2, false, 'Pending', 'EUR',
      '{}', '{}', '{}') ${orElse}`,
    [tenantNumber(tenant), keyHash(key)]
  )
