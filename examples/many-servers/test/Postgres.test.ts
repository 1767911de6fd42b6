/** Root runs the example's database as another user, who may not be able to enter the folder of node_modules. */
import { cpSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { newDatabaseFolder } from "../src/DatabaseFolder.ts"
import { findBinaries, startPostgres } from "../src/Postgres.ts"

const leftOut = (): string | undefined => {
  if (process.getuid?.() !== 0) return "only root runs it as another user"
  try {
    findBinaries()
    return undefined
  } catch (cause) {
    return String(cause)
  }
}

const reason = leftOut()
if (reason !== undefined) {
  process.stderr.write(`example-many-servers: the database below a folder of root's is skipped: ${reason}\n`)
}

describe.skipIf(reason !== undefined)("the database, as root starts it", () => {
  it("a start where only root may enter runs elsewhere, and is removed", async () => {
    const closed = mkdtempSync(join(tmpdir(), "pointsman-closed-"))
    const before = process.env["TMPDIR"]
    onTestFinished(() => {
      if (before === undefined) delete process.env["TMPDIR"]
      else process.env["TMPDIR"] = before
      rmSync(closed, { recursive: true })
    })
    const native = join(closed, "native")
    cpSync(findBinaries(), native, { recursive: true, verbatimSymlinks: true })
    process.env["TMPDIR"] = closed

    const folder = newDatabaseFolder(native)
    assert.isFalse(folder.home.startsWith(closed))
    assert.isTrue(folder.native.startsWith(folder.home))

    const postgres = await startPostgres(folder)
    assert.match(postgres.url, /^postgres:\/\/postgres@127\.0\.0\.1:\d+\/postgres$/)
    await postgres.stop()
    assert.isFalse(existsSync(folder.home))
  })
})
