/**
 * Writes a change, whole or not at all. One that was refused, and that nothing refuses any more, is sent again with what was
 * seen since.
 */
import { type CommitFailure, StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Statement, statementForOne } from "./CommitStatement.ts"
import type { Database } from "./Database.ts"
import { type DrawnChange, drawnChange, nameOf, type Shape } from "./DrawnChange.ts"
import { tenantNumber } from "./Keys.ts"
import { refusal } from "./Refusals.ts"
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

/**
 * `history`: what versions of the database's present history begin after, in SQL. `followed`: the tenants that
 * are known to have an endpoint. `since`: see `Database.write`.
 */
export const commitOne = (
  db: Database,
  history: string | undefined,
  followed: Set<string>
): ((drawn: DrawnChange, since?: number) => Effect.Effect<void, CommitFailure>) => {
  const statementOf = statements(statementForOne(history))
  return Effect.fnUntraced(function* (given: DrawnChange, since?: number): Effect.fn.Return<void, CommitFailure> {
    const isClaim = beginsWork(given)
    let drawn = given
    for (let round = 0; round < maxRounds; round++) {
      if (isWritable(drawn)) {
        const { bind, sql } = statementOf(drawn.shape)
        const params = bind([drawn])
        const [row] = yield* Effect.catchTag(db.write("commit", sql, params, isClaim, since), "Refused", takenBack)
        if (row?.["written"] === 1) return
      }
      const looked = yield* refusal(db, drawn)
      if (looked.isFollowed === true) followed.add(tenantNumber(drawn.change.tenant))
      if (drawn.broken !== undefined) return yield* Effect.die(new Error(`Ledger.commit: ${drawn.broken}`))
      drawn = drawnChange(drawn.change, drawn.events, looked)
    }
    const cause = new Error(`${maxRounds} concurrent writes conflicted`)
    return yield* new StorageError({ operation: "commit", cause })
  })
}

/** The others are looked at alone: what refuses one comes before what is wrong with it. */
export const isWritable = ({ broken, change: { payment } }: DrawnChange): boolean =>
  broken === undefined && (payment.expected === 0 || payment.before !== undefined)

/** The first write of a request: who sent it is told to come again where the database is busy. */
export const beginsWork = ({ change: { apiKeyHash, payment } }: DrawnChange): boolean =>
  apiKeyHash !== undefined || payment.expected === 0

/** Because of another statement, and may be sent again. */
const mayBeSentAgain: ReadonlySet<string> = new Set([codes.cameBetween, codes.deadlock, codes.serialization])

const takenBack = (refused: Refused): Effect.Effect<ReadonlyArray<Row>, StorageError> => {
  if (mayBeSentAgain.has(refused.code) || refused.constraint === "payments_by_key") return Effect.succeed([])
  // Rows that no change may write: money that was never there.
  if (refused.code.startsWith("23")) return Effect.die(new Error(`Ledger.commit: ${messageOf(refused.error)}`))
  return Effect.fail(refused.error)
}

const messageOf = ({ cause }: StorageError): string => (cause instanceof Error ? cause.message : String(cause))
