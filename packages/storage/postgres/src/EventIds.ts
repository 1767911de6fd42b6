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
import type { Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindTenant } from "./Rows.ts"

/** As in the function `event_ids` of `schema.sql`. Two tenants that share one hold each other's events back for a moment, and no more. */
const lane = "(hashtext(environment || ' ' || workspace_id) & 65535)::bigint"

const selectNewest = (workspace: string, environment: string): string =>
  `select id from events where workspace_id = ${workspace} and environment = ${environment} order by id desc limit 1`

const selectAnnounced = (workspace: string, environment: string): string =>
  `select min((classid::bigint & 65535) << 32 | objid::bigint) from pg_locks
    where locktype = 'advisory' and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and classid::bigint >> 16 = (select ${lane} from (values (${workspace}, ${environment})) as tenant (workspace_id, environment))`

const selectHorizon = `select (
    ${selectNewest("$1", "$2")}
  ) as newest, (
    ${selectAnnounced("$1::text", "$2::text")}
  ) as announced`

/**
 * For a function of a distributed database: the locks are those of the workspace's node. `isHere`: whether this is that
 * node. It is asked last: until then nothing was committed or announced elsewhere.
 */
export const horizonBody = (workspace: string, environment: string, isHere: string): string => `declare
    newest text;
    announced bigint;
  begin
    newest := (${selectNewest(workspace, environment)});
    announced := (${selectAnnounced(workspace, environment)});
    return jsonb_build_object('newest', newest, 'announced', announced, 'is_here', ${isHere});
  end`

/** Only ids that are smaller show. */
export const horizon = (db: Database, operation: string, tenant: Tenant): Effect.Effect<string, StorageError> =>
  Effect.map(db.read(operation, selectHorizon, bindTenant(tenant)), ([row = {}]) => horizonOf(row))

export const horizonOf = (row: Row): string => {
  const newest = row["newest"] as string | null | undefined
  const announced = row["announced"] as number | null | undefined
  if (newest == null) return ""
  // The smallest text after the newest one.
  const afterNewest = `${newest} `
  if (announced == null) return afterNewest
  const digits = announced.toString(16).padStart(12, "0")
  const first = `evt_${digits.slice(0, 8)}-${digits.slice(8)}`
  return first < afterNewest ? first : afterNewest
}
