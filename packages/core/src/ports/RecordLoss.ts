/**
 * What the store knows of records that it lost: a lagging standby was promoted, a backup was restored, a file was copied
 * back. It is kept in the store itself, so that every server knows it, also after a restart.
 */
import { Context, Effect, Schema } from "effect"
import { StorageError } from "./StorageError.ts"

export interface RecordLoss {
  /** From 1; a greater number is a newer loss. */
  readonly number: number
  /** Records that were acknowledged from this time on may be missing, in epoch milliseconds by the store's clock. */
  readonly since: number
  /** How it was noticed: a sentence, without a secret. */
  readonly reason: string
  /** Epoch milliseconds. */
  readonly declaredAt: number
  /** Ids of the connections whose charges and refunds since then were asked of the provider and adopted. */
  readonly recovered: ReadonlyArray<string>
  /**
   * Of those, the ones whose provider lists no refunds or no disputes: refunds of payments from before the loss wait there for
   * an operator (`decide/RefundWait.ts`), also once the loss has ended.
   */
  readonly refundsWait: ReadonlyArray<string>
  /** `null` while what is missing is not recovered yet. */
  readonly ended: { readonly outcome: RecordLossOutcome; readonly at: number } | null
}

/** Records were lost, and what is asked again may have been executed: nothing is sent. */
export class RecordsMissing extends Schema.TaggedError<RecordsMissing>()("pointsman/RecordsMissing", {
  /** Of those that could be asked. */
  connectionId: Schema.String,
  /** Epoch milliseconds. */
  since: Schema.Finite,
  /** In milliseconds: when the same request is worth sending again. */
  retryAfterMillis: Schema.Finite,
  /**
   * `unrecovered`: the connection is not recovered. `unanswered`: its provider did not answer whether a lost request under
   * the key was charged. `ambiguous`: providers cannot rule that out under more than one id.
   */
  why: Schema.Literals(["unrecovered", "unanswered", "ambiguous"])
}) {
  override get message(): string {
    return `records since ${new Date(this.since).toISOString()} may be missing, ${reasons[this.why](this.connectionId)}`
  }
}

const reasons = {
  unrecovered: (id: string) => `and connection ${id} is not recovered (pointsman recover)`,
  unanswered: (id: string) =>
    `and connection ${id} did not answer whether it executed a lost request under this idempotency key`,
  ambiguous: (id: string) =>
    `and connection ${id}, which was not recovered, cannot rule out that it charged a lost request under this ` +
    "idempotency key, on another day or beside another connection. POINTSMAN_AFTER_RESTORE=serve sends it"
}

/** `accepted`: an operator ended it without recovering every connection. */
export type RecordLossOutcome = "recovered" | "accepted"

export interface RecordLosses {
  /** The newest loss, ended or not, as this process knows it: two seconds old at most. It asks nobody. */
  readonly known: Effect.Effect<RecordLoss | null>
  /** The newest loss as it is stored. */
  readonly newest: Effect.Effect<RecordLoss | null, StorageError>
  /**
   * Stores a loss and returns it. Where one has not ended yet, that one is extended: it begins at the earlier of both
   * times, and none of its connections is recovered any more.
   */
  readonly declare: (
    loss: Pick<RecordLoss, "since" | "reason" | "declaredAt">
  ) => Effect.Effect<RecordLoss, StorageError>
  /**
   * Whether it was written: not where this loss has ended, or where it was extended meanwhile (`declaredAt`). Refunds that do
   * not wait any more stay so.
   */
  readonly markRecovered: (
    loss: Pick<RecordLoss, "number" | "declaredAt">,
    connectionId: string,
    refundsWait: boolean
  ) => Effect.Effect<boolean, StorageError>
  /** Refunds of a loss, ended or not, wait no longer at the connection; `null` for all. Whether any did. */
  readonly releaseRefunds: (number: number, connectionId: string | null) => Effect.Effect<boolean, StorageError>
  /** Whether it was written: not where this loss has ended, or where it was extended meanwhile (`declaredAt`). */
  readonly end: (
    loss: Pick<RecordLoss, "number" | "declaredAt">,
    ended: { readonly outcome: RecordLossOutcome; readonly at: number }
  ) => Effect.Effect<boolean, StorageError>
}

/** A storage that provides nothing here keeps no losses: `declare` fails. */
export const RecordLosses = Context.Reference<RecordLosses>("pointsman/ports/RecordLosses", {
  defaultValue: () => ({
    known: Effect.succeed(null),
    newest: Effect.succeed(null),
    declare: () =>
      Effect.fail(new StorageError({ operation: "declareLoss", cause: new Error("this storage keeps no losses") })),
    markRecovered: () => Effect.succeed(false),
    releaseRefunds: () => Effect.succeed(false),
    end: () => Effect.succeed(false)
  })
})

/** For storages: what a declaration writes, given the newest loss that is stored. */
export const declaredLoss = (
  stored: RecordLoss | null,
  { declaredAt, reason, since }: Pick<RecordLoss, "since" | "reason" | "declaredAt">
): RecordLoss => {
  const isOpen = stored !== null && stored.ended === null
  return {
    number: isOpen ? stored.number : (stored?.number ?? 0) + 1,
    since: isOpen ? Math.min(stored.since, since) : since,
    reason: isOpen ? stored.reason : reason,
    // Greater than before, so that a recovery that began before the extension cannot end it.
    declaredAt: Math.max(declaredAt, (stored?.declaredAt ?? Number.MIN_SAFE_INTEGER) + 1),
    recovered: [],
    refundsWait: [],
    ended: null
  }
}
