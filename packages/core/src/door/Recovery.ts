/** Records that the store lost: what is known of a loss, and its recovery. */
import { Effect, type Option } from "effect"
import { type RecordLoss, RecordLosses } from "../ports/RecordLoss.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { compareConnection } from "../verbs/reconcile/CompareDifferences.ts"
import {
  acceptLoss,
  type Recovery,
  type RecoveryOrder,
  type RecoveryRefused,
  recover,
  type Unlisted,
  unlisted
} from "../verbs/recover/Recover.ts"
import { type DoorContext, intents, intentsAtConnection } from "./DoorContext.ts"

export interface RecoveryMethods {
  /**
   * Asks the providers for charges, refunds and disputes since a time, and adopts those that are not stored. It may be repeated, and
   * run beside servers. A connection whose provider lists everything is marked as recovered; once all are, the loss ends.
   * Open differences of reports are compared again with what was recovered.
   */
  readonly recover: (order: RecoveryOrder) => Effect.Effect<Recovery, RecoveryRefused | StorageError>
  /** What a recovery cannot ask the providers for, as far as that is known before they are asked; `null` for all connections. */
  readonly unlisted: (connectionId: string | null) => Effect.Effect<ReadonlyArray<Unlisted>, StorageError>
  /**
   * Accepts what is missing at a connection; `null` for all, which ends the loss that is known without recovering them. Refunds
   * wait there no longer, and a lost key may charge there again. `None` where nothing is missing.
   */
  readonly acceptLoss: (connectionId: string | null) => Effect.Effect<Option.Option<RecordLoss>, StorageError>
  /** The newest loss, ended or not; `null` where none was ever known. */
  readonly recordLoss: Effect.Effect<RecordLoss | null, StorageError>
}

/** Rows of reports may have been read before what they name was recovered. */
const recoverAndCompare = Effect.fnUntraced(function* (order: RecoveryOrder) {
  const recovery = yield* recover(order)
  for (const { connectionId } of recovery.connections) {
    // What was recovered is stored: the next report of the connection compares its differences too.
    yield* Effect.catch(compareConnection(connectionId), (failure) =>
      Effect.logWarning(`the open differences of connection ${connectionId} could not be compared again`, failure)
    )
  }
  return recovery
})

export const recoveryMethods = (context: DoorContext): RecoveryMethods => ({
  recover: (order) => {
    const { connectionId, isDryRun, since } = order
    const act = Effect.provideContext(isDryRun ? recover(order) : recoverAndCompare(order), context)
    if (isDryRun) return act
    const intent =
      connectionId === null
        ? intents(context)("records.recovering", "all connections", { since })
        : intentsAtConnection(context)("records.recovering", connectionId, connectionId, { since })
    return Effect.andThen(intent, act)
  },
  unlisted: (connectionId) => Effect.provideContext(unlisted(connectionId), context),
  acceptLoss: (connectionId) =>
    Effect.andThen(
      connectionId === null
        ? intents(context)("loss.accepting", "newest loss", {})
        : intentsAtConnection(context)("loss.accepting", connectionId, connectionId, {}),
      Effect.provideContext(acceptLoss(connectionId), context)
    ),
  recordLoss: Effect.provideContext(
    Effect.flatMap(RecordLosses, ({ newest }) => newest),
    context
  )
})
