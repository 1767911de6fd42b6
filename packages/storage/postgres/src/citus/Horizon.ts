/** How far the events of a workspace show: the announcements are locks of its node (see `../EventIds.ts`). */
import type { Tenant } from "@pointsman/core"
import type { StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "../Database.ts"
import { horizonBody, horizonOf } from "../EventIds.ts"
import { bindTenant } from "../Rows.ts"
import { type NodeFunction, nodeFunction, toldOf } from "./NodeFunction.ts"

export const horizonFunction: NodeFunction = nodeFunction(
  "horizon",
  "workspace text, tenant_environment text",
  horizonBody("workspace", "tenant_environment")
)

const call = `select ${horizonFunction.name}($1::text, $2::text) as told`

export const nodeHorizon = (db: Database, operation: string, tenant: Tenant): Effect.Effect<string, StorageError> =>
  Effect.map(db.read(operation, call, bindTenant(tenant)), (found) => horizonOf(toldOf<Row>(found)))
