/** The audit trail in PostgreSQL. Those who add an entry take turns until they commit: each follows the newest one. */
import { createHash } from "node:crypto"
import {
  type Audit,
  type AuditDraft,
  type AuditSearch,
  detailsOfWorkspace,
  logEntry,
  nextEntry,
  StorageError
} from "@pointsman/core/ports"
import { valuesOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database, Query } from "./Database.ts"
import type { Reads } from "./Reads.ts"
import { bindText, bindValue, insertInto, rows } from "./Rows.ts"

const { auditColumns, readEntry } = rows
const bind = valuesOf(auditColumns)
const insert = insertInto("audit_entries", Object.keys(auditColumns))
const lock = "lock table audit_entries in share row exclusive mode"
const selectLast = "select * from audit_entries order by number desc limit 1"
const selectAfter = "select * from audit_entries where number > $1::text::bigint order by number limit $2::text::bigint"

export const make = (db: Database, reads: Reads): Audit => ({
  append: (draft) =>
    db
      .transaction("audit.append", (query) => append(query, draft))
      .pipe(
        Effect.catchTag("pointsman/CommitUnknown", ({ cause, operation }) =>
          Effect.fail(new StorageError({ operation, cause }))
        ),
        Effect.tap(logEntry)
      ),
  list: ({ after, limit }) =>
    Effect.map(db.read("audit.list", selectAfter, [String(after), String(limit)]), (found) => found.map(readEntry)),
  search: (query) =>
    Effect.suspend(() => {
      const { params, sql } = selectNewest(query)
      return Effect.map(reads.list("audit.search", [sql, params]), (found) => found.map(readEntry))
    })
})

const selectNewest = ({ action, actor, before, from, limit, until, workspaceIds }: AuditSearch) => {
  const params: Array<string> = []
  const place = (value: string) => `$${params.push(value)}`
  const number = (value: number) => `${place(String(value))}::text::bigint`
  const conditions = [
    ...(before === undefined ? [] : [`number < ${number(before)}`]),
    ...(actor === undefined ? [] : [`actor = ${place(bindText(actor))}`]),
    ...(action === undefined ? [] : [`action = ${place(action)}`]),
    ...(from === undefined ? [] : [`at >= ${number(from)}`]),
    ...(until === undefined ? [] : [`at < ${number(until)}`]),
    ...(workspaceIds === undefined
      ? []
      : [
          `(${["false", ...workspaceIds.map((id) => `starts_with(details, ${place(detailsOfWorkspace(id))})`)].join(" or ")})`
        ])
  ]
  const sql = `select * from audit_entries where ${["true", ...conditions].join(" and ")}
    order by number desc limit ${number(limit)}`
  return { sql, params }
}

/** The last statement of a transaction: others wait for its end. */
export const append = Effect.fnUntraced(function* (query: Query, draft: AuditDraft) {
  yield* query(lock)
  const [last] = yield* query(selectLast)
  const entry = nextEntry(draft, last === undefined ? undefined : readEntry(last), sha256)
  yield* query(insert, bind(entry).map(bindValue))
  return entry
})

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
