/**
 * Secrets to plant, and how texts and bytes are searched for them: as they are, as URLs, JSON, HTML, UTF-16, Base64 and
 * hexadecimal digits write them, also one within another, also where they are a part of a longer text that was written so
 * (`Basic` authentication, say), and also compressed.
 */
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib"

/** By what it is. */
export type Planted = Readonly<Record<string, string>>

export interface Leak {
  readonly secret: string
  readonly form: string
  /** The surrounding text. */
  readonly near: string
}

/** A cut secret is one still: half of it is most of the work of guessing the rest. */
const partLength = 16

const symbols = (text: string, write: (code: number) => string) =>
  text.replace(/[^0-9A-Za-z]/gu, (character) => write(character.charCodeAt(0)))
const each = (text: string, write: (code: number) => string) =>
  Array.from(text, (character) => write(character.charCodeAt(0))).join("")
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, "0")

/** How others may write a text. Each is found by `leaksIn`, and the control says so. */
export const writings = (text: string): Readonly<Record<string, string>> => ({
  "as it is": text,
  "its beginning": text.slice(0, Math.max(partLength, Math.ceil(text.length / 2))),
  "in a URL": encodeURIComponent(text),
  "in a URL in a URL": encodeURIComponent(encodeURIComponent(text)),
  "in a URL in lower case": symbols(text, (code) => `%${hex(code, 2)}`),
  "in a form": new URLSearchParams({ "": text }).toString().slice(1),
  "in JSON": JSON.stringify(JSON.stringify({ text })),
  "in JSON by PHP": JSON.stringify(text).replaceAll("/", "\\/"),
  "in JSON with escapes": symbols(text, (code) => `\\u${hex(code, 4)}`),
  "in JSON with escapes alone": each(text, (code) => `\\u${hex(code, 4).toUpperCase()}`),
  "in HTML with decimal entities": symbols(text, (code) => `&#${code};`),
  "in HTML with hexadecimal entities": symbols(text, (code) => `&#x${hex(code, 2).toUpperCase()};`),
  "in UTF-16": each(text, (code) => `${String.fromCharCode(code)}\0`),
  "in Base64": Buffer.from(text).toString("base64"),
  "in Base64 in a URL": encodeURIComponent(Buffer.from(text).toString("base64")),
  "in basic authentication": Buffer.from(`user:${text}`).toString("base64url"),
  "in basic authentication of a longer user": Buffer.from(`user1:${text}`).toString("base64"),
  "in hexadecimal digits": Buffer.from(text).toString("hex"),
  "in hexadecimal digits in capitals": Buffer.from(text).toString("hex").toUpperCase()
})

const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" }

