/**
 * Secrets to plant, and how a text is searched for them: as they are, and as a URL, Base64 or hexadecimal digits write
 * them, also where they are a part of a longer text that was written so (`Basic` authentication, say).
 */

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

const withoutPadding = (text: string) => text.replace(/=+$/u, "")

/** Base64 writes three bytes at a time: where a text begins inside of a longer one decides how it looks. */
const base64At = (secret: string, offset: number): string => {
  const text = withoutPadding(Buffer.from("\0".repeat(offset) + secret).toString("base64"))
  // What shares a group with bytes before or after it looks different there.
  const from = offset === 0 ? 0 : offset + 1
  const whole = Math.floor(((offset + Buffer.byteLength(secret)) * 8) / 6)
  return text.slice(from, whole)
}

const formsOf = (secret: string): ReadonlyArray<readonly [form: string, text: string]> => {
  const base64 = [0, 1, 2].map((offset) => base64At(secret, offset))
  const hex = Buffer.from(secret).toString("hex")
  return [
    ["itself", secret],
    ["its beginning", secret.slice(0, partLength)],
    ["its end", secret.slice(-partLength)],
    ["URL", encodeURIComponent(secret)],
    ["form", new URLSearchParams([["", secret]]).toString().slice(1)],
    ["JSON", JSON.stringify(secret).slice(1, -1)],
    ...base64.map((text) => ["Base64", text] as const),
    ...base64.map((text) => ["Base64 of URLs", text.replaceAll("+", "-").replaceAll("/", "_")] as const),
    ["hexadecimal", hex],
    ["hexadecimal", hex.toUpperCase()]
  ]
}

/** Where a text shows one of them; each by the first of its forms that is found. */
export const leaksIn = (text: string, planted: Planted): ReadonlyArray<Leak> =>
  Object.entries(planted).flatMap(([name, secret]) => {
    for (const [form, shown] of formsOf(secret)) {
      const at = text.indexOf(shown)
      if (at >= 0) return [{ secret: name, form, near: text.slice(Math.max(0, at - 120), at + shown.length + 40) }]
    }
    return []
  })
