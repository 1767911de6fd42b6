/** Deliveries: one of them, its attempts, and what replaces it. Each database takes and records them its own way. */
import type { Deliveries } from "@pointsman/core/ports"
import { Effect } from "effect"
import { firstOf } from "./Columns.ts"
import type { Sql } from "./Sql.ts"

const ofTenant = "workspace_id = $1 and environment = $2"
const replace = `update deliveries set state = $4, failures = $5, attempts = $6, due_at = $7, leased_until = null
  where ${ofTenant} and id = $3 and state = $8 and attempts = $9 returning 1 as one`

/** If it is unknown whether it was written, the lease or the state shows it; nothing is sent because of it. */
export const makeDeliveries = <V>(sql: Sql<V>): Pick<Deliveries["Service"], "replace" | "delivery" | "attempts"> => {
  const { bindTenant, bindText, readDelivery, readDeliveryAttempt } = sql.rows
  return {
    replace: (before, after) => {
      const key = [...bindTenant(before.tenant), bindText(before.id)]
      const next = [after.state, after.failures, after.attempts, after.dueAt]
      return Effect.map(
        sql.update("replace", replace, [...key, ...next, before.state, before.attempts]),
        ({ length }) => length === 1
      )
    },
    delivery: (tenant, id) =>
      Effect.map(
        sql.read("delivery", `select * from deliveries where ${ofTenant} and id = $3`, [
          ...bindTenant(tenant),
          bindText(id)
        ]),
        firstOf(readDelivery)
      ),
    attempts: (tenant, id) =>
      Effect.map(
        sql.read("attempts", `select * from delivery_attempts where ${ofTenant} and delivery_id = $3 order by number`, [
          ...bindTenant(tenant),
          bindText(id)
        ]),
        (found) => found.map(readDeliveryAttempt)
      )
  }
}
