/** The schema: whose every key is, how text compares, and who may make it. */
import { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Ids, Ledger, SuccessRates } from "@pointsman/core/ports"
import { Effect, Option, type Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { expectShared, newCharge, newDecline } from "../../sql/test/SharedReference.ts"
import { inspect } from "../src/index.ts"
import { newChange, rate, tenant, withStorage } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"

const clientOf = (url: Redacted.Redacted) =>
  PgClient.make({ url, maxConnections: 2 }).pipe(Effect.provide(Reactivity.layer))

const steps = [
  { migration_id: 1, name: "all" },
  { migration_id: 2, name: "success_rates" },
  { migration_id: 3, name: "payments_by_provider_ref" },
  { migration_id: 4, name: "operations_by_id" },
  { migration_id: 5, name: "reported" },
  { migration_id: 6, name: "message_outcomes" },
  { migration_id: 7, name: "charge_references" },
  { migration_id: 8, name: "attempts_by_provider_ref" },
  { migration_id: 9, name: "claimed_by" },
  { migration_id: 10, name: "configurations" },
  { migration_id: 11, name: "named_references" },
  { migration_id: 12, name: "record_losses" },
  { migration_id: 13, name: "timelines" },
  { migration_id: 14, name: "checked_connections" },
  { migration_id: 15, name: "payments_due_by_connection" },
  { migration_id: 16, name: "drop_payments_due" },
  { migration_id: 17, name: "accounts" },
  { migration_id: 18, name: "kept_secrets" },
  { migration_id: 19, name: "key_limits" },
  { migration_id: 20, name: "key_uses" },
  { migration_id: 21, name: "audit" },
  { migration_id: 22, name: "payments_by_reference" },
  { migration_id: 23, name: "payments_by_amount" },
  { migration_id: 24, name: "metadata" },
  { migration_id: 25, name: "brands" },
  { migration_id: 26, name: "operators" },
  { migration_id: 27, name: "deliveries_by_endpoint" },
  { migration_id: 28, name: "deliveries_by_event" },
  { migration_id: 29, name: "secret_rotations" },
  { migration_id: 30, name: "passkeys" },
  { migration_id: 31, name: "short_rows" },
  { migration_id: 32, name: "claims_by_claim_time" },
  { migration_id: 33, name: "events_of_payment" },
  { migration_id: 34, name: "events_by_later_type" },
  { migration_id: 35, name: "drop_larger_indexes" },
  { migration_id: 36, name: "retention" },
  { migration_id: 37, name: "messages_with_body" },
  { migration_id: 38, name: "drop_foreign_keys" },
  { migration_id: 39, name: "partitions" },
  { migration_id: 40, name: "connection_fees" },
  { migration_id: 41, name: "disputes" },
  { migration_id: 42, name: "settlements" },
  { migration_id: 43, name: "refunds_by_provider_refund" },
  { migration_id: 44, name: "four_eyes" },
  { migration_id: 45, name: "proof_lease" },
  { migration_id: 46, name: "derived_rows" },
  { migration_id: 47, name: "message_bodies" },
  { migration_id: 48, name: "run_leases" },
  { migration_id: 49, name: "closed_differences" },
  { migration_id: 50, name: "names_of_differences" },
  { migration_id: 51, name: "report_schedules" },
  { migration_id: 52, name: "entries_by_payout" },
  { migration_id: 53, name: "payouts" },
  { migration_id: 54, name: "rate_memories" }
]

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
  const url = yield* newDatabase
  yield* withStorage({ url })(Effect.void)
  return { url, sql: yield* clientOf(url) }
})

const withoutClaimedBy = (sql: PgClient.PgClient) =>
  Effect.forEach(["attempts", "operations", "refunds"], (table) =>
    sql.unsafe(`alter table ${table} drop column claimed_by`)
  )

const withoutCheckedConnections = (sql: PgClient.PgClient) =>
  Effect.gen(function* () {
    // With its index.
    yield* sql`alter table payments drop column check_connection`
    yield* sql`create index payments_due on payments (check_at) where check_at is not null`
  })

