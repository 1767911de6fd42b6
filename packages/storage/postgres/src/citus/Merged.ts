/** Rows of several nodes in one order. Text compares by its bytes, as in the database. */
import type { Row } from "@pointsman/storage-sql"

type Key = (row: Row) => ReadonlyArray<string | number>

const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number"
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

/** The first `limit` of them, each node's being in this order. `isDescending`: the greatest first. */
export const merged = (rows: ReadonlyArray<Row>, key: Key, limit: number, isDescending = false): ReadonlyArray<Row> =>
  rows
    .map((row) => ({ row, key: key(row) }))
    .toSorted((a, b) => {
      const index = a.key.findIndex((part, at) => compare(part, b.key[at] as string | number) !== 0)
      if (index < 0) return 0
      const order = compare(a.key[index] as string | number, b.key[index] as string | number)
      return isDescending ? -order : order
    })
    .slice(0, limit)
    .map(({ row }) => row)

/** The values of these columns. */
export const columnsOf =
  (...columns: ReadonlyArray<string>): Key =>
  (row) =>
    columns.map((column) => row[column] as string | number)
