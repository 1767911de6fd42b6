/** A provider's text shows a secret in whatever way others write one; none is left of it. */
import { assert, it } from "@effect/vitest"
import { cleaner } from "@pointsman/core/connector"
import { Redacted } from "effect"

const secret = "sk+live/Zq7&mV3=kT9<xW2"
const hide = cleaner([Redacted.make(secret)])
const each = (write: (character: string) => string) => Array.from(secret, write).join("")
const symbols = (write: (code: number) => string) =>
  secret.replace(/[^0-9A-Za-z]/gu, (character) => write(character.charCodeAt(0)))
const hex = (code: number, digits = 2) => code.toString(16).padStart(digits, "0")

const written: Readonly<Record<string, string>> = {
  "as it is": secret,
  "in a URL": encodeURIComponent(secret),
  "in a URL in lower case": symbols((code) => `%${hex(code)}`),
  "in a URL in a URL": encodeURIComponent(encodeURIComponent(secret)),
  "in a URL in a URL in a URL": encodeURIComponent(encodeURIComponent(encodeURIComponent(secret))),
  "in a form": new URLSearchParams({ "": secret }).toString().slice(1),
  "in JSON by PHP": secret.replaceAll("/", "\\/"),
  "in JSON with escaped symbols": symbols((code) => `\\u${hex(code, 4)}`),
  "in JSON in capitals": symbols((code) => `\\u${hex(code, 4).toUpperCase()}`),
  "in JSON with everything escaped": each((character) => `\\u${hex(character.charCodeAt(0), 4)}`),
  "in HTML": secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;"),
  "in HTML with decimal entities": symbols((code) => `&#${code};`),
  "in HTML with hexadecimal entities": symbols((code) => `&#x${hex(code).toUpperCase()};`),
  "in HTML with named entities": each(
    (character) => ({ "+": "&plus;", "/": "&sol;", "&": "&amp;", "=": "&equals;", "<": "&lt;" })[character] ?? character
  ),
  "in UTF-16": each((character) => `${character}\0`),
  "in Base64": Buffer.from(secret).toString("base64"),
  "in Base64 in a URL": encodeURIComponent(Buffer.from(secret).toString("base64")),
  "in hexadecimal digits": Buffer.from(secret).toString("hex")
}

for (const [how, text] of Object.entries(written)) {
  it(`cleaning leaves nothing of a secret ${how}`, () => {
    assert.isTrue(hide.shows(text))
    // The last digit of Base64 may hold the last bits of the secret.
    assert.match(hide(`No such key: ${text}!`), /^No such key: \*\*\*(?: |[0-9A-Za-z]?(?:=|%3D)*)!$/u)
  })
}

it("cleaning a megabyte that almost shows the secret costs in proportion to length", () => {
  const almost = secret.slice(0, -1)
  /** Of the processor; the least of three, because one may share its caches with other tests. */
  const millisOf = (length: number) => {
    const text = almost.repeat(Math.ceil(length / almost.length))
    const once = () => {
      const begun = process.threadCpuUsage()
      assert.isFalse(hide.shows(text))
      const { system, user } = process.threadCpuUsage(begun)
      return (system + user) / 1_000
    }
    return Math.min(once(), once(), once())
  }
  // Linear is 10 times; quadratic would be 100 times.
  assert.isBelow(millisOf(1_000_000), 40 * Math.max(1, millisOf(100_000)))
})

it("a text without a secret stays the same", () => {
  const text = "Card 4111 declined: 50% &amp; more \\u0041, sk+live/Zq7"
  assert.isFalse(hide.shows(text))
  assert.strictEqual(hide(text), text)
})
