/** What several nodes or shards have, in one order. Text compares by its bytes, as in the database. */
import type { Row } from "@pointsman/storage-sql"

export type Order<A> = (one: A) => ReadonlyArray<string | number>

const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number"
    ? a - b
    : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)))

/** The first `limit` of them. `isDescending`: the greatest first. */
export const firstOf =
  <A>(limit: number, order: Order<A>, isDescending = false) =>
  (all: ReadonlyArray<A>): ReadonlyArray<A> =>
    all
      .map((one) => ({ one, key: order(one) }))
      .toSorted((a, b) => {
        const index = a.key.findIndex((part, at) => compare(part, b.key[at] as string | number) !== 0)
        if (index < 0) return 0
        const sign = compare(a.key[index] as string | number, b.key[index] as string | number)
        return isDescending ? -sign : sign
      })
      .slice(0, limit)
      .map(({ one }) => one)

export const sum = <A>(all: ReadonlyArray<A>, of: (one: A) => number): number =>
  all.reduce((total, one) => total + of(one), 0)

export const numberOf = (row: Row, column: string): number => Number(row[column])
