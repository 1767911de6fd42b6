/** Where each table is: without a cluster. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { withStorage } from "../../postgres/test/Given.ts"
import { hasServer, newDatabase } from "../../postgres/test/support/TestDatabase.ts"
import { clientOf } from "../../postgres/test/support/Waiting.ts"
import { tablePlacements } from "../src/TablePlacement.ts"

describe.skipIf(!hasServer)("places of tables", () => {
  it.live("each table has a place, and those in shards the workspace in unique keys", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* withStorage({ url })(Effect.void)
      const sql = yield* clientOf(url, 1)
      // A cluster has no partitions.
      const tables = yield* sql<{ name: string }>`select relname as name from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
      const missing = tables.map(({ name }) => name).filter((name) => tablePlacements[name] === undefined)
      expect(missing, "tables without a placement: add them to packages/storage/citus/src/TablePlacement.ts").toEqual(
        []
      )
      expect(tables.map(({ name }) => name).toSorted()).toEqual(Object.keys(tablePlacements).toSorted())

      const unique = yield* sql<{ name: string; columns: string; has_number: boolean }>`
        select c.relname as name, pg_get_indexdef(x.indexrelid) as columns, exists (
          select 1 from pg_attribute where attrelid = c.oid and attname = 't'
        ) as has_number
        from pg_index as x join pg_class as c on c.oid = x.indrelid
        where x.indisunique and c.relnamespace = 'public'::regnamespace and not c.relispartition`
      const without = unique.filter(
        ({ columns, has_number, name }) =>
          // Distributing a database adds the workspace of this number to the table, and to its unique indexes.
          tablePlacements[name] === "workspace" && !has_number && !columns.includes("workspace_id")
      )
      expect(without).toEqual([])
    })
  )
})
