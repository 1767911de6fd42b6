/** All rows of a payment, as they are stored. */
import { copiedTables, type Row, type RowsOf } from "./Copies.ts"
import type { YearsStore } from "./YearsStore.ts"

export const rowsOf = async (store: YearsStore, id: string): Promise<RowsOf> => {
  const found = new Map<string, ReadonlyArray<Row>>()
  for (const { name, where } of copiedTables) {
    const columns = await store.columnsOf(name)
    found.set(name, await store.ask(`select ${columns.join(", ")} from ${name} where ${where.replaceAll("$id", id)}`))
  }
  return found
}
