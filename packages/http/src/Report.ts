import { Cause, Effect } from "effect"

/**
 * Tells the operators of a failure whose cause the client must not see. The log line carries the request's id,
 * which is an annotation of every request.
 */
export const report = (failure: { readonly _tag: string; readonly cause: unknown }): Effect.Effect<void> =>
  Effect.logError(failure._tag, Cause.die(failure.cause))

/**
 * A bug that occurs when a provider may already have been called: its result is unknown, so the answer must not
 * say that nothing was sent.
 */
export const unknownAfterDefect =
  <Failure, RF>(failure: Effect.Effect<never, Failure, RF>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Failure, R | RF> =>
    Effect.catchDefect(effect, (defect) =>
      Effect.andThen(Effect.logError("unexpected failure of a request", Cause.die(defect)), failure)
    )
