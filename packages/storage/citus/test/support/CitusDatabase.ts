/** A distributed database of its own for each test. */
import { Effect, Redacted } from "effect"
import { inject } from "vitest"
import { type CitusCluster, copyTemplate, databaseOn, dropDatabase, joinedDatabase, newName } from "./CitusCluster.ts"

const cluster = inject("citus") as CitusCluster | null

/** Whether there is a cluster; the reason why not was printed when the run began. */
export const hasCluster = cluster !== null

const nodesOf = (make: (cluster: CitusCluster) => Promise<string>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => make(cluster as CitusCluster)),
      (name) => Effect.promise(() => dropDatabase(cluster as CitusCluster, name))
    ),
    (name) => (cluster as CitusCluster).nodes.map((node) => Redacted.make(databaseOn(node, name)))
  )

/** The URLs of a new database, of the coordinator first and of each worker; it goes away with the scope. */
export const newNodes = nodesOf(copyTemplate)

/** The same without our tables. */
export const newEmptyNodes = nodesOf(async ({ nodes }) => {
  const name = newName()
  await joinedDatabase(nodes, name)
  return name
})

/** By the coordinator. */
export const newDistributed = Effect.map(newNodes, ([url]) => url as Redacted.Redacted)
