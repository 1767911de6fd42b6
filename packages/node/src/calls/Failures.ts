/** What calls fail with when the store fails, and what is logged of it. */
import type * as Ports from "@pointsman/core/ports"
import { Cause, Effect } from "effect"
import { InternalError, type PointsmanError } from "../PointsmanError.ts"

interface Failure {
  readonly _tag: string
  readonly cause?: unknown
}

export const storeFailed = (): PointsmanError =>
  new InternalError("The database could not be read or written. Nothing was changed; the call may be repeated.")

/** For effects that fail only with their store. */
export const fromStore = <A, R>(effect: Effect.Effect<A, Ports.StorageError, R>): Effect.Effect<A, PointsmanError, R> =>
  failing<Ports.StorageError>(storeFailed)(effect)

/** Logs the cause of a failure, and gives the caller an error without it. */
export const failing =
  <E extends Failure>(errorFor: (failure: E) => PointsmanError) =>
  <A, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, PointsmanError, R> =>
    Effect.mapError(Effect.tapError(effect, logCause), errorFor)

/** The error for the caller does not include the cause, so it is logged. */
export const logCause = (failure: Failure): Effect.Effect<void> =>
  failure.cause === undefined ? Effect.void : Effect.logError(failure._tag, Cause.die(failure.cause))
