/**
 * Functions that Citus runs on the node that owns the shard of their first argument: a workspace, or a routing key
 * (https://docs.citusdata.com/en/stable/develop/api_udf.html#create-distributed-function). The name has a hash of the
 * text: servers of two releases that run side by side each call their own.
 */
import { createHash } from "node:crypto"
import type { Row } from "@pointsman/storage-sql"

export interface NodeFunction {
  readonly name: string
  /** The name with the types of the arguments. */
  readonly signature: string
  readonly create: string
  readonly distribute: string
}

/** `parameters`: `name type, ...`, the first of which selects the node. It returns JSON. */
export const nodeFunction = (label: string, parameters: string, body: string): NodeFunction => {
  const text = `(${parameters}) returns jsonb language plpgsql volatile
  -- Plans of the node's own: the session that asks may be set otherwise.
  set plan_cache_mode = auto set enable_seqscan = off set lock_timeout = '5s' as $function$
  ${body} $function$`
  const name = `pointsman_${label}_${createHash("sha256").update(text).digest("hex").slice(0, 12)}`
  const names = parameters.split(", ").map((parameter) => parameter.split(" ") as [name: string, type: string])
  const signature = `${name}(${names.map(([, type]) => type).join(", ")})`
  const [first] = names
  return {
    name,
    signature,
    create: `create function ${name}${text}`,
    distribute: `select create_distributed_function('${signature}', '${first?.[0]}', colocate_with => 'payments')`
  }
}

/** Whether the workspace is on the node of the function. */
export const isHere = (workspace: string): string => `exists (
      select from pg_dist_placement as place join pg_dist_local_group as own on own.groupid = place.groupid
      where place.shardid = get_shard_id_for_distribution_column('payments', ${workspace})
    )`

/** What a function told, as `told` of one row. */
export const toldOf = <A>([row]: ReadonlyArray<Row>): A => row?.["told"] as A
