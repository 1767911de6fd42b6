/**
 * The schema, as numbered steps. A step that was released is never changed: another one follows it.
 *
 * - Every key and index of what a workspace owns begins with its workspace and environment.
 * - TEXT is what we write ourselves (ids, states, codes of a list); ANY is text from outside, see `bindText`.
 * - Amounts are in minor units, times in epoch milliseconds, JSON is text.
 * - The checks repeat core's money rules: what breaks one is not stored, regardless of the writer.
 * - States are not checked against a list: core's tables own it, and a list here would need a rewrite of the table
 *   for each new state.
 */
import { StorageError } from "@pointsman/core/ports"
import { execute, newestOf, runSteps, type Step } from "@pointsman/storage-sql"
import { Effect } from "effect"
import * as Client from "effect/sql/SqlClient"
import type { Database } from "./Database.ts"
import { operatorTables } from "./OperatorTables.ts"
import { passkeyTables } from "./PasskeyTables.ts"
import { runLeases, settlementTables } from "./SettlementTables.ts"
import { make as makeSqlClient } from "./SqlClient.ts"

const environment = "environment text not null check (environment in ('sandbox', 'production'))"

const payments = `create table payments (
  workspace_id text not null,
  ${environment},
  id text not null,
  version integer not null check (version > 0),
  state text not null,
  amount_minor integer not null check (amount_minor >= 0),
  currency text not null,
  country text not null,
  method text not null,
  card_brand any,
  initiator text not null,
  capture_method text not null,
  reference any,
  decline_category text,
  decline_reason any,
  authorized_minor integer not null check (authorized_minor between 0 and amount_minor),
  captured_minor integer not null check (captured_minor between 0 and authorized_minor),
  refunded_minor integer not null check (refunded_minor >= 0),
  refund_pending_minor integer not null check (refund_pending_minor >= 0),
  connection_id any,
  provider_ref any,
  idempotency_key any,
  routing text,
  simulation text,
  created_at integer not null,
  updated_at integer not null,
  settled_at integer,
  primary key (workspace_id, environment, id),
  check (refunded_minor + refund_pending_minor <= captured_minor)
) strict, without rowid`

const attempts = `create table attempts (
  workspace_id text not null,
  environment text not null,
  payment_id text not null,
  id text not null,
  number integer not null check (number > 0),
  connection_id any not null,
  amount_minor integer not null check (amount_minor >= 0),
  currency text not null,
  timeout_millis integer not null,
  sent_at integer not null,
  answered_at integer,
  outcome text,
  provider_ref any,
  decline_category text,
  code any,
  reason any,
  primary key (workspace_id, environment, payment_id, id),
  foreign key (workspace_id, environment, payment_id) references payments
) strict, without rowid`

const events = `create table events (
  workspace_id text not null,
  environment text not null,
  id text not null,
  type text not null,
  payment_id text not null,
  created_at integer not null,
  data text not null,
  primary key (workspace_id, environment, id),
  foreign key (workspace_id, environment, payment_id) references payments
) strict, without rowid`

const claims = `create table claims (
  workspace_id text not null,
  ${environment},
  key any not null,
  version integer not null check (version > 0),
  state text not null,
  fingerprint text not null,
  payment_id text not null,
  claimed_at integer not null,
  answered_at integer,
  answer text,
  primary key (workspace_id, environment, key)
) strict, without rowid`

const workspaces = `create table workspaces (
  id text not null primary key,
  name any not null,
  country any,
  category any,
  suspended integer not null check (suspended in (0, 1)),
  partner text
) strict`

const apiKeys = `create table api_keys (
  hash text not null primary key,
  workspace_id text not null,
  ${environment},
  scopes text,
  revoked_at integer,
  source text not null,
  created_at integer not null
) strict`

const connections = `create table connections (
  id text not null primary key,
  workspace_id text not null,
  ${environment},
  name any not null,
  connector any not null,
  active integer not null check (active in (0, 1)),
  priority integer not null,
  sealed_credentials any not null,
  sealed_webhook_secret any,
  timeout_millis integer,
  supports text not null,
  restrictions text not null,
  circuit_breaker text
) strict`

