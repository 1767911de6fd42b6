/** One cluster for all files of a run. */
import type { TestProject } from "vitest/node"
import { type CitusCluster, missingCitus, openCluster } from "./CitusCluster.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** `null` if there is no cluster. */
    readonly citus: CitusCluster | null
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = missingCitus()
  if (missing !== undefined) process.stderr.write(`storage-citus: tests over a cluster are skipped: ${missing}\n`)
  const cluster = missing === undefined ? await openCluster() : undefined
  project.provide("citus", cluster === undefined ? null : { nodes: cluster.nodes, template: cluster.template })
  return async () => {
    await cluster?.stop()
  }
}
