/**
 * Takes secrets out of a text that a provider wrote. Providers show what they were sent, in messages, codes and
 * references, and those are stored, answered and told to merchants.
 *
 * A secret is found as it is and as others write it: in a URL or a form, in Base64 (also where it is a part of what was
 * encoded, as in `Basic` authentication) and in hexadecimal digits.
 */
import { Redacted } from "effect"
import { Base64, Hex } from "effect/encoding"

/** A shorter "secret" is a placeholder, and hiding it would garble ordinary words. */
const minSecretLength = 4

/** In Base64 a short one is a piece of a word like any other. */
const minEncodedLength = 8

const utf8 = new TextEncoder()

/** Base64 writes three bytes as four digits: how a part looks depends on where in the whole it begins. */
const base64Of = (secret: string): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((offset) => {
    const bytes = utf8.encode("\0".repeat(offset) + secret)
    // Digits that bytes before or after it have a share in are left out.
    const from = offset === 0 ? 0 : offset + 1
    const digits = Base64.encode(bytes).slice(from, Math.floor((bytes.length * 8) / 6))
    return [digits, digits.replaceAll("+", "-").replaceAll("/", "_")]
  })

const formsOf = (secret: string): ReadonlyArray<string> => {
  const wellFormed = secret.toWellFormed()
  const plain = [secret, encodeURIComponent(wellFormed), new URLSearchParams({ "": wellFormed }).toString().slice(1)]
  if (secret.length < minEncodedLength) return [...new Set(plain)]
  const hex = Hex.encode(utf8.encode(secret))
  return [...new Set([...plain, ...base64Of(secret), hex, hex.toUpperCase()])]
}

const allFormsOf = (secrets: ReadonlyArray<Redacted.Redacted<string>>): ReadonlyArray<string> =>
  secrets
    .map((secret) => Redacted.value(secret))
    .filter((secret) => secret.length >= minSecretLength)
    .flatMap(formsOf)
    // The longest first: a shorter one may be a part of it.
    .toSorted((a, b) => b.length - a.length)

/** `***` replaces a secret. The forms are computed when there is a text to search, and once. */
export const hideSecrets = (secrets: ReadonlyArray<Redacted.Redacted<string>>): ((text: string) => string) => {
  let forms: ReadonlyArray<string> | undefined
  return (text) => {
    forms ??= allFormsOf(secrets)
    return forms.reduce((rest, form) => rest.replaceAll(form, "***"), text)
  }
}
