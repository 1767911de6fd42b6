/**
 * Tables as columns, each with the way to take its value from a record.
 *
 * Storages bind rows by position: a statement's text and its values are made from the same columns, so that the two
 * cannot differ in order, and no object is made for a row. Only a statement that writes any number of rows takes them
 * by name, as one JSON document. A record whose properties are columns of the same names says each once, for the writes and
 * for the reads.
 */
import type { SignedMoney, Tenant } from "@pointsman/core"
import type { Change } from "@pointsman/core/ports"
import { Option, Record } from "effect"

export type Row = Readonly<Record<string, unknown>>

/** `O`: what a record is written with, where the record does not say it itself. */
export type Columns<A, V, O = void> = Readonly<Record<string, (record: A, owner: O) => Bound<V>>>
export type Bound<V> = V | string | number | null

/** What rows are written with. */
export type Owner = Pick<Change, "tenant">

/** How a database keeps what not every database can. */
export interface Form<V> {
  /** Text from outside, which may hold a NUL or a lone surrogate: a read gives back exactly what was written. */
  readonly bindText: (text: string) => V
  readonly readText: (value: unknown) => string
  readonly bindTexts: (texts: ReadonlyArray<string>) => V
  readonly readTexts: (value: unknown) => ReadonlyArray<string>
  readonly bindBoolean: (value: boolean) => V
  readonly readBoolean: (value: unknown) => boolean
}

export const bindJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

export const readJson = <A>(value: unknown): A => (value === null ? null : JSON.parse(value as string)) as A

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
export const plain = {
  bind: (value: string | number | null) => value,
  read: (stored: unknown) => stored as never
}

/** A number that the database computed, which it may give as a text. */
export const computed = { ...plain, read: (stored: unknown) => (stored === null ? null : Number(stored)) as never }

/** `null` is none. */
export const json = { bind: bindJson, read: (stored: unknown) => readJson<never>(stored) }

/** Null where the property is absent, and absent where it is null: a record reads as it was written. */
export const optional = <A, Read, V>({
  bind,
  read
}: {
  readonly bind: (value: A) => Bound<V>
  readonly read: (stored: unknown) => Read
}) => ({
  bind: (value: A | null | undefined) => (value == null ? null : bind(value)),
  read: (stored: unknown) => (stored == null ? undefined : read(stored))
})

/** Several columns that are stored alike. */
export const alike = <Column extends string, How>(how: How, ...columns: ReadonlyArray<Column>) =>
  Object.fromEntries(columns.map((column) => [column, how])) as Readonly<Record<Column, How>>

/** A value in columns of a row. */
export interface Part<A, V> {
  readonly columns: Readonly<Record<string, (value: A) => Bound<V>>>
  readonly read: (row: Row) => A
}

export const columnOf = <A, V>(column: string, { bind, read }: Field<NoInfer<A>, NoInfer<V>>): Part<A, V> => ({
  columns: { [column]: bind },
  read: (row) => read(row[column])
})

export const partOf = <A, V>(parts: { readonly [Name in keyof A & string]-?: Part<A[Name], V> }): Part<A, V> => {
  const all = Object.entries(parts) as unknown as ReadonlyArray<[string, Part<unknown, V>]>
  const columnsOf = ([name, { columns }]: [string, Part<unknown, V>]) =>
    Object.entries(columns).map(([column, bind]) => [column, (record: A) => bind((record as Row)[name])])
  return {
    columns: Object.fromEntries(all.flatMap(columnsOf)),
    read: (row) => {
      const record: Record<string, unknown> = {}
      for (const [name, { read }] of all) {
        const value = read(row)
        if (value !== undefined) record[name] = value
      }
      return record as A
    }
  }
}

export const moneyIn = (minor: string, currency: string) =>
  partOf<SignedMoney, never>({ minorUnits: columnOf(minor, plain), currency: columnOf(currency, plain) })

/** `null` where the first of its columns is null. */
export const orNull = <A, V>({ columns, read }: Part<A, V>): Part<A | null, V> => {
  const all = Object.entries(columns)
  return {
    columns: Object.fromEntries(
      all.map(([column, bind]) => [column, (value) => (value === null ? null : bind(value))])
    ),
    read: (row) => (row[all[0]?.[0] ?? ""] === null ? null : read(row))
  }
}

/** `parts`: the properties that are not one column of their name. */
export const recordOf = <A, V, Several extends keyof A = never>(
  fields: Fields<Omit<A, Several>, V>,
  parts: { readonly [Name in Several]: Part<A[Name], V> } = {} as never
): Part<A, V> => {
  const single = (Object.entries(fields) as ReadonlyArray<[string, Field<unknown, V>]>).map(([column, field]) => [
    column.replaceAll(/_(\w)/gu, (_, letter: string) => letter.toUpperCase()),
    columnOf(column, field)
  ])
  return partOf<A, V>({ ...Object.fromEntries(single), ...parts })
}

/** What all tables are made of. */
export type Parts<V> = ReturnType<typeof makeParts<V>>

export const makeParts = <V>(form: Form<V>) => {
  const { bindText, readText } = form
  const bindTextOrNull = (text: string | null) => (text === null ? null : bindText(text))
  /** A number, any text, or `null`. */
  const value = {
    bind: (given: string | number | null) => (typeof given === "string" ? bindText(given) : given),
    read: (stored: unknown) => (stored == null || typeof stored === "number" ? stored : readText(stored)) as never
  }
  const tenant = recordOf<Tenant, V>(alike(value, "workspace_id", "environment"))
  return {
    ...form,
    bindTextOrNull,
    value,
    flag: { bind: form.bindBoolean, read: form.readBoolean },
    bindTenant: (tenant: Tenant): [V, Tenant["environment"]] => [bindText(tenant.workspaceId), tenant.environment],
    tenant,
    readTenant: tenant.read,
    tenantColumns: Record.map(
      tenant.columns,
      (bind) =>
        (_: unknown, { tenant }: Owner) =>
          bind(tenant)
    )
  }
}

/** What the only row that may be there says. */
export const firstOf =
  <A>(take: (row: Row) => A) =>
  ([row]: ReadonlyArray<Row>): Option.Option<A> =>
    Option.map(Option.fromUndefinedOr(row), take)

/** A record's values in the order of its columns. */
export const valuesOf = <A, V, O = void>(columns: Columns<A, V, O>): ((record: A, owner: O) => Array<Bound<V>>) => {
  const takes = Object.values(columns)
  return (record, owner) => takes.map((take) => take(record, owner))
}

/** `a, b, c` */
export const list = (columns: ReadonlyArray<string>, prefix = ""): string =>
  columns.map((column) => `${prefix}${column}`).join(", ")

/** Replaces the row with the same key. */
export const onConflictReplace = (columns: ReadonlyArray<string>, key: ReadonlyArray<string>): string =>
  `on conflict (${list(key)}) do update set ${columns
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = excluded.${column}`)
    .join(", ")}`

export const tenantKey: ReadonlyArray<string> = ["workspace_id", "environment"]
/** Of attempts, operations, refunds, disputes and their evidence. */
export const entryKey: ReadonlyArray<string> = [...tenantKey, "payment_id", "id"]

/** Greater than every id that we write. */
export const afterAll = "~"