const routing = `create table routing (
  workspace_id text not null,
  ${environment},
  settings text not null,
  primary key (workspace_id, environment)
) strict, without rowid`

const webhookEndpoints = `create table webhook_endpoints (
  id text not null primary key,
  workspace_id text not null,
  ${environment},
  url any not null,
  events text not null,
  sealed_secret any not null,
  active integer not null check (active in (0, 1))
) strict`

/** Payments are listed newest first by their primary key; the others need an index. */
const indexes = [
  "create index payments_by_state on payments (workspace_id, environment, state, id)",
  "create index events_by_payment on events (workspace_id, environment, payment_id, id)",
  "create index events_by_type on events (workspace_id, environment, type, id)"
]

const operations = `create table operations (
  workspace_id text not null,
  environment text not null,
  payment_id text not null,
  id text not null,
  kind text not null,
  idempotency_key any,
  requested_minor integer check (requested_minor >= 0),
  amount_minor integer not null check (amount_minor >= 0),
  currency text not null,
  connection_id any not null,
  provider_ref any not null,
  timeout_millis integer not null,
  sent_at integer not null,
  answered_at integer,
  outcome text,
  code any,
  reason any,
  reply text,
  primary key (workspace_id, environment, payment_id, id),
  foreign key (workspace_id, environment, payment_id) references payments
) strict, without rowid`

/**
 * `balance` is the total to which the amount counts in the refund ledger: the database adds up without knowing stages.
 */
const refunds = `create table refunds (
  workspace_id text not null,
  environment text not null,
  payment_id text not null,
  id text not null,
  stage text not null,
  balance text not null check (balance in ('pending', 'refunded', 'nothing')),
  amount_minor integer not null check (amount_minor >= 0),
  currency text not null,
  requested_minor integer check (requested_minor >= 0),
  reason any,
  idempotency_key any,
  connection_id any not null,
  provider_ref any not null,
  provider_refund_id any,
  timeout_millis integer not null,
  sent_at integer not null,
  answered_at integer,
  settled_at integer,
  code any,
  failure_reason any,
  reply text,
  primary key (workspace_id, environment, payment_id, id),
  foreign key (workspace_id, environment, payment_id) references payments
) strict, without rowid`

/** No payment says anything else than its refunds add up to; its totals are written after them. */
const matchesRefunds = (name: string, event: string, when: string) => `create trigger ${name}
  after ${event} on payments when ${when} begin
  select raise(abort, 'the refunds do not add up to what the payment says')
  from (
    select coalesce(sum(amount_minor) filter (where balance = 'refunded'), 0) as refunded,
      coalesce(sum(amount_minor) filter (where balance = 'pending'), 0) as pending
    from refunds
    where workspace_id = new.workspace_id and environment = new.environment and payment_id = new.id
  )
  where refunded <> new.refunded_minor or pending <> new.refund_pending_minor;
end`

const pageColumns = [
  "alter table payments add column hosted text",
  // Computed, so that it cannot differ from the page.
  "alter table payments add column page_token_hash text as (json_extract(hosted, '$.tokenHash')) virtual",
  "alter table attempts add column checkout text",
  // What a key is answered with is a payment, too, and none had a page.
  "update claims set answer = json_insert(answer, '$.hosted', null) where answer is not null"
]

/** A token's hash is asked for across all tenants, so it alone is the key. */
const operationIndexes = [
  "create unique index payments_by_page on payments (page_token_hash) where page_token_hash is not null",
  "create index payments_by_creation on payments (workspace_id, environment, created_at)",
  `create unique index operations_by_key on operations (workspace_id, environment, payment_id, kind, idempotency_key)
    where idempotency_key is not null and (outcome is null or reply is not null)`,
  `create unique index refunds_by_key on refunds (workspace_id, environment, payment_id, idempotency_key)
    where idempotency_key is not null`
]

