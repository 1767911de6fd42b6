/** One server for all files of a run: the tests' own, or the one that DATABASE_URL names. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { TestProject } from "vitest/node"
import { type EmbeddedPostgres, findBinaries, shareInitialData, startPostgres } from "./EmbeddedPostgres.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** `postgres://` of a server on which databases may be created; empty if there is none. */
    readonly postgresUrl: string
    /** A database on it that new ones are copies of: on a server of the tests' own, it has our tables. */
    readonly postgresTemplate: string
  }
}

/** To copy a database with our tables takes a fifth of the processor time of making them. */
const makeTables = async (url: string): Promise<string> => {
  const script = fileURLToPath(new URL("MakeTables.ts", import.meta.url))
  const name = "pointsman_tables"
  await promisify(execFile)(process.execPath, ["--conditions=@pointsman/source", script, url, name])
  return name
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
  project.provide("postgresTemplate", server === undefined ? "template1" : await makeTables(server.url))
  return async () => {
    await server?.stop()
    removeInitial()
  }
}
