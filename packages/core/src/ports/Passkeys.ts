/**
 * The store of operators' passkeys and of the challenges that they answer.
 *
 * The rules that an adapter must not break: each method is one step, whichever server calls it. A challenge that two
 * requests take at once is given to one of them. `Operators.write` of an inactive operator deletes its passkeys, and none is
 * added to it.
 */
import { Context, type Effect, type Option } from "effect"
import type { Passkey, PasskeyChallenge } from "../model/Passkey.ts"
import type { AuditDraft } from "./Audit.ts"
import type { StorageError } from "./StorageError.ts"

export interface Passkeys {
  /** Of an operator, in the order in which they were added, and by id within a millisecond. */
  readonly list: (operatorId: string) => Effect.Effect<ReadonlyArray<Passkey>, StorageError>
  readonly byId: (id: string) => Effect.Effect<Option.Option<Passkey>, StorageError>
  /** `false`, and nothing is written, where the operator is not active or there is a passkey with this id. */
  readonly add: (passkey: Passkey, audit: AuditDraft) => Effect.Effect<boolean, StorageError>
  /**
   * Records a sign-in. `false`, and nothing is written, where there is no such passkey, or it did not count on: `counter`
   * has to be greater than the stored one, unless both are 0.
   */
  readonly used: (id: string, counter: number, at: number) => Effect.Effect<boolean, StorageError>
  /** Deletes a passkey of the operator; whether it was there. Without it the entry is not written. */
  readonly remove: (operatorId: string, id: string, audit: AuditDraft) => Effect.Effect<boolean, StorageError>
  /** Challenges that are over at `now` are deleted. */
  readonly addChallenge: (challenge: PasskeyChallenge, now: number) => Effect.Effect<void, StorageError>
  /** Deletes a challenge, and gives it: a challenge is answered once. */
  readonly takeChallenge: (hash: string) => Effect.Effect<Option.Option<PasskeyChallenge>, StorageError>
}

export const Passkeys = Context.Service<Passkeys>("pointsman/ports/Passkeys")
