/** Keeps what a provider listed and no payment of ours can take, beside its messages, where operators see it. */
import { Clock, Effect, Redacted } from "effect"
import { writeUntilKnown } from "../../commit/DecideAndCommit.ts"
import { messageContext, type StoredMessage } from "../../model/StoredMessage.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { keyStorageError, Secrets } from "../../ports/Secrets.ts"
import { StorageError } from "../../ports/StorageError.ts"
import type { ListedAt } from "./PlanCharge.ts"

export interface ListedEntry {
  readonly kind: "charge" | "refund" | "dispute"
  /** The provider's name of it; `null` where that cannot be read. */
  readonly reference: string | null
  /** Which field keeps it from being recorded, and what was expected; never its value. */
  readonly reason: string
  /** As far as it could be read. */
  readonly content: unknown
}

/** Once for each entry: a repeated recovery finds it kept. */
export const keepListed = Effect.fnUntraced(function* ({ connectionId, tenant }: ListedAt, entry: ListedEntry) {
  const ledger = yield* Ledger
  const secrets = yield* Secrets
  const body = JSON.stringify(entry.content)
  const name = entry.reference ?? (yield* secrets.hash(`${entry.reason}${body}`))
  const eventId = `listed:${entry.kind}:${name}`
  const now = yield* Clock.currentTimeMillis
  const kept: StoredMessage = {
    connectionId,
    eventId,
    paymentId: null,
    about: "unreadable",
    subjectId: "",
    disputeId: null,
    verdict: null,
    outcome: "unreadable",
    reason: entry.reason,
    writtenAt: now,
    receivedAt: now,
    body: yield* secrets
      .seal(Redacted.make(body), messageContext(connectionId, eventId))
      .pipe(Effect.mapError(keyStorageError("sealing a listed entry"))),
    isSealed: true
  }
  yield* writeUntilKnown(ledger.storeMessage(tenant, kept)).pipe(
    Effect.mapError(({ cause }) => new StorageError({ operation: "keeping a listed entry", cause }))
  )
})
