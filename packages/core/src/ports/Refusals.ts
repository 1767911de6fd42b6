/** For storages: why a change is not written, by what is stored. */

import type { Claim } from "../model/Claim.ts"
import { type ChargeReference, referencesOf } from "../model/PaymentBook.ts"
import type { MessageDecision, MessageNote, MessageOutcome } from "../model/StoredMessage.ts"
import {
  ApiKeyRevoked,
  type Change,
  type CommitFailure,
  KeyTaken,
  MessageTaken,
  ReferenceTaken,
  Stale
} from "./Ledger.ts"
import type { KeyRecovered, RecordsMissing } from "./RecordLoss.ts"
import { StorageError } from "./StorageError.ts"

/** Reads of what the tenant of a change has. Each gives `undefined` where nothing is stored. */
export interface Compared {
  /** Whether the API key is there and not revoked. */
  readonly isLiveKey: (hash: string) => boolean
  readonly claim: (key: string) => Claim | undefined
  readonly outcome: (message: MessageNote) => MessageOutcome | undefined
  /** Of the payment. */
  readonly version: (paymentId: string) => number | undefined
  /** What the guard of the change refuses it for. */
  readonly guarded: (change: Change) => RecordsMissing | KeyRecovered | undefined
  /** The payment that has the charge. */
  readonly holder: (charge: ChargeReference) => string | undefined
}

/** In the port's order: the API key, the key, the message, the version, the guard, the references of charges. */
export const refusalOf = (change: Change, stored: Compared): CommitFailure | undefined => {
  const { apiKeyHash, claim, message, payment } = change
  const { id } = payment.after
  if (apiKeyHash !== undefined && !stored.isLiveKey(apiKeyHash)) return new ApiKeyRevoked()
  const held = claim && stored.claim(claim.after.key)
  if (claim?.expected === 0 && held !== undefined) return new KeyTaken({ claim: held })
  if (claim !== undefined && claim.expected !== (held?.version ?? 0)) return new Stale()
  const decided = message && messageRefusal(message, stored.outcome(message.after))
  if (decided !== undefined) return decided
  if (payment.expected !== (stored.version(id) ?? 0)) return new Stale()
  const cause = stored.guarded(change)
  if (cause !== undefined) return new StorageError({ operation: "commit", cause })
  for (const { connectionId, providerRef } of referencesOf(change)) {
    const paymentId = stored.holder({ connectionId, providerRef })
    if (paymentId !== undefined && paymentId !== id) return new ReferenceTaken({ connectionId, providerRef, paymentId })
  }
  return undefined
}

/** Where a message is not as the decision expects it. `outcome`: the stored one. */
export const messageRefusal = ({ expected }: MessageDecision, outcome: MessageOutcome | undefined) => {
  if (outcome === undefined) return new Stale()
  return outcome === expected ? undefined : new MessageTaken()
}