/** A partner provisions with a live key alone, so that its merchants belong to no environment. */
const merchants = `create table merchants (
  partner_id text not null,
  id text not null,
  workspace_id text not null,
  name any not null,
  email any not null,
  email_key any not null,
  country text not null,
  category any,
  invitation_hash text not null,
  created_at integer not null,
  primary key (partner_id, id),
  foreign key (workspace_id) references workspaces
) strict, without rowid`

const merchantIndexes = [
  "create unique index merchants_by_email on merchants (partner_id, email_key)",
  "create index api_keys_by_workspace on api_keys (workspace_id, environment)"
]

/**
 * What is to be checked is looked for across all tenants, so its time leads the index. Payments that were open before
 * there were checks are due at once.
 */
const checks = [
  "alter table payments add column check_at integer",
  "create index payments_due on payments (check_at) where check_at is not null",
  `update payments set check_at = updated_at where refund_pending_minor > 0 or state in ('AwaitingCustomer',
    'CheckoutOpen', 'Charging', 'ChargePending', 'ChargeUnknown', 'Authorized', 'Capturing', 'CapturePending',
    'CaptureUnknown', 'Voiding', 'VoidPending', 'VoidUnknown')`
]

/** A delivery's endpoint is never deleted, and its event is append-only. */
const deliveries = `create table deliveries (
  workspace_id text not null,
  environment text not null,
  id text not null,
  endpoint_id text not null,
  event_id text not null,
  state text not null,
  failures integer not null check (failures >= 0),
  attempts integer not null check (attempts >= 0),
  due_at integer,
  leased_until integer,
  created_at integer not null,
  primary key (workspace_id, environment, id),
  foreign key (endpoint_id) references webhook_endpoints,
  foreign key (workspace_id, environment, event_id) references events
) strict, without rowid`

const deliveryAttempts = `create table delivery_attempts (
  workspace_id text not null,
  environment text not null,
  delivery_id text not null,
  number integer not null check (number > 0),
  sent_at integer not null,
  ended_at integer,
  status integer,
  failure text,
  primary key (workspace_id, environment, delivery_id, number),
  foreign key (workspace_id, environment, delivery_id) references deliveries
) strict, without rowid`

/** What is due is looked for endpoint by endpoint, across all tenants. */
const deliveryIndexes = [
  "create index deliveries_due on deliveries (endpoint_id, due_at, id) where due_at is not null",
  "create index deliveries_leased on deliveries (endpoint_id, leased_until) where leased_until is not null",
  "create index deliveries_by_state on deliveries (workspace_id, environment, state, id)",
  "create index webhook_endpoints_by_tenant on webhook_endpoints (workspace_id, environment, active)",
  "alter table webhook_endpoints add column sealed_previous_secret any"
]

/**
 * With a row id, because a body may be large and only the record of one message is read with it. The same message of a
 * connection is there once; what it is about is found by the ids that a provider knows.
 */
const messages = [
  `create table messages (
    workspace_id text not null,
    ${environment},
    connection_id any not null,
    event_id any not null,
    payment_id text,
    about text not null,
    subject_id any not null,
    dispute_id any,
    verdict text,
    is_applied integer not null check (is_applied in (0, 1)),
    written_at integer not null,
    received_at integer not null,
    body any not null,
    primary key (workspace_id, environment, connection_id, event_id)
  ) strict`,
  `create index messages_told on messages (workspace_id, environment, payment_id)
    where about in ('settlement', 'dispute')`,
  "create index attempts_by_id on attempts (workspace_id, environment, id)",
  "create index refunds_by_id on refunds (workspace_id, environment, id)"
]

/** As JSON, with one reason more. */
const alsoReviewedFor = (reason: string, when: string) => `update payments
  set review = json_insert(
    coalesce(review, json_object('since', updated_at, 'reasons', json_array())), '$.reasons[#]', '${reason}')
  where ${when}`

const tellsOf = (type: string) => `exists (select 1 from events indexed by events_by_type
  where events.workspace_id = payments.workspace_id and events.environment = payments.environment
    and type = '${type}' and payment_id = payments.id)`

