/**
 * How PostgreSQL goes about what is asked of it: by an index, and along the part of it that is the tenant's. Once in a
 * new database, of which it knows nothing, and once among a hundred workspaces.
 */

import { describe, expect, it } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import { Ids } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { LedgerOptions } from "../src/Commit.ts"
import { type Database, open } from "../src/Database.ts"
import { make as makeDeliveries } from "../src/Deliveries.ts"
import { make as makeLedger } from "../src/Ledger.ts"
import { migrate } from "../src/Migrate.ts"
import { make as makeRetention } from "../src/Retention.ts"
import { tenantNumber } from "../src/Rows.ts"
import { make as makeSettlements } from "../src/Settlements.ts"
import { makeRates, sqlOf } from "../src/Sql.ts"
import { newChange, tenant } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"

/**
 * By workspaces of 200 payments each, every one with its attempt, event, claim and delivery, in two partitions. With 20, reading all of a
 * tenant's keys costs less than 1 % more than finding one, and PostgreSQL takes either.
 */
const fill = (workspaces: number) => [
  `insert into tenants (t, workspace_id, environment) values ${Array.from({ length: workspaces }, (_, w) => {
    const workspaceId = `ws${w + 1}`
    return `(${tenantNumber({ workspaceId, environment: "sandbox" })}, '${workspaceId}', 'sandbox')`
  }).join(", ")}`,
  `insert into payments (t, id, version, state, amount_minor, currency, reference, authorized_minor, captured_minor,
      refunded_minor, refund_pending_minor, created_at, is_sent, connection_id, key, claim_version, claimed_at, claim,
      details, book)
    select t, ('00000000-0000-7000-8000-' || lpad(to_hex(row_number() over (order by t, n)), 12, '0'))::uuid, 1,
      (array['Captured', 'Declined', 'Charging'])[n % 3 + 1], 1000 + n % 50, 'EUR', 'order ' || n,
      case n % 3 when 0 then 1000 + n % 50 else 0 end, case n % 3 when 0 then 1000 + n % 50 else 0 end, 0, 0, n, true,
      case n % 3 when 0 then 'first' end, gen_random_uuid(), 1, n, '{"f":"fp","s":"Claimed","k":"key"}', '{"c":"DE"}',
      case n % 3 when 0 then '{"p":"ref","s":1}' else '{}' end
    from tenants, generate_series(1, 200) as n`,
  `insert into due (t, payment, at, connection, state) select t, id, created_at, 'connection ' || t, state from payments
    where created_at % 10 = 0`,
  `insert into searches (t, state, payment) select t, state, id from payments where created_at % 10 <> 0`,
  `insert into reviews (t, payment, since) select t, id, created_at from payments where created_at % 10 = 1`,
  `insert into payment_metadata (t, payment, name, value)
    select t, id, name, 'text ' || created_at % 20 from payments cross join unnest(array['first', 'second']) as name`,
  "insert into charges (t, name, payment) select t, gen_random_uuid(), id from payments",
  "insert into names (t, name, payment) select t, created_at * 4 + n, id from payments cross join generate_series(1, 4) as n",
  `insert into events (t, id, type, payment, created_at, data)
    select t, id, 1 + created_at % 20, id, 1, '{}' from payments`,
  `create view owned as select payments.id::text as id, tenants.workspace_id, tenants.environment, payments.created_at
    from payments join tenants using (t)`,
  `insert into messages (workspace_id, environment, connection_id, event_id, event_hash, payment_id, about, subject_id,
      outcome, is_sealed, written_at, received_at, body)
    select workspace_id, environment, 'first', 'e' || id, md5('e' || id), id, 'settlement', id,
      (array['applied', 'confirmed', 'unmatched'])[created_at % 3 + 1], true, 1, created_at, '' from owned`,
  `insert into deliveries (workspace_id, environment, id, endpoint_id, event_id, state, failures, attempts, due_at,
      created_at)
    select workspace_id, environment, case when created_at % 2 = 0 then 'dlv_00' else 'dlv' end || id, 'endpoint ' || workspace_id, 'evt_' || id,
      (array['Due', 'Delivered', 'Refused'])[created_at % 3 + 1], 0, 0, case when created_at % 10 = 0 then 1 end, 1
    from owned`,
  `insert into settlement_entries (workspace_id, environment, connection_id, row_id, run_id, number, generated_at, kind,
      result, reason, payment_id, gross_minor, currency, payout_id, occurred_at, recorded_at)
    select workspace_id, environment, 'first', 'row' || id, 'rec', 1, 1, 'charge', 'matched', 'by_id', id, 1000, 'EUR',
      'po_' || created_at % 20, created_at, 1 from owned`,
  `insert into success_rates (workspace_id, environment, connection_id, segment, segment_hash, succeeded, failed, at,
      version)
    select workspace_id, environment, 'first', id, md5(id), 1, 1, created_at, 1 from owned`,
  "drop view owned",
  "analyze"
]

