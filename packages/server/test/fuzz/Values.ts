/** Texts and JSON that a stranger may send: nearly valid, broken, and long in the manner that makes careless code slow. */
import * as fc from "fast-check"

const units = [
  ..."a0 19-./\\%,;:=&\"'[]{}()<>_+@#?*\t\n\u0000é٣\u200b\u202e",
  ...["\ud83d\ude00", "\ud800", "%41", "%zz", "4111 1111 1111 1111 ", "4111111111111111", "12/27 ", "cvv", "1e"],
  ...["\\u0000"],
  ...['{"a":', '"a",', "[0,", "a=1&", "a,", "gzip;q=0.", "v1=", "t=1,", "127.0.0.1,", "::1,", "evt_", "sk_live_"],
  ...["..", "\r\n"]
]

const edges = [
  ...["", " ", "null", "true", "__proto__", "constructor", "toString", "hasOwnProperty", "\u0000", "\ud800", "\ufeff"],
  ...["4111 1111 1111 1111", "4111111111111111 12/27", "1e400", "-0", "NaN", "0x10", "٣", "%", "%00", "%ff", "../.."],
  ...["//"],
  ...["https://a@b", "http://", "javascript:alert(1)", "https://pay.example/?a=1#b", "http://[::1]:99999"],
  ...["https://x."],
  ...["019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01", "evt_019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0a01", "2026-11-21T12:00:00Z"],
  ...["2026-99-99T99:99:99Z", "-271821-04-20T00:00:00Z", "999999999999999999", "9007199254740993"]
]

/** The usual one so many times as often as the other. */
export const often = <A, B>(usual: fc.Arbitrary<A>, other: fc.Arbitrary<B>, times = 9): fc.Arbitrary<A | B> =>
  fc.oneof({ weight: times, arbitrary: usual }, { weight: 1, arbitrary: other })

/** One or two pieces again and again, mostly short; now and then `largest` characters. */
const repeated = (largest: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...units),
      fc.constantFrom("", "", ...units),
      fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(3, 20, 65, 256) },
        { weight: 2, arbitrary: fc.constantFrom(1_000, 4_000) },
        { weight: 1, arbitrary: fc.constant(largest) }
      ),
      fc.constantFrom("", "", "x", "!", "\u0000")
    )
    .map(([one, other, length, end]) => (one + other).repeat(length / (one + other).length) + end)

export const text = (largest: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.string({ unit: "binary", maxLength: 40 }),
    fc.constantFrom(...edges),
    repeated(largest)
  )

const numbers = [0, -0, -1, 1, 0.5, 1e21, 2 ** 31, 2 ** 53, 2 ** 53 + 2, Number.MIN_VALUE, Number.MAX_VALUE, 99_999_999]

const nested = fc.tuple(fc.constantFrom(3, 20, 63, 64, 65, 500), fc.boolean()).map(([depth, isArray]) => {
  let value: unknown = 1
  for (let at = 0; at < depth; at++) value = isArray ? [value] : { a: value }
  return value
})

const json = (largest: number): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    { weight: 3, arbitrary: fc.constantFrom<unknown>(...numbers, null, true, false, [], {}, [[]], [null]) },
    { weight: 4, arbitrary: text(largest) },
    { weight: 1, arbitrary: nested },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: largest / 4 }).map((length) => new Array(length).fill(0)) }
  )

type Change = readonly [nth: number, how: "replace" | "remove" | "add", key: string, value: unknown]

/** Every place in a JSON value, the value's own place first. */
const placesOf = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> => [
  path,
  ...(typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, inside]) => placesOf(inside, [...path, key]))
    : [])
]

const changed = (value: unknown, [head, ...rest]: ReadonlyArray<string>, change: Change): unknown => {
  const [, how, key, replacement] = change
  if (head === undefined) {
    if (how !== "add" || typeof value !== "object" || value === null || Array.isArray(value)) return replacement
    // As a parser makes it: an own property, whatever its name.
    return Object.fromEntries([...Object.entries(value), [key, replacement]])
  }
  const isRemoved = rest.length === 0 && how === "remove"
  const entries = Object.entries(value as object).flatMap(([name, inside]) =>
    name !== head ? [[name, inside] as const] : isRemoved ? [] : [[name, changed(inside, rest, change)] as const]
  )
  return Array.isArray(value) ? entries.map(([, inside]) => inside) : Object.fromEntries(entries)
}

/** The value with up to three places changed, removed or added. */
export const nearly = (base: fc.Arbitrary<unknown>, largest: number): fc.Arbitrary<unknown> => {
  const change = fc.tuple(
    fc.nat(),
    fc.constantFrom<Change[1]>("replace", "replace", "remove", "add"),
    text(64),
    json(largest)
  )
  const changes = fc.oneof(
    { weight: 2, arbitrary: fc.constant([]) },
    { weight: 3, arbitrary: fc.array(change, { minLength: 1, maxLength: 3 }) }
  )
  return fc.tuple(base, changes).map(([value, changes]) =>
    changes.reduce((now: unknown, one) => {
      const places = placesOf(now)
      return changed(now, places[one[0] % places.length] ?? [], one)
    }, value)
  )
}

/** The text with a piece cut out, put in, doubled, or with its end cut off; mostly unchanged. */
export const scratched = (base: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc
    .tuple(
      base,
      often(
        fc.constant(null),
        fc.tuple(fc.nat(), fc.nat(8), fc.constantFrom("cut", "put", "double", "end"), text(64)),
        4
      )
    )
    .map(([whole, scratch]) => {
      if (scratch === null) return whole
      const [nth, length, how, piece] = scratch
      const at = nth % (whole.length + 1)
      if (how === "end") return whole.slice(0, at)
      if (how === "put") return whole.slice(0, at) + piece + whole.slice(at)
      return (
        whole.slice(0, at) + (how === "cut" ? "" : whole.slice(at, at + length).repeat(2)) + whole.slice(at + length)
      )
    })

/** A body: nearly valid JSON, or any text. */
export const body = (base: fc.Arbitrary<unknown>, largest: number): fc.Arbitrary<string> =>
  often(scratched(nearly(base, largest).map((value) => JSON.stringify(value) ?? "")), text(largest))

/** What of a text a header may carry: Latin-1 without line breaks and NUL. */
export const sendable = (value: string): string => value.replace(/[^\t -~\u0080-\u00ff]/gu, "")

export const headerText = (largest: number): fc.Arbitrary<string> => text(largest).map(sendable)

/** Spelled as it may be in a URL: what is no part of one is percent-encoded, and some of the rest too. */
export const urlText = (largest: number) =>
  text(largest).map((value) => encodeURI(value.toWellFormed()).replaceAll("%25", "%").replaceAll("#", "%23"))
