/** Signing in with a passkey, without a login: the passkey names its operator. */
import { Clock, Effect, Option } from "effect"
import type { Passkey } from "../../model/Passkey.ts"
import { Operators, Passkeys } from "../../ports/Operators.ts"
import { newChallenge, takeChallenge } from "./ManagePasskeys.ts"
import { begin, countGuess, refused } from "./SignIn.ts"

export interface PasskeySignIn<E> {
  /** As it was given out. */
  readonly challenge: string
  /** Of the response. */
  readonly passkeyId: string
  /** Of the response: the operator for whom the device made the passkey. */
  readonly operatorId: string
  /** Verifies the response with the stored passkey; gives its counter, and `undefined` for one that is not right. */
  readonly verify: (passkey: Passkey) => Effect.Effect<number | undefined, E>
}

/** Counts as a try of the source. Its answer does not: it needs a challenge that was counted. */
export const beginPasskeySignIn = Effect.fnUntraced(function* (source: string) {
  yield* countGuess("source", source)
  return yield* newChallenge(null)
})

export const signInWithPasskey = Effect.fnUntraced(function* <E>({
  challenge,
  operatorId,
  passkeyId,
  verify
}: PasskeySignIn<E>) {
  const store = yield* Passkeys
  if (!(yield* takeChallenge(challenge, null))) return yield* refused("passkey")
  const passkey = Option.getOrUndefined(yield* store.byId(passkeyId))
  if (passkey === undefined || passkey.operatorId !== operatorId) return yield* refused("passkey")
  const operator = Option.getOrUndefined(yield* (yield* Operators).byId(operatorId))
  if (operator === undefined) return yield* refused("passkey")
  const counter = yield* verify(passkey)
  // A counter that did not grow is that of a copy of the passkey, or of a response that was sent before.
  const isRight = counter !== undefined && (yield* store.used(passkey.id, counter, yield* Clock.currentTimeMillis))
  return isRight ? yield* begin(operator, "passkey") : yield* refused("passkey", operator)
})