interface Step {
  readonly "Node Type": string
  readonly "Relation Name"?: string
  readonly "Index Name"?: string
  readonly "Index Cond"?: string
  readonly Plans?: ReadonlyArray<Step>
}

const stepsOf = (step: Step): ReadonlyArray<Step> => [step, ...(step.Plans ?? []).flatMap(stepsOf)]

const selectParts = `select part.relname::text as part, whole.relname::text as whole from pg_inherits
  join pg_class as part on part.oid = inhrelid join pg_class as whole on whole.oid = inhparent where part.relkind = 'i'`

/** A payment whose delivery has ended. */
const selectDelivered = `select substr(event_id, 5) as id from deliveries
  where workspace_id = 'ws1' and environment = 'sandbox' and state = 'Delivered' limit 1`

/** `plansOf`: what each statement that the effect asks does with tables. */
const newPlanner = Effect.fnUntraced(function* (workspaces: number, options: LedgerOptions = {}) {
  const url = yield* newDatabase
  const db = yield* open({ url })
  yield* migrate(db)
  if (workspaces > 0) for (const statement of fill(workspaces)) yield* db.update("fill", statement)
  const parts = yield* db.read("parts", selectParts)
  const wholeOf = new Map(parts.map((row) => [row["part"], row["whole"] as string]))
  const [leaving] = yield* db.read("leaving", selectDelivered)
  const asked: Array<string> = []
  const listening: Database = {
    ...db,
    read: (operation, text, params) =>
      Effect.suspend(() => {
        asked.push(text)
        return db.read(operation, text, params)
      }),
    write: (operation, text, params) =>
      Effect.suspend(() => {
        asked.push(text)
        return db.write(operation, text, params)
      }),
    update: (operation, text, params) =>
      Effect.suspend(() => {
        asked.push(text)
        return db.update(operation, text, params)
      }),
    transaction: (operation, body) =>
      db.transaction(operation, (query) =>
        body((text, params) => {
          asked.push(text)
          return query(text, params)
        })
      )
  }
  const ledger = yield* makeLedger(listening, options)
  return {
    ledger,
    deliveries: makeDeliveries(listening),
    rates: makeRates(listening),
    retention: makeRetention(listening),
    settlements: makeSettlements(listening, sqlOf(listening)),
    leaving: leaving?.["id"] as string,
    plansOf: Effect.fnUntraced(function* (effect: Effect.Effect<unknown, unknown>) {
      asked.length = 0
      yield* effect
      // Some ask the same thousands of times; its plan is the same.
      const plans = yield* Effect.forEach(new Set(asked), (text) =>
        db.transaction("explain", (query) =>
          Effect.gen(function* () {
            // As the connections of the storage do: one plan, whatever the parameters. No partition holds a null.
            yield* query("set local enable_partition_pruning = off")
            yield* query(`prepare asked as ${text}`)
            const count = Math.max(0, ...[...text.matchAll(/\$(\d+)/g)].map((found) => Number(found[1])))
            const nulls = count === 0 ? "" : `(${Array(count).fill("null").join(", ")})`
            const rows = yield* query(`explain (format json) execute asked ${nulls}`)
            yield* query("deallocate asked")
            return rows.flatMap((row) => row["QUERY PLAN"] as ReadonlyArray<{ readonly Plan: Step }>)
          })
        )
      )
      // An index of a partition by the name that it has for all of them.
      return plans
        .flatMap((trees) => trees.flatMap(({ Plan }) => stepsOf(Plan)))
        .map((step) => {
          const name = step["Index Name"]
          return name === undefined ? step : { ...step, "Index Name": wholeOf.get(name) ?? name }
        })
    })
  }
}, Effect.provide(Ids.layer))

