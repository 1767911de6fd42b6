/** `POINTSMAN_HTTP_STORAGE=postgres` or `citus`: one server of PostgreSQL, or a cluster, for all files of a run, and a database for each store. */
import type { TestProject } from "vitest/node"
import { missingCitus } from "../../../storage/citus/test/support/CitusCluster.ts"
import startCluster from "../../../storage/citus/test/support/GlobalSetup.ts"
import { findBinaries } from "../../../storage/postgres/test/support/EmbeddedPostgres.ts"
import startServer from "../../../storage/postgres/test/support/GlobalSetup.ts"
import { isOnCitus, isOnPostgres } from "./OnPostgres.ts"

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (process.env["POINTSMAN_TOOLS"] !== "all") {
    const reason = "they take half a minute each, and run with POINTSMAN_TOOLS=all, as in .ci/release"
    process.stderr.write(`http: generated clients, linters and browsers are left out: ${reason}\n`)
  }
  if (!isOnPostgres) return undefined
  const found = findBinaries()
  // Asked for by name: it is not skipped.
  const missing = missingCitus()
  if (isOnCitus && missing !== undefined) throw new Error(missing)
  if ("missing" in found && (process.env["DATABASE_URL"] ?? "") === "") throw new Error(found.missing)
  return isOnCitus ? startCluster(project) : startServer(project)
}
