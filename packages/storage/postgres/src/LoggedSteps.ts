/** Transactions about an operator, with their entry of the audit trail. */
import { type AuditDraft, type AuditEntry, logEntry, StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { append } from "./Audit.ts"
import type { Database, Query } from "./Database.ts"
import { bindText } from "./Rows.ts"

/** For callers that do the same whether nothing was written or the result is unknown. */
export const transactions =
  (db: Database) =>
  <A>(operation: string, body: (query: Query) => Effect.Effect<A, SqlError>): Effect.Effect<A, StorageError> =>
    Effect.catchTag(db.transaction<A, never>(operation, body), "pointsman/CommitUnknown", ({ cause }) =>
      Effect.fail(new StorageError({ operation, cause }))
    )

interface Noted<A> {
  readonly value: A | undefined
  readonly entry: AuditEntry | undefined
}

/** `undefined` of the body: nothing was changed, and no entry is written. */
export const loggedIn =
  (db: Database) =>
  <A>(
    operation: string,
    audit: AuditDraft,
    body: (query: Query) => Effect.Effect<A | undefined, SqlError>
  ): Effect.Effect<A | undefined, StorageError> =>
    transactions(db)(operation, (query) =>
      Effect.flatMap(body(query), (value) =>
        value === undefined
          ? Effect.succeed<Noted<A>>({ value, entry: undefined })
          : Effect.map(append(query, audit), (entry): Noted<A> => ({ value, entry }))
      )
    ).pipe(
      Effect.flatMap(({ entry, value }) =>
        entry === undefined ? Effect.succeed(value) : Effect.as(logEntry(entry), value)
      )
    )

const lockActive = "select id from operators where id = $1 and active for share"

/** A statement that is run while the operator is active, and stays so until the transaction ends; `undefined` otherwise. */
export const whileActive = (query: Query, operatorId: string, sql: string, values: ReadonlyArray<string | null>) =>
  Effect.flatMap(query(lockActive, [bindText(operatorId)]), (found) =>
    found.length === 0 ? Effect.undefined : query(sql, values)
  )
