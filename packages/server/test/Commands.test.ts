/** What every operations command has in common: which database it takes, and which it leaves alone. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { runCommand } from "./support/CommandProcess.ts"
import { encryptionKeyOf } from "./support/EncryptionKeys.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { sqliteWorld, worldKey } from "./support/SqliteWorld.ts"

const list = ["webhooks", "list", "--environment", "sandbox"]

describe("an operations command", () => {
  it("a command without a database at its settings says so and leaves nothing behind", async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, "folder"))
    writeFileSync(join(folder, "empty.db"), "")
    const before = readdirSync(folder)
    const [byDefault, mistyped, empty, aFolder, inMemory, wrong] = await Promise.all([
      runCommand(folder, list),
      runHere(folder, [...list, "--database-url", "sqlite:typo.db"]),
      runHere(folder, list, { POINTSMAN_DATABASE_URL: "sqlite:empty.db" }),
      runHere(folder, [...list, "--database-url", "sqlite:folder"]),
      runHere(folder, [...list, "--database-url", "sqlite::memory:"]),
      runHere(folder, [...list, "--database-url", "postgres://u:visible@db/x"], { PORT: "none" })
    ])
    const expected = [
      [byDefault, `No database at ${join(folder, ".pointsman/pointsman.db")}.`],
      [mistyped, `No database at ${join(folder, "typo.db")}.`],
      [empty, `No database at ${join(folder, "empty.db")}.`],
      [aFolder, "POINTSMAN_DATABASE_URL (--database-url): expected the path of a file, but folder is a directory."],
      [inMemory, "POINTSMAN_DATABASE_URL (--database-url): expected the file of a server's database;"],
      [wrong, "The settings are invalid:\n  PORT (--port): expected a port"]
    ] as const
    for (const [{ code, stderr, stdout }, said] of expected) {
      assert.deepStrictEqual([code, stdout], [1, ""])
      assert.isTrue(stderr.startsWith(said), stderr)
      assert.notMatch(stderr, /\n\s+at |visible/u)
    }
    assert.deepStrictEqual(readdirSync(folder), before)
  })

  it("a command opens a server's database as the server does, and changes no schema", async () => {
    const folder = temporaryFolder()
    const kept = join(folder, ".pointsman")
    const path = join(kept, "pointsman.db")
    const key = worldKey
    mkdirSync(kept)
    await Effect.runPromise(Effect.scoped(Layer.build(sqliteWorld(path).layer)))
    const keyPath = `${path}.encryption-key`
    writeFileSync(keyPath, key, { mode: 0o600 })

    assert.deepStrictEqual(await runCommand(folder, list), {
      code: 0,
      stdout: "",
      stderr: "No deliveries found.\n"
    })

    rmSync(keyPath)
    const other = encryptionKeyOf("other")
    const [without, wrong, right] = await Promise.all([
      runHere(folder, list),
      runHere(folder, list, { POINTSMAN_ENCRYPTION_KEY: other }),
      runHere(folder, [...list, "--json"], { POINTSMAN_ENCRYPTION_KEY: key })
    ])
    assert.strictEqual(without.code, 1)
    assert.match(without.stderr, /^The encryption key of the database .*pointsman\.db was not found/u)
    assert.strictEqual(wrong.code, 1)
    assert.match(wrong.stderr, /^The encryption key does not match the database/u)
    assert.notInclude(wrong.stderr, other)
    assert.deepStrictEqual(JSON.parse(right.stdout), { data: [], has_more: false, next_cursor: null })
    assert.notInclude(readdirSync(kept), "pointsman.db.encryption-key")

    const db = new DatabaseSync(path)
    db.exec(
      "delete from pointsman_migrations where migration_id = (select max(migration_id) from pointsman_migrations)"
    )
    db.close()
    const bytes = readFileSync(path)
    const behind = await runHere(folder, list, { POINTSMAN_ENCRYPTION_KEY: key })
    assert.strictEqual(behind.code, 1)
    assert.match(
      behind.stderr,
      /^The database .* cannot be used: it has the outdated schema version \d+; this release needs \d+: start the server once/u
    )
    assert.isTrue(readFileSync(path).equals(bytes))
  })
})
