/**
 * Which node has a workspace, as far as this process knows: it learns of new workspaces with each look at the nodes. What it
 * does not know yet, or knows wrongly after a move, is asked of the right node all the same, and only counts elsewhere.
 */
import type { StorageError } from "@pointsman/core/ports"
import type { Database } from "@pointsman/storage-postgres/internal"
import { Clock, Effect } from "effect"

export interface NodePlaces {
  /** By the first parameter of a statement: a workspace, or a routing key. */
  readonly nodeOf: (key: string | null | undefined) => number | undefined
  /** `isAll`: not only of workspaces that are new. */
  readonly look: (isAll: boolean) => Effect.Effect<void, StorageError>
}

/** Seconds of a process that asks for another workspace each time; then it begins anew. */
const keysAtMost = 10_000
/** A workspace that was moved counts for its former node for so long. */
const keptNanos = 30_000_000_000n

const select = `select k as key, p.groupid as node from jsonb_array_elements_text($1::text::jsonb) as k
  join pg_dist_placement as p on p.shardid = get_shard_id_for_distribution_column('payments', k)`

export const makeNodePlaces = (db: Database): NodePlaces => {
  const known = new Map<string, number>()
  const unknown = new Set<string>()
  let allAt: bigint | undefined
  return {
    nodeOf: (key) => {
      if (key == null) return undefined
      const node = known.get(key)
      if (node === undefined && unknown.size < keysAtMost) unknown.add(key)
      return node
    },
    look: Effect.fnUntraced(function* (isAll: boolean) {
      if (known.size > keysAtMost) known.clear()
      const now = yield* Clock.monotonicTimeNanos
      const isStale = isAll || allAt === undefined || now - allAt > keptNanos
      const keys = [...unknown, ...(isStale ? known.keys() : [])]
      unknown.clear()
      if (keys.length === 0) return
      for (const { key, node } of yield* db.read("places", select, [JSON.stringify(keys)], true)) {
        known.set(String(key), Number(node))
      }
      if (isStale) allAt = now
    })
  }
}
