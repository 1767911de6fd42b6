/**
 * The key of one form: it is made once, when the form is asked for, and is in the form's address. A reload, a double click
 * and a second tab send the same key, and what the form does is done once.
 */
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"

export const isFormKey = (text: string | null): text is string => text !== null && /^[ -~]{8,200}$/u.test(text)

export const newKey = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  return `console-${yield* random.uuidV7()}`
}).pipe(Effect.provide(SecureRandom.layerWebCrypto))
