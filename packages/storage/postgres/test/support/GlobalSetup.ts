/** One server for all files of a run: the tests' own, or the one that DATABASE_URL names. */
import type { TestProject } from "vitest/node"
import { type EmbeddedPostgres, findBinaries, shareInitialData, startPostgres } from "./EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** `postgres://` of a server on which databases may be created; empty if there is none. */
    readonly postgresUrl: string
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
  return async () => {
    await server?.stop()
    removeInitial()
  }
}
