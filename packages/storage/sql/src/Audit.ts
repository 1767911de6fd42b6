/** The audit trail. Those who add an entry take turns until they commit: each follows the newest one. */
import * as Ports from "@pointsman/core/ports"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Bound, valuesOf } from "./Columns.ts"
import { insertInto, placesOf, type Query, readAll, repeatable, type Sql } from "./Sql.ts"

/** Inside a transaction, and best its last statements: others wait for its end. */
export const makeAppend = <V>({ locking, rows: { audit }, sha256 }: Sql<V>) => {
  const bind = valuesOf(audit.columns)
  const insert = insertInto("audit_entries", Object.keys(audit.columns))
  const lock = locking("lock table audit_entries in share row exclusive mode")
  return Effect.fnUntraced(function* (query: Query<V>, draft: Ports.AuditDraft) {
    yield* query(lock)
    const [last] = yield* query("select * from audit_entries order by number desc limit 1")
    const entry = Ports.nextEntry(draft, last === undefined ? undefined : audit.read(last), sha256)
    yield* query(insert, bind(entry))
    return entry
  })
}

/** A transaction, and its entry, which is not written where the body gives `false`. */
export const makeLogged = <V>(sql: Sql<V>) => {
  const append = makeAppend(sql)
  return <A>(
    operation: string,
    audit: Ports.AuditDraft | undefined,
    body: (query: Query<V>) => Effect.Effect<A, SqlError>
  ): Effect.Effect<A, Ports.StorageError> =>
    repeatable(sql, operation, (query) =>
      Effect.gen(function* () {
        const value = yield* body(query)
        return { value, entry: audit === undefined || value === false ? undefined : yield* append(query, audit) }
      })
    ).pipe(
      Effect.tap(({ entry }) => (entry === undefined ? Effect.void : Ports.logEntry(entry))),
      Effect.map(({ value }) => value)
    )
}

export const makeAudit = <V>(sql: Sql<V>): Ports.Audit => {
  const { read } = sql.rows.audit
  const append = makeAppend(sql)
  return {
    append: (draft) =>
      repeatable(sql, "audit.append", (query) => append(query, draft)).pipe(Effect.tap(Ports.logEntry)),
    list: ({ after, limit }) => readAll(sql, "audit.list", read, selectAfter, [after, limit]),
    search: (search) =>
      Effect.suspend(() =>
        Effect.map(sql.search("audit.search", ...selectNewest(sql, search)), (found) => found.map(read))
      )
  }
}

const selectAfter = "select * from audit_entries where number > $1 order by number limit $2"

const selectNewest = <V>(
  { rows: { bindText } }: Sql<V>,
  { action, actor, before, from, limit, until, workspaceIds }: Ports.AuditSearch
) => {
  const values: Array<Bound<V>> = []
  const place = placesOf(values)
  const begins = (id: string) => {
    const beginning = `${place(Ports.detailsOfWorkspace(id))}::text`
    return `substr(details, 1, length(${beginning})) = ${beginning}`
  }
  const conditions = [
    "true",
    ...(before === undefined ? [] : [`number < ${place(before)}`]),
    ...(actor === undefined ? [] : [`actor = ${place(bindText(actor))}`]),
    ...(action === undefined ? [] : [`action = ${place(action)}`]),
    ...(from === undefined ? [] : [`at >= ${place(from)}`]),
    ...(until === undefined ? [] : [`at < ${place(until)}`]),
    ...(workspaceIds === undefined ? [] : [`(${["false", ...workspaceIds.map(begins)].join(" or ")})`])
  ]
  const text = `select * from audit_entries where ${conditions.join(" and ")} order by number desc limit ${place(limit)}`
  return [text, values] as const
}
