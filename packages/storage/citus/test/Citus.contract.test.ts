/**
 * The storage suite over a cluster: by the coordinator, and by a worker. A statement of several shards is an error of the
 * engine there, so that every test shows that its operations ask one shard at a time.
 */
import { storageSuite } from "@pointsman/contracts/storage"
import { layer } from "@pointsman/storage-citus"
import { Effect, Layer, type Redacted } from "effect"
import { describe } from "vitest"
import { oneShardOnly } from "./OneShardOnly.ts"
import { hasCluster, newNodes } from "./support/CitusDatabase.ts"

const over = (node: number) =>
  Layer.unwrap(
    Effect.flatMap(newNodes, (nodes) =>
      Effect.as(oneShardOnly(nodes), layer({ url: nodes[node] as Redacted.Redacted, allowAsyncCommit: true }))
    )
  )

describe.skipIf(!hasCluster)("a distributed database", () => {
  storageSuite("Citus, by its coordinator", over(0))
})

/** The same once more, whose functions are partly run by the node that is asked. */
const isLong = process.env["POINTSMAN_LONG"] === "all"

describe.skipIf(!hasCluster || !isLong)("a distributed database, by a worker (POINTSMAN_LONG=all)", () => {
  storageSuite("Citus, by a worker", over(1))
})