/** One layer of URL, JSON and HTML taken off. */
const decoded = (text: string): string =>
  text
    .replaceAll("\0", "")
    .replace(/%([0-9a-fA-F]{2})/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\u([0-9a-fA-F]{4})/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/&#(\d{1,7});/gu, (_, code: string) => String.fromCharCode(Number(code)))
    .replace(/&#[xX]([0-9a-fA-F]{1,6});/gu, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/&(amp|lt|gt|quot|apos);/gu, (_, name: string) => entities[name] ?? "")
    .replace(/\\(["\\/])/gu, "$1")

/** So many within one another are looked into. */
const layers = 3

const readings = (text: string): ReadonlyArray<readonly [form: string, text: string]> => {
  const found: Array<readonly [string, string]> = [["itself", text]]
  for (let layer = 1; layer <= layers; layer++) {
    const before = found.at(-1)?.[1] ?? ""
    const after = decoded(before)
    if (after === before) break
    found.push([`decoded ${layer}`, after])
  }
  return found
}

/** Base64 writes three bytes at a time: where a text begins inside of a longer one decides how it looks. */
const base64At = (part: string, offset: number): string => {
  const text = Buffer.from("\0".repeat(offset) + part).toString("base64")
  // What shares a group with bytes before or after it looks different there.
  return text.slice(offset === 0 ? 0 : offset + 1, Math.floor(((offset + Buffer.byteLength(part)) * 8) / 6))
}

const makePatterns = (secret: string): ReadonlyArray<readonly [form: string, text: string]> =>
  [...new Set([secret.slice(0, partLength), secret.slice(-partLength)])].flatMap((part) => [
    ["as it is", part] as const,
    ...[0, 1, 2].flatMap((offset) => {
      const text = base64At(part, offset)
      return [["Base64", text] as const, ["Base64", text.replaceAll("+", "-").replaceAll("/", "_")] as const]
    }),
    ["hexadecimal", Buffer.from(part).toString("hex")] as const,
    ["hexadecimal", Buffer.from(part).toString("hex").toUpperCase()] as const
  ])

const patterns = new Map<string, ReturnType<typeof makePatterns>>()

/** Made once for each secret: hundreds of texts are searched for the same ones. */
const patternsOf = (secret: string) => {
  const known = patterns.get(secret) ?? makePatterns(secret)
  patterns.set(secret, known)
  return known
}

const anyPatterns = new WeakMap<Planted, RegExp>()

/** Finds any form of any of them in one pass: nearly all texts show none. */
const anyOf = (planted: Planted): RegExp => {
  const known = anyPatterns.get(planted)
  if (known !== undefined) return known
  const texts = Object.values(planted).flatMap((secret) =>
    patternsOf(secret).map(([, text]) => text.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&"))
  )
  const made = new RegExp(texts.join("|"), "u")
  anyPatterns.set(planted, made)
  return made
}

/** Where a text shows one of them; each by the first of its forms that is found. */
export const leaksIn = (text: string, planted: Planted): ReadonlyArray<Leak> => {
  const read = readings(text)
  if (!read.some(([, shown]) => anyOf(planted).test(shown))) return []
  return Object.entries(planted).flatMap(([secret, value]) => {
    for (const [form, pattern] of patternsOf(value)) {
      for (const [layer, shown] of read) {
        const at = shown.indexOf(pattern)
        if (at < 0) continue
        return [
          { secret, form: `${form}, ${layer}`, near: shown.slice(Math.max(0, at - 120), at + pattern.length + 40) }
        ]
      }
    }
    return []
  })
}

/** The same in bytes of any format, which may be compressed as a whole. */
export const leaksInBytes = (bytes: Uint8Array, planted: Planted): ReadonlyArray<Leak> =>
  [bytes, ...expanded(bytes)].flatMap((one) => leaksIn(Buffer.from(one).toString("latin1"), planted))

const expanded = (bytes: Uint8Array): ReadonlyArray<Uint8Array> =>
  [gunzipSync, inflateSync, brotliDecompressSync].flatMap((expand) => {
    try {
      return [expand(bytes)]
    } catch {
      return []
    }
  })

/** Test numbers of the networks, in groups as on a card. */
export const cardNumbers = [
  ...["4111 1111 1111 1111", "4012 8888 8888 1881", "4242 4242 4242 4242", "4000 0566 5566 5556"],
  ...["5555 5555 5555 4444", "5105 1051 0510 5100", "5200 8282 8282 8210", "2223 0031 2200 3222", "3782 822463 10005"],
  ...["3714 496353 98431", "3787 344936 71000", "6011 1111 1111 1117", "6011 0009 9013 9424", "3530 1113 3330 0000"],
  ...["3566 0020 2036 0505", "3056 930902 5904", "3852 000002 3237", "6304 0000 0000 0000", "6200 0000 0000 0005"],
  ...["6555 9000 0060 4105"]
]
/** A card number in the ways that it is written by hand; each is searched for. */
export const cardForms = (name: string, grouped: string): Planted => ({
  [`${name} with spaces`]: grouped,
  [`${name} with dashes`]: grouped.replaceAll(" ", "-"),
  [`${name} alone`]: grouped.replaceAll(" ", "")
})
