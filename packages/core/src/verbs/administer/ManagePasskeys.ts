/**
 * Adding and removing passkeys. A passkey signs in for as long as it exists, so that adding one takes a sign-in of a moment
 * ago, and not by an issuer, who may remove the person later.
 */
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { displayNameExpected, isDisplayName, type Operator } from "../../model/Operator.ts"
import { recentSignInMillis } from "../../model/OperatorSession.ts"
import { type Passkey, passkeyChallengeMillis, passkeysAtMost } from "../../model/Passkey.ts"
import { Passkeys, type SignedIn } from "../../ports/Operators.ts"
import { auditOf, hashOf, newToken } from "./ManageOperators.ts"

/** Why no passkey was added. */
export class PasskeyRefused extends Schema.TaggedError<PasskeyRefused>()("pointsman/PasskeyRefused", {
  /**
   * `notRecent`: the session began more than 15 minutes ago; `oidc`: it was begun by an issuer; `tooMany`: the operator has
   * 20; `unverified`: the response does not answer a challenge of this operator, or the passkey is stored already.
   */
  reason: Schema.Literals(["notRecent", "oidc", "tooMany", "unverified"])
}) {}

/** The name is not as it has to be; nothing was written. */
export class PasskeyInvalid extends Schema.TaggedError<PasskeyInvalid>()("pointsman/PasskeyInvalid", {
  field: Schema.Literal("name"),
  /** What was expected, without the value. */
  expected: Schema.String
}) {}

/** The operator has no such passkey. */
export class PasskeyNotFound extends Schema.TaggedError<PasskeyNotFound>()("pointsman/PasskeyNotFound", {}) {}

/** What a response to a registration holds, once it is verified. */
export type VerifiedPasskey = Pick<Passkey, "id" | "publicKey" | "counter" | "transports">

export interface PasskeyOrder<E> {
  readonly name: string
  /** As it was given out. */
  readonly challenge: string
  /** Verifies the response against the challenge; `undefined` for one that is not right. */
  readonly verify: Effect.Effect<VerifiedPasskey | undefined, E>
}

/** A challenge for a new passkey; with those that the operator has, so that a device is not added twice. */
export const beginPasskey = Effect.fnUntraced(function* ({ operator, session }: SignedIn) {
  const existing = yield* (yield* Passkeys).list(operator.id)
  yield* checkMayAdd(session)
  if (existing.length >= passkeysAtMost) return yield* new PasskeyRefused({ reason: "tooMany" })
  return { challenge: yield* newChallenge(operator.id), existing }
})

export const addPasskey = Effect.fnUntraced(function* <E>(
  { operator, session }: SignedIn,
  { challenge, name, verify }: PasskeyOrder<E>
) {
  const store = yield* Passkeys
  if (!isDisplayName(name)) return yield* new PasskeyInvalid({ field: "name", expected: displayNameExpected })
  yield* checkMayAdd(session)
  const isOurs = yield* takeChallenge(challenge, operator.id)
  const verified = isOurs ? yield* verify : undefined
  if (verified === undefined) return yield* new PasskeyRefused({ reason: "unverified" })
  const createdAt = yield* Clock.currentTimeMillis
  const passkey: Passkey = { ...verified, operatorId: operator.id, name, createdAt, usedAt: null }
  const audit = yield* auditOf("operator.passkey_added", operator, { passkey: name })
  if (!(yield* store.add(passkey, audit))) return yield* new PasskeyRefused({ reason: "unverified" })
  return passkey
})

/** The passkey no longer signs in. Its sessions continue. */
export const removePasskey = Effect.fnUntraced(function* (operator: Operator, id: string) {
  const store = yield* Passkeys
  const found = (yield* store.list(operator.id)).find((passkey) => passkey.id === id)
  if (found === undefined) return yield* new PasskeyNotFound()
  const audit = yield* auditOf("operator.passkey_removed", operator, { passkey: found.name })
  if (!(yield* store.remove(operator.id, id, audit))) return yield* new PasskeyNotFound()
})

const checkMayAdd = Effect.fnUntraced(function* ({ createdAt, method }: SignedIn["session"]) {
  if (method === "oidc") return yield* new PasskeyRefused({ reason: "oidc" })
  if ((yield* Clock.currentTimeMillis) >= createdAt + recentSignInMillis) {
    return yield* new PasskeyRefused({ reason: "notRecent" })
  }
})

/** `operatorId`: `null` for a sign-in. */
export const newChallenge = Effect.fnUntraced(function* (operatorId: string | null) {
  const { hash, token } = yield* newToken("challenge of a passkey")
  const now = yield* Clock.currentTimeMillis
  yield* (yield* Passkeys).addChallenge({ hash, operatorId, expiresAt: now + passkeyChallengeMillis }, now)
  return Redacted.value(token)
})

/** Whether it was given out for this, and not answered yet. It is used up also where the response is not right. */
export const takeChallenge = Effect.fnUntraced(function* (challenge: string, operatorId: string | null) {
  const hash = yield* hashOf(Redacted.make(challenge))
  const found = hash === undefined ? Option.none() : yield* (yield* Passkeys).takeChallenge(hash)
  const now = yield* Clock.currentTimeMillis
  return Option.isSome(found) && found.value.operatorId === operatorId && now < found.value.expiresAt
})
