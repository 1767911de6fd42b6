/** The ledger's commit: one statement a change, or one for many that wait. */
import { type Change, type CommitFailure, Ids } from "@pointsman/core/ports"
import { Effect } from "effect"
import { commitMany } from "./CommitMany.ts"
import { commitOne } from "./CommitOne.ts"
import type { Database } from "./Database.ts"
import { type DrawnEvent, drawnChange } from "./DrawnChange.ts"

export interface CommitOptions {
  /**
   * Whether commits that wait at the same time are written by one statement: `false` unless set. It needs a fraction of
   * the processor time where a hundred payments and more are under way at once, and a little more of it where few are.
   */
  readonly batchCommits?: boolean | undefined
}

export interface LedgerOptions extends CommitOptions {
  /** From how many changes on they are written together; for tests. */
  readonly fewestTogether?: number | undefined
  /** What versions of the database's present history begin after, in SQL; without it all have one history. */
  readonly history?: string | undefined
  readonly onAcknowledged?: ((change: Change) => void) | undefined
}

const noEvents: ReadonlyArray<DrawnEvent> = []

export const makeCommit = Effect.fnUntraced(function* (db: Database, options: LedgerOptions) {
  const ids = yield* Ids
  const one = commitOne(db, options.history)
  const { batchCommits, fewestTogether = 2, history } = options
  const write = batchCommits === true ? yield* commitMany(db, one, fewestTogether, history) : one

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
