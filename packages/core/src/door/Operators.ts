/** Those who use the console: who they are, and their sessions. */
import type { Effect, Redacted } from "effect"
import type { Operator } from "../model/Operator.ts"
import type { LastAdmin, LoginTaken, OperatorChanged, SignedIn } from "../ports/Operators.ts"
import type { StorageError } from "../ports/StorageError.ts"
import {
  addOperator,
  type CreatedLink,
  createSignInLink,
  editOperator,
  type OperatorEdit,
  type OperatorInvalid,
  type OperatorNotFound,
  type OperatorOrder,
  type OperatorWithSessions,
  operatorsWithSessions,
  removeOperator
} from "../verbs/administer/ManageOperators.ts"
import {
  type NewSession,
  type NotSignedIn,
  type PasswordOrder,
  type PasswordRefused,
  type PasswordSignIn,
  type SignInRefused,
  sessionOf,
  setPassword,
  signInWithLink,
  signInWithPassword,
  signOut,
  signOutEverywhere,
  type TooManySignIns
} from "../verbs/administer/SignIn.ts"
import { type OidcIdentity, signInWithOidc } from "../verbs/administer/SignInWithOidc.ts"
import { type DoorContext, requests } from "./DoorContext.ts"
import { type PasskeyMethods, passkeyMethods } from "./Passkeys.ts"

export interface OperatorMethods {
  readonly passkeys: PasskeyMethods
  /** Also reactivates one that was removed, without the former password. */
  readonly add: (
    order: OperatorOrder
  ) => Effect.Effect<Operator, OperatorInvalid | LoginTaken | OperatorChanged | StorageError>
  /** Active and inactive ones, in the order in which they were added first. */
  readonly list: Effect.Effect<ReadonlyArray<OperatorWithSessions>, StorageError>
  /**
   * Another name and other roles, which count from the operator's next request on. `OperatorChanged`: it has another
   * version by now. The last operator with the role `admin` in all workspaces keeps it (`LastAdmin`).
   */
  readonly edit: (
    edit: OperatorEdit
  ) => Effect.Effect<Operator, OperatorInvalid | OperatorNotFound | OperatorChanged | LastAdmin | StorageError>
  /**
   * Deactivates an operator and ends all sessions; what the audit trail says of it stays. The last operator with the role
   * `admin` in all workspaces stays (`LastAdmin`).
   */
  readonly remove: (
    login: string
  ) => Effect.Effect<Operator, OperatorNotFound | OperatorChanged | LastAdmin | StorageError>
  /** A link that signs in once, within 15 minutes. */
  readonly createLink: (login: string) => Effect.Effect<CreatedLink, OperatorNotFound | StorageError>
  readonly signInWithPassword: (
    given: PasswordSignIn
  ) => Effect.Effect<NewSession, SignInRefused | TooManySignIns | StorageError>
  readonly signInWithLink: (token: Redacted.Redacted<string>) => Effect.Effect<NewSession, SignInRefused | StorageError>
  /**
   * `identify` asks the issuer, after the attempt was counted for `source`. Where the identity has grants, an unknown
   * operator is added and the roles of a known one are replaced by them; an operator that was removed stays removed.
   */
  readonly signInWithOidc: <E>(
    identify: Effect.Effect<OidcIdentity, E>,
    source: string
  ) => Effect.Effect<NewSession, E | SignInRefused | TooManySignIns | StorageError>
  /** Who sends a request. A session ends 30 minutes after its last request, and 12 hours (by OpenID Connect, 1) after it began. */
  readonly session: (token: Redacted.Redacted<string>) => Effect.Effect<SignedIn, NotSignedIn | StorageError>
  readonly signOut: (token: Redacted.Redacted<string>) => Effect.Effect<void, StorageError>
  /** Ends all sessions and links of an operator; gives the number of sessions. */
  readonly signOutEverywhere: (operator: Operator) => Effect.Effect<number, StorageError>
  /** Ends all sessions and links of the operator, and gives a new session. */
  readonly setPassword: (
    signedIn: SignedIn,
    order: PasswordOrder
  ) => Effect.Effect<
    NewSession,
    | OperatorInvalid
    | PasswordRefused
    | TooManySignIns
    | SignInRefused
    | OperatorNotFound
    | OperatorChanged
    | StorageError
  >
}

export const operatorMethods = (context: DoorContext): OperatorMethods => {
  const { ask } = requests(context)
  return {
    passkeys: passkeyMethods(context),
    add: (order) => ask(addOperator(order)),
    list: ask(operatorsWithSessions),
    edit: (edit) => ask(editOperator(edit)),
    remove: (login) => ask(removeOperator(login)),
    createLink: (login) => ask(createSignInLink(login)),
    signInWithPassword: (given) => ask(signInWithPassword(given)),
    signInWithLink: (token) => ask(signInWithLink(token)),
    signInWithOidc: (identify, source) => ask(signInWithOidc(identify, source)),
    session: (token) => ask(sessionOf(token)),
    signOut: (token) => ask(signOut(token)),
    signOutEverywhere: (operator) => ask(signOutEverywhere(operator)),
    setPassword: (signedIn, order) => ask(setPassword(signedIn, order))
  }
}
