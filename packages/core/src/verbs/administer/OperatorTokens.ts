/** Tokens of sessions and sign-in links. */
import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { Secrets } from "../../ports/Secrets.ts"

const tokenBytes = 32
const tokenShape = /^[A-Za-z0-9_-]{43}$/u

/** With the entropy of a key, so that its hash needs no salt. */
export const newToken = Effect.fnUntraced(function* (label: string) {
  const random = yield* SecureRandom.SecureRandom
  const text = Base64Url.encode(yield* Effect.orDie(random.randomBytes(tokenBytes)))
  return { token: Redacted.make(text, { label }), hash: yield* (yield* Secrets).hash(text) }
})

/** `undefined` for a text that is no token: the store is not asked for it. */
export const hashOf = Effect.fnUntraced(function* (token: Redacted.Redacted<string>) {
  const text = Redacted.value(token)
  return tokenShape.test(text) ? yield* (yield* Secrets).hash(text) : undefined
})