/** What operations have to look at is looked for across all tenants, so its time leads the index. */
const reviews = [
  "alter table payments add column review text",
  "alter table payments add column review_since integer as (json_extract(review, '$.since')) virtual",
  "create index payments_reviewed on payments (review_since, id) where review_since is not null",
  // In the order in which core lists the reasons.
  alsoReviewedFor("unknown", "state in ('ChargeUnknown', 'ChargeMismatched', 'CaptureUnknown', 'VoidUnknown')"),
  alsoReviewedFor(
    "refund_unknown",
    `refund_pending_minor > 0 and exists (select 1 from refunds where refunds.workspace_id = payments.workspace_id
      and refunds.environment = payments.environment and payment_id = payments.id and stage = 'Unknown')`
  ),
  alsoReviewedFor(
    "open_checkout",
    `state = 'CheckoutOpen' and exists (select 1 from attempts where attempts.workspace_id = payments.workspace_id
      and attempts.environment = payments.environment and payment_id = payments.id
      and checkout is not null and json_extract(checkout, '$.expiresAt') is null)`
  ),
  alsoReviewedFor("amount_mismatch", tellsOf("payment.amount_mismatch")),
  alsoReviewedFor("conflict", tellsOf("payment.conflict")),
  // What requests were answered is a payment, too, and none was to be looked at.
  "update claims set answer = json_insert(answer, '$.review', null) where answer is not null",
  ...["operations", "refunds"].map(
    (table) => `update ${table} set reply = json_insert(reply, '$.payment.review', null)
      where reply is not null and json_type(reply, '$.payment') = 'object'`
  )
]

/** What changed lately is looked for across all tenants, so its time leads the index. */
const successRates = [
  `create table success_rates (
    workspace_id text not null,
    ${environment},
    connection_id any not null,
    segment any not null,
    succeeded real not null check (succeeded >= 0 and succeeded < 9e999),
    failed real not null check (failed >= 0 and failed < 9e999),
    at integer not null,
    version integer not null check (version > 0),
    primary key (workspace_id, environment, connection_id, segment)
  ) strict, without rowid`,
  "create index success_rates_by_time on success_rates (at)"
]

/**
 * The outcome of each message. Bodies that are stored already stay unsealed: the database has no key. Operators list
 * messages across all tenants, so the time, the outcome or the payment leads the indexes.
 */
const messageOutcomes = [
  // SQLite adds no column that is not null without a default.
  "alter table messages add column outcome text not null default 'received'",
  "alter table messages add column reason any",
  "alter table messages add column is_sealed integer not null default 0 check (is_sealed in (0, 1))",
  `update messages set outcome = case when is_applied = 1 then 'applied' when payment_id is null then 'unmatched'
    else 'confirmed' end`,
  "alter table messages drop column is_applied",
  "create index messages_by_time on messages (received_at)",
  "create index messages_by_outcome on messages (outcome, received_at)",
  "create index messages_by_payment on messages (payment_id, received_at) where payment_id is not null"
]

/**
 * Which payment has a charge of a connection. Payments of an older version may share one: the oldest has it, the others
 * keep what they stand on, and no further payment gets it.
 */
const chargeReferences = [
  `create table charge_references (
    workspace_id text not null,
    ${environment},
    connection_id any not null,
    provider_ref any not null,
    payment_id text not null,
    primary key (workspace_id, environment, connection_id, provider_ref)
  ) strict, without rowid`,
  `insert into charge_references (workspace_id, environment, connection_id, provider_ref, payment_id)
    select workspace_id, environment, connection_id, provider_ref, min(payment_id)
    from (
      select workspace_id, environment, connection_id, provider_ref, id as payment_id from payments
        where connection_id is not null and provider_ref is not null
      union all select workspace_id, environment, connection_id, provider_ref, payment_id from attempts
        where provider_ref is not null and outcome in ('Authorized', 'Captured', 'Pending', 'Mismatched')
    )
    group by workspace_id, environment, connection_id, provider_ref`
]

