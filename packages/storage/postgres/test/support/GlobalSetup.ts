/** One server for all files of a run: the tests' own, or the one that DATABASE_URL names. */
import type { TestProject } from "vitest/node"
import { type CitusCluster, missingCitus, openCluster } from "./CitusCluster.ts"
import { type EmbeddedPostgres, findBinaries, shareInitialData, startPostgres } from "./EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** `postgres://` of a server on which databases may be created; empty if there is none. */
    readonly postgresUrl: string
    /** `null` if there is no cluster. */
    readonly citus: CitusCluster | null
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["DATABASE_URL"]
  let server: EmbeddedPostgres | undefined
  const found = findBinaries()
  const removeInitial = "native" in found ? await shareInitialData(found.native) : () => {}
  if (given === undefined || given === "") {
    if ("native" in found) server = await startPostgres(found.native)
    else process.stderr.write(`storage-postgres: its tests are skipped: ${found.missing}\n`)
  }
  project.provide("postgresUrl", given || (server?.url ?? ""))
  const missing = missingCitus()
  if (missing !== undefined) process.stderr.write(`storage-postgres: tests over Citus are skipped: ${missing}\n`)
  const cluster = missing === undefined ? await openCluster() : undefined
  project.provide("citus", cluster === undefined ? null : { nodes: cluster.nodes, template: cluster.template })
  return async () => {
    await cluster?.stop()
    await server?.stop()
    removeInitial()
  }
}
