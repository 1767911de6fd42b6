/** Where each table is: without a cluster. */
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { places } from "../src/Places.ts"
import { withStorage } from "../../postgres/test/Given.ts"
import { hasServer, newDatabase } from "../../postgres/test/support/TestDatabase.ts"
import { clientOf } from "../../postgres/test/support/Waiting.ts"

describe.skipIf(!hasServer)("places of tables", () => {
  it.live(
    "given the schema, then each table has a place, and what is in shards has the workspace in its unique keys",
    () =>
      Effect.gen(function* () {
        const url = yield* newDatabase
        yield* withStorage({ url })(Effect.void)
        const sql = yield* clientOf(url, 1)
        // A cluster has no partitions.
        const tables = yield* sql<{ name: string }>`select relname as name from pg_class
          where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`
        const missing = tables.map(({ name }) => name).filter((name) => places[name] === undefined)
        expect(missing, "tables without a place: add them to src/citus/Places.ts").toEqual([])
        expect(tables.map(({ name }) => name).toSorted()).toEqual(Object.keys(places).toSorted())

        const unique = yield* sql<{ name: string; index: string; columns: string }>`
        select c.relname as name, i.relname as index, pg_get_indexdef(x.indexrelid) as columns from pg_index as x
          join pg_class as c on c.oid = x.indrelid join pg_class as i on i.oid = x.indexrelid
        where x.indisunique and c.relnamespace = 'public'::regnamespace and not c.relispartition`
        const without = unique.filter(
          ({ columns, index, name }) =>
            // Distributing a database replaces this one.
            places[name] === "workspace" && index !== "payments_by_page" && !columns.includes("workspace_id")
        )
        expect(without).toEqual([])
      })
  )
})
