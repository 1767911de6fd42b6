/** Records of every list of the workspace `rival`, so many of each, in the file of a server. */
import { randomUUID } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import type { Dispute } from "@pointsman/core"
import { newRun } from "@pointsman/core/internal"
import { fileOf, fillFile, sqliteNumbers } from "./FilledStore.ts"
import type { Places } from "./ReadEndpoints.ts"

const owner = "'rival', 'sandbox'"
const number = "printf('%012d', number)"
const byId = (prefix: string) => `'${prefix}_01a1fe08-9226-7266-a33a-' || ${number}`
const of = (prefix: string) => `${prefix}_01a1fe08-9226-7266-a33a-000000000001`

const dispute = (paymentId: string): Dispute => ({
  ...{ id: "id", paymentId, attemptId: "att_1", connectionId: "rival-sandbox", providerRef: null },
  ...{ providerDisputeId: null, status: "needs_response", money: null, reason: null, providerReason: null },
  ...{ evidenceDueBy: null, evidenceSubmittedAt: null, remindedDays: null, evidence: null, submissions: [] },
  ...{ createdAt: 1, updatedAt: 1, checkAt: null }
})

const run = JSON.stringify(
  newRun(
    {
      ...{ id: "id", tenant: { workspaceId: "rival", environment: "sandbox" }, connectionId: "rival-sandbox" },
      ...{ format: "standard", fileName: "report.csv", sha256: "0".repeat(64) }
    },
    1
  )
)

const entries = (
  kind: string,
  from: string
) => `insert into settlement_entries (workspace_id, environment, connection_id,
    row_id, run_id, number, generated_at, kind, result, reason, gross_minor, currency, payout_id, occurred_at, recorded_at,
    opened_at)
  select ${owner}, 'rival-sandbox', '${kind} ' || number, '${of("rec")}', number, 1, '${kind}', 'amount_differs', 'by_id', 1000,
    'EUR', ${from}, unixepoch() * 1000 - number, 1, 1 from`

/** `payment`: of the workspace. Gives what the places of paths stand for. */
export const fillLists = (folder: string, payment: string, count: number): Places => {
  const numbers = sqliteNumbers(count)
  fillFile(folder, count)
  const database = new DatabaseSync(fileOf(folder), { timeout: 60_000, enableForeignKeyConstraints: false })
  const t = "(select t from tenants where workspace_id = 'rival')"
  const endpoint = String(database.prepare("select id from webhook_endpoints").get()?.["id"])
  const record = JSON.stringify(dispute(payment)).replaceAll("'", "''")
  const statements = [
    // Of the payment, and of its copies.
    ...[
      ["0", "payment"],
      ["1", "unhex(substr(hex(payment), 1, 20) || printf('%012x', number))"]
    ].map(
      ([digit, of]) => `insert into events (t, id, type, payment, created_at, data)
        select t, unhex(substr(hex(id), 1, 19) || '${digit}' || ${number}), type, ${of}, created_at, data
        from (select * from events where t = ${t} and type <> 1 limit 1), ${numbers}`
    ),
    `insert into disputes (workspace_id, environment, payment_id, id, status, record)
      select ${owner}, '${payment}', ${byId("dp")}, 'needs_response',
        json_set('${record}', '$.id', ${byId("dp")}) from ${numbers}`,
    `insert into messages (workspace_id, environment, connection_id, event_id, payment_id, about, subject_id, outcome,
        written_at, received_at, is_sealed, body)
      select ${owner}, 'rival-sandbox', 'msg_' || number, '${payment}', 'settlement', 'a', 'unmatched', 1, number, 0, '' from ${numbers}`,
    `insert into deliveries (workspace_id, environment, id, endpoint_id, event_id, state, failures, attempts, created_at)
      select ${owner}, 'dlv_' || id, '${endpoint}', 'evt_' || id, 'Delivered', 0, 1, 1 from (
        select lower(substr(digits, 1, 8) || '-' || substr(digits, 9, 4) || '-' || substr(digits, 13, 4) || '-' ||
          substr(digits, 17, 4) || '-' || substr(digits, 21)) as id
        from (select hex(id) as digits from events where t = ${t} and substr(hex(id), 20, 1) = '1') limit ${count}
      )`,
    `insert into reconciliation_runs (workspace_id, environment, id, connection_id, format, sha256, version, data)
      select ${owner}, ${byId("rec")}, 'rival-sandbox', 'standard', ${number}, 1,
        json_set('${run}', '$.id', ${byId("rec")}) from ${numbers}`,
    `${entries("charge", "'po_1'")} ${numbers}`,
    `${entries("payout", "'po_' || number")} ${numbers}`,
    `insert into audit_entries select (select max(number) from audit_entries) + numbers.number, at, actor, via, action,
      subject, details, previous, hash from audit_entries as e, ${numbers} where e.number = 1`,
    `insert into merchants (partner_id, id, workspace_id, name, email, email_key, country, invitation_hash, created_at)
      select 'rival', ${byId("mer")}, 'rival', 'Shop', 'shop' || number || '@example.com', 'shop' || number || '@example.com', 'NL', 'none', 1 from ${numbers}`
  ]
  for (const one of statements) database.exec(one)
  const delivery = String(database.prepare("select id from deliveries limit 1").get()?.["id"])
  database.close()
  return {
    ...{ workspace: "rival", environment: "sandbox", partner: "rival", connection: "rival-sandbox", endpoint, payment },
    ...{ dispute: of("dp"), delivery, run: of("rec"), merchant: of("mer"), token: "none", id: "msg_1" },
    ...{ payout: "po_1", amount: "1000", currency: "EUR", country: "NL", key: "none", operator: randomUUID() }
  }
}

/** What the workspace `rival` has, of another one too: before it in each order of a list, and its payments under review. */
export const fillOther = (folder: string, workspace: string): void => {
  const database = new DatabaseSync(fileOf(folder), { timeout: 60_000, enableForeignKeyConstraints: false })
  const copy = (table: string, owner: string, values: Readonly<Record<string, string>>, where: string) => {
    const columns = database.prepare("select name from pragma_table_info(?)").all(table)
    const names = columns.map(({ name }) => String(name))
    database.exec(`insert into ${table} (${names.join(", ")}) select ${names.map((name) => values[name] ?? name).join(", ")}
      from ${table} where ${owner} and ${where}`)
  }
  const t = (id: string) => `(select t from tenants where workspace_id = '${id}')`
  database.exec(`insert or ignore into tenants values (zeroblob(8), '${workspace}', 'sandbox')`)
  const ofNumber = { t: t(workspace) }
  copy("payments", `t = ${t("rival")}`, { ...ofNumber, review_since: "rowid" }, "key is null")
  for (const table of ["payment_metadata", "events"]) copy(table, `t = ${t("rival")}`, ofNumber, "true")
  const ofName = { workspace_id: `'${workspace}'` }
  for (const table of ["disputes", "deliveries", "reconciliation_runs", "settlement_entries"]) {
    copy(table, "workspace_id = 'rival'", ofName, "true")
  }
  for (const outcome of ["unmatched", "applied", "received"]) {
    const values = {
      ...ofName,
      outcome: `'${outcome}'`,
      event_id: `'${outcome} ' || event_id`,
      received_at: "9e9",
      payment_id: "null"
    }
    copy("messages", "workspace_id = 'rival'", values, "true")
  }
  database.close()
}
