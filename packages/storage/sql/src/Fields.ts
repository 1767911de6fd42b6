/** Records whose properties are columns of the same names: each is said once, for the writes and for the reads. */
import { type Bound, bindJson, type Row, readJson } from "./Columns.ts"

/** How a property is stored. */
export interface Field<A, V> {
  readonly bind: (value: A) => Bound<V>
  readonly read: (stored: unknown) => A
}

type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name

/** In the order of the columns: one for each property, or it does not compile. */
export type Fields<A, V> = { readonly [Name in keyof A & string as SnakeCase<Name>]-?: Field<A[Name], V> }

/** A number, or a text of ours: as the database has it. */
export const plain = <A extends string | number | null>(): Field<A, never> => ({
  bind: (value) => value,
  read: (stored) => stored as A
})

/** `null` is none. */
export const json = <A>(): Field<A, never> => ({ bind: bindJson, read: (stored) => readJson<A>(stored) })

/** Null where the property is absent, and absent where it is null: a record reads as it was written. */
export const optional = <A, V>({ bind, read }: Field<A, V>): Field<A | undefined, V> => ({
  bind: (value) => (value == null ? null : bind(value)),
  read: (stored) => (stored == null ? undefined : read(stored))
})

export const recordOf = <A, V>(fields: Fields<A, V>) => {
  const all = (Object.entries(fields) as ReadonlyArray<[string, Field<unknown, V>]>).map(([column, { bind, read }]) => {
    const name = column.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase())
    return { column, name, bind, read }
  })
  return {
    columns: Object.fromEntries(
      all.map(({ bind, column, name }) => [column, (record: A) => bind((record as Row)[name])])
    ) as Readonly<Record<string, (record: A) => Bound<V>>>,
    read: (row: Row): A => {
      const record: Record<string, unknown> = {}
      for (const { column, name, read } of all) {
        const value = read(row[column])
        if (value !== undefined) record[name] = value
      }
      return record as A
    }
  }
}
