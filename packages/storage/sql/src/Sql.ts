/**
 * One database, for the services whose statements are the same in every one. Their texts are PostgreSQL's, with the
 * parameters `$1`, `$2` and so on in the order of the values; a cast directly behind a parameter is PostgreSQL's alone.
 */
import type { Tenant } from "@pointsman/core"
import { type CommitUnknown, StorageError } from "@pointsman/core/ports"
import { Effect, type Option } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Bound, firstOf, list, type Row } from "./Columns.ts"
import type { Keys } from "./Keys.ts"
import type { Rows } from "./Rows.ts"

/** A statement of a transaction. The empty text asks nothing. */
export type Query<V> = (text: string, values?: ReadonlyArray<Bound<V>>) => Effect.Effect<ReadonlyArray<Row>, SqlError>

export type Statement<V> = readonly [text: string, values: ReadonlyArray<Bound<V>>]

type Ask<V> = (
  operation: string,
  text: string,
  values?: ReadonlyArray<Bound<V>>
) => Effect.Effect<ReadonlyArray<Row>, StorageError>

/** Several statements. What fails inside undoes them all. */
type Transaction<Q> = <A, E = never>(
  operation: string,
  body: (query: Q) => Effect.Effect<A, E | SqlError>
) => Effect.Effect<A, Exclude<E, SqlError> | StorageError | CommitUnknown>

export interface Sql<V> {
  readonly rows: Rows<V>
  readonly keys: Keys<V>
  /** What leads the rows of a tenant's payments. */
  readonly bindOwner: (tenant: Tenant) => V
  /** Rows of payments, each with what `readOwner` needs. `order`: of the part, which has a limit. */
  readonly withOwner: (part: string, order?: string) => string
  readonly readOwner: (row: Row) => Tenant
  readonly read: Ask<V>
  /** A list that may be of a moment ago, where the caller allows it. */
  readonly list: Ask<V>
  /** A list that may take milliseconds of the database, while payments continue. */
  readonly search: Ask<V>
  /** One statement that writes, for callers that do the same whether nothing was written or the result is unknown. */
  readonly update: Ask<V>
  readonly transaction: Transaction<Query<V>>
  /**
   * A select for each item, whose texts follow the other values, in as few statements as the database allows: for each
   * item by itself, so that it is read by the index that the text means.
   */
  readonly each: (
    text: string,
    values: ReadonlyArray<Bound<V>>,
    items: ReadonlyArray<ReadonlyArray<V>>
  ) => ReadonlyArray<Statement<V>>
  /**
   * Writes of items, in as few statements as the database allows: `textOf` gets the columns of an item, in the types
   * given, and the clause that they come by. `after`: how many values of the statement are before them.
   */
  readonly every: (
    after: number,
    types: ReadonlyArray<"text" | "bigint" | "uuid">,
    textOf: (item: ReadonlyArray<string>, items: string) => string
  ) => (values: ReadonlyArray<Bound<V>>, items: ReadonlyArray<ReadonlyArray<Bound<V>>>) => ReadonlyArray<Statement<V>>
  /** Rows that are added to a table, or replace others by the clause at the end, in as few statements as the database allows. */
  readonly put: (
    table: string,
    columns: ReadonlyArray<string>,
    end: string
  ) => (rows: ReadonlyArray<ReadonlyArray<Bound<V>>>) => ReadonlyArray<Statement<V>>
  /** What keeps other writers from rows or tables; empty where a transaction has the database for itself. */
  readonly locking: (clause: string) => string
  /** The table, read by this index where the database does not find it by itself. */
  readonly by: (table: string, index: string) => string
  /** In hexadecimal digits. */
  readonly sha256: (text: string) => string
  /** Whether they are equal, where a text may be longer than an index takes. */
  readonly isSame: (column: string, value: string) => string
}

/** For callers that do the same whether nothing was written or the result is unknown. */
export const repeatable = <Q, A, E = never>(
  { transaction }: { readonly transaction: Transaction<Q> },
  operation: string,
  body: (query: Q) => Effect.Effect<A, E | SqlError>
): Effect.Effect<A, Exclude<E, SqlError> | StorageError> =>
  Effect.catchIf(
    transaction(operation, body),
    (failed): failed is CommitUnknown => (failed as { readonly _tag?: unknown })._tag === "pointsman/CommitUnknown",
    ({ cause }) => Effect.fail(new StorageError({ operation, cause }))
  ) as Effect.Effect<A, Exclude<E, SqlError> | StorageError>

/** Writes that may be repeated: one statement commits by itself. */
export const updateAll = <V>(
  sql: Sql<V>,
  operation: string,
  statements: ReadonlyArray<Statement<V>>
): Effect.Effect<ReadonlyArray<Row>, StorageError> => {
  const [only] = statements
  if (only !== undefined && statements.length === 1) return sql.update(operation, ...only)
  return Effect.map(
    repeatable(sql, operation, (query) => queryAll(query, statements)),
    (found) => found.flat()
  )
}

export const queryAll = <V>(query: Query<V>, statements: ReadonlyArray<Statement<V>>) =>
  Effect.forEach(statements, ([text, values]) => query(text, values))

/** Whether a statement found or changed a row. */
export const isAny = ({ length }: ReadonlyArray<Row>): boolean => length > 0

/** What each row says. */
export const readAll = <V, A>(
  sql: Sql<V>,
  operation: string,
  take: (row: Row) => A,
  text: string,
  values?: ReadonlyArray<Bound<V>>
): Effect.Effect<ReadonlyArray<A>, StorageError> =>
  Effect.map(sql.read(operation, text, values), (found) => found.map(take))

/** What the only row that may be there says. */
export const readOne = <V, A>(
  sql: Sql<V>,
  operation: string,
  take: (row: Row) => A,
  text: string,
  values: ReadonlyArray<Bound<V>>
): Effect.Effect<Option.Option<A>, StorageError> => Effect.map(sql.read(operation, text, values), firstOf(take))

/** As `each`. */
export const readEach = <V>(
  { each, read }: Sql<V>,
  operation: string,
  ...select: Parameters<Sql<V>["each"]>
): Effect.Effect<ReadonlyArray<Row>, StorageError> =>
  Effect.map(
    Effect.forEach(each(...select), ([text, values]) => read(operation, text, values)),
    (found) => found.flat()
  )

/** For a database in the process, which answers one by one as fast. */
export const oneByOne = <V>(): Pick<Sql<V>, "each" | "every" | "put"> => ({
  each: (text, values, items) => items.map((item) => [text, [...values, ...item]]),
  every: (after, types, textOf) => {
    const text = textOf(
      types.map((_, at) => `$${after + at + 1}`),
      ""
    )
    return (values, items) => items.map((item) => [text, [...values, ...item]])
  },
  put: (table, columns, end) => (rows) => rows.map((row) => [`${insertInto(table, columns)} ${end}`, row])
})

/** `insert into table (a, b) values ($1, $2)` */
export const insertInto = (table: string, columns: ReadonlyArray<string>): string =>
  `insert into ${table} (${list(columns)}) values (${list(columns.map((_, index) => `$${index + 1}`))})`

/** Adds a value, and gives its place in the text. */
export const placesOf =
  <V>(values: Array<Bound<V>>) =>
  (value: Bound<V>): string =>
    `$${values.push(value)}`
