import { Cause, Effect } from "effect"

/**
 * Tells the operators of a failure whose cause the client must not see. The log line carries the request's id,
 * which is an annotation of every request.
 */
export const report = (failure: { readonly _tag: string; readonly cause: unknown }): Effect.Effect<void> =>
  Effect.logError(failure._tag, Cause.die(failure.cause))
