/** The node of a workspace is killed while commits are under way, or every node, as a single server is. */
import { describe, it } from "@effect/vitest"
import { Ids } from "@pointsman/core/ports"
import { layer } from "@pointsman/storage-citus"
import { Effect, Layer, Redacted, References } from "effect"
import { tenant } from "../../postgres/test/Given.ts"
import { rounds, survives } from "../../postgres/test/support/Killed.ts"
import { workspaceSetting } from "../src/RunFunction.ts"
import { missingOwnCitus, newOwnDatabase, startOwnCluster } from "./support/CitusNodes.ts"

const newCluster = Effect.acquireRelease(
  Effect.promise(() => startOwnCluster()),
  ({ stop }) => Effect.promise(stop)
)

/** `isWhole`: every node is killed; otherwise that of the workspace, while another one is asked. */
const survivesNodes = Effect.fnUntraced(function* (isWhole: boolean) {
  const cluster = yield* newCluster
  const database = yield* Effect.promise(() => newOwnDatabase(cluster))
  const own = yield* Effect.promise(() => database.nodeOf(tenant.workspaceId))
  const nodes = isWhole ? [cluster.coordinator, ...cluster.workers] : [own]
  const storage = layer({ url: Redacted.make(database.url) }).pipe(
    Layer.provide([Ids.layer, Layer.succeed(References.MinimumLogLevel, "None")])
  )
  return yield* survives({
    holder: Redacted.make(database.urlAt(own)),
    setting: `set ${workspaceSetting} = '${tenant.workspaceId}'`,
    kill: () => Promise.all(nodes.map(({ kill }) => kill())),
    restart: () => Promise.all(nodes.map(({ restart }) => restart()))
  }).pipe(Effect.provide([storage, Ids.layer]))
})

describe.skipIf(missingOwnCitus() !== undefined)("killed nodes of a Citus cluster", () => {
  it.live(
    "commits in flight match their caller's response after a kill of the node",
    () => survivesNodes(false),
    120_000 + rounds * 20_000
  )

  it.live(
    "commits in flight match their caller's response after a kill of all nodes",
    () => survivesNodes(true),
    120_000 + rounds * 20_000
  )
})
