/** The ledger's commit: one statement a change, or one for many that wait. */
import type { Tenant } from "@pointsman/core"
import { type Change, type CommitFailure, Ids, StorageError } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Cache, Duration, Effect, Exit } from "effect"
import { storedBook } from "./Books.ts"
import { commitMany, type GatherOptions } from "./CommitMany.ts"
import { makeStatements } from "./CommitStatement.ts"
import type { Database } from "./Database.ts"
import { beginsWork, type DrawnChange, type DrawnEvent, drawnChange, isWritable } from "./DrawnChange.ts"
import { refusal, registerTenant } from "./Refusals.ts"
import { tenantNumber } from "./Rows.ts"
import { codes, type Refused } from "./SqlFailures.ts"

export interface CommitOptions {
  /**
   * Whether commits that wait while others are under way are written by one statement: `true` unless set. It needs a
   * fraction of the processor time where many payments are under way at once, and changes nothing where few are.
   */
  readonly batchCommits?: boolean | undefined
}

export interface LedgerOptions extends CommitOptions, GatherOptions {
  /** See `makeStatements`. */
  readonly history?: string | undefined
  readonly onAcknowledged?: ((change: Change) => void) | undefined
}

export const makeCommit = Effect.fnUntraced(function* (db: Database, options: LedgerOptions) {
  const ids = yield* Ids
  const followed = new Set<string>()
  const one = commitOne(db, options.history, followed)
  const write = options.batchCommits === false ? one : yield* commitMany(db, one, options)
  /**
   * Gives a tenant its row before this process writes the first payment of it, once for all that wait. By its names: another
   * tenant with the same number must not pass for one that has its row.
   */
  const registered = yield* Cache.makeWith((tenant: Tenant) => Effect.uninterruptible(registerTenant(db, tenant)), {
    capacity: Number.POSITIVE_INFINITY, // As many as tenants.
    timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero)
  })

  /** Ids are drawn once: a statement that is sent again writes what it would have written. */
  const drawn = ({ events }: Change): Effect.Effect<ReadonlyArray<DrawnEvent>> =>
    Effect.forEach(events, (draft) =>
      Effect.flatMap(ids.event, (id) => Effect.map(ids.delivery, (seed) => ({ draft, id, seed })))
    )

  /** With the book that it was decided on, where that is stored; a payment that is not has none. */
  const complete = (change: Change): Effect.Effect<Change, StorageError> => {
    const { payment, tenant } = change
    if (payment.expected === 0) {
      return Effect.as(Cache.get(registered, tenant), { ...change, payment: { ...payment, before: undefined } })
    }
    if (payment.before !== undefined) return Effect.succeed(change)
    return Effect.map(storedBook(db, "commit", tenant, payment.after.id), (before) =>
      before?.payment.version === payment.expected ? { ...change, payment: { ...payment, before } } : change
    )
  }

  return Effect.fnUntraced(function* (given: Change): Effect.fn.Return<boolean, CommitFailure> {
    const tenant = tenantNumber(given.tenant)
    const change = yield* complete(given)
    yield* write(drawnChange(change, yield* drawn(change), { isFollowed: followed.has(tenant) }))
    options.onAcknowledged?.(given)
    // No event is written without deliveries where the tenant has an endpoint.
    return given.events.length > 0 && followed.has(tenant)
  })
})

/** Each round lets another write through; after so many of them something else is wrong. */
const maxRounds = 20

/**
 * Writes a change, whole or not at all. One that was refused, and that nothing refuses any more, is sent again with what was
 * seen since. `followed`: the tenants that are known to have an endpoint. `since`: see `Database.write`.
 */
const commitOne = (db: Database, history: string | undefined, followed: Set<string>) => {
  const statementOf = makeStatements(false, history)
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
    return yield* new StorageError({
      operation: "commit",
      cause: new Error(`${maxRounds} concurrent writes conflicted`)
    })
  })
}

const mayBeSentAgain: ReadonlySet<string> = new Set([codes.cameBetween, codes.deadlock, codes.serialization])

const takenBack = ({ code, constraint, error }: Refused): Effect.Effect<ReadonlyArray<Row>, StorageError> => {
  if (mayBeSentAgain.has(code) || constraint === "payments_by_key") return Effect.succeed([])
  // Rows that no change may write: money that was never there.
  if (code.startsWith("23")) return Effect.die(new Error(`Ledger.commit: ${(error.cause as Error).message}`))
  return Effect.fail(error)
}
