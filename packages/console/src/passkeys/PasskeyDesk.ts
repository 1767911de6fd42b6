/** What the pages and the API do with passkeys: of the operator who is signed in. */
import { type Passkey, type PasskeyRefused, Pointsman } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import { failure, internalError, told } from "../api/Errors.ts"
import { mustUsePasskey } from "../gate/Access.ts"
import { CurrentOperator } from "../gate/Caller.ts"
import { takeRecentSignIn } from "../gate/RecentSignIn.ts"
import { ConsoleSettings } from "../gate/Settings.ts"
import type { PasskeyView, RegistrationResponse } from "./PasskeyApi.ts"
import { registrationOptions, verifyRegistration } from "./WebAuthn.ts"

const { timeView } = InProcess

const passkeyView = ({ createdAt, id, name, usedAt }: Passkey): PasskeyView => ({
  id,
  name,
  created_at: timeView(createdAt),
  last_used_at: usedAt === null ? null : timeView(usedAt)
})

const refusals: Readonly<Record<PasskeyRefused["reason"], string>> = {
  notRecent: "Sign out and in again first: a passkey can be added within 15 minutes of a sign-in.",
  oidc: "Your company's sign-in manages your account: sign in with it, or by a link, to use this console.",
  tooMany: "You have 20 passkeys. Remove one first.",
  unverified: "The response of the passkey could not be verified, or the passkey is in use already. Try again."
}

export const useYours =
  "Your role takes a passkey, and you have one: sign in with it. If you lost it, ask an administrator for a sign-in link."

const refused = ({ reason }: PasskeyRefused) => Effect.fail(failure("passkey_refused", refusals[reason]))

export const list = Effect.gen(function* () {
  const { operator } = yield* CurrentOperator
  const { passkeys } = (yield* Pointsman).operators
  return (yield* Effect.catch(passkeys.list(operator), internalError)).map(passkeyView)
})

const checkMayAdd = Effect.gen(function* () {
  const { requirePasskey } = yield* ConsoleSettings
  if (mustUsePasskey(yield* CurrentOperator, requirePasskey, yield* list)) {
    return yield* Effect.fail(failure("passkey_refused", useYours))
  }
})

export const begin = Effect.gen(function* () {
  yield* checkMayAdd
  const signedIn = yield* CurrentOperator
  const { passkeys } = (yield* Pointsman).operators
  const { challenge, existing } = yield* passkeys
    .begin(signedIn)
    .pipe(Effect.catchTags({ "pointsman/PasskeyRefused": refused, "pointsman/StorageError": internalError }))
  return yield* registrationOptions(signedIn.operator, challenge, existing)
})

export interface NewPasskey {
  readonly name: string
  readonly challenge: string
  readonly response: RegistrationResponse
}

export const add = Effect.fnUntraced(function* ({ challenge, name, response }: NewPasskey) {
  yield* checkMayAdd
  const signedIn = yield* CurrentOperator
  const { passkeys } = (yield* Pointsman).operators
  const order = { name, challenge, verify: verifyRegistration(challenge, response) }
  const passkey = yield* passkeys.add(signedIn, order).pipe(
    Effect.catchTags({
      "pointsman/PasskeyRefused": refused,
      "pointsman/PasskeyInvalid": ({ expected, field }) =>
        Effect.fail(failure("validation_error", `\`${field}\` must be ${expected}.`)),
      "pointsman/StorageError": internalError
    })
  )
  return passkeyView(passkey)
})

export const remove = Effect.fnUntraced(function* (id: string) {
  yield* takeRecentSignIn
  const { operator } = yield* CurrentOperator
  const { passkeys } = (yield* Pointsman).operators
  yield* passkeys.remove(operator, id).pipe(told)
})
