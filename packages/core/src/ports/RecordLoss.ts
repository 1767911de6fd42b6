/**
 * What the store knows of records that it lost: a lagging standby was promoted, a backup was restored, a file was copied
 * back. It is kept in the store itself, so that every server knows it, also after a restart.
 */
import { Context, type Effect, Schema } from "effect"
import type { Tenant } from "../model/Tenant.ts"
import type { StorageError } from "./StorageError.ts"

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

/** A claim was refused and not written: records were lost, and its tenant has connections that are not recovered. */
export class RecordsMissing extends Schema.TaggedError<RecordsMissing>()("pointsman/RecordsMissing", {}) {
  override get message(): string {
    return "records may be missing, and a connection of the workspace is not recovered (pointsman recover)"
  }
}

/** A claim was refused and not written: what a lost request under its key did was found at a provider. */
export class KeyRecovered extends Schema.TaggedError<KeyRecovered>()("pointsman/KeyRecovered", {
  /** Under whose ids it was recorded, as far as it could be. */
  paymentIds: Schema.Array(Schema.String)
}) {}

/** When a claim that was refused so is worth asking for again. */
export const recoveryRetryMillis = 60_000

/** A key whose lost charge or refund a recovery found. */
export interface RecoveredKey {
  /** Which names the key: see `keyTagOf`. */
  readonly tag: string
  /** A key of a charge is one of the tenant, that of a refund one of the payment. */
  readonly kind: "charge" | "refund"
  readonly paymentId: string
}

/** `accepted`: an operator ended it without recovering every connection. */
export type RecordLossOutcome = "recovered" | "accepted"

export interface RecordLosses {
  /** The newest loss, ended or not, as this process knows it: two seconds old at most. It sends no query. */
  readonly known: Effect.Effect<RecordLoss | null>
  /** The newest loss as it is stored. */
  readonly newest: Effect.Effect<RecordLoss | null, StorageError>
  /** Stores a loss and returns it. An open one is extended: the earlier time counts, and nothing is recovered. */
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
  /** From when this is answered on, no claim under the key is written (see `ClaimGuard`). Filed again, it changes nothing. */
  readonly fileKey: (tenant: Tenant, key: RecoveredKey) => Effect.Effect<void, StorageError>
}

export const RecordLosses = Context.Service<RecordLosses>("pointsman/ports/RecordLosses")

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
