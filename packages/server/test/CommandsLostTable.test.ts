/** Commands on a database that lost a table, as after a bad restore: told in a sentence, and never by a defect. */
import { copyFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Ids } from "@pointsman/core/ports"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const environment = {
  POINTSMAN_DATABASE_URL: "sqlite:payments.db",
  POINTSMAN_ENCRYPTION_KEY: "jZAB0yxqcD2Vkhp3EVBQ8z3YI9PxcwvTUhXcvsrW3CA="
}

/** A database as a first start leaves it. */
const sound = async (): Promise<string> => {
  const path = join(temporaryFolder(), "sound.db")
  await Effect.runPromise(
    Effect.scoped(
      Layer.build(
        SqliteStorage.layer({ filename: path }).pipe(Layer.provide(Ids.layer), Layer.provide(NodeCrypto.layer))
      )
    )
  )
  return path
}

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

describe("a database that lost a table", () => {
  it("doctor and a list end with 1 and name a missing table, without a stack trace", async () => {
    const path = await sound()
    const db = new DatabaseSync(path)
    const tables = db
      .prepare("select name from sqlite_schema where type = 'table'")
      .all()
      .map(({ name }) => String(name))
      .filter((name) => name !== "pointsman_migrations" && !unread.includes(name))
    db.close()
    assert.includeMembers(tables, [
      "tenants",
      "payments",
      "names",
      "charges",
      "events",
      "api_keys",
      "webhook_endpoints"
    ])
    const folder = temporaryFolder()
    for (const table of tables) {
      copyFileSync(path, join(folder, "payments.db"))
      const broken = new DatabaseSync(join(folder, "payments.db"), { enableForeignKeyConstraints: false })
      broken.exec(`drop table ${table}`)
      broken.close()
      const says = `The database payments.db cannot be used: no such table: ${table}.\n`

      const list = await runHere(folder, ["payments", "list", "--environment", "sandbox"], environment)
      const doctor = await runHere(folder, ["doctor"], environment)

      assert.deepStrictEqual(list, { code: 1, stdout: "", stderr: says })
      assert.deepStrictEqual([doctor.code, doctor.stderr], [1, "1 wrong, 0 warnings.\n"])
      assert.match(doctor.stdout, /^wrong {3}database {7}/mu)
      assert.include(doctor.stdout, says)
    }
  })
})
