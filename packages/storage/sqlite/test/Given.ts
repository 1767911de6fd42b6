import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer, type SqliteStorageOptions } from "@pointsman/storage-sqlite"
import { Effect } from "effect"
import { within } from "../../sql/test/Given.ts"
import type { Database } from "../src/Database.ts"

export { newChange, newOperation, newRefund, rate, tenant } from "../../sql/test/Given.ts"

/** A new folder that goes away with the test. */
export const newFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-sqlite-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "pointsman.db")
)

/** Opens the file, runs the effect and closes the file. */
export const withStorage = (options: SqliteStorageOptions) => within(layer(options))

/** A database that keeps the statements it is asked to prepare. */
export const listeningTo = (db: Database) => {
  const asked: Array<string> = []
  const listening: Database = {
    ...db,
    prepare: (sql) => {
      asked.push(sql)
      return db.prepare(sql)
    }
  }
  return { asked, listening }
}

/** As it was before connections had accounts. */
export const withoutAccounts = (db: Database): void => {
  for (const column of ["account", "current_account", "account_changed_at", "fees", "reports"]) {
    db.prepare(`alter table connections drop column ${column}`).run()
  }
  db.prepare("alter table attempts drop column account").run()
  db.prepare("drop table api_key_uses").run()
  db.prepare("drop table audit_entries").run()
  db.prepare("alter table workspaces drop column brand").run()
  db.prepare("alter table success_rates drop column memory").run()
  db.prepare("alter table workspaces drop column retention").run()
  db.prepare("alter table workspaces drop column four_eyes").run()
  db.prepare("drop table retention_lease").run()
  db.prepare("drop table disputes").run()
  db.prepare("drop table dispute_evidence").run()
  db.prepare("drop table proof_lease").run()
  db.prepare("drop table report_lease").run()
  db.prepare("drop index messages_with_body").run()
  db.prepare("alter table webhook_endpoints drop column rotation").run()
  const ofOperators = ["passkeys", "passkey_challenges", "sign_in_guesses", "sign_in_links", "operator_sessions"]
  for (const table of [...ofOperators, "operators"]) {
    db.prepare(`drop table ${table}`).run()
  }
  for (const index of ["deliveries_by_endpoint", "deliveries_by_event"]) db.prepare(`drop index ${index}`).run()
  for (const column of ["name", "expires_at", "networks"]) {
    db.prepare(`alter table api_keys drop column ${column}`).run()
  }
}

/** As it was before reports were reconciled. */
const withoutSettlements = (db: Database): void => {
  for (const table of ["settlement_entries", "reconciliation_runs", "reconciliation_leases"])
    db.prepare(`drop table ${table}`).run()
  db.prepare("drop index refunds_by_provider_refund").run()
}

/** As it was before payments were searched. */
export const withoutSearch = (db: Database): void => {
  for (const column of ["metadata", "purchase"]) db.prepare(`alter table payments drop column ${column}`).run()
  db.prepare("drop table payment_metadata").run()
  for (const index of ["payments_by_reference", "payments_by_amount"]) db.prepare(`drop index ${index}`).run()
  withoutSettlements(db)
}

export const withoutCheckedConnections = (db: Database): void => {
  db.prepare("drop index payments_due_by_connection").run()
  db.prepare("alter table payments drop column check_connection").run()
  db.prepare("create index payments_due on payments (check_at) where check_at is not null").run()
}
