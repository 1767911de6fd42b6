/** The schema: whose every key is, how text compares, and who may make it. */

import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { Ledger, SuccessRates } from "@pointsman/core/ports"
import { Effect, type Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { inspect } from "../src/index.ts"
import { newest } from "../src/Migrate.ts"
import { newChange, rate, tenant, withStorage } from "./Given.ts"
import { hasServer, newEmptyDatabase } from "./support/TestDatabase.ts"

const clientOf = (url: Redacted.Redacted) =>
  PgClient.make({ url, maxConnections: 2 }).pipe(Effect.provide(Reactivity.layer))

/** The contents of the schema, whatever created them. */
const schemaOf = (sql: PgClient.PgClient) =>
  sql<{ what: string }>`
    select table_name || '.' || column_name || ' ' || data_type as what from information_schema.columns
      where table_schema = 'public'
    union all select indexdef from pg_indexes where schemaname = 'public'
    union all select conrelid::regclass || ' ' || pg_get_constraintdef(oid) from pg_constraint
      where connamespace = 'public'::regnamespace
    union all select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
    order by what`

const empty = Effect.gen(function* () {
  const url = yield* newEmptyDatabase
  yield* withStorage({ url })(Effect.void)
  return { url, sql: yield* clientOf(url) }
})

/** What is found by its id alone, in all tenants: drawn at random, a workspace, or of the whole database. */
const acrossTenants = [
  "api_key_uses (hash)",
  "api_keys (hash)",
  "audit_entries (number)",
  "configurations (generation)",
  "connections (id)",
  "kept_secrets (name)",
  "leases (name)",
  "operator_sessions (hash)",
  "operators (id)",
  "operators (login_key)",
  "passkey_challenges (hash)",
  "passkeys (id)",
  "payments (page)",
  "pointsman_migrations (migration_id)",
  "record_losses (number)",
  "recovered_connections (loss, connection_id)",
  "sign_in_guesses (key)",
  "sign_in_links (hash)",
  "timelines (timeline)",
  "webhook_endpoints (id)",
  "workspaces (id)"
]

describe.skipIf(!hasServer)("the schema", () => {
  it.live("every unique key begins with its workspace, except across tenants", () =>
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
          !(first === "workspace_id" && second === "environment") && first !== "partner_id" && first !== "t"
      )
      expect(others.map(({ columns, name }) => `${name} (${columns.join(", ")})`).toSorted()).toEqual(acrossTenants)
    })
  )

  it.live("every column of text compares by its bytes", () =>
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

  itRunsLive("one of eight servers that start at once on an empty database makes the schema", function* () {
    const url = yield* newEmptyDatabase
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
      { migration_id: newest, name: "baseline" }
    ])
    const found = yield* withStorage({ url })(
      Effect.flatMap(Ledger, (ledger) => ledger.payments(tenant, { limit: 100 }))
    )
    expect(found).toHaveLength(8)
  })

  itRunsLive("a visitor of an older schema is refused, and nothing is changed", function* () {
    const { sql, url } = yield* empty
    yield* sql`update pointsman_migrations set migration_id = 0`
    expect(yield* inspect({ url })).toMatchObject({ schema: 0, newest })
    const refusal = yield* Effect.flip(withStorage({ url, existing: true })(Effect.void))
    expect(String(refusal.cause)).toContain(`it has the outdated schema version 0; this release needs ${newest}`)
    expect(yield* inspect({ url })).toMatchObject({ schema: 0 })
  })

  itRunsLive("an inspection reports schema and clock, and creates nothing", function* () {
    const url = yield* newEmptyDatabase
    const sql = yield* clientOf(url)
    const before = yield* schemaOf(sql)
    const began = performance.now()
    const found = yield* inspect({ url })
    const took = performance.now() - began
    expect(found).toMatchObject({ schema: null, newest: newest })
    // The server runs on this machine: it is wrong by half of the round trip at most, and by what is rounded.
    expect(Math.abs(found.clockAheadMillis)).toBeLessThanOrEqual(took / 2 + 2)
    expect(yield* schemaOf(sql)).toEqual(before)
    yield* withStorage({ url })(Effect.void)
    expect(yield* inspect({ url })).toMatchObject({
      schema: newest,
      newest: newest
    })
  })

  itRunsLive("a written rate is there after another start, and no broken one can be", function* () {
    const { sql, url } = yield* empty
    yield* withStorage({ url })(Effect.flatMap(SuccessRates, ({ write }) => write([rate])))
    const refused = Effect.fnUntraced(function* (set: string) {
      const { reason } = yield* Effect.flip(sql.unsafe(`update success_rates set ${set}`))
      return String((reason.cause as { readonly code?: unknown }).code)
    })
    expect([
      yield* refused("succeeded = -0.001"),
      yield* refused("failed = -1"),
      yield* refused("succeeded = 'NaN'"),
      yield* refused("failed = 'infinity'"),
      yield* refused("version = 0"),
      yield* refused("environment = 'staging'")
    ]).toEqual(Array(6).fill("23514"))
    yield* withStorage({ url })(
      Effect.gen(function* () {
        const { changedSince, write } = yield* SuccessRates
        const weights = [Number.NaN, Number.POSITIVE_INFINITY, -1]
        for (const succeeded of weights) {
          const broken = { ...rate, rate: { ...rate.rate, succeeded }, version: 2 }
          const next = { ...rate, segment: "other" }
          expect(yield* Effect.flip(write([next, broken]))).toMatchObject({ _tag: "pointsman/StorageError" })
        }
        expect(yield* changedSince(3)).toStrictEqual([rate])
      })
    )
  })

  itRunsLive("a schema of a newer version is refused at the open, with the reason", function* () {
    const { sql, url } = yield* empty
    yield* sql`insert into pointsman_migrations (migration_id, name) values (1000, 'of the future')`
    const failure = yield* Effect.flip(withStorage({ url })(Effect.void))
    expect(String(failure.cause)).toContain("the database has schema version 1000, created by a newer release")
  })

  itRunsLive("a payment that would contradict its refunds is refused to any other writer", function* () {
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
      yield* refused("refund_pending_minor = 901"),
      yield* refused("refunded_minor = 450, refund_pending_minor = 451"),
      yield* refused("refunded_minor = 901"),
      yield* refused("captured_minor = 1001"),
      yield* refused("authorized_minor = 899"),
      yield* refused("refund_pending_minor = -1"),
      yield* refused("claim = null")
    ]).toEqual(Array(7).fill("23514"))
    yield* sql`update payments set captured_minor = 1000`
  })
})
