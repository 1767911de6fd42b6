/** The ledger's commit: one statement a change, or one for many that wait. */
import { type Change, type CommitFailure, Ids } from "@pointsman/core/ports"
import { Effect } from "effect"
import { commitMany, type GatherOptions } from "./CommitMany.ts"
import { commitOne, statements } from "./CommitOne.ts"
import { type Statement, statementForOne } from "./CommitStatement.ts"
import type { Database } from "./Database.ts"
import { type DrawnEvent, drawnChange } from "./DrawnChange.ts"

export interface CommitOptions {
  /**
   * Whether commits that wait while others are under way are written by one statement: `true` unless set. It needs a
   * fraction of the processor time where many payments are under way at once, and changes nothing where few are.
   */
  readonly batchCommits?: boolean | undefined
}

export interface LedgerOptions extends CommitOptions, GatherOptions {
  /** What versions of the database's present history begin after, in SQL; without it all have one history. */
  readonly history?: string | undefined
  /** What writes a change of any shape, where it is not a statement made for its shape: see `citus/CommitFunction.ts`. */
  readonly call?: Statement | undefined
  /** `true` where every table of a statement must be named with the tenant's values: in a distributed database. */
  readonly namesTenant?: boolean | undefined
  readonly onAcknowledged?: ((change: Change) => void) | undefined
}

const noEvents: ReadonlyArray<DrawnEvent> = []

export const makeCommit = Effect.fnUntraced(function* (db: Database, options: LedgerOptions) {
  const ids = yield* Ids
  const { call, history } = options
  const one = commitOne(db, call === undefined ? statements(statementForOne(history)) : () => call)
  const write = options.batchCommits === false || call !== undefined ? one : yield* commitMany(db, one, options)

  /** Ids are drawn once: a statement that is sent again writes what it would have written. */
  const drawn = ({ events }: Change): Effect.Effect<ReadonlyArray<DrawnEvent>> =>
    events.length === 0
      ? Effect.succeed(noEvents)
      : Effect.forEach(events, (draft) =>
          Effect.flatMap(ids.event, (id) => Effect.map(ids.delivery, (seed) => ({ draft, id, seed })))
        )

  return (change: Change): Effect.Effect<void, CommitFailure> =>
    Effect.map(
      Effect.flatMap(drawn(change), (events) => write(drawnChange(change, events))),
      () => options.onAcknowledged?.(change)
    )
})
