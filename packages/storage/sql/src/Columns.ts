/**
 * Tables as columns, each with the way to take its value from a record.
 *
 * Storages bind rows by position: a statement's text and its values are made from the same columns, so that the two
 * cannot differ in order, and no object is made for a row. Only a statement that writes any number of rows takes them
 * by name, as one JSON document.
 */
import type { Tenant } from "@pointsman/core"
import type { Change } from "@pointsman/core/ports"
import { Option } from "effect"

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

/** What all tables are made of. */
export type Parts<V> = ReturnType<typeof makeParts<V>>

export const makeParts = <V>(form: Form<V>) => {
  const { bindText, readText } = form
  const bindTextOrNull = (text: string | null) => (text === null ? null : bindText(text))
  const readTextOrNull = (value: unknown) => (value === null ? null : readText(value))
  return {
    ...form,
    bindTextOrNull,
    readTextOrNull,
    text: { bind: bindText, read: readText },
    textOrNull: { bind: bindTextOrNull, read: readTextOrNull },
    flag: { bind: form.bindBoolean, read: form.readBoolean },
    bindTenant: (tenant: Tenant): [V, Tenant["environment"]] => [bindText(tenant.workspaceId), tenant.environment],
    readTenant: (row: Row): Tenant => ({
      workspaceId: readText(row["workspace_id"]),
      environment: row["environment"] as Tenant["environment"]
    }),
    tenantColumns: {
      workspace_id: (_: unknown, { tenant }: { readonly tenant: Tenant }) => bindText(tenant.workspaceId),
      environment: (_: unknown, { tenant }: { readonly tenant: Tenant }) => tenant.environment
    }
  }
}

export const bindJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

export const readJson = <A>(value: unknown): A => (value === null ? null : JSON.parse(value as string)) as A

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