/**
 * Payments that name a reference of `charge_references` or of no payment's charge, and do not have it: their attempt moved
 * no money, or an older version let several payments have one. With both tables, a reference that a payment has is in
 * one place. An index of a table is written anew with each state of a payment, at a random page.
 */
const namedReferences = [
  `create table named_references (
    workspace_id text not null,
    ${environment},
    connection_id any not null,
    provider_ref any not null,
    payment_id text not null,
    primary key (workspace_id, environment, connection_id, provider_ref, payment_id)
  ) strict, without rowid`,
  `insert into named_references (workspace_id, environment, connection_id, provider_ref, payment_id)
    select * from (
      select workspace_id, environment, connection_id, provider_ref, id from payments
        where connection_id is not null and provider_ref is not null
      union select workspace_id, environment, connection_id, provider_ref, payment_id from attempts
        where provider_ref is not null
    )
    except select workspace_id, environment, connection_id, provider_ref, payment_id from charge_references`,
  "drop index if exists payments_by_provider_ref",
  "drop index if exists attempts_by_provider_ref"
]

/**
 * With row ids. Merchants' keys are in no order, and an answer does not fit into a page of a key: without row ids, each
 * claim was written on a page of its own, and its answer on another one. Rows that are written together share pages now;
 * the key's index alone is written at a random page, and once.
 */
const claimsWithRowIds = [
  claims.replace("create table claims", "create table claims_with_row_ids").replace("strict, without rowid", "strict"),
  "insert into claims_with_row_ids select * from claims order by claimed_at",
  "drop table claims",
  "alter table claims_with_row_ids rename to claims",
  // In the order in which old claims are read.
  "create index claims_by_time on claims (claimed_at, workspace_id, environment, key)"
]

const configurations = `create table configurations (
  generation integer not null primary key check (generation > 0),
  hash text not null,
  applied_at integer not null
) strict`

const recordLosses = [
  `create table record_losses (
    number integer not null primary key check (number > 0),
    since integer not null,
    reason text not null,
    declared_at integer not null,
    outcome text check (outcome in ('recovered', 'accepted')),
    ended_at integer,
    check ((outcome is null) = (ended_at is null))
  ) strict`,
  `create table recovered_connections (
    loss integer not null references record_losses (number),
    connection_id text not null,
    primary key (loss, connection_id)
  ) strict, without rowid`
]

/**
 * Whose provider a check asks, so that one that hangs keeps nobody from the checks of others; '' where a check asks none.
 * It leads the index of what is due, and no other index of that is needed.
 */
const checkedConnections = [
  "alter table payments add column check_connection text not null default ''",
  `update payments set check_connection = coalesce(connection_id, (
    select attempts.connection_id from attempts
    where attempts.workspace_id = payments.workspace_id and attempts.environment = payments.environment
      and attempts.payment_id = payments.id
    order by attempts.number desc limit 1
  ), '')
  where check_at is not null and state not in ('AwaitingCustomer', 'Charging', 'Capturing', 'Voiding')`,
  "create index payments_due_by_connection on payments (check_connection, check_at) where check_at is not null",
  "drop index payments_due"
]

/**
 * Metadata and purchases as JSON. A search finds payments by the rows of a table of their own, which payments without
 * metadata do not pay for.
 */
const metadata = [
  "alter table payments add column metadata text",
  "alter table payments add column purchase text",
  `create table payment_metadata (
    workspace_id text not null,
    ${environment},
    payment_id text not null,
    name any not null,
    value any not null,
    primary key (workspace_id, environment, payment_id, name)
  ) strict, without rowid`,
  `create index payment_metadata_by_value
    on payment_metadata (workspace_id, environment, value, name, payment_id)`
]

/** Details are JSON. The triggers refuse an accident; the hashes show a purpose. */
const audit = [
  `create table audit_entries (
    number integer not null primary key check (number > 0),
    at integer not null,
    actor any not null,
    action text not null,
    subject any not null,
    details text not null,
    previous text not null,
    hash text not null
  ) strict`,
  ...["update", "delete"].map(
    (change) => `create trigger audit_entries_keep_${change} before ${change} on audit_entries
      begin select raise(abort, 'entries of the audit trail are only added'); end`
  )
]

