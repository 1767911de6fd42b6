/**
 * What is stored of a message that was read: the fields that its reader reads, by name, and nothing else of the provider's
 * text. A field inside a field that is not named is dropped with it. A text that is not JSON is kept whole.
 */
export const keptFields =
  (names: ReadonlySet<string>) =>
  (body: string): string => {
    try {
      return JSON.stringify(kept(JSON.parse(body), names))
    } catch {
      return body
    }
  }

const kept = (value: unknown, names: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map((one) => kept(one, names))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => (names.has(name) ? [[name, kept(field, names)]] : []))
  )
}
