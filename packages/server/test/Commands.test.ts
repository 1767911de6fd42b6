/** What every operations command has in common: which database it takes, which it leaves alone, and what is missing there. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused, runCommand } from "./support/CommandProcess.ts"
import { encryptionKeyOf } from "./support/EncryptionKeys.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"
import { sqliteWorld, worldKey } from "./support/SqliteWorld.ts"

const list = ["webhooks", "list", "--environment", "sandbox"]
const withKey = { POINTSMAN_ENCRYPTION_KEY: worldKey }

/** A database as a first start leaves it. */
const makeSound = (path: string) => Effect.runPromise(Effect.scoped(Layer.build(sqliteWorld(path).layer)))

/** Nothing that these commands show is in them. */
const unread = [
  "success_rates",
  "merchants",
  "messages",
  "delivery_attempts",
  "deliveries",
  "record_losses",
  "recovered_connections",
  "api_key_uses",
  "audit_entries",
  "operators",
  "operator_sessions",
  "sign_in_links",
  "sign_in_guesses",
  "passkeys",
  "passkey_challenges",
  "leases",
  "reconciliation_runs",
  "reconciliation_leases",
  "settlement_entries"
]

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
    for (const [refused, said] of [
      [byDefault, `No database at ${join(folder, ".pointsman/pointsman.db")}.`],
      [mistyped, `No database at ${join(folder, "typo.db")}.`],
      [empty, `No database at ${join(folder, "empty.db")}.`],
      [aFolder, "POINTSMAN_DATABASE_URL (--database-url): expected the path of a file, but folder is a directory."],
      [inMemory, "POINTSMAN_DATABASE_URL (--database-url): expected the file of a server's database;"],
      [wrong, "The settings are invalid:\n  PORT (--port): expected a port"]
    ] as const) {
      assertRefused(refused, said)
      assert.isTrue(refused.stderr.startsWith(said), refused.stderr)
      assert.notInclude(refused.stderr, "visible")
    }
    assert.deepStrictEqual(readdirSync(folder), before)
  })

  it("a command opens a server's database as the server does, and changes no schema", async () => {
    const folder = temporaryFolder()
    const kept = join(folder, ".pointsman")
    const path = join(kept, "pointsman.db")
    mkdirSync(kept)
    await makeSound(path)
    const keyPath = `${path}.encryption-key`
    writeFileSync(keyPath, worldKey, { mode: 0o600 })

    assert.deepStrictEqual(await runCommand(folder, list), { code: 0, stdout: "", stderr: "No deliveries found.\n" })

    rmSync(keyPath)
    const other = encryptionKeyOf("other")
    const [without, wrong, right] = await Promise.all([
      runHere(folder, list),
      runHere(folder, list, { POINTSMAN_ENCRYPTION_KEY: other }),
      runHere(folder, [...list, "--json"], withKey)
    ])
    assertRefused(without, /^The encryption key of the database .*pointsman\.db was not found/u)
    assertRefused(wrong, /^The encryption key does not match the database/u)
    assert.notInclude(wrong.stderr, other)
    assert.deepStrictEqual(JSON.parse(right.stdout), { data: [], has_more: false, next_cursor: null })
    assert.notInclude(readdirSync(kept), "pointsman.db.encryption-key")

    const db = new DatabaseSync(path)
    db.exec(
      "delete from pointsman_migrations where migration_id = (select max(migration_id) from pointsman_migrations)"
    )
    db.close()
    const bytes = readFileSync(path)
    assertRefused(
      await runHere(folder, list, withKey),
      /^The database .* cannot be used: it has the outdated schema version \d+; this release needs \d+: start the server once/u
    )
    assert.isTrue(readFileSync(path).equals(bytes))
  })

  it("doctor and a list end with 1 and name a missing table, without a stack trace", async () => {
    const folder = temporaryFolder()
    const [sound, path] = [join(folder, "sound.db"), join(folder, "payments.db")]
    await makeSound(sound)
    const db = new DatabaseSync(sound)
    const names = db.prepare("select name from sqlite_schema where type = 'table'").all()
    db.close()
    const tables = names
      .map(({ name }) => String(name))
      .filter((name) => name !== "pointsman_migrations" && !unread.includes(name))
    assert.includeMembers(tables, [
      "tenants",
      "payments",
      "names",
      "charges",
      "events",
      "api_keys",
      "webhook_endpoints"
    ])
    const environment = { ...withKey, POINTSMAN_DATABASE_URL: "sqlite:payments.db" }
    for (const table of tables) {
      copyFileSync(sound, path)
      const broken = new DatabaseSync(path, { enableForeignKeyConstraints: false })
      broken.exec(`drop table ${table}`)
      broken.close()
      const says = `The database payments.db cannot be used: no such table: ${table}.\n`
      const list = await runHere(folder, ["payments", "list", "--environment", "sandbox"], environment)
      assert.deepStrictEqual(list, { code: 1, stdout: "", stderr: says })
      const doctor = await runHere(folder, ["doctor"], environment)
      assert.deepStrictEqual([doctor.code, doctor.stderr], [1, "1 wrong, 0 warnings.\n"])
      assert.match(doctor.stdout, /^wrong {3}database {7}/mu)
      assert.include(doctor.stdout, says)
    }
  })
})
