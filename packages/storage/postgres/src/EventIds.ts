/**
 * The order of event ids is the order in which they show, over all servers that write one database, and no event shows
 * while a smaller id can still be committed (docs/decisions/0019).
 *
 * A commit announces the smallest id that it may write before it looks for the greatest one that is stored: by an
 * advisory lock that it holds to its end, whose number carries its tenant and the id's millisecond. Nobody waits for
 * that lock. Then it writes ids that are greater than all that is stored.
 *
 * A reader looks for the greatest id first, then for announcements, and then reads what is neither greater than the one
 * nor as great as the others. A commit that announces later finds that greatest id or a greater one, and writes beyond
 * it; a commit that has ended by then is in what is read.
 */
import type { Tenant } from "@pointsman/core"
import type { StorageError } from "@pointsman/core/ports"
import { eventPrefix, type Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { readEventId, tenantNumber } from "./Keys.ts"

/** As in the function `event_ids` of `schema.sql`. Two tenants that share one hold each other's events back for a moment, and no more. */
const selectHorizon = `select (
    select id from events where t = $1 order by id desc limit 1
  ) as newest, (
    select min((classid::bigint & 65535) << 32 | objid::bigint) from pg_locks
    where locktype = 'advisory' and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and classid::bigint >> 16 = ($1::bigint & 65535)
  ) as announced`

/** Only ids that are smaller show. */
export const horizon = (db: Database, operation: string, tenant: Tenant): Effect.Effect<string, StorageError> =>
  Effect.map(db.read(operation, selectHorizon, [tenantNumber(tenant)]), ([row = {}]) => horizonOf(row))

const horizonOf = (row: Row): string => {
  const newest = row["newest"]
  const announced = row["announced"] as number | null | undefined
  if (newest == null) return ""
  // The smallest text after the newest one.
  const afterNewest = `${readEventId(newest)} `
  if (announced == null) return afterNewest
  const digits = announced.toString(16).padStart(12, "0")
  const first = `${eventPrefix}${digits.slice(0, 8)}-${digits.slice(8)}`
  return first < afterNewest ? first : afterNewest
}
