/** Records as JSON with short names, without what is usual. What is left out is read as it was written, given the same usual. */

/** Fields of a record, with their short names. */
export type Names<A> = { readonly [K in keyof Required<A>]: string }
export type Packed = Readonly<Record<string, unknown>>

const times: ReadonlySet<string> = new Set(["sentAt", "answeredAt", "settledAt", "updatedAt"])

/** Times count from a time that is read before, which makes them short. */
const later = (field: string, value: unknown, millis: number): unknown =>
  typeof value === "number" && times.has(field) ? value + millis : value

/** Under no name: the fields that the usual has, and the record has not. */
const lacking = "-"

export const pack = <A extends object>(names: Names<A>, record: A, usual: Partial<A>, since = 0): Packed => {
  const packed: Record<string, unknown> = {}
  for (const field of fieldsOf(names)) {
    const value = record[field]
    if (isSame(value, usual[field])) continue
    if (value !== undefined) packed[names[field]] = later(field, value, -since)
    else packed[lacking] = [...((packed[lacking] as ReadonlyArray<string> | undefined) ?? []), field]
  }
  return packed
}

export const unpack = <A extends object>(names: Names<A>, packed: Packed, usual: Partial<A>, since = 0): A => {
  const record: Record<string, unknown> = {}
  const absent = packed[lacking] as ReadonlyArray<string> | undefined
  for (const field of fieldsOf(names)) {
    const value = names[field] in packed ? later(field, packed[names[field]], since) : usual[field]
    if (value !== undefined && absent?.includes(field) !== true) record[field] = value
  }
  return record as A
}

const fieldsOf = <A>(names: Names<A>) => Object.keys(names) as unknown as ReadonlyArray<keyof A & string>

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other ||
  (typeof one === "object" &&
    typeof other === "object" &&
    one !== null &&
    other !== null &&
    JSON.stringify(one) === JSON.stringify(other))