/** The indexes, each with the columns that narrow it. */
const walksOf = (steps: ReadonlyArray<Step>): ReadonlyArray<string> =>
  [
    ...new Set(
      steps.flatMap((step) => {
        const index = step["Index Name"]
        if (index === undefined) return []
        const columns = [...(step["Index Cond"] ?? "").matchAll(/\(?(\w+)\)? (?:=|<|>|<=|>=) /g)].map(
          (found) => found[1]
        )
        return [`${index} (${[...new Set(columns)].join(", ")})`]
      })
    )
  ].toSorted()

/** Our tables that are read by full scans. */
const scanned = (steps: ReadonlyArray<Step>) =>
  steps
    .filter((step) => step["Node Type"] === "Seq Scan")
    .map((step) => step["Relation Name"] ?? "")
    .filter((name) => !name.startsWith("pg_"))

const byTenant = "workspace_id, environment"

/** Which of the server's announcements are this database's. */
const thisDatabase = "pg_database_datname_index (datname)"

describe.skipIf(!hasServer)("query plans", () => {
  for (const [how, options] of [
    ["alone", {}],
    ["together", { mostAlone: 0, fewestTogether: 1 }]
  ] as const) {
    itRunsLive(`a change written ${how} to a new database is found by its own keys`, function* () {
      const { ledger, plansOf } = yield* newPlanner(0, options)
      const change = yield* newChange().pipe(Effect.provide(Ids.layer))
      const created = yield* plansOf(ledger.commit(change))
      expect(scanned(created)).toEqual([])
      expect(walksOf(created)).toEqual([
        "tenants_pkey (t)",
        `tenants_workspace_id_environment_key (${byTenant})`,
        `webhook_endpoints_by_tenant (${byTenant}, active)`
      ])
      const { after } = change.payment
      const moved = yield* plansOf(
        ledger.commit({ ...change, payment: { expected: 1, after: { ...after, version: 2 } }, claim: undefined })
      )
      expect(scanned(moved)).toEqual([])
      expect(walksOf(moved)).toEqual([
        "due_pkey (t, payment)",
        "payments_pkey (t, id)",
        `webhook_endpoints_by_tenant (${byTenant}, active)`
      ])
    })
  }

  it.live(
    "PostgreSQL reads straight the tenant's rows among a hundred workspaces",
    () =>
      Effect.gen(function* () {
        const { deliveries, leaving, ledger, plansOf, rates, retention, settlements } = yield* newPlanner(100)
        const page = { before: "p~", limit: 10 }
        const walks: Readonly<Record<string, readonly [Effect.Effect<unknown, unknown>, ...Array<string>]>> = {
          "a payment": [ledger.payment(tenant, "a"), "payments_pkey (t, id)"],
          "a payment's book": [ledger.book(tenant, "a"), "payments_pkey (t, id)"],
          "the book of an attempt": [
            ledger.bookOf(tenant, { attemptId: "a" }),
            "names_by_name (t, name)",
            "payments_pkey (t, id)"
          ],
          "the book of an operation": [
            ledger.bookOf(tenant, { operationId: "a" }),
            "names_by_name (t, name)",
            "payments_pkey (t, id)"
          ],
          "the book of a charge": [
            ledger.bookOf(tenant, { connectionId: "a", providerRef: "a" }),
            "charges_pkey (t, name)",
            "names_by_name (t, name)",
            "payments_pkey (t, id)"
          ],
          "the payment of a page": [ledger.paymentOfPage("a"), "payments_by_page (page)", "tenants_pkey (t)"],
          "a message": [
            ledger.message(tenant, "a", "b"),
            `message_bodies_pkey (${byTenant}, received_at, connection_id, event_hash)`,
            `messages_pkey (${byTenant}, connection_id, event_hash)`
          ],
          "the newest messages": [ledger.messages({ limit: 10 }), "messages_by_time ()"],
          "the newest messages of a tenant": [
            ledger.messages({ tenant, limit: 10 }),
            `messages_by_tenant (${byTenant})`
          ],
          "messages with an outcome": [
            ledger.messages({ outcome: "unmatched", limit: 10 }),
            "messages_by_outcome (outcome, received_at)"
          ],
          "a tenant's messages with an outcome": [
            ledger.messages({ tenant, outcome: "applied", limit: 10 }),
            `messages_by_tenant_outcome (${byTenant}, outcome, received_at)`
          ],
          "applied messages": [ledger.messages({ outcome: "applied", limit: 10 }), "messages_by_time ()"],
          "messages that name an attempt": [
            ledger.messages({ outcome: "unmatched", namesAttemptFrom: 1, limit: 10 }),
            "charges_pkey (t, name)",
            "messages_by_outcome (outcome, received_at)",
            "names_by_name (t, name)",
            "payments_pkey (t, id)"
          ],
          "messages of a payment": [
            ledger.messages({ paymentId: "a", limit: 10 }),
            "messages_by_payment (payment_id, received_at)"
          ],
          "a page of payments": [ledger.payments(tenant, page), "payments_pkey (t, id)"],
          "a page of payments in two states": [
            ledger.payments(tenant, { ...page, states: ["Charging", "Captured"] }),
            "due_pkey (t, payment)",
            "payments_pkey (t, id)",
            "searches_pkey (t, state, payment)"
          ],
          "a page of payments with a reference": [
            ledger.payments(tenant, { ...page, reference: "order", states: ["Charging", "Captured"], currency: "EUR" }),
            "payments_by_reference (t, 64, id)"
          ],
          "a page of payments whose reference begins so": [
            ledger.payments(tenant, { ...page, referencePrefix: "ord", states: ["Charging", "Captured"] }),
            "payments_by_reference (t, 64)"
          ],
          "a page of payments with metadata": [
            ledger.payments(tenant, { ...page, metadata: { a: "b", c: "d" }, currency: "EUR", states: ["Charging"] }),
            "payment_metadata_by_value (t, 64, payment)",
            "payment_metadata_pkey (t, payment, name)",
            "payments_pkey (t, id)"
          ],
          "a page of payments with a text of their metadata": [
            ledger.payments(tenant, { ...page, metadataValue: "b", currency: "EUR", states: ["Charging"] }),
            "payment_metadata_by_value (t, 64, payment)",
            "payments_pkey (t, id)"
          ],
          "a page of payments of an amount": [
            ledger.payments(tenant, { ...page, amountMinor: 1_000, currency: "EUR", states: ["Charging"] }),
            "payments_by_amount (t, currency, amount_minor, id)"
          ],
          "a page of payments of an amount in any currency": [
            ledger.payments({ workspaceId: "ws1", environment: "sandbox" }, { ...page, amountMinor: 1_000 }),
            "payments_by_amount (t)",
            "payments_by_amount (t, currency, amount_minor, id)"
          ],
          "the end of a search for metadata": [
            ledger.search(tenant, { ...page, walkAtMost: 10, metadata: { a: "b", c: "d" } }),
            "payment_metadata_by_value (t, 64, payment)",
            "payment_metadata_pkey (t, payment, name)",
            "payments_pkey (t, id)"
          ],
          "the end of a search of a time": [
            ledger.search(tenant, { ...page, walkAtMost: 10, createdFrom: 1 }),
            "payments_pkey (t, id)"
          ],
          "a page of payments by a provider's reference": [
            ledger.payments(tenant, { ...page, providerRef: "a" }),
            "charges_pkey (t, name)",
            "names_by_name (t, name)",
            "payments_pkey (t, id)"
          ],
          "a page of payments of a time": [
            ledger.payments(tenant, { ...page, createdFrom: 1, createdBefore: 9e12 }),
            "payments_pkey (t, id)"
          ],
          "the attempts of a payment": [ledger.attempts(tenant, "a"), "payments_pkey (t, id)"],
          "a claim": [ledger.claim(tenant, "a"), "payments_by_key (t, key)"],
          "a timeline": [ledger.timeline(tenant, "a", { limit: 10 }), "events_of_payment (t, payment)"],
          "a dispute": [ledger.dispute(tenant, "a"), `disputes_by_id (${byTenant}, id)`],
          "the evidence of a dispute": [
            ledger.evidence(tenant, "a", "b"),
            `dispute_evidence_pkey (${byTenant}, payment_id, id)`
          ],
          "the disputes of a payment": [
            ledger.disputes(tenant, { paymentId: "a", limit: 10 }),
            `disputes_pkey (${byTenant}, payment_id)`
          ],
          "the due disputes": [ledger.dueDisputes({ now: 1, limit: 10 }), "disputes_due (check_at)"],
          "a page of events": [ledger.events(tenant, page), "events_pkey (t)", "events_pkey (t, id)", thisDatabase],
          "the events of a type": [
            ledger.events(tenant, { type: "payment.captured", after: "a", limit: 10 }),
            "events_by_later_type (t, type, 5)",
            "events_pkey (t)",
            thisDatabase
          ],
          "the events of creations": [
            ledger.events(tenant, { type: "payment.created", after: "a", limit: 10 }),
            "events_pkey (t)",
            "events_pkey (t, id)",
            thisDatabase
          ],
          "a workspace's usage": [
            ledger.usage({ workspaceId: "ws", from: 0, until: 1 }),
            "payments_by_creation (t, created_at)"
          ],
          "what is due": [
            ledger.takeDue({ now: 100, leaseMillis: 1, limit: 10, limitPerConnection: 5, underWay: new Map() }),
            "due_by_connection (connection, at)",
            "due_pkey (t, payment)",
            "tenants_pkey (t)"
          ],
          "what the background watches": [
            ledger.watched(10),
            "due_by_connection (connection)",
            "payments_pkey (t, id)"
          ],
          "what is due by connection": [
            ledger.dueByConnection({ now: 100, limit: 10 }),
            "due_by_connection (connection, at)"
          ],
          "the first delivery that is due": [
            deliveries.firstDueAt,
            "deliveries_due ()",
            "deliveries_due (endpoint_id)"
          ],
          "what operations have to look at": [
            ledger.reviews({ limit: 10 }),
            "payments_pkey (t, id)",
            "reviews_by_time (since)",
            "tenants_pkey (t)"
          ],
          "what a tenant has to look at": [
            ledger.reviews({ tenant, after: { since: 1, paymentId: "a" }, limit: 10 }),
            "payments_pkey (t, id)",
            "reviews_of_tenant (t, payment)",
            "tenants_pkey (t)"
          ],
          "old keys": [
            ledger.oldClaims({ claimedBefore: 10, limit: 10 }),
            "payments_by_claim (claimed_at)",
            "tenants_pkey (t)"
          ],
          "a page of deliveries": [deliveries.list(tenant, page), `deliveries_pkey (${byTenant}, id)`],
          "the deliveries in a state": [
            deliveries.list(tenant, { ...page, state: "Refused" }),
            `deliveries_by_state (${byTenant}, state, id)`
          ],
          "the deliveries of an endpoint": [
            deliveries.list(tenant, { ...page, endpointId: "endpoint ws1" }),
            "deliveries_by_endpoint (endpoint_id, state, id)"
          ],
          "the deliveries of a payment": [
            deliveries.list(tenant, { ...page, paymentId: "p1-1" }),
            `deliveries_by_event (${byTenant}, event_id)`,
            "events_of_payment (t, payment)"
          ],
          "old payments": [
            retention.oldPayments({ tenant, createdBefore: 9e12, limit: 10 }),
            `deliveries_by_event (${byTenant}, event_id)`,
            "events_of_payment (t, payment)",
            "messages_by_payment (payment_id)",
            "payments_pkey (t, id)"
          ],
          "old payments in a state": [
            retention.oldPayments({ tenant, createdBefore: 9e12, limit: 10, state: "Declined" }),
            `deliveries_by_event (${byTenant}, event_id)`,
            "due_pkey (t, payment)",
            "events_of_payment (t, payment)",
            "messages_by_payment (payment_id)",
            "payments_pkey (t, id)",
            "searches_pkey (t, state, payment)"
          ],
          "removing a payment": [
            retention.remove([{ tenant: { ...tenant, workspaceId: "ws1" }, paymentId: leaving, version: 1 }]),
            `deliveries_by_event (${byTenant}, event_id)`,
            `deliveries_pkey (${byTenant}, id)`,
            `delivery_attempts_pkey (${byTenant}, delivery_id)`,
            `dispute_evidence_pkey (${byTenant}, payment_id)`,
            `disputes_pkey (${byTenant}, payment_id)`,
            "due_pkey (t, payment)",
            "events_of_payment (t, payment)",
            `message_bodies_pkey (${byTenant}, received_at)`,
            "messages_by_payment (payment_id)",
            "names_by_name (t)",
            "payment_metadata_pkey (t, payment)",
            "payments_pkey (t, id)",
            `recovered_keys_pkey (${byTenant}, payment_id)`,
            "reviews_pkey (t, payment)",
            "searches_pkey (t)",
            `settlement_entries_by_payment (${byTenant}, payment_id)`
          ],
          "rows of a report": [
            settlements.known(tenant, "a", ["1", "2"]),
            `settlement_entries_pkey (${byTenant}, connection_id, row_id)`
          ],
          "rows of payments": [
            settlements.entriesOf(tenant, ["1", "2"]),
            `settlement_entries_by_payment (${byTenant}, payment_id)`
          ],
          "a payout": [
            settlements.payoutParts(tenant, { connectionId: "a", payoutId: "1" }),
            `settlement_entries_by_payout (${byTenant}, connection_id, payout_id)`
          ],
          "what payouts moved": [
            settlements.payoutMoves(tenant, [{ connectionId: "a", payoutId: "1" }]),
            `settlement_payouts_by_name (${byTenant}, connection_id, payout_id)`
          ],
          "rows of a payout": [
            settlements.payoutEntries(tenant, { connectionId: "a", payoutId: "1", after: undefined, limit: 10 }),
            `settlement_entries_by_payout (${byTenant}, connection_id, payout_id, row_id)`
          ],
          "payouts of a period": [
            settlements.payouts({ tenant, from: 1, until: 2, limit: 10 }),
            `settlement_payouts (${byTenant}, occurred_at)`
          ],
          "names of a report": [
            settlements.booksNamed(tenant, "a", {
              attemptIds: ["1"],
              operationIds: ["1"],
              refundIds: ["1"],
              providerRefundIds: ["1"],
              providerRefs: ["1"]
            }),
            "charges_pkey (t, name)",
            "names_by_name (t, name)",
            "payments_pkey (t, id)"
          ],
          "old deliveries": [
            retention.pruneDeliveries({ tenant: { ...tenant, workspaceId: "ws1" }, before: 9e12, limit: 10 }),
            `deliveries_pkey (${byTenant}, id)`,
            `delivery_attempts_pkey (${byTenant}, delivery_id)`
          ],
          "old bodies": [
            retention.pruneBodies({ tenant, before: 9e12, limit: 10 }),
            `message_bodies_pkey (${byTenant}, received_at)`,
            `messages_pkey (${byTenant}, connection_id, event_hash)`,
            `messages_with_body (${byTenant}, received_at)`,
            "reviews_pkey (t, payment)",
            `tenants_workspace_id_environment_key (${byTenant})`
          ],
          "a payment that left": [
            retention.removedPaymentOf(tenant, { connectionId: "a", providerRef: "a" }),
            "charges_pkey (t, name)",
            "payments_pkey (t, id)"
          ],
          "what changed of the rates": [rates.changedSince(19), "success_rates_by_time (at)"],
          "forgetting rates": [rates.forgetBefore(2), "success_rates_by_time (at)"]
        }
        for (const [what, [effect, ...expected]] of Object.entries(walks)) {
          const steps = yield* plansOf(effect)
          expect.soft(scanned(steps), what).toEqual([])
          expect.soft(walksOf(steps), what).toEqual(expected.toSorted())
        }
      }),
    300_000
  )
})
