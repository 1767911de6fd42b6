/**
 * Writes a change, whole or not at all. A statement that another one came in the way of is sent again, and its checks
 * see what came between.
 */
import {
  ApiKeyRevoked,
  type CommitFailure,
  KeyRecovered,
  KeyTaken,
  MessageTaken,
  RecordsMissing,
  ReferenceTaken,
  Stale,
  StorageError
} from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Word } from "./CommitChecks.ts"
import type { Statement } from "./CommitStatement.ts"
import type { Database } from "./Database.ts"
import { type DrawnChange, nameOf, type Shape } from "./DrawnChange.ts"
import { bindTenant, bindText, readClaim, readText } from "./Rows.ts"
import { codes, type Refused } from "./SqlFailures.ts"

/** Each round lets another write through; after so many of them something else is wrong. */
const maxRounds = 20

/** Texts are made once: PostgreSQL prepares each of them once on each connection. */
export const statements = (make: (shape: Shape) => Statement): ((shape: Shape) => Statement) => {
  const made = new Map<string, Statement>()
  return (shape) => {
    const name = nameOf(shape)
    const found = made.get(name)
    if (found !== undefined) return found
    const statement = make(shape)
    made.set(name, statement)
    return statement
  }
}

/** `since`: see `Database.write`. */
export const commitOne = (
  db: Database,
  statementOf: (shape: Shape) => Statement
): ((drawn: DrawnChange, since?: number) => Effect.Effect<void, CommitFailure>) => {
  return Effect.fnUntraced(function* (drawn: DrawnChange, since?: number): Effect.fn.Return<void, CommitFailure> {
    const { bind, read, sql } = statementOf(drawn.shape)
    const params = bind([drawn])
    const isClaim = beginsWork(drawn)
    for (let round = 0; round < maxRounds; round++) {
      const [found] = yield* Effect.catchTag(db.write("commit", sql, params, isClaim, since), "Refused", takenBack)
      if (found === undefined) continue
      const row = read === undefined ? found : read(found)
      if (row["word"] !== "Sound") return yield* refusal(db, drawn, row)
      if (row["written"] === true) return
    }
    const cause = new Error(`${maxRounds} concurrent writes conflicted`)
    return yield* new StorageError({ operation: "commit", cause })
  })
}

/** The first write of a request: who sent it is told to come again where the database is busy. */
export const beginsWork = ({ change: { apiKeyHash, payment } }: DrawnChange): boolean =>
  apiKeyHash !== undefined || payment.expected === 0

/** Because of another statement, and may be sent again. */
const mayBeSentAgain: ReadonlySet<string> = new Set([codes.cameBetween, codes.deadlock, codes.serialization])

const takenBack = (refused: Refused): Effect.Effect<ReadonlyArray<Row>, StorageError> => {
  if (mayBeSentAgain.has(refused.code) || refused.constraint === "charge_references_pkey") return Effect.succeed([])
  // Rows that no change may write: a key that another refund has, money that was never there.
  if (refused.code.startsWith("23")) return Effect.die(new Error(`Ledger.commit: ${messageOf(refused.error)}`))
  return Effect.fail(refused.error)
}

const messageOf = ({ cause }: StorageError): string => (cause instanceof Error ? cause.message : String(cause))

export const refusal = (db: Database, drawn: DrawnChange, row: Row): Effect.Effect<never, CommitFailure> => {
  switch (row["word"] as Exclude<Word, "Sound">) {
    case "ApiKeyRevoked":
      return Effect.fail(new ApiKeyRevoked())
    case "KeyTaken":
      return Effect.fail(new KeyTaken({ claim: readClaim(row) }))
    case "MessageTaken":
      return Effect.fail(new MessageTaken())
    case "Stale":
      return Effect.fail(new Stale())
    case "RecordsMissing":
      return Effect.fail(new StorageError({ operation: "commit", cause: new RecordsMissing() }))
    case "KeyRecovered":
      return keyRecovered(db, drawn)
    case "ReferenceTaken":
      return takenReference(db, drawn)
    case "Unbalanced":
      return Effect.die(new Error("Ledger.commit: the refunds do not add up to what the payment says"))
  }
}

const selectRecovered = `select payment_id from recovered_keys
  where workspace_id = $1 and environment = $2 and tag = $3 and kind = $4 and (kind = 'charge' or payment_id = $5)`

/** Asked for by itself: it is rare. Where it was removed since, the key is free, and asked for again. */
const keyRecovered = Effect.fnUntraced(function* (
  db: Database,
  { change: { guard, payment, tenant } }: DrawnChange
): Effect.fn.Return<never, CommitFailure> {
  const { kind = "", tag = "" } = guard?.key ?? {}
  const rows = yield* db.read("commit", selectRecovered, [...bindTenant(tenant), tag, kind, bindText(payment.after.id)])
  if (rows.length === 0) return yield* new Stale()
  const cause = new KeyRecovered({ paymentIds: rows.map((row) => readText(row["payment_id"])) })
  return yield* new StorageError({ operation: "commit", cause })
})

/** What the payment itself stands on it keeps: an older version may have written the same of both. */
const selectHolder = `select payment_id from charge_references
  where workspace_id = $1 and environment = $2 and connection_id = $3 and reference_hash = md5($4) and payment_id <> $5
    and not exists (
      select 1 from payments
      where workspace_id = $1 and environment = $2 and id = $5 and connection_id = $3 and provider_ref = $4
    )`

/** Asked for by itself: it is rare, and what has a reference keeps it. */
const takenReference = Effect.fnUntraced(function* (
  db: Database,
  { change: { payment, tenant }, references }: DrawnChange
): Effect.fn.Return<never, CommitFailure> {
  for (const { connectionId, providerRef } of references) {
    const params = [tenant.workspaceId, tenant.environment, connectionId, providerRef, payment.after.id].map(bindText)
    const [holder] = yield* db.read("commit", selectHolder, params)
    if (holder !== undefined) {
      return yield* new ReferenceTaken({ connectionId, providerRef, paymentId: readText(holder["payment_id"]) })
    }
  }
  return yield* new Stale()
})
