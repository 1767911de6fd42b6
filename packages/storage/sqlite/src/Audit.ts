/** The audit trail in SQLite: one writer at a time, so that each entry follows the newest one. */
import { createHash } from "node:crypto"
import type { SQLInputValue } from "node:sqlite"
import {
  type Audit,
  type AuditDraft,
  type AuditEntry,
  type AuditSearch,
  detailsOfWorkspace,
  logEntry,
  nextEntry,
  type StorageError
} from "@pointsman/core/ports"
import { valuesOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Database, read, update } from "./Database.ts"
import { bindText, insertInto, rows } from "./Rows.ts"

const { auditColumns, readEntry } = rows
const bind = valuesOf(auditColumns)
const insert = insertInto("audit_entries", Object.keys(auditColumns))

export const make = (db: Database): Audit => ({
  append: (draft) =>
    Effect.tap(
      update(db, "audit.append", () => append(db, draft)),
      logEntry
    ),
  list: ({ after, limit }) =>
    read("audit.list", () =>
      db
        .prepare("select * from audit_entries where number > ? order by number limit ?")
        .all(after, limit)
        .map(readEntry)
    ),
  search: (query) =>
    read("audit.search", () => {
      const conditions = conditionsOf(query)
      const where = ["true", ...conditions.map(({ sql }) => sql)].join(" and ")
      return db
        .prepare(`select * from audit_entries where ${where} order by number desc limit ?`)
        .all(...conditions.flatMap(({ values }) => values), query.limit)
        .map(readEntry)
    })
})

const conditionsOf = ({ action, actor, before, from, until, workspaceIds }: AuditSearch) => {
  const when = (sql: string, value: SQLInputValue | undefined) =>
    value === undefined ? [] : [{ sql, values: [value] }]
  const beginnings = workspaceIds?.map(detailsOfWorkspace)
  return [
    ...when("number < ?", before),
    ...when("actor = ?", actor === undefined ? undefined : bindText(actor)),
    ...when("action = ?", action),
    ...when("at >= ?", from),
    ...when("at < ?", until),
    ...(beginnings === undefined
      ? []
      : [
          {
            sql: `(${["false", ...beginnings.map(() => "substr(details, 1, ?) = ?")].join(" or ")})`,
            values: beginnings.flatMap((beginning): ReadonlyArray<SQLInputValue> => [[...beginning].length, beginning])
          }
        ])
  ]
}

/** Inside a transaction that writes. */
export const append = (db: Database, draft: AuditDraft): AuditEntry => {
  const last = db.prepare("select * from audit_entries order by number desc limit 1").get()
  const entry = nextEntry(draft, last === undefined ? undefined : readEntry(last), sha256)
  db.prepare(insert).run(...bind(entry))
  return entry
}

/** One write, and its entry; `undefined` of the body: nothing was changed, and no entry is written. */
export const logged = <A>(
  db: Database,
  operation: string,
  audit: AuditDraft,
  body: () => A | undefined
): Effect.Effect<A | undefined, StorageError> =>
  Effect.flatMap(
    update(db, operation, () => {
      const value = body()
      return { value, entry: value === undefined ? undefined : append(db, audit) }
    }),
    ({ entry, value }) => (entry === undefined ? Effect.succeed(value) : Effect.as(logEntry(entry), value))
  )

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")
