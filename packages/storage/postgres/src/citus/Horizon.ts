/** How far the events of a workspace show: the announcements are locks of its node (see `../EventIds.ts`). */
import type { Tenant } from "@pointsman/core"
import { StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "../Database.ts"
import { horizonBody, horizonOf } from "../EventIds.ts"
import { bindTenant } from "../Rows.ts"
import { isHere, type NodeFunction, nodeFunction, toldOf } from "./NodeFunction.ts"

export const horizonFunction: NodeFunction = nodeFunction(
  "horizon",
  "workspace text, tenant_environment text",
  horizonBody("workspace", "tenant_environment", isHere("workspace"))
)

const call = `select ${horizonFunction.name}($1::text, $2::text) as told`

/** A workspace moves once in a long time. The node that was asked for it knows where it is now. */
const maxMoves = 5

export const nodeHorizon = Effect.fnUntraced(function* (
  db: Database,
  operation: string,
  tenant: Tenant
): Effect.fn.Return<string, StorageError> {
  for (let moves = 0; moves < maxMoves; moves++) {
    const told = toldOf<Row>(yield* db.read(operation, call, bindTenant(tenant)))
    if (told["is_here"] === true) return horizonOf(told)
  }
  return yield* new StorageError({ operation, cause: new Error("the workspace moved while its events were read") })
})
