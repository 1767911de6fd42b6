/**
 * Takes secrets out of a text that a provider wrote. Providers show what they were sent, in messages, codes and
 * references, and those are stored, answered and told to merchants.
 *
 * A secret is found as it is and as others write it: encoded once to three times as in a URL, with escapes of JSON or HTML,
 * in UTF-16, in hexadecimal digits, and in Base64, also as a part, as in `Basic` authentication.
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

/** Hexadecimal digits in small letters or capitals. */
const anyCase = (hex: string): string => hex.replace(/[a-f]/gu, (digit) => `[${digit}${digit.toUpperCase()}]`)

/** Names of entities besides the numbers (https://html.spec.whatwg.org/multipage/named-characters.html). */
const entities: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
  "+": "plus",
  "/": "sol",
  "=": "equals",
  _: "lowbar",
  ".": "period",
  ":": "colon"
}

/** A pattern of one character, as URLs, JSON and HTML write it. A form writes a space as `+`. */
const spelled = (character: string): string => {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at).toString(16))
  const code = (character.codePointAt(0) as number).toString(16)
  const bytes = Array.from(utf8.encode(character.toWellFormed()), (byte) => anyCase(byte.toString(16).padStart(2, "0")))
  const entity = entities[character]
  const spellings = [
    `\\\\?\\u{${code}}`,
    bytes.map((byte) => `%(?:25){0,2}${byte}`).join(""),
    units.map((unit) => `\\\\u${anyCase(unit.padStart(4, "0"))}`).join(""),
    `&#${character.codePointAt(0)};`,
    `&#[xX]0{0,4}${anyCase(code)};`,
    ...(entity === undefined ? [] : [`&${entity};`]),
    ...(character === " " ? ["\\+"] : [])
  ]
  return `(?:${spellings.join("|")})`
}

/** UTF-16 has a zero byte beside each of the usual characters. */
const spelling = (secret: string): string => Array.from(secret, spelled).join("\\0?")

const encodedForms = (secret: string): ReadonlyArray<string> => {
  if (secret.length < minEncodedLength) return []
  const hex = Hex.encode(utf8.encode(secret))
  const base64 = base64Of(secret).flatMap((digits) => [digits, encodeURIComponent(digits)])
  // The longest first: a shorter one may be a part of it.
  return [...new Set([...base64, hex, hex.toUpperCase()])].toSorted((a, b) => b.length - a.length)
}

interface Forms {
  readonly spellings: RegExp
  readonly encoded: ReadonlyArray<string>
}

const formsOf = (secrets: ReadonlyArray<Redacted.Redacted<string>>): Forms | undefined => {
  const texts = secrets
    .map((secret) => Redacted.value(secret))
    .filter((secret) => secret.length >= minSecretLength)
    .toSorted((a, b) => b.length - a.length)
  if (texts.length === 0) return undefined
  return { spellings: new RegExp(texts.map(spelling).join("|"), "gu"), encoded: texts.flatMap(encodedForms) }
}

/** `***` replaces a secret. The forms are computed when there is a text to search, and once. */
export const hideSecrets = (secrets: ReadonlyArray<Redacted.Redacted<string>>): ((text: string) => string) => {
  let forms: Forms | undefined
  return (text) => {
    forms ??= formsOf(secrets)
    if (forms === undefined) return text
    return forms.encoded.reduce((rest, form) => rest.replaceAll(form, "***"), text.replace(forms.spellings, "***"))
  }
}

/** Takes a connection's secrets out of a text that the provider wrote, and what a database may not store. */
export interface Clean {
  (text: string): string
  /** Whether the text shows a secret, in whatever form. A name that does is no name: it is kept as it is or not at all. */
  readonly shows: (text: string) => boolean
}

/** A page of text in the place of a message would end up in our own answers and records. */
const maxTextLength = 1_000

/**
 * Providers echo what they were sent. Control characters and halves of surrogate pairs cannot be stored everywhere.
 * `others`: what a provider's secrets look like that are not known, as global expressions.
 */
export const cleaner = (
  secrets: ReadonlyArray<Redacted.Redacted<string>>,
  others: ReadonlyArray<RegExp> = []
): Clean => {
  const hide = hideSecrets(secrets)
  const clean = (text: string) =>
    others
      .reduce((rest, other) => rest.replace(other, "***"), hide(text))
      .slice(0, maxTextLength)
      .toWellFormed()
      .replace(/\p{Cc}/gu, " ")
  return Object.assign(clean, { shows: (text: string) => hide(text) !== text })
}
