/**
 * A background job of the cluster, which has one at a time
 * (https://docs.citusdata.com/en/stable/develop/api_udf.html#citus-rebalance-start).
 */
import type { Query } from "@pointsman/storage-postgres/internal"
import type { Row } from "@pointsman/storage-sql"
import { Effect } from "effect"

export interface ShardMove {
  /** `host:port`; `null` before it is known. */
  readonly from: string | null
  readonly to: string | null
  readonly phase: string | null
  /** How much is at the node that the shards leave, and at the other one. */
  readonly bytes: { readonly source: number; readonly target: number } | null
}

export interface Rebalance {
  readonly job: number
  readonly state: "running" | "finished" | "failed" | "stopped"
  readonly moves: { readonly done: number; readonly left: number; readonly failed: number }
  readonly underWay: ReadonlyArray<ShardMove>
  /** What the engine says of moves that failed, or that it tries again. */
  readonly faults: ReadonlyArray<string>
}

interface Details {
  readonly task_state_counts: Readonly<Record<string, number>> | null
  readonly tasks: ReadonlyArray<{
    readonly state: string
    readonly phase?: string | null
    readonly message: string | null
    readonly hosts?: { readonly source: string | null; readonly target: string | null }
    readonly size?: { readonly source: number | null; readonly target: number | null }
  }>
}

export const readRebalance = (query: Query) =>
  Effect.map(query("select job_id, state::text, details from citus_rebalance_status(true)"), ([row]) =>
    row === undefined ? undefined : rebalanceOf(row)
  )

/** The words of `citus_job_status`; any other one is of a job that runs. */
const states: Readonly<Record<string, Rebalance["state"]>> = {
  finished: "finished",
  failed: "failed",
  cancelled: "stopped"
}

const rebalanceOf = (row: Row): Rebalance => {
  const { task_state_counts: counts, tasks } = row["details"] as Details
  const sum = (states: ReadonlyArray<string>) => states.reduce((all, state) => all + (counts?.[state] ?? 0), 0)
  return {
    job: Number(row["job_id"]),
    state: states[String(row["state"])] ?? "running",
    moves: {
      done: sum(["done"]),
      left: sum(["blocked", "runnable", "running", "cancelling"]),
      failed: sum(["error", "unscheduled", "cancelled"])
    },
    underWay: tasks
      .filter(({ state }) => state === "running")
      .map(({ hosts, phase, size }) => ({
        from: hosts?.source ?? null,
        to: hosts?.target ?? null,
        phase: phase ?? null,
        bytes: size?.source == null ? null : { source: Number(size.source), target: Number(size.target ?? 0) }
      })),
    faults: tasks.flatMap(({ message, state }) =>
      state === "running" || message == null || message === "" ? [] : [message.trim().replaceAll(/\s+/gu, " ")]
    )
  }
}

/** The number of the job; `undefined` where nothing has to move. `drainOnly`: only away from nodes that take no shards. */
export const startRebalance = (query: Query, drainOnly: boolean, blockWrites: boolean) =>
  Effect.map(
    query(
      "select citus_rebalance_start(drain_only := $1::boolean, shard_transfer_mode := $2::citus.shard_transfer_mode) as job",
      [drainOnly, transferMode(blockWrites)]
    ),
    ([row]) => (row?.["job"] == null ? undefined : Number(row["job"]))
  )

/** `auto` copies by logical replication, and blocks writes at the end alone. */
export const transferMode = (blockWrites: boolean): string => (blockWrites ? "block_writes" : "auto")
