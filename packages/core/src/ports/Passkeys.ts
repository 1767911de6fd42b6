/**
 * The store of operators' passkeys and of the challenges that they answer.
 *
 * The rules that an adapter must not break: each method is one step, whichever server calls it. A challenge that two
 * requests take at once is given to one of them. `Operators.write` of an inactive operator deletes its passkeys, and none is
 * added to it.
 */
import { Context, Effect, Option } from "effect"
import type { Passkey, PasskeyChallenge } from "../model/Passkey.ts"
import type { AuditDraft } from "./Audit.ts"
import { StorageError } from "./StorageError.ts"

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

const none = Effect.succeed(Option.none<never>())
const unsupported = (operation: string) =>
  Effect.fail(new StorageError({ operation, cause: new Error("this storage keeps no passkeys") }))

/** A storage that provides nothing here has no passkeys, and takes none. */
export const Passkeys = Context.Reference<Passkeys>("pointsman/ports/Passkeys", {
  defaultValue: () => ({
    list: () => Effect.succeed([]),
    byId: () => none,
    add: () => unsupported("passkeys.add"),
    used: () => Effect.succeed(false),
    remove: () => Effect.succeed(false),
    addChallenge: () => unsupported("passkeys.addChallenge"),
    takeChallenge: () => none
  })
})