/** As it was before connections had accounts. */
/** As it was before payments had any. */
const withoutMetadata = (sql: PgClient.PgClient) =>
  Effect.andThen(sql`drop table payment_metadata`, sql`alter table payments drop column metadata, drop column purchase`)

/** As it was before reports were reconciled, before deliveries had partitions, and before anything left a database. */
const withoutRetention = (sql: PgClient.PgClient) =>
  Effect.forEach(
    [
      "drop table settlement_entries, reconciliation_runs, reconciliation_leases",
      "drop index refunds_by_provider_refund",
      ...["deliveries", "delivery_attempts"].flatMap((table) => [
        `alter table ${table} detach partition ${table}_first`,
        `drop table ${table}`,
        `alter table ${table}_first rename to ${table}`,
        `do $$
        declare
          one record;
        begin
          for one in select indexrelid::regclass::text as name from pg_index where indrelid = '${table}'::regclass loop
            execute format('alter index %I rename to %I', one.name, left(one.name, -length('_first')));
          end loop;
        end $$`
      ]),
      "alter table events add foreign key (workspace_id, environment, payment_id) references payments",
      "alter table deliveries add foreign key (workspace_id, environment, event_id) references events",
      "alter table delivery_attempts add foreign key (workspace_id, environment, delivery_id) references deliveries",
      "drop table disputes",
      "drop table dispute_evidence",
      "drop table retention_lease, proof_lease, report_lease",
      "alter table workspaces drop column retention, drop column four_eyes",
      "alter table payments drop column replaced_ref",
      "drop table message_bodies",
      "drop index messages_with_body"
    ],
    (statement) => sql.unsafe(statement)
  )

const withoutAccounts = (sql: PgClient.PgClient) =>
  Effect.forEach(
    [
      "alter table attempts drop column account",
      "alter table connections drop column account, drop column current_account, drop column account_changed_at, drop column fees, drop column reports",
      "alter table api_keys drop column name, drop column expires_at, drop column networks",
      "drop table api_key_uses",
      "drop table audit_entries",
      "drop function audit_entries_are_kept",
      "alter table workspaces drop column brand",
      "alter table if exists success_rates drop column memory",
      "drop function if exists write_rates_with_memory(jsonb)",
      "alter table webhook_endpoints drop column rotation",
      "drop table passkeys, passkey_challenges",
      "drop table operators, operator_sessions, sign_in_links, sign_in_guesses"
    ],
    (statement) => sql.unsafe(statement)
  )

