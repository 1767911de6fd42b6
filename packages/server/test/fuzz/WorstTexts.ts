/** Texts of which reading and checking cost most, and bodies of JSON with one of them in each field. */

/** Nesting, escapes, what ends a record or a part, and digits of a card number, also in other scripts and encodings. */
const units = [
  ...["[", '{"a":', "[[],", "1", '"', " ", "\\u0000", ",", ";", "\t", "\n", '"",', "-", "\r\n--", "=&", "/"],
  ...["4111 1111 1111 1111 ", "4111111111111111,", "१", "%34", "%", "e\u0301", "\uFDFA", "\u200B", "\u{1F600}"]
]

export const worstTexts = (bytes: number): ReadonlyArray<string> =>
  units.map((unit) => unit.repeat(Math.floor(bytes / Buffer.byteLength(unit))))

const manyKeys = (bytes: number): object =>
  Object.fromEntries(Array.from({ length: Math.floor(bytes / 12) }, (_, at) => [`k${at}`, 1]))

/** Each has at most so many bytes: the texts themselves, and `base` with each field, or one more, as long as it may be. */
export const worstBodies = (bytes: number, base: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const left = bytes - Buffer.byteLength(JSON.stringify(base)) - 64
  const values = [...worstTexts(left), manyKeys(left), Array.from({ length: Math.floor(left / 2) }, () => 1)]
  const bodies = [...Object.keys(base), "another"].flatMap((field) =>
    values.map((value): string => {
      const body = JSON.stringify({ ...base, [field]: value })
      // Escapes make it longer.
      const most =
        typeof value === "string" ? Math.floor((value.length * left) / Buffer.byteLength(JSON.stringify(value))) : 0
      return Buffer.byteLength(body) <= bytes || typeof value !== "string"
        ? body
        : JSON.stringify({ ...base, [field]: value.slice(0, most).toWellFormed() })
    })
  )
  return [...worstTexts(bytes), ...bodies]
}
