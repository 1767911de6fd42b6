/**
 * Runs a call. Once asked, it runs to its end: a promise cannot be interrupted. A call that broke down says whether it
 * may have moved money.
 */
import type { Environment } from "@pointsman/client/contract"
import type * as Core from "@pointsman/core"
import { Directory, type Secrets, type StorageError, type StorageServices } from "@pointsman/core/ports"
import * as InProcess from "@pointsman/http/in-process"
import { Cause, Deferred, Effect, Exit, Option } from "effect"
import { errorOf } from "../ErrorOf.ts"
import { checkOptions, type Options, wrong } from "../Orders.ts"
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

// Whose call it is: the options of the call, or the defaults of `createPointsman`.

/** What calls are about unless they say otherwise. */
export interface Defaults {
  readonly workspace: string | undefined
  readonly environment: Environment | undefined
}

export const tenantOf = (defaults: Defaults, options: Options): Effect.Effect<Core.Tenant, PointsmanError> => {
  const workspaceId = options.workspace ?? defaults.workspace
  const environment = options.environment ?? defaults.environment
  if (workspaceId === undefined) {
    return Effect.fail(wrong("`workspace` is required: more than one workspace, or none, is configured."))
  }
  return environment === undefined
    ? Effect.fail(wrong("`environment` is required, here or in `createPointsman`: sandbox or production."))
    : Effect.succeed({ workspaceId, environment })
}

/** A workspace that is suspended is refused like a key of it. */
export const callerOf = (defaults: Defaults, options: Options): Effect.Effect<Core.Caller, PointsmanError, Directory> =>
  Effect.flatMap(tenantOf(defaults, options), (tenant) =>
    Effect.flatMap(Directory, (directory) =>
      Effect.flatMap(fromStore(directory.workspace(tenant.workspaceId)), (found) => {
        const workspace = Option.getOrUndefined(found)
        if (workspace === undefined) {
          const id = tenant.workspaceId
          return Effect.fail(wrong(`\`workspace\` must be a configured workspace; "${id}" not found.`))
        }
        return workspace.suspended ? Effect.fail(errorOf(InProcess.suspended)) : Effect.succeed({ tenant, workspace })
      })
    )
  )

/** The tenant of a call that reads; `options` are unchecked. */
export const readerOf = Effect.fnUntraced(function* (defaults: Defaults, options: unknown) {
  const { tenant } = yield* callerOf(defaults, yield* checkOptions(options, false))
  return tenant
})

// What calls fail with when the store fails, and what is logged of it.

interface Failure {
  readonly _tag: string
  readonly cause?: unknown
}

export const storeFailed = (): PointsmanError =>
  new InternalError("The database could not be read or written. Nothing was changed; the call may be repeated.")

/** For effects that fail only with their store. */
export const fromStore = <A, R>(effect: Effect.Effect<A, StorageError, R>): Effect.Effect<A, PointsmanError, R> =>
  failing<StorageError>(storeFailed)(effect)

/** Logs the cause of a failure, and gives the caller an error without it. */
export const failing =
  <E extends Failure>(errorFor: (failure: E) => PointsmanError) =>
  <A, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, PointsmanError, R> =>
    Effect.mapError(Effect.tapError(effect, logCause), errorFor)

/** The error for the caller does not include the cause, so it is logged. */
export const logCause = (failure: Failure): Effect.Effect<void> =>
  failure.cause === undefined ? Effect.void : Effect.logError(failure._tag, Cause.die(failure.cause))

/** Counts what is under way, so that a close can wait for it, and lets nothing in once it is shut. */
export interface Gate {
  readonly isShut: () => boolean
  /** Gives what to call at the end, once; `undefined` when it is shut. */
  readonly enter: () => (() => void) | undefined
  readonly shut: () => void
  /** After `shut`: waits until nothing is under way, but no longer than `limitMillis`. Gives how many were left. */
  readonly drain: (limitMillis: number) => Effect.Effect<number>
}

export const makeGate: Effect.Effect<Gate> = Effect.gen(function* () {
  const idle = yield* Deferred.make<void>()
  let underWay = 0
  let shut = false
  const endIfIdle = () => {
    if (shut && underWay === 0) Deferred.doneUnsafe(idle, Effect.void)
  }
  return {
    isShut: () => shut,
    enter: () => {
      if (shut) return undefined
      underWay += 1
      let inside = true
      return () => {
        if (!inside) return
        inside = false
        underWay -= 1
        endIfIdle()
      }
    },
    shut: () => {
      shut = true
      endIfIdle()
    },
    drain: (limitMillis) => Effect.map(Effect.timeoutOption(Deferred.await(idle), limitMillis), () => underWay)
  }
})

/**
 * Replaces an error's stack by that of who awaits `called`, the async function that is running. A failure arises in a
 * fiber, whose stack names only files of the bundle; the async function that rejects is resumed with the frames of
 * those who await it. Where no async function awaits it (`.then`), there are no such frames, and the stack stays.
 */
export const atCaller = (error: unknown, called: (...args: Array<never>) => unknown): unknown => {
  if (!(error instanceof Error)) return error
  const { stack } = error
  Error.captureStackTrace(error, called)
  if (stack !== undefined && error.stack?.includes("\n    at ") !== true) error.stack = stack
  return error
}