/** What is found by its id alone, in all tenants: drawn at random, a workspace, or of the whole database. */
const acrossTenants = [
  "api_key_uses (hash)",
  "api_keys (hash)",
  "audit_entries (number)",
  "configurations (generation)",
  "connections (id)",
  "kept_secrets (name)",
  "operator_sessions (hash)",
  "operators (id)",
  "operators (login_key)",
  "passkey_challenges (hash)",
  "passkeys (id)",
  "payments (page_token_hash)",
  "pointsman_migrations (migration_id)",
  "proof_lease (one)",
  "record_losses (number)",
  "recovered_connections (loss, connection_id)",
  "report_lease (one)",
  "retention_lease (one)",
  "sign_in_guesses (key)",
  "sign_in_links (hash)",
  "timelines (timeline)",
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
      expect(yield* sql`select migration_id, name from pointsman_migrations`).toEqual(steps)
      const found = yield* withStorage({ url })(
        Effect.flatMap(Ledger, (ledger) => ledger.payments(tenant, { limit: 100 }))
      )
      expect(found).toHaveLength(8)
    })
  )

  it.live(
    "given a database of the first step, when four servers start on it at once, then one adds what came since",
    () =>
      Effect.gen(function* () {
        const { sql, url } = yield* empty
        const newest = yield* schemaOf(sql)
        yield* withStorage({ url })(Effect.flatMap(Ledger, (ledger) => Effect.flatMap(newChange(), ledger.commit)))
        yield* sql`drop table success_rates cascade`
        yield* sql`drop table charge_references, named_references, configurations, recovered_connections, record_losses, timelines, kept_secrets`
        yield* withoutMetadata(sql)
        yield* withoutRetention(sql)
        yield* withoutAccounts(sql)
        yield* withoutClaimedBy(sql)
        yield* withoutCheckedConnections(sql)
        yield* sql`drop index operations_by_id`
        yield* sql`alter table payments drop column reported`
        yield* sql`drop index messages_by_time`
        yield* sql`drop index messages_by_payment`
        yield* sql`alter table messages drop column outcome, drop column reason, drop column is_sealed,
          add column is_applied boolean not null default true`
        yield* sql`alter table messages alter column is_applied drop default`
        yield* sql`insert into messages (workspace_id, environment, connection_id, event_id, payment_id, about, subject_id,
            is_applied, written_at, received_at, body)
          values ('ws', 'sandbox', 'first', 'a', 'p', 'charge', 's', true, 1, 4, '{"id":1}'),
            ('ws', 'sandbox', 'first', 'b', 'p', 'charge', 's', false, 1, 3, ''),
            ('ws', 'sandbox', 'first', 'c', null, 'charge', 's', false, 1, 2, '')`
        yield* sql`delete from pointsman_migrations where migration_id > 1`
        expect(yield* inspect({ url })).toMatchObject({ schema: 1, newest: steps.at(-1)?.migration_id })
        const refusal = yield* Effect.flip(withStorage({ url, existing: true })(Effect.void))
        expect(String(refusal.cause)).toContain(
          `it has the outdated schema version 1; this release needs ${steps.at(-1)?.migration_id}`
        )
        yield* Effect.forEach(Array(4).keys(), () => withStorage({ url, maxConnections: 3 })(Effect.void), {
          concurrency: "unbounded"
        })
        expect(yield* sql`select migration_id, name from pointsman_migrations`).toEqual(steps)
        expect(yield* schemaOf(sql)).toEqual(newest)
        yield* withStorage({ url })(
          Effect.gen(function* () {
            expect(yield* (yield* Ledger).payments(tenant, { limit: 10 })).toHaveLength(1)
            expect(yield* (yield* SuccessRates).write([rate])).toEqual([])
            const ledger = yield* Ledger
            const listed = yield* ledger.messages({ limit: 10 })
            expect(listed.map(({ outcome }) => outcome)).toEqual(["applied", "confirmed", "unmatched"])
            const owner = { workspaceId: "ws", environment: "sandbox" } as const
            const kept = Option.getOrThrow(yield* ledger.message(owner, "first", "a"))
            expect(kept).toMatchObject({ body: '{"id":1}', isSealed: false, reason: null })
          })
        )
      })
  )

  it.live("given two payments with one reference, when it is migrated, then both go on, and no third gets it", () =>
    Effect.gen(function* () {
      const { sql, url } = yield* empty
      const [first, second] = [yield* newCharge("ch-1"), yield* newCharge("ch-2")]
      const declined = yield* newDecline("ch-3")
      yield* withStorage({ url })(
        Effect.flatMap(Ledger, (ledger) => Effect.forEach([first, second, declined], ledger.commit))
      )
      yield* sql`update payments set provider_ref = 'ch-1'`
      yield* sql`drop table charge_references, named_references, configurations, recovered_connections, record_losses, timelines, kept_secrets`
      yield* withoutMetadata(sql)
      yield* withoutRetention(sql)
      yield* withoutAccounts(sql)
      yield* withoutClaimedBy(sql)
      yield* withoutCheckedConnections(sql)
      yield* sql`delete from pointsman_migrations where migration_id >= 7`
      yield* withStorage({ url })(expectShared(first, second, declined))
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live("given payments that wait for a check, when it is migrated, then each waits for its connection", () =>
    Effect.gen(function* () {
      const { sql, url } = yield* empty
      yield* withStorage({ url })(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const pending = { state: "ChargePending" } as const
          for (const fields of [pending, { ...pending, connectionId: "second" }, {}]) {
            yield* ledger.commit({ ...(yield* newChange(fields)), checkAt: 1, checkedConnection: "another" })
          }
        })
      )
      yield* withoutMetadata(sql)
      yield* withoutRetention(sql)
      yield* withoutAccounts(sql)
      yield* withoutCheckedConnections(sql)
      yield* sql`drop table kept_secrets`
      yield* sql`delete from pointsman_migrations where migration_id >= 14`
      const found = yield* withStorage({ url })(
        Effect.flatMap(Ledger, (ledger) => ledger.dueByConnection({ now: 1, limit: 10 }))
      )
      expect(new Set(found)).toEqual(
        new Set([
          // Nothing is known of its charge, and nobody is asked.
          { connectionId: null, payments: 1 },
          { connectionId: "first", payments: 1 },
          { connectionId: "second", payments: 1 }
        ])
      )
    }).pipe(Effect.provide(Ids.layer))
  )

  it.live(
    "given a database, when it is inspected, then its schema and its clock are reported, and nothing is created",
    () =>
      Effect.gen(function* () {
        const url = yield* newDatabase
        const sql = yield* clientOf(url)
        const before = yield* schemaOf(sql)
        const began = performance.now()
        const found = yield* inspect({ url })
        const took = performance.now() - began
        expect(found).toMatchObject({ schema: null, newest: steps.at(-1)?.migration_id })
        // The server runs on this machine: it is wrong by half of the round trip at most, and by what is rounded.
        expect(Math.abs(found.clockAheadMillis)).toBeLessThanOrEqual(took / 2 + 2)
        expect(yield* schemaOf(sql)).toEqual(before)
        yield* withStorage({ url })(Effect.void)
        expect(yield* inspect({ url })).toMatchObject({
          schema: steps.at(-1)?.migration_id,
          newest: steps.at(-1)?.migration_id
        })
      })
  )

  it.live(
    "given a server of the release before, when it writes rates, then it can, and what was remembered of them before is ignored",
    () =>
      Effect.gen(function* () {
        const { sql, url } = yield* empty
        const outcomes = { succeeded: 2, failed: 1 }
        const memory = { short: outcomes, long: outcomes, worse: outcomes, better: outcomes }
        const remembered = { ...rate, rate: { ...rate.rate, memory } }
        yield* withStorage({ url })(Effect.flatMap(SuccessRates, ({ write }) => write([remembered])))
        const writeAsBefore = (segment: string, version: number) => {
          const { connectionId, tenant } = rate
          const key = { workspace_id: tenant.workspaceId, environment: tenant.environment, connection_id: connectionId }
          const row = { ...key, segment, succeeded: 7, failed: 3, at: 5, version }
          return sql.unsafe("select * from write_success_rates($1::text::jsonb)", [JSON.stringify([row])])
        }
        expect(yield* writeAsBefore(rate.segment, 2)).toEqual([])
        expect(yield* writeAsBefore("new", 1)).toEqual([])
        expect(yield* writeAsBefore("new", 1)).toMatchObject([{ segment: "new", succeeded: 7 }])
        const found = yield* withStorage({ url })(Effect.flatMap(SuccessRates, ({ changedSince }) => changedSince(0)))
        expect(found.toSorted((a, b) => (a.segment < b.segment ? -1 : 1))).toStrictEqual(
          [
            { ...rate, rate: { succeeded: 7, failed: 3, at: 5 }, version: 2 },
            { ...rate, segment: "new", rate: { succeeded: 7, failed: 3, at: 5 }, version: 1 }
          ].toSorted((a, b) => (a.segment < b.segment ? -1 : 1))
        )
      })
  )

  it.live("given a rate that was written, when another server starts, then it is there, and no broken one can be", () =>
    Effect.gen(function* () {
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
  )

  it.live("given a schema of a newer version, when the storage opens, then it refuses and says why", () =>
    Effect.gen(function* () {
      const { sql, url } = yield* empty
      yield* sql`insert into pointsman_migrations (migration_id, name) values (1000, 'of the future')`
      const failure = yield* Effect.flip(withStorage({ url })(Effect.void))
      expect(String(failure.cause)).toContain("the database has schema version 1000, created by a newer release")
    })
  )

  it.live("given any other writer, when a payment would contradict its refunds or itself, then it is refused", () =>
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
