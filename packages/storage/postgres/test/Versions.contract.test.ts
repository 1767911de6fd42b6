/**
 * The storage suite on servers of other versions that this machine has (`POINTSMAN_LONG=all`): those of the system's
 * packages, or those that `POINTSMAN_POSTGRES_FOLDERS` names, each a folder with `bin` and `lib`, separated by colons.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { storageSuite } from "@pointsman/contracts/storage"
import { layer } from "@pointsman/storage-postgres"
import { Effect, Layer, Redacted } from "effect"
import { describe } from "vitest"
import { startPostgres } from "./support/EmbeddedPostgres.ts"
import { isLong } from "./support/LongRuns.ts"

/** Of Debian and of PostgreSQL's own packages. */
const packages = "/usr/lib/postgresql"

const installed = existsSync(packages) ? readdirSync(packages).map((version) => join(packages, version)) : []
const folders = (process.env["POINTSMAN_POSTGRES_FOLDERS"]?.split(":") ?? installed).filter((folder) =>
  existsSync(join(folder, "bin", "initdb"))
)

if (isLong && folders.length === 0) {
  process.stderr.write(`storage-postgres: no other version of PostgreSQL is tested: there is none in ${packages}\n`)
}

/** `postgres (PostgreSQL) 15.18 …` */
const versionOf = (folder: string): string =>
  /\d+(?:\.\d+)?/u.exec(execFileSync(join(folder, "bin", "postgres"), ["--version"], { encoding: "utf8" }))?.[0] ?? ""

for (const folder of isLong ? folders : []) {
  const server = Effect.acquireRelease(
    Effect.promise(() => startPostgres(folder, { copiesInitial: false })),
    (started) => Effect.promise(started.stop)
  )
  describe(`PostgreSQL ${versionOf(folder)}`, () => {
    const opened = Effect.map(server, ({ url }) => layer({ url: Redacted.make(url), allowAsyncCommit: true }))
    storageSuite(`postgres ${versionOf(folder)}`, Layer.unwrap(opened))
  })
}
