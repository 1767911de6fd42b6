/**
 * Runs a call. Once asked, it runs to its end: a promise has nobody who could cut it. A call that broke down says whether
 * it may have moved money.
 */
import type * as Core from "@pointsman/core"
import type { Secrets, StorageServices } from "@pointsman/core/ports"
import type * as InProcess from "@pointsman/http/in-process"
import { Cause, Effect, Exit, Option } from "effect"
import { atCaller } from "../CallersStack.ts"
import type { Gate } from "../Gate.ts"
import {
  ClosedError,
  InternalError,
  type PointsmanError,
  StateError,
  type UnknownResultCode,
  UnknownResultError
} from "../PointsmanError.ts"

export type Services = Core.Pointsman | StorageServices | Secrets | InProcess.PaymentViews

/** Runs an effect with everything that the calls need. */
export type Run = <A, E>(effect: Effect.Effect<A, E, Services>) => Promise<Exit.Exit<A, E>>

/** A call that a provider is asked for. */
export interface MovesMoney {
  /** What it is answered when it broke down in the middle. */
  readonly unknown: UnknownResultCode
  /** Whether the same may have been called before, and not been answered: a refusal of now says nothing of then. */
  readonly isMaybeAgain: boolean
}

export const makeCall = (run: Run, gate: Gate) => {
  const call = async <A>(effect: Effect.Effect<A, PointsmanError, Services>, moves?: MovesMoney): Promise<A> => {
    const isMaybeAgain = moves?.isMaybeAgain ?? false
    const leave = gate.enter()
    if (leave === undefined) throw new ClosedError("This Pointsman instance is closed. Nothing was done.", isMaybeAgain)
    try {
      const exit = await run(
        Effect.tapCause(effect, (cause) =>
          Cause.hasDies(cause) ? Effect.logError("unexpected failure of a call", cause) : Effect.void
        )
      )
      if (Exit.isSuccess(exit)) return exit.value
      const failure = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
      if (failure !== undefined) throw isMaybeAgain ? ofSecondTry(failure) : failure
      throw moves === undefined ? brokeDown() : mayHaveMoved(moves.unknown)
    } catch (error) {
      throw atCaller(error, call)
    } finally {
      leave()
    }
  }
  return call
}

const brokeDown = (): PointsmanError => new InternalError("The call failed unexpectedly.")

const ofSecondTry = (failure: PointsmanError): PointsmanError => {
  if (failure instanceof InternalError) return new InternalError(failure.message, true)
  return failure instanceof StateError ? new StateError(failure.code, failure.message, true) : failure
}

/** It is unknown how far a call had come when it failed. */
const mayHaveMoved = (code: UnknownResultCode): PointsmanError =>
  new UnknownResultError(
    code,
    "The call failed unexpectedly, and a request may have been sent to a provider. Read the payment, or " +
      "repeat the call with the same idempotency key, never with another one."
  )
