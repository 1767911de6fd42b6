/** The schema: whose every key is, how text compares, and who may make it. */
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Ledger } from "@pointsman/core"
import { Effect, type Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { newChange, tenant, withStorage } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"

const clientOf = (url: Redacted.Redacted) =>
  PgClient.make({ url, maxConnections: 2 }).pipe(Effect.provide(Reactivity.layer))

const empty = Effect.gen(function* () {
  const url = yield* newDatabase
  yield* withStorage({ url })(Effect.void)
  return { url, sql: yield* clientOf(url) }
})

/** What is found by its id alone, whoever owns it. Each of them is drawn at random, or is a workspace. */
const acrossTenants = [
  "api_keys (hash)",
  "connections (id)",
  "payments (page_token_hash)",
  "pointsman_migrations (migration_id)",
  "webhook_endpoints (id)",
  "workspaces (id)"
]

describe.skipIf(!hasServer)("the schema", () => {
  it.live("given every unique key, then it begins with its workspace, but for what is found across tenants", () =>
    Effect.gen(function* () {
      const { sql } = yield* empty
      const keys = yield* sql<{ name: string; columns: ReadonlyArray<string> }>`
        select pg_class.relname as name, array(
          select pg_get_indexdef(indexrelid, place, true) from generate_series(1, indnkeyatts) as place
        ) as columns
        from pg_index join pg_class on pg_class.oid = indrelid
        where indisunique and relnamespace = 'public'::regnamespace`
      expect(keys.length).toBeGreaterThan(10)
      const others = keys.filter(
        ({ columns: [first, second] }) =>
          !(first === "workspace_id" && second === "environment") && first !== "partner_id"
      )
      expect(others.map(({ columns, name }) => `${name} (${columns.join(", ")})`).toSorted()).toEqual(acrossTenants)
    })
  )

  it.live("given every column of text, then it compares by its bytes", () =>
    Effect.gen(function* () {
      const { sql } = yield* empty
      const columns = yield* sql<{ name: string; collation: string }>`
        select table_name || '.' || column_name as name, collation_name as collation from information_schema.columns
        where table_schema = 'public' and table_name <> 'pointsman_migrations'
          and (data_type = 'text' or udt_name = '_text')`
      expect(columns.length).toBeGreaterThan(50)
      expect(columns.filter(({ collation }) => collation !== "C")).toEqual([])
    })
  )

  it.live("given an empty database, when eight servers start on it at once, then one makes the schema", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      yield* Effect.forEach(
        Array(8).keys(),
        () =>
          withStorage({ url, maxConnections: 3 })(
            Effect.gen(function* () {
              yield* (yield* Ledger).commit(yield* newChange())
            })
          ),
        { concurrency: "unbounded" }
      )
      const sql = yield* clientOf(url)
      expect(yield* sql`select migration_id, name from pointsman_migrations`).toEqual([
        { migration_id: 1, name: "all" }
      ])
      const found = yield* withStorage({ url })(
        Effect.flatMap(Ledger, (ledger) => ledger.payments(tenant, { limit: 100 }))
      )
      expect(found).toHaveLength(8)
    })
  )

  it.live("given a schema of a newer version, when the storage opens, then it refuses and says why", () =>
    Effect.gen(function* () {
      const { sql, url } = yield* empty
      yield* sql`insert into pointsman_migrations (migration_id, name) values (1000, 'of the future')`
      const failure = yield* Effect.flip(withStorage({ url })(Effect.void))
      expect(String(failure.cause)).toContain("the database's schema is number 1000, made by a newer version")
    })
  )

  it.live("given whoever else writes, when a payment would contradict its refunds or itself, then it is refused", () =>
    Effect.gen(function* () {
      const { sql, url } = yield* empty
      yield* withStorage({ url })(
        Effect.gen(function* () {
          const change = yield* newChange()
          yield* (yield* Ledger).commit({
            ...change,
            payment: {
              ...change.payment,
              after: { ...change.payment.after, state: "Captured", authorizedMinor: 1000, capturedMinor: 900 }
            }
          })
        })
      )
      const refused = Effect.fnUntraced(function* (set: string) {
        const { reason } = yield* Effect.flip(sql.unsafe(`update payments set ${set}`))
        return String((reason.cause as { readonly code?: unknown }).code)
      })
      expect([
        yield* refused("refund_pending_minor = 1"),
        yield* refused("refunded_minor = 900"),
        yield* refused("refunded_minor = 901"),
        yield* refused("captured_minor = 1001"),
        yield* refused("authorized_minor = 899"),
        yield* refused("refund_pending_minor = -1"),
        yield* refused("hosted = '{}'")
      ]).toEqual(Array(7).fill("23514"))
      yield* sql`update payments set captured_minor = 1000`
    })
  )
})
