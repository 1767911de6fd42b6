/** Passkeys of operators, and signing in with them. The caller verifies responses: core knows no WebAuthn. */
import { Effect } from "effect"
import type { Operator } from "../model/Operator.ts"
import type { Passkey } from "../model/Passkey.ts"
import { Passkeys, type SignedIn } from "../ports/Operators.ts"
import type { StorageError } from "../ports/StorageError.ts"
import {
  addPasskey,
  beginPasskey,
  type PasskeyInvalid,
  type PasskeyNotFound,
  type PasskeyOrder,
  type PasskeyRefused,
  removePasskey
} from "../verbs/administer/ManagePasskeys.ts"
import type { NewSession, SignInRefused, TooManySignIns } from "../verbs/administer/SignIn.ts"
import { beginPasskeySignIn, type PasskeySignIn, signInWithPasskey } from "../verbs/administer/SignInWithPasskey.ts"
import { type DoorContext, requests } from "./DoorContext.ts"

export interface NewPasskeyChallenge {
  /** 32 random bytes, base64url; answered once, within 5 minutes. */
  readonly challenge: string
  readonly existing: ReadonlyArray<Passkey>
}

export interface PasskeyMethods {
  /** In the order in which they were added. */
  readonly list: (operator: Operator) => Effect.Effect<ReadonlyArray<Passkey>, StorageError>
  /** Within 15 minutes of a sign-in that was not by OpenID Connect. */
  readonly begin: (signedIn: SignedIn) => Effect.Effect<NewPasskeyChallenge, PasskeyRefused | StorageError>
  /** As `begin`. */
  readonly add: <E>(
    signedIn: SignedIn,
    order: PasskeyOrder<E>
  ) => Effect.Effect<Passkey, E | PasskeyInvalid | PasskeyRefused | StorageError>
  readonly remove: (operator: Operator, id: string) => Effect.Effect<void, PasskeyNotFound | StorageError>
  /** A challenge for a sign-in; `source`: as in `PasswordSignIn`. */
  readonly beginSignIn: (source: string) => Effect.Effect<string, TooManySignIns | StorageError>
  readonly signIn: <E>(given: PasskeySignIn<E>) => Effect.Effect<NewSession, E | SignInRefused | StorageError>
}

export const passkeyMethods = (context: DoorContext): PasskeyMethods => {
  const { ask } = requests(context)
  return {
    list: ({ id }) => ask(Effect.flatMap(Passkeys, ({ list }) => list(id))),
    begin: (signedIn) => ask(beginPasskey(signedIn)),
    add: (signedIn, order) => ask(addPasskey(signedIn, order)),
    remove: (operator, id) => ask(removePasskey(operator, id)),
    beginSignIn: (source) => ask(beginPasskeySignIn(source)),
    signIn: (given) => ask(signInWithPasskey(given))
  }
}
