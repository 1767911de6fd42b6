/** What is tried again where a store surely did nothing: six times over some three seconds, as long as a client waits. */
import { Effect, Schedule } from "effect"
import { type Change, type CommitFailure, Ledger } from "../ports/Ledger.ts"
import type { StorageError } from "../ports/StorageError.ts"

const again = { schedule: Schedule.exponential("50 millis"), times: 6 }

export const commitInsistently = (change: Change): Effect.Effect<void, CommitFailure, Ledger> =>
  Effect.flatMap(Ledger, (ledger) =>
    Effect.retry(ledger.commit(change), { ...again, while: ({ _tag }) => _tag === "pointsman/StorageError" })
  )

/** A fact is written however many writers come first; past this many something is wrong. */
export const factDecisionsAtMost = 20

/** Until it works, ever more slowly, at most a minute apart: for what a provider did, which must not be lost. */
export const keepTrying = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<void, never, R> =>
  Effect.ignore(Effect.retry(work, Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("1 minute")])))

/** A whole step, tried again for as long as a client waits, whatever it failed with. */
export const insistently = <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => Effect.retry(step, again)

export const readInsistently = <A>(read: Effect.Effect<A, StorageError>): Effect.Effect<A, StorageError> =>
  Effect.retry(read, again)
