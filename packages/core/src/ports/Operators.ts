/**
 * The store of operators, their sessions and sign-in links, and of how often sign-in was tried.
 *
 * The rules that an adapter must not break: each method is one step, whichever server calls it. A link that two requests
 * take at once is given to one of them. A session is not added once its operator was deactivated.
 */
import { Context, type Effect, type Option, type Redacted, Schema } from "effect"
import type { Operator } from "../model/Operator.ts"
import type { OperatorSession, SignInLink } from "../model/OperatorSession.ts"
import type { Passkey, PasskeyChallenge } from "../model/Passkey.ts"
import type { AuditDraft } from "./Audit.ts"
import type { StorageError } from "./StorageError.ts"

/** Another operator has this login (`loginKey`). */
export class LoginTaken extends Schema.TaggedError<LoginTaken>()("pointsman/LoginTaken", {}) {}

/** Another version of the operator is stored by now than the change was made of. */
export class OperatorChanged extends Schema.TaggedError<OperatorChanged>()("pointsman/OperatorChanged", {}) {}

/** Without the operator, the role `admin` in all workspaces would be held by no active operator. */
export class LastAdmin extends Schema.TaggedError<LastAdmin>()("pointsman/LastAdmin", {}) {}

export interface OperatorChange {
  /** As it is to be. Its version is the stored one's plus 1; 1 for a new operator. */
  readonly operator: Operator
  /** Deletes the operator's sessions and links with it. */
  readonly endsSessions: boolean
  /** Refused, unless another operator may manage operators (`managesOperators`) when it is written. */
  readonly needsOtherAdmin: boolean
  readonly audit: AuditDraft
}

export interface SignedIn {
  readonly session: OperatorSession
  readonly operator: Operator
}

/** Sessions that are over by their age, in epoch milliseconds. */
export interface OverSessions {
  readonly createdBefore: number
  readonly seenBefore: number
}

export interface Operators {
  /** In the order of their ids. */
  readonly list: Effect.Effect<ReadonlyArray<Operator>, StorageError>
  /** By `loginKey`. */
  readonly byLogin: (loginKey: string) => Effect.Effect<Option.Option<Operator>, StorageError>
  readonly byId: (id: string) => Effect.Effect<Option.Option<Operator>, StorageError>
  /** All of it or nothing. After `StorageError` it may be written all the same. */
  readonly write: (
    change: OperatorChange
  ) => Effect.Effect<void, LoginTaken | OperatorChanged | LastAdmin | StorageError>
  /** Of all operators, whether or not their time is over. */
  readonly sessions: Effect.Effect<ReadonlyArray<OperatorSession>, StorageError>
  /** With its operator, whether or not its time is over. */
  readonly session: (hash: string) => Effect.Effect<Option.Option<SignedIn>, StorageError>
  /** `false`, and nothing is written, where the operator is not active. Sessions that are over are deleted. */
  readonly addSession: (
    session: OperatorSession,
    over: OverSessions,
    audit: AuditDraft
  ) => Effect.Effect<boolean, StorageError>
  /** Records that a session was used; the later time stays. */
  readonly seen: (hash: string, at: number) => Effect.Effect<void, StorageError>
  /** Deletes one session; whether it was there. Without it the entry is not written. */
  readonly endSession: (hash: string, audit: AuditDraft) => Effect.Effect<boolean, StorageError>
  /** Deletes all sessions and links of an operator; gives the number of sessions. */
  readonly endSessionsOf: (operatorId: string, audit: AuditDraft) => Effect.Effect<number, StorageError>
  /** `false`, and nothing is written, where the operator is not active. Links that are over are deleted. */
  readonly addLink: (link: SignInLink, audit: AuditDraft) => Effect.Effect<boolean, StorageError>
  /** Deletes a link, and gives it: a link works once. */
  readonly takeLink: (hash: string) => Effect.Effect<Option.Option<SignInLink>, StorageError>
  /** Counts a try at `at`, in a window that began less than `windowMillis` ago; counts of older windows are deleted. */
  readonly countGuess: (key: string, at: number, windowMillis: number) => Effect.Effect<GuessCount, StorageError>
  readonly forgetGuesses: (key: string) => Effect.Effect<void, StorageError>
}

export const Operators = Context.Service<Operators>("pointsman/ports/Operators")

/** More passwords are waiting than the machine should hold. Nothing was hashed. */
export class PasswordsBusy extends Schema.TaggedError<PasswordsBusy>()("pointsman/PasswordsBusy", {}) {}

/** The password is easily guessed. Nothing was hashed. */
export class PasswordWeak extends Schema.TaggedError<PasswordWeak>()("pointsman/PasswordWeak", {
  /** What was expected, without the password. */
  expected: Schema.String
}) {}

/** Hashes of passwords: slow on purpose, with a salt of their own, and compared in constant time. */
export interface Passwords {
  /** With the algorithm, its parameters and the salt in it. A password like one of `known` is weak. */
  readonly hash: (
    password: Redacted.Redacted<string>,
    known: ReadonlyArray<string>
  ) => Effect.Effect<string, PasswordsBusy | PasswordWeak>
  /** `null` for a hash that does not exist: it takes as long as one that does, and is `false`. */
  readonly verify: (password: Redacted.Redacted<string>, hash: string | null) => Effect.Effect<boolean, PasswordsBusy>
}

/** Without them operators sign in only by links. */
export const Passwords = Context.Reference<Passwords | undefined>("pointsman/ports/Passwords", {
  defaultValue: () => undefined
})

/**
 * Each method is one step, whichever server calls it. A challenge that two requests take at once is given to one of
 * them. `Operators.write` of an inactive operator deletes its passkeys, and none is added to it.
 */
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

// How often sign-in may be tried. Each try counts before it is judged, so that tries that come at once count too.

export const guessWindowMillis = 15 * 60_000

/** In one window. Offices share an address, so that a source may try more often than one login may be tried. */
export const guessesAtMost = { login: 10, source: 60 } as const

/** The tries of a login or a source, the present one included. */
export interface GuessCount {
  /** Epoch milliseconds of the first one in the window. */
  readonly since: number
  readonly count: number
}

/** In milliseconds from now on; `undefined` where the try is within the limit. */
export const retryAfterMillis = (
  { count, since }: GuessCount,
  about: keyof typeof guessesAtMost,
  now: number
): number | undefined => (count > guessesAtMost[about] ? Math.max(1, since + guessWindowMillis - now) : undefined)
