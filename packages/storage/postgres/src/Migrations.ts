/**
 * The schema, as numbered steps. A step that was released is never changed: another one follows it.
 *
 * - Every key and index of what a workspace owns begins with its workspace and environment.
 * - Text compares by its bytes (`collate "C"`), so that ids order as they do everywhere else.
 * - Amounts are in minor units, times in epoch milliseconds. JSON is text: what comes from outside may hold what
 *   PostgreSQL's own JSON refuses (see `Rows.ts`).
 * - The checks repeat core's money rules: what breaks one is not stored, regardless of the writer.
 * - States are not checked against a list: core's tables own it.
 */
import { StorageError } from "@pointsman/core/ports"
import { migrationsTable, type Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import type { RowForm } from "./DrawnChange.ts"
import { eventIdFunctions } from "./EventIds.ts"
import { createBodies } from "./MessageBodies.ts"
import { operatorTables } from "./OperatorTables.ts"
import { attachPresentRows, boundPresentRows, dropForeignKeys, validateBound } from "./Partitions.ts"
import { passkeyTables } from "./PasskeyTables.ts"
import { runLeases, settlementTables } from "./SettlementTables.ts"
import { writeRatesWithMemory, writeSuccessRates } from "./SuccessRates.ts"

const text = 'text collate "C"'
const tenant = `workspace_id ${text} not null,
  environment ${text} not null check (environment in ('sandbox', 'production'))`

const payments = `create table payments (
  ${tenant},
  id ${text} not null,
  version bigint not null check (version > 0),
  state ${text} not null,
  amount_minor bigint not null check (amount_minor >= 0),
  currency ${text} not null,
  country ${text} not null,
  method ${text} not null,
  card_brand ${text},
  initiator ${text} not null,
  capture_method ${text} not null,
  reference ${text},
  decline_category ${text},
  decline_reason ${text},
  authorized_minor bigint not null,
  captured_minor bigint not null,
  refunded_minor bigint not null check (refunded_minor >= 0),
  refund_pending_minor bigint not null check (refund_pending_minor >= 0),
  connection_id ${text},
  provider_ref ${text},
  idempotency_key ${text},
  hosted ${text},
  page_token_hash ${text},
  routing ${text},
  simulation ${text},
  created_at bigint not null,
  updated_at bigint not null,
  settled_at bigint,
  review ${text},
  review_since bigint,
  check_at bigint,
  primary key (workspace_id, environment, id),
  check (authorized_minor between 0 and amount_minor),
  check (captured_minor between 0 and authorized_minor),
  check (refunded_minor + refund_pending_minor <= captured_minor),
  check ((hosted is null) = (page_token_hash is null)),
  check ((review is null) = (review_since is null))
)`

const ofPayment = "foreign key (workspace_id, environment, payment_id) references payments"

const attempts = `create table attempts (
  ${tenant},
  payment_id ${text} not null,
  id ${text} not null,
  number integer not null check (number > 0),
  connection_id ${text} not null,
  amount_minor bigint not null check (amount_minor >= 0),
  currency ${text} not null,
  timeout_millis bigint not null,
  sent_at bigint not null,
  answered_at bigint,
  outcome ${text},
  provider_ref ${text},
  decline_category ${text},
  code ${text},
  reason ${text},
  checkout ${text},
  primary key (workspace_id, environment, payment_id, id),
  ${ofPayment}
)`

const operations = `create table operations (
  ${tenant},
  payment_id ${text} not null,
  id ${text} not null,
  kind ${text} not null,
  idempotency_key ${text},
  requested_minor bigint check (requested_minor >= 0),
  amount_minor bigint not null check (amount_minor >= 0),
  currency ${text} not null,
  connection_id ${text} not null,
  provider_ref ${text} not null,
  timeout_millis bigint not null,
  sent_at bigint not null,
  answered_at bigint,
  outcome ${text},
  code ${text},
  reason ${text},
  reply ${text},
  primary key (workspace_id, environment, payment_id, id),
  ${ofPayment}
)`

/**
 * `balance` is the total to which the amount counts in the refund ledger: the database adds up without knowing stages.
 */
const refunds = `create table refunds (
  ${tenant},
  payment_id ${text} not null,
  id ${text} not null,
  stage ${text} not null,
  balance ${text} not null check (balance in ('pending', 'refunded', 'nothing')),
  amount_minor bigint not null check (amount_minor >= 0),
  currency ${text} not null,
  requested_minor bigint check (requested_minor >= 0),
  reason ${text},
  idempotency_key ${text},
  connection_id ${text} not null,
  provider_ref ${text} not null,
  provider_refund_id ${text},
  timeout_millis bigint not null,
  sent_at bigint not null,
  answered_at bigint,
  settled_at bigint,
  code ${text},
  failure_reason ${text},
  reply ${text},
  primary key (workspace_id, environment, payment_id, id),
  ${ofPayment}
)`

const events = `create table events (
  ${tenant},
  id ${text} not null,
  type ${text} not null,
  payment_id ${text} not null,
  created_at bigint not null,
  data ${text} not null,
  primary key (workspace_id, environment, id),
  ${ofPayment}
)`

const claims = `create table claims (
  ${tenant},
  key ${text} not null,
  version bigint not null check (version > 0),
  state ${text} not null,
  fingerprint ${text} not null,
  payment_id ${text} not null,
  claimed_at bigint not null,
  answered_at bigint,
  answer ${text},
  primary key (workspace_id, environment, key)
)`

/**
 * A provider's id may be longer than an index holds, so its hash is the key. `sequence` is the order in which messages
 * came.
 */
const messages = `create table messages (
  ${tenant},
  connection_id ${text} not null,
  event_id ${text} not null,
  event_hash ${text} not null generated always as (md5(event_id)) stored,
  payment_id ${text},
  about ${text} not null,
  subject_id ${text} not null,
  dispute_id ${text},
  verdict ${text},
  is_applied boolean not null,
  written_at bigint not null,
  received_at bigint not null,
  body ${text} not null,
  sequence bigint not null generated always as identity,
  primary key (workspace_id, environment, connection_id, event_hash)
)`

const workspaces = `create table workspaces (
  id ${text} not null primary key,
  name ${text} not null,
  country ${text},
  category ${text},
  suspended boolean not null,
  partner ${text}
)`

/*
 * Keys, connections and endpoints are found by their ids across all tenants.
 */

const apiKeys = `create table api_keys (
  hash ${text} not null primary key,
  ${tenant},
  scopes ${text},
  revoked_at bigint,
  source ${text} not null,
  created_at bigint not null
)`

const connections = `create table connections (
  id ${text} not null primary key,
  ${tenant},
  name ${text} not null,
  connector ${text} not null,
  active boolean not null,
  priority bigint not null,
  sealed_credentials ${text} not null,
  sealed_webhook_secret ${text},
  timeout_millis bigint,
  supports ${text} not null,
  restrictions ${text} not null,
  circuit_breaker ${text}
)`

const routing = `create table routing (
  ${tenant},
  settings ${text} not null,
  primary key (workspace_id, environment)
)`

const webhookEndpoints = `create table webhook_endpoints (
  id ${text} not null primary key,
  ${tenant},
  url ${text} not null,
  events text[] collate "C" not null,
  sealed_secret ${text} not null,
  sealed_previous_secret ${text},
  active boolean not null
)`

/** How often the directory was written: a process with a copy of it sees that there is a newer version. */
const directoryVersion = [
  "create table directory_version (version bigint not null)",
  "insert into directory_version (version) values (0)"
]

/** A partner provisions with a live key alone, so that its merchants belong to no environment. */
const merchants = `create table merchants (
  partner_id ${text} not null,
  id ${text} not null,
  workspace_id ${text} not null references workspaces,
  name ${text} not null,
  email ${text} not null,
  email_key ${text} not null,
  country ${text} not null,
  category ${text},
  invitation_hash ${text} not null,
  created_at bigint not null,
  primary key (partner_id, id)
)`

/**
 * A delivery's endpoint is never deleted. It has no foreign key to it: every commit of a tenant would lock that one row.
 */
const deliveries = `create table deliveries (
  ${tenant},
  id ${text} not null,
  endpoint_id ${text} not null,
  event_id ${text} not null,
  state ${text} not null,
  failures integer not null check (failures >= 0),
  attempts integer not null check (attempts >= 0),
  due_at bigint,
  leased_until bigint,
  created_at bigint not null,
  primary key (workspace_id, environment, id),
  foreign key (workspace_id, environment, event_id) references events
)`

const deliveryAttempts = `create table delivery_attempts (
  ${tenant},
  delivery_id ${text} not null,
  number integer not null check (number > 0),
  sent_at bigint not null,
  ended_at bigint,
  status integer,
  failure ${text},
  primary key (workspace_id, environment, delivery_id, number),
  foreign key (workspace_id, environment, delivery_id) references deliveries
)`

/**
 * What is due, what operations look at and keys whose time is over are looked for across all tenants, and so is the
 * payment of a page's token.
 * The keys of operations and refunds may be longer than an index holds.
 *
 * Where an index begins as the primary key does, it holds the rows of a condition that is always true, and that reads
 * which need it repeat. Without statistics, in a new database, PostgreSQL takes both for equally good, and would look
 * for a payment by its id among all that its tenant has; what an index cannot be proved to hold, it does not look for
 * there.
 */
const indexes = [
  "create index payments_by_state on payments (workspace_id, environment, state, id) where state <> ''",
  "create index payments_by_creation on payments (workspace_id, environment, created_at) where created_at >= 0",
  "create unique index payments_by_page on payments (page_token_hash) where page_token_hash is not null",
  "create index payments_due on payments (check_at) where check_at is not null",
  "create index payments_reviewed on payments (review_since, id) where review_since is not null",
  "create index attempts_by_id on attempts (workspace_id, environment, id) where id <> ''",
  "create index refunds_by_id on refunds (workspace_id, environment, id) where id <> ''",
  `create unique index operations_by_key
    on operations (workspace_id, environment, payment_id, kind, md5(idempotency_key))
    where idempotency_key is not null and (outcome is null or reply is not null)`,
  `create unique index refunds_by_key on refunds (workspace_id, environment, payment_id, md5(idempotency_key))
    where idempotency_key is not null`,
  "create index claims_by_time on claims (claimed_at, workspace_id, environment, key)",
  "create index events_by_payment on events (workspace_id, environment, payment_id, id) where payment_id <> ''",
  "create index events_by_type on events (workspace_id, environment, type, id) where type <> ''",
  `create index messages_told on messages (workspace_id, environment, payment_id, sequence)
    where about in ('settlement', 'dispute')`,
  "create unique index merchants_by_email on merchants (partner_id, md5(email_key))",
  "create index api_keys_by_workspace on api_keys (workspace_id, environment)",
  "create index webhook_endpoints_by_tenant on webhook_endpoints (workspace_id, environment, active)",
  "create index deliveries_due on deliveries (endpoint_id, due_at, id) where due_at is not null",
  "create index deliveries_leased on deliveries (endpoint_id, leased_until) where leased_until is not null",
  "create index deliveries_by_state on deliveries (workspace_id, environment, state, id) where state <> ''"
]

/** No payment says anything else than its refunds add up to, when the statement that wrote them is over. */
const matchesRefunds = [
  `create function payment_matches_refunds() returns trigger language plpgsql as $$
  declare
    refunded bigint;
    pending bigint;
  begin
    select coalesce(sum(amount_minor) filter (where balance = 'refunded'), 0),
        coalesce(sum(amount_minor) filter (where balance = 'pending'), 0)
      into refunded, pending
      from refunds
      where workspace_id = new.workspace_id and environment = new.environment and payment_id = new.id;
    if refunded <> new.refunded_minor or pending <> new.refund_pending_minor then
      raise exception 'the refunds do not add up to what the payment says' using errcode = 'check_violation';
    end if;
    return null;
  end $$`,
  `create trigger new_payments_match_refunds after insert on payments for each row
    when (new.refunded_minor <> 0 or new.refund_pending_minor <> 0) execute function payment_matches_refunds()`,
  `create trigger payments_match_refunds after update of refunded_minor, refund_pending_minor on payments for each row
    when (old.refunded_minor <> new.refunded_minor or old.refund_pending_minor <> new.refund_pending_minor)
    execute function payment_matches_refunds()`
]

/** Takes a statement back of which a part was written already. */
const cameBetween = `create function came_between() returns integer language plpgsql as $$
  begin
    raise exception 'another write came between' using errcode = 'PM001';
  end $$`

/**
 * A card brand may be longer than an index holds, so the segment's hash is in the key. What changed lately is looked for
 * across all tenants, so its time leads the index.
 */
const successRates = [
  `create table success_rates (
    ${tenant},
    connection_id ${text} not null,
    segment ${text} not null,
    segment_hash ${text} not null generated always as (md5(segment)) stored,
    succeeded double precision not null check (succeeded >= 0 and succeeded < 'infinity'),
    failed double precision not null check (failed >= 0 and failed < 'infinity'),
    at bigint not null,
    version bigint not null check (version > 0),
    primary key (workspace_id, environment, connection_id, segment_hash)
  )`,
  "create index success_rates_by_time on success_rates (at)"
]

/**
 * The outcome of each message. Bodies that are stored already stay unsealed: the database has no key. Operators list
 * messages across all tenants, so the time, the outcome or the payment leads the indexes.
 */
const messageOutcomes = [
  `alter table messages add column outcome ${text}, add column reason ${text},
    add column is_sealed boolean not null default false`,
  `update messages set outcome = case when is_applied then 'applied' when payment_id is null then 'unmatched'
    else 'confirmed' end`,
  "alter table messages alter column outcome set not null, alter column is_sealed drop default, drop column is_applied",
  "create index messages_by_time on messages (received_at) where received_at >= 0",
  "create index messages_by_outcome on messages (outcome, received_at)",
  "create index messages_by_payment on messages (payment_id, received_at) where payment_id <> ''"
]

/**
 * Which payment has a charge of a connection. A reference may be longer than an index holds, so its hash is in the key.
 * Payments of an older version may share one: the oldest has it, the others keep what they stand on, and no further
 * payment gets it.
 */
const chargeReferences = [
  `create table charge_references (
    ${tenant},
    connection_id ${text} not null,
    provider_ref ${text} not null,
    reference_hash ${text} not null generated always as (md5(provider_ref)) stored,
    payment_id ${text} not null,
    primary key (workspace_id, environment, connection_id, reference_hash)
  )`,
  `insert into charge_references (workspace_id, environment, connection_id, provider_ref, payment_id)
    select workspace_id, environment, connection_id, provider_ref, min(payment_id)
    from (
      select workspace_id, environment, connection_id, provider_ref, id as payment_id from payments
        where connection_id is not null and provider_ref is not null
      union all select workspace_id, environment, connection_id, provider_ref, payment_id from attempts
        where provider_ref is not null and outcome in ('Authorized', 'Captured', 'Pending', 'Mismatched')
    ) as charged
    group by workspace_id, environment, connection_id, provider_ref`
]

/**
 * Payments that name a reference and do not have it: their attempt moved no money, or an older version let several
 * payments have one. With `charge_references`, a reference that a payment has is in one place: an index of a table gets
 * an entry with each state of a payment.
 */
const namedReferences = [
  `create table named_references (
    ${tenant},
    connection_id ${text} not null,
    provider_ref ${text} not null,
    reference_hash ${text} not null generated always as (md5(provider_ref)) stored,
    payment_id ${text} not null,
    primary key (workspace_id, environment, connection_id, reference_hash, payment_id)
  )`,
  `insert into named_references (workspace_id, environment, connection_id, provider_ref, payment_id)
    select * from (
      select workspace_id, environment, connection_id, provider_ref, id from payments
        where connection_id is not null and provider_ref is not null
      union select workspace_id, environment, connection_id, provider_ref, payment_id from attempts
        where provider_ref is not null
    ) as named
    except select workspace_id, environment, connection_id, provider_ref, payment_id from charge_references`,
  "drop index if exists payments_by_provider_ref, attempts_by_provider_ref"
]

const configurations = `create table configurations (
  generation bigint not null primary key check (generation > 0),
  hash ${text} not null,
  applied_at bigint not null
)`

const recordLosses = [
  `create table record_losses (
    number bigint not null primary key check (number > 0),
    since bigint not null,
    reason ${text} not null,
    declared_at bigint not null,
    outcome ${text} check (outcome in ('recovered', 'accepted')),
    ended_at bigint,
    check ((outcome is null) = (ended_at is null))
  )`,
  `create table recovered_connections (
    loss bigint not null references record_losses (number),
    connection_id ${text} not null,
    primary key (loss, connection_id)
  )`
]

const timelines = `create table timelines (
  timeline ${text} not null primary key,
  noticed_at bigint not null
)`

/**
 * Whose provider a check asks, so that one that hangs keeps nobody from the checks of others; '' where a check asks none.
 * It leads the index of what is due, and no other index of that is needed.
 */
const checkedConnections = [
  `alter table payments add column check_connection ${text} not null default ''`,
  `update payments set check_connection = coalesce(connection_id, (
    select attempts.connection_id from attempts
    where attempts.workspace_id = payments.workspace_id and attempts.environment = payments.environment
      and attempts.payment_id = payments.id
    order by attempts.number desc limit 1
  ), '')
  where check_at is not null and state not in ('AwaitingCustomer', 'Charging', 'Capturing', 'Voiding')`
]

/** Details are JSON. The trigger refuses an accident; the hashes show a purpose. */
const audit = [
  `create table audit_entries (
    number bigint not null primary key check (number > 0),
    at bigint not null,
    actor ${text} not null,
    action ${text} not null,
    subject ${text} not null,
    details ${text} not null,
    previous ${text} not null,
    hash ${text} not null
  )`,
  `create function audit_entries_are_kept() returns trigger language plpgsql as $$
    begin
      raise exception 'entries of the audit trail are only added' using errcode = 'check_violation';
    end $$`,
  `create trigger audit_entries_are_kept before update or delete or truncate on audit_entries
    for each statement execute function audit_entries_are_kept()`
]

/**
 * What one transaction does; or an index, which is built while others write, by a statement outside of transactions.
 *
 * Older servers go on beside an index and beside an additive step, and stop beside every other step. An additive step
 * only adds tables, columns and functions, or drops an index or a constraint: every statement of an older server has the
 * same effect and the same result. The newer release must accept what older servers write: a new column has its default
 * there, or an outdated value.
 */
export type Step =
  | ReadonlyArray<string>
  | {
      readonly additive: ReadonlyArray<string>
      /**
       * After how many hours older servers stop beside the step, because servers of this release begin to write what
       * older ones cannot read: at the first start after them. A new database has no older servers, and begins with it.
       */
      readonly requiredAfterHours?: number
      /** Transactions of their own before it. They are run again by a run that takes up a killed one. */
      readonly before?: ReadonlyArray<ReadonlyArray<string>>
    }
  | {
      readonly index: string
      /** The table, and all that follows it. */
      readonly on: string
    }

/**
 * Metadata and purchases as JSON. A search finds payments by the rows of a table of their own, which payments without
 * metadata do not pay for; the index holds the beginning of a text, because it may be longer than an index takes.
 */
const metadata = [
  `alter table payments add column metadata ${text}, add column purchase ${text}`,
  `create table payment_metadata (
    ${tenant},
    payment_id ${text} not null,
    name ${text} not null,
    value ${text} not null,
    primary key (workspace_id, environment, payment_id, name),
    ${ofPayment}
  )`,
  `create index payment_metadata_by_value
    on payment_metadata (workspace_id, environment, left(value, 64), payment_id) where name <> ''`
]

/** A record is JSON. Sealed evidence is apart: it has megabytes, and a read of a dispute needs none of it. */
const disputes = [
  `create table disputes (
    ${tenant},
    payment_id ${text} not null,
    id ${text} not null,
    status ${text} not null,
    check_at bigint,
    record ${text} not null,
    primary key (workspace_id, environment, payment_id, id)
  )`,
  // With conditions that always hold, so that a plan made on an empty table takes none of them for another's reads.
  "create unique index disputes_by_id on disputes (workspace_id, environment, id) where id <> ''",
  "create index disputes_by_status on disputes (workspace_id, environment, status, id) where status <> ''",
  "create index disputes_due on disputes (check_at, id) where check_at is not null",
  `create table dispute_evidence (
    ${tenant},
    payment_id ${text} not null,
    id ${text} not null,
    sealed ${text} not null,
    primary key (workspace_id, environment, payment_id, id)
  )`
]

/** Of an index on a table that has rows a step of its own: to build it in a transaction would stop every writer. */
export const steps: Readonly<Record<string, Step>> = {
  "1_all": [
    payments,
    attempts,
    operations,
    refunds,
    events,
    claims,
    messages,
    workspaces,
    apiKeys,
    connections,
    routing,
    webhookEndpoints,
    ...directoryVersion,
    merchants,
    deliveries,
    deliveryAttempts,
    ...indexes,
    ...matchesRefunds,
    cameBetween,
    ...eventIdFunctions
  ],
  "2_success_rates": [...successRates, writeSuccessRates],
  // Messages that know a charge by its provider's reference alone.
  "3_payments_by_provider_ref": {
    index: "payments_by_provider_ref",
    on: `payments (workspace_id, environment, connection_id, md5(provider_ref)) where provider_ref is not null`
  },
  // Messages that name a capture or a void by our id.
  "4_operations_by_id": {
    index: "operations_by_id",
    on: "operations (workspace_id, environment, id) where id <> ''"
  },
  // What a provider reported beside the money of a payment, as JSON.
  "5_reported": ['alter table payments add column reported text collate "C"'],
  "6_message_outcomes": messageOutcomes,
  "7_charge_references": chargeReferences,
  // Messages that know a charge that moved no money by its provider's reference.
  "8_attempts_by_provider_ref": {
    index: "attempts_by_provider_ref",
    on: "attempts (workspace_id, environment, connection_id, md5(provider_ref)) where provider_ref is not null"
  },
  // Requests under one key derive one id, and must know their own claim from another's.
  "9_claimed_by": ["attempts", "operations", "refunds"].map(
    (table) => `alter table ${table} add column claimed_by text collate "C"`
  ),
  "10_configurations": [configurations],
  "11_named_references": namedReferences,
  "12_record_losses": recordLosses,
  "13_timelines": [timelines],
  "14_checked_connections": checkedConnections,
  "15_payments_due_by_connection": {
    index: "payments_due_by_connection",
    on: "payments (check_connection, check_at) where check_at is not null"
  },
  "16_drop_payments_due": ["drop index payments_due"],
  // Whose account a connection opens, as JSON, and the one that an attempt was sent at.
  "17_accounts": [
    `alter table connections add column account text collate "C", add column current_account text collate "C",
      add column account_changed_at bigint`,
    'alter table attempts add column account text collate "C"'
  ],
  // Secrets of the installation itself, sealed.
  "18_kept_secrets": [`create table kept_secrets (name ${text} not null primary key, sealed ${text} not null)`],
  // Networks as JSON.
  "19_key_limits": [
    `alter table api_keys add column name text collate "C", add column expires_at bigint,
      add column networks text collate "C"`
  ],
  // Beside the keys: a use must not wait for a configuration that is being applied, nor make others read it again.
  "20_key_uses": ['create table api_key_uses (hash text collate "C" not null primary key, used_at bigint not null)'],
  "21_audit": audit,
  "22_payments_by_reference": {
    index: "payments_by_reference",
    on: "payments (workspace_id, environment, left(reference, 64), id) where reference is not null"
  },
  "23_payments_by_amount": {
    index: "payments_by_amount",
    on: "payments (workspace_id, environment, currency, amount_minor, id) where amount_minor >= 0"
  },
  "24_metadata": { additive: metadata },
  // As JSON.
  "25_brands": { additive: ['alter table workspaces add column brand text collate "C"'] },
  "26_operators": { additive: operatorTables },
  "27_deliveries_by_endpoint": { index: "deliveries_by_endpoint", on: "deliveries (endpoint_id, state, id)" },
  // Deliveries of a payment, by its events.
  "28_deliveries_by_event": {
    index: "deliveries_by_event",
    on: "deliveries (workspace_id, environment, event_id) where event_id <> ''"
  },
  // As JSON.
  "29_secret_rotations": { additive: ['alter table webhook_endpoints add column rotation text collate "C"'] },
  "30_passkeys": { additive: passkeyTables },
  // Rows are read in their short forms from here on, and written in them once no older server has to read them.
  "31_short_rows": { additive: [], requiredAfterHours: 24 },
  // Smaller than those before them: claims of one time are few, and so are the events of a payment.
  "32_claims_by_claim_time": { index: "claims_by_claim_time", on: "claims (claimed_at)" },
  "33_events_of_payment": {
    index: "events_of_payment",
    on: "events (workspace_id, environment, payment_id) where payment_id <> ''"
  },
  // Each payment has one event of its creation: a walk along all events finds a page of them soon.
  "34_events_by_later_type": {
    index: "events_by_later_type",
    on: "events (workspace_id, environment, type, id) where type <> 'payment.created'"
  },
  "35_drop_larger_indexes": {
    additive: ["claims_by_time", "events_by_payment", "events_by_type"].map((name) => `drop index if exists ${name}`)
  },
  "36_retention": {
    additive: [
      `create table retention_lease (one integer not null primary key check (one = 1), holder ${text} not null,
        until bigint not null)`,
      // As JSON.
      'alter table workspaces add column retention text collate "C"'
    ]
  },
  "37_messages_with_body": {
    index: "messages_with_body",
    on: "messages (workspace_id, environment, received_at) where body <> ''"
  },
  "38_drop_foreign_keys": { additive: dropForeignKeys },
  "39_partitions": { additive: attachPresentRows, before: [boundPresentRows, ...validateBound.map((one) => [one])] },
  // As JSON.
  "40_connection_fees": { additive: ['alter table connections add column fees text collate "C"'] },
  "41_disputes": { additive: disputes },
  "42_settlements": { additive: settlementTables },
  // Rows of reports that name a refund by the provider's id alone, which may be longer than an index takes.
  "43_refunds_by_provider_refund": {
    index: "refunds_by_provider_refund",
    on: "refunds (workspace_id, environment, md5(provider_refund_id)) where provider_refund_id is not null"
  },
  // As JSON.
  "44_four_eyes": { additive: ['alter table workspaces add column four_eyes text collate "C"'] },
  "45_proof_lease": {
    additive: [
      `create table proof_lease (one integer not null primary key check (one = 1), holder ${text} not null,
        until bigint not null)`
    ]
  },
  // The reference that a payment had first, where it has another one now: rows leave out what follows from it.
  "46_derived_rows": {
    additive: ['alter table payments add column replaced_ref text collate "C"'],
    requiredAfterHours: 24
  },
  "47_message_bodies": { additive: createBodies, requiredAfterHours: 24 },
  "48_run_leases": { additive: runLeases },
  // Differences whose payment left while they were open.
  "49_closed_differences": {
    index: "settlement_differences_closed",
    on: "settlement_entries (workspace_id, environment, occurred_at) where payment_id is not null and closed_at is not null"
  },
  // What the row of a difference names, as JSON.
  "50_names_of_differences": { additive: [`alter table settlement_entries add column names ${text}`] },
  "51_report_schedules": {
    additive: [
      // As JSON.
      'alter table connections add column reports text collate "C"',
      `create table report_lease (one integer not null primary key check (one = 1), holder ${text} not null,
        until bigint not null)`
    ]
  },
  // What one payout pays, whose name may be longer than an index takes.
  "52_entries_by_payout": {
    index: "settlement_entries_by_payout",
    on: `settlement_entries (workspace_id, environment, connection_id, md5(payout_id), occurred_at, row_id)
      where payout_id is not null`
  },
  "53_payouts": {
    index: "settlement_payouts",
    on: `settlement_entries (workspace_id, environment, occurred_at, connection_id, row_id)
      where payment_id is null and kind = 'payout'`
  },
  // As JSON. Servers of the release before write with their own function, which leaves what is there:
  // it has the version that it belongs to.
  "54_rate_memories": {
    additive: ['alter table success_rates add column memory text collate "C"', writeRatesWithMemory]
  }
}

/** The number of the last step. */
export const newest = Math.max(...Object.keys(steps).map((name) => Number.parseInt(name, 10)))

/** The steps from which on rows are written in their short and their derived forms, where the database requires them. */
const shortRows = 31
const derivedRows = 46
/** The step from which on bodies of messages are written to their own table, where the database requires it. */
const messageBodies = 47

/** The newest step of the first release that fills the hashes in keys itself, where it is distributed. */
export const writtenHashesSince = 40

export const newerSchema = (id: number): string =>
  `the database has schema version ${id}, created by a newer release; this release supports up to ${newest}`

export const newerBeside = (id: number): string =>
  `the database has schema version ${id}, created by a newer release that this one can run beside: update this server`

/** Which schema a database has. */
export interface SchemaVersion {
  /** The number of its last step. */
  readonly id: number
  /** The schema of the oldest release whose servers may run on it. */
  readonly oldest: number
  /** The steps of row forms that were recorded, or required, at least an hour ago. */
  readonly settled: ReadonlyArray<number>
}

/**
 * The form of rows that every server which may be at work on the database can read. Older servers stop within seconds of
 * the step being required, and then still end the requests that they have.
 */
export const rowFormOf = ({ oldest, settled }: SchemaVersion): RowForm => {
  const isReadable = (step: number) => oldest >= step && settled.includes(step)
  return isReadable(derivedRows) ? "derived" : isReadable(shortRows) ? "short" : "whole"
}

/** Whether every server that may be at work finds a message's body in the table of bodies. */
export const hasBodies = ({ oldest, settled }: SchemaVersion): boolean =>
  oldest >= messageBodies && settled.includes(messageBodies)

/** Longer than a server works on a request that it took. */
const settlesAfter = "1 hour"

/** As three columns of one row, also of a table from before the second was recorded. */
export const selectSchema = `select max(migration_id)::int as schema,
  max(coalesce((to_jsonb(m) ->> 'oldest')::int, migration_id))::int as oldest,
  coalesce(
    array_agg(migration_id) filter (where migration_id in (${shortRows}, ${derivedRows}, ${messageBodies})
      and created_at <= now() - interval '${settlesAfter}'), '{}'
  )::integer[] as settled
  from ${migrationsTable} as m`

export const readSchema = (row: Row | undefined): SchemaVersion => ({
  id: Number(row?.["schema"] ?? 0),
  oldest: Number(row?.["oldest"] ?? 0),
  settled: (row?.["settled"] ?? []) as ReadonlyArray<number>
})

/** `null` if the database has none of our schemas. */
export const schemaBy = Effect.fnUntraced(function* <E>(
  query: (sql: string, params?: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Row>, E>
) {
  const [found] = yield* query("select to_regclass($1::text)::text as name", [migrationsTable])
  if (found?.["name"] == null) return null
  const [row] = yield* query(selectSchema)
  return readSchema(row)
})

export const schemaOf = ({ read }: Database) => schemaBy((sql, params) => read("open", sql, params))

/**
 * The schema; fails if the database has none of ours, an older one, or one that this release may not run on. It only
 * reads.
 */
export const requireSchema = Effect.fnUntraced(function* (db: Database) {
  const refuse = (message: string) => Effect.fail(new StorageError({ operation: "open", cause: new Error(message) }))
  const schema = yield* schemaOf(db)
  if (schema === null) {
    return yield* refuse("it has no Pointsman tables: start the server once to create them")
  }
  const { id, oldest } = schema
  if (id < newest) {
    return yield* refuse(
      `it has the outdated schema version ${id}; this release needs ${newest}: start the server once to migrate it`
    )
  }
  if (oldest > newest) {
    return yield* refuse(newerSchema(id))
  }
  return schema
})

const selectIsDistributed = "select to_regclass('pg_catalog.pg_dist_partition') is not null as has_extension"
const selectIsPlaced = "select 1 as one from pg_dist_partition where logicalrelid = to_regclass('payments')"

/** Fails on a database whose tables lie on many nodes: the statements of a single one are not for it. */
export const refuseDistributed = Effect.fnUntraced(function* ({ read }: Database) {
  const [row] = yield* read("open", selectIsDistributed)
  if (row?.["has_extension"] !== true || (yield* read("open", selectIsPlaced)).length === 0) return
  const message =
    "its tables lie on the nodes of a Citus cluster: set POINTSMAN_DATABASE_DISTRIBUTED=citus (distributed: true)"
  return yield* new StorageError({ operation: "open", cause: new Error(message) })
})
