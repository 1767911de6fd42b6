/** A PostgreSQL that acknowledges commits before they are on its disk stops a start, and `pointsman doctor` says so. */
import { assert, it, onTestFinished } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused } from "./support/CommandProcess.ts"
import {
  environmentOn,
  newDatabase,
  postgresMissing,
  query,
  sharedPostgres,
  startPostgresServer
} from "./support/PostgresServer.ts"
import { runServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

/** One with `fsync=off`: that of all tests, unless another one was named for them. */
const withoutFsync = async () => {
  const [row] = await query(sharedPostgres.url, "show fsync")
  if (row?.["fsync"] === "off") return sharedPostgres
  const own = await startPostgresServer()
  onTestFinished(own.stop)
  return own
}

it.skipIf(postgresMissing !== undefined)("fsync=off stops a start unless it is allowed", async () => {
  const folder = temporaryFolder()
  const allowed = environmentOn(await newDatabase(await withoutFsync()))
  const environment = { ...allowed, POINTSMAN_ALLOW_ASYNC_COMMIT: "false" }
  assertRefused(await runServerHere({ folder, environment }), "fsync is off in the database")
  await startServerHere({ folder, environment: allowed })
  const { stdout } = await runHere(folder, ["doctor"], environment)
  assert.match(stdout, /^wrong +durability +fsync is off in the database: .* POINTSMAN_ALLOW_ASYNC_COMMIT/mu)
})
