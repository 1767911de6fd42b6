/** Settings of a distributed database for tests. */
import { Effect, Redacted } from "effect"
import { runOn } from "./support/CitusCluster.ts"

/** From the next sessions on, a statement that asks several shards is an error, also inside a function. */
export const oneShardOnly = (nodes: ReadonlyArray<Redacted.Redacted>): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (const node of nodes) {
      const url = Redacted.value(node)
      const name = new URL(url).pathname.slice(1)
      await runOn(url, `alter database ${name} set citus.multi_task_query_log_level = 'error'`)
    }
  })