/** The lease of the sweep, and the messages that have a body, oldest first. */
const retention = [
  `create table retention_lease (
    one integer not null primary key check (one = 1),
    holder text not null,
    until integer not null
  ) strict`,
  // As JSON.
  "alter table workspaces add column retention text",
  "create index messages_with_body on messages (workspace_id, environment, received_at) where body <> ''"
]

/** A record is JSON. Sealed evidence is apart: it has megabytes, and a read of a dispute needs none of it. */
const disputes = [
  `create table disputes (
    workspace_id text not null,
    environment text not null,
    payment_id text not null,
    id text not null,
    status text not null,
    check_at integer,
    record text not null,
    primary key (workspace_id, environment, payment_id, id),
    foreign key (workspace_id, environment, payment_id) references payments
  ) strict, without rowid`,
  "create unique index disputes_by_id on disputes (workspace_id, environment, id)",
  "create index disputes_by_status on disputes (workspace_id, environment, status, id)",
  "create index disputes_due on disputes (check_at, id) where check_at is not null",
  `create table dispute_evidence (
    workspace_id text not null,
    environment text not null,
    payment_id text not null,
    id text not null,
    sealed text not null,
    primary key (workspace_id, environment, payment_id, id)
  ) strict`
]

const steps: Record<string, Step> = {
  "1_payments_and_directory": execute([
    payments,
    attempts,
    events,
    claims,
    workspaces,
    apiKeys,
    connections,
    routing,
    webhookEndpoints,
    ...indexes
  ]),
  "2_operations_refunds_and_pages": execute([
    operations,
    refunds,
    ...pageColumns,
    ...operationIndexes,
    // A payment without totals has no refunds yet: nothing is added up for it.
    matchesRefunds("new_payments_match_refunds", "insert", "new.refunded_minor <> 0 or new.refund_pending_minor <> 0"),
    matchesRefunds("payments_match_refunds", "update of refunded_minor, refund_pending_minor", "true")
  ]),
  "3_merchants": execute([merchants, ...merchantIndexes]),
  "4_checks": execute(checks),
  "5_messages": execute(messages),
  "6_deliveries": execute([deliveries, deliveryAttempts, ...deliveryIndexes]),
  "7_reviews": execute(reviews),
  // Keys whose time is over are looked for across all tenants, so their time leads the index.
  "8_old_keys": execute(["create index claims_by_time on claims (claimed_at)"]),
  "9_success_rates": execute(successRates),
  // Messages that know a charge by its provider's reference alone.
  "10_payments_by_provider_ref": execute([
    `create index payments_by_provider_ref on payments (workspace_id, environment, connection_id, provider_ref)
      where provider_ref is not null`
  ]),
  // Messages that name a capture or a void by our id.
  "11_operations_by_id": execute(["create index operations_by_id on operations (workspace_id, environment, id)"]),
  // What a provider reported beside the money of a payment, as JSON.
  "12_reported": execute(["alter table payments add column reported text"]),
  "13_message_outcomes": execute(messageOutcomes),
  "14_charge_references": execute(chargeReferences),
  // Messages that know a charge that moved no money by its provider's reference.
  "15_attempts_by_provider_ref": execute([
    `create index attempts_by_provider_ref on attempts (workspace_id, environment, connection_id, provider_ref)
      where provider_ref is not null`
  ]),
  // Requests under one key derive one id, and must know their own claim from another's.
  "16_claimed_by": execute(
    ["attempts", "operations", "refunds"].map((table) => `alter table ${table} add column claimed_by text`)
  ),
  "17_configurations": execute([configurations]),
  "18_named_references": execute(namedReferences),
  "19_claims_with_row_ids": execute(claimsWithRowIds),
  "20_record_losses": execute(recordLosses),
  "21_checked_connections": execute(checkedConnections),
  // Whose account a connection opens, as JSON, and the one that an attempt was sent at.
  "22_accounts": execute([
    "alter table connections add column account text",
    "alter table connections add column current_account text",
    "alter table connections add column account_changed_at integer",
    "alter table attempts add column account text"
  ]),
  // Secrets of the installation itself, sealed.
  "23_kept_secrets": execute([
    "create table kept_secrets (name text not null primary key, sealed any not null) strict"
  ]),
  // Networks as JSON.
  "24_key_limits": execute([
    "alter table api_keys add column name any",
    "alter table api_keys add column expires_at integer",
    "alter table api_keys add column networks text"
  ]),
  "25_key_uses": execute([
    "create table api_key_uses (hash text not null primary key, used_at integer not null) strict, without rowid"
  ]),
  "26_audit": execute(audit),
  "27_payment_search": execute([
    "create index payments_by_reference on payments (workspace_id, environment, reference, id) where reference is not null",
    "create index payments_by_amount on payments (workspace_id, environment, currency, amount_minor, id)"
  ]),
  "28_metadata": execute(metadata),
  // As JSON.
  "29_brands": execute(["alter table workspaces add column brand text"]),
  "30_operators": execute(operatorTables),
  // Deliveries of an endpoint, and of a payment by its events.
  "31_delivery_search": execute([
    "create index deliveries_by_endpoint on deliveries (endpoint_id, state, id)",
    "create index deliveries_by_event on deliveries (workspace_id, environment, event_id)"
  ]),
  // As JSON.
  "32_secret_rotations": execute(["alter table webhook_endpoints add column rotation text"]),
  "33_passkeys": execute(passkeyTables),
  // For a text whose name is not known.
  "34_metadata_values": execute([
    `create index payment_metadata_by_text on payment_metadata (workspace_id, environment, value, payment_id)`
  ]),
  // Also to refuse releases that do not read the short forms of rows. Each payment has one event of its creation: a walk
  // along all events finds a page of them soon.
  "35_short_rows": execute([
    `create index if not exists events_by_later_type on events (workspace_id, environment, type, id)
      where type <> 'payment.created'`,
    "drop index if exists events_by_type"
  ]),
  "36_retention": execute(retention),
  // As JSON.
  "37_connection_fees": execute(["alter table connections add column fees text"]),
  "38_disputes": execute(disputes),
  "39_settlements": execute(settlementTables),
  // As JSON.
  "40_four_eyes": execute(["alter table workspaces add column four_eyes text"]),
  "41_proof_lease": execute([
    `create table proof_lease (
      one integer not null primary key check (one = 1),
      holder text not null,
      until integer not null
    ) strict`
  ]),
  "42_run_leases": execute(runLeases),
  // What the row of a difference names, as JSON.
  "43_names_of_differences": execute(["alter table settlement_entries add column names text"]),
  "44_report_schedules": execute([
    // As JSON.
    "alter table connections add column reports text",
    `create table report_lease (
      one integer not null primary key check (one = 1),
      holder text not null,
      until integer not null
    ) strict`
  ]),
  // What one payout pays, and the payouts themselves.
  "45_payouts": execute([
    `create index settlement_entries_by_payout
      on settlement_entries (workspace_id, environment, connection_id, payout_id, occurred_at, row_id)
      where payout_id is not null`,
    `create index settlement_payouts
      on settlement_entries (workspace_id, environment, occurred_at, connection_id, row_id)
      where payment_id is null and kind = 'payout'`
  ])
}

/** The number of the last step. */
export const newest = newestOf(steps)

/**
 * Brings the schema up to date; gives the steps that it ran. It runs without giving up the thread (see
 * `Database.ts`), so openers within a process follow one another; those of several processes wait for the lock.
 */
export const migrate = Effect.fnUntraced(function* (db: Database) {
  const client = yield* makeSqlClient(db)
  const context = yield* Effect.context<never>()
  const exit = Effect.runSyncExitWith(context)(Effect.provideService(runSteps(steps, "file"), Client.SqlClient, client))
  return yield* Effect.mapError(exit, (cause) => new StorageError({ operation: "migrate", cause }))
})
