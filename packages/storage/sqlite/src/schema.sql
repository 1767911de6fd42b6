-- The store in one SQLite file: every table, index and trigger of it.
--
-- Tenants. A tenant is a workspace in one environment. The key of what a tenant owns begins with both, and so does
-- every index that one tenant's reads use. An index of work that the background looks for across all tenants begins
-- with what that work is sorted by. Without statistics SQLite prefers a primary key over most of these indexes, so
-- queries name theirs (`indexed by`).
--
-- Types. TEXT holds what Pointsman writes itself: ids, states, codes. ANY holds text from outside, which is stored as
-- a blob of UTF-16 where UTF-8 cannot hold it (a lone surrogate, a NUL). Amounts are integers in minor units, times
-- integers in epoch milliseconds, booleans 0 or 1. Columns named `sealed…` are encrypted with the key of the
-- installation. A comment names the columns that hold JSON.
--
-- Checks. They repeat the money rules of the core, and guard against programs that write to the file beside it. A
-- `version` counts the writes of a row from 1: a write names the version that it was decided on, and changes nothing
-- where another write came first. States have no check: tables of the core list them, and SQLite changes a check only
-- by writing the whole table again.

-- Workspaces: the merchants of this installation, from its configuration or from a partner.
create table workspaces (
  id text not null primary key,
  name any not null,
  country any,
  category any,
  suspended integer not null check (suspended in (0, 1)),
  -- JSON: how many merchants a partner may create. Null for a workspace that is no partner.
  partner text,
  -- JSON: the branding of hosted pages.
  brand text,
  -- JSON: how long records are kept, where that differs from the defaults.
  retention text,
  -- JSON: the amounts from which a second person approves what an operator states.
  four_eyes text
) strict;

-- API keys, by the hash of the key. A revoked key stays, so that no later write makes it valid again.
create table api_keys (
  hash text not null primary key,
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  name any,
  -- JSON: a list. Null for every scope.
  scopes text,
  -- JSON: a list of IP addresses and ranges. Null for any.
  networks text,
  -- 'configuration' or 'operator': a key of the configuration is revoked once the configuration no longer names it.
  source text not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer
) strict;
-- Whether a partner's merchant has a production key.
create index api_keys_by_workspace on api_keys (workspace_id, environment);

-- When each key was last used.
create table api_key_uses (
  hash text not null primary key,
  used_at integer not null
) strict, without rowid;

-- Connections: a workspace's accounts at providers.
create table connections (
  id text not null primary key,
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  name any not null,
  connector any not null,
  active integer not null check (active in (0, 1)),
  -- Connections of priority 1 are tried before those of 2.
  priority integer not null,
  sealed_credentials any not null,
  sealed_webhook_secret any,
  sealed_previous_webhook_secret any,
  timeout_millis integer,
  -- JSON: what the connection supports, and which payments it does not get.
  supports text not null,
  restrictions text not null,
  -- JSON: its circuit breaker, the fees of its provider, and how often reports are fetched.
  circuit_breaker text,
  fees text,
  reports text,
  -- JSON: the provider's account that the credentials opened first, and the one that they open now. The configuration
  -- does not write these, nor the time of a change.
  account text,
  current_account text,
  account_changed_at integer
) strict;

-- The routing settings of each tenant, as JSON.
create table routing (
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  settings text not null,
  primary key (workspace_id, environment)
) strict, without rowid;

-- Merchants' webhook endpoints. An endpoint that is no longer configured stays, inactive: deliveries refer to it.
create table webhook_endpoints (
  id text not null primary key,
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  url any not null,
  -- JSON: a list of types, or ["*"].
  events text not null,
  active integer not null check (active in (0, 1)),
  sealed_secret any not null,
  -- The secret before it, while receivers change over.
  sealed_previous_secret any,
  -- JSON: the rotation of the secret by an operator.
  rotation text
) strict;
-- A commit looks up the active endpoints that its events are delivered to.
create index webhook_endpoints_by_tenant on webhook_endpoints (workspace_id, environment, active);

-- The configurations that were applied, by generation. A server applies none that is older than the newest.
create table configurations (
  generation integer not null primary key check (generation > 0),
  hash text not null,
  applied_at integer not null
) strict;

-- Secrets that the installation generated itself.
create table kept_secrets (
  name text not null primary key,
  sealed any not null
) strict;

-- Partners' merchants. A merchant belongs to no environment: a partner creates it with a production key.
create table merchants (
  partner_id text not null,
  id text not null,
  workspace_id text not null,
  name any not null,
  email any not null,
  -- The normalized address.
  email_key any not null,
  country text not null,
  category any,
  invitation_hash text not null,
  created_at integer not null,
  primary key (partner_id, id),
  foreign key (workspace_id) references workspaces
) strict, without rowid;
-- Guards that a partner invites an email address only once.
create unique index merchants_by_email on merchants (partner_id, email_key);

-- Tenants by number: the rows of payments, and what is beside each, begin with it.
create table tenants (
  t integer not null primary key,
  workspace_id any not null,
  environment text not null check (environment in ('sandbox', 'production')),
  unique (workspace_id, environment)
) strict;

-- Payments, each with everything that was asked of providers for it, and with the idempotency key of its create. Core reads
-- and writes this as one book. Beside the texts, columns hold what the database guards and what is searched for. The table
-- has row ids: a row fills much of a page, and rows that are written together share pages.
create table payments (
  t integer not null references tenants,
  -- A UUIDv7: ids in order are payments by creation.
  id blob not null check (length(id) = 16),
  version integer not null check (version > 0),
  state text not null,
  amount_minor integer not null check (amount_minor >= 0),
  currency text not null,
  -- The provider holds at most the amount of the payment, captures at most what it holds, and refunds at most what it
  -- captured (the last check).
  authorized_minor integer not null check (authorized_minor between 0 and amount_minor),
  captured_minor integer not null check (captured_minor between 0 and authorized_minor),
  refunded_minor integer not null check (refunded_minor >= 0),
  refund_pending_minor integer not null check (refund_pending_minor >= 0),
  created_at integer not null,
  -- The merchant's own identifier.
  reference any,
  -- The charge that the payment is based on.
  connection_id any,
  -- Whether a request of it reached a provider.
  is_sent integer not null check (is_sent in (0, 1)),
  -- A hash of the token of its hosted page.
  page any,
  -- Since when operations have to review it.
  review_since integer,
  -- When the background checks the payment next, and the connection whose provider it asks; '' for none. Only the
  -- background reads these two.
  check_at integer,
  check_connection any not null default '',
  -- The idempotency key of the create: a hash of it, the version of its claim, when it was claimed, and as JSON the claim
  -- with the response that a repeated request gets again. Null once the key is free.
  key blob,
  claim_version integer check (claim_version > 0),
  claimed_at integer,
  claim text,
  -- JSON: what the create decided, which is written once, and what moves. See BookText.ts of storage-sql.
  details text not null,
  book text not null,
  check (refunded_minor + refund_pending_minor <= captured_minor),
  check ((key is null) = (claim is null))
) strict;
create unique index payments_by_id on payments (t, id);
-- Guards that a key belongs to one create.
create unique index payments_by_key on payments (t, key) where key is not null;
-- The background looks for expired keys across all tenants, oldest first.
create index payments_by_claim on payments (claimed_at) where key is not null;
-- Lists of payments by state, and old payments of a state that retention removes.
create index payments_by_state on payments (t, state, id);
-- Lists of payments by the merchant's reference.
create index payments_by_reference on payments (t, reference, id) where reference is not null;
-- Lists of payments by amount, and the currencies that a tenant has.
create index payments_by_amount on payments (t, currency, amount_minor, id);
-- A hosted page finds its payment by its token alone. Guards that no two payments share a page.
create unique index payments_by_page on payments (page) where page is not null;
-- The background takes due payments connection by connection, so that a provider that hangs delays no other.
create index payments_due_by_connection on payments (check_connection, check_at) where check_at is not null;
-- The count of the payments of a period that reached a provider.
create index payments_sent on payments (t, created_at) where is_sent = 1;
-- The payments that operators have to review, oldest first.
create index payments_reviewed on payments (review_since, id) where review_since is not null;
-- The payments with a provider's page, whose address is sealed.
create index payments_with_checkout on payments (t, id) where instr(book, '"sealedUrl"') > 0;

-- The charge of a connection that a payment has, by a hash of the provider's reference and of the connection. The primary key
-- guards that no two payments have the same charge. A row stays when its payment leaves the store, so that later messages
-- about the charge are recognized.
create table charges (
  t integer not null,
  name blob not null check (length(name) = 16),
  payment blob not null check (length(payment) = 16),
  primary key (t, name)
) strict, without rowid;

-- By what else messages and reports name a payment: our ids of its attempts, captures, voids and refunds, the provider's
-- ids of its refunds, and references of charges that moved no money; each as a short hash. The payment's book says which it
-- is.
create table names (
  t integer not null,
  name blob not null check (length(name) = 8),
  payment blob not null check (length(payment) = 16),
  primary key (t, name, payment)
) strict, without rowid;

-- The metadata of payments, once more and pair by pair, for searches. Payments without metadata have no rows.
create table payment_metadata (
  t integer not null,
  payment blob not null check (length(payment) = 16),
  name any not null,
  value any not null,
  primary key (t, payment, name)
) strict, without rowid;
-- A search for a value under a name.
create index payment_metadata_by_value on payment_metadata (t, value, name, payment);
-- A search for a value under any name.
create index payment_metadata_by_text on payment_metadata (t, value, payment);

-- Events: the history of payments. Rows are added in the order of their ids; only an erasure of personal data changes
-- one, and only retention removes one.
create table events (
  t integer not null references tenants,
  -- Without its prefix.
  id blob not null check (length(id) = 16),
  -- 1 is 'payment.created'; Events.ts has the others.
  type integer not null,
  payment blob not null check (length(payment) = 16),
  created_at integer not null,
  -- JSON. See ShortText.ts of storage-sql.
  data text not null,
  primary key (t, id)
) strict, without rowid;
-- The timeline of a payment.
create index events_by_payment on events (t, payment, id);
-- Lists of events by type. Each payment has one event of its creation, so a walk along all events finds a page of
-- those soon, and they are not in the index.
create index events_by_later_type on events (t, type, id) where type <> 1;

-- Providers' messages, stored before they are applied. The primary key guards that a message is applied once. The
-- table has row ids, because a body may be large, and lists read none.
create table messages (
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  connection_id any not null,
  event_id any not null,
  payment_id text,
  about text not null,
  -- The attempt, operation or refund, as the message names it.
  subject_id any not null,
  dispute_id any,
  verdict text,
  outcome text not null,
  reason any,
  -- When the provider wrote it.
  written_at integer not null,
  received_at integer not null,
  is_sealed integer not null check (is_sealed in (0, 1)),
  -- Empty once retention or an erasure of personal data removed it.
  body any not null,
  primary key (workspace_id, environment, connection_id, event_id)
) strict;
-- Operators list messages across all tenants, newest first: all of them, those of an outcome, or those of a payment.
-- The last one also finds the messages that leave with their payment.
create index messages_by_time on messages (received_at);
create index messages_by_outcome on messages (outcome, received_at);
create index messages_by_payment on messages (payment_id, received_at) where payment_id is not null;
-- Retention empties bodies, oldest first.
create index messages_with_body on messages (workspace_id, environment, received_at) where body <> '';

-- Deliveries: one for each event and each endpoint that wants it, written in the commit of the event.
create table deliveries (
  workspace_id text not null,
  environment text not null,
  id text not null,
  endpoint_id text not null,
  event_id text not null,
  state text not null,
  -- Failed attempts of the schedule. An operator who redelivers starts the schedule again.
  failures integer not null check (failures >= 0),
  -- All attempts that were started.
  attempts integer not null check (attempts >= 0),
  -- When the next attempt is due; during an attempt, when that counts as lost. Null once the delivery has ended.
  due_at integer,
  -- When the lease of the sending process ends.
  leased_until integer,
  created_at integer not null,
  primary key (workspace_id, environment, id),
  foreign key (endpoint_id) references webhook_endpoints
) strict, without rowid;
-- The background takes due deliveries endpoint by endpoint, so that an endpoint that hangs delays no other.
create index deliveries_due on deliveries (endpoint_id, due_at, id) where due_at is not null;
-- The number of deliveries in flight to an endpoint.
create index deliveries_leased on deliveries (endpoint_id, leased_until) where leased_until is not null;
-- Lists of deliveries by state, and those that were given up and resume when their endpoint is active again.
create index deliveries_by_state on deliveries (workspace_id, environment, state, id);
-- Lists of the deliveries of an endpoint.
create index deliveries_by_endpoint on deliveries (endpoint_id, state, id);
-- The deliveries of a payment, found by its events.
create index deliveries_by_event on deliveries (workspace_id, environment, event_id);

-- The attempts of deliveries.
create table delivery_attempts (
  workspace_id text not null,
  environment text not null,
  delivery_id text not null,
  number integer not null check (number > 0),
  sent_at integer not null,
  -- Null while it is in flight, or its process died.
  ended_at integer,
  -- The status of the response, or else why there was none.
  status integer,
  failure text,
  primary key (workspace_id, environment, delivery_id, number),
  foreign key (workspace_id, environment, delivery_id) references deliveries
) strict, without rowid;

-- Disputes of payments.
create table disputes (
  workspace_id text not null,
  environment text not null,
  payment_id text not null,
  id text not null,
  status text not null,
  -- When the background checks the dispute next.
  check_at integer,
  -- JSON: the dispute.
  record text not null,
  primary key (workspace_id, environment, payment_id, id)
) strict, without rowid;
-- One dispute by its id, and lists of all of a tenant.
create unique index disputes_by_id on disputes (workspace_id, environment, id);
-- Lists of disputes by status.
create index disputes_by_status on disputes (workspace_id, environment, status, id);
-- The background looks for due disputes across all tenants.
create index disputes_due on disputes (check_at, id) where check_at is not null;

-- The evidence that disputes are answered with: sealed, and megabytes of it, which no read of a dispute needs. Empty
-- once it was removed.
create table dispute_evidence (
  workspace_id text not null,
  environment text not null,
  payment_id text not null,
  id text not null,
  sealed text not null,
  primary key (workspace_id, environment, payment_id, id)
) strict;

-- Reconciliation runs: the reports of providers that were read, and how far.
create table reconciliation_runs (
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  id text not null,
  connection_id any not null,
  format any not null,
  -- The hash of the file.
  sha256 text not null,
  version integer not null check (version > 0),
  -- JSON: the run.
  data text not null,
  primary key (workspace_id, environment, id)
) strict, without rowid;
-- Guards that a file is one run: a run that was killed resumes where it stopped.
create unique index reconciliation_runs_by_file
  on reconciliation_runs (workspace_id, environment, connection_id, sha256, format);

-- The process that reads reports of a connection: one at a time.
create table reconciliation_leases (
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  connection_id any not null,
  holder text not null,
  until integer not null,
  -- JSON: the run and its file.
  data text not null,
  primary key (workspace_id, environment, connection_id)
) strict, without rowid;

-- Settlement entries: the rows of reports, and the captured payments that reports lack. A row whose result is not
-- 'matched' is a difference, which is open until it is closed.
create table settlement_entries (
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  connection_id any not null,
  -- The provider's id of the movement. A newer version of the row gets an id of its own.
  row_id any not null,
  run_id text not null,
  -- The place of the row in its report; 0 for a payment that the report lacks.
  number integer not null check (number >= 0),
  -- When the provider generated the last report that has the row with these contents.
  generated_at integer not null,
  kind text not null,
  result text not null,
  -- How the payment was found.
  reason text not null,
  payment_id any,
  -- A payment that a row of none may be of: for people.
  suggested_payment_id any,
  refund_id any,
  dispute_id any,
  provider_ref any,
  -- JSON: all that the row names, to compare it again.
  names text,
  gross_minor integer not null,
  currency text not null,
  converted_minor integer,
  converted_currency text,
  -- Positive is a cost.
  fee_minor integer,
  fee_currency text,
  net_minor integer,
  net_currency text,
  payout_id any,
  occurred_at integer not null,
  settled_at integer,
  recorded_at integer not null,
  -- The entry that counts instead, and since when.
  corrected_by any,
  corrected_at integer,
  -- What our records said instead.
  expected any,
  opened_at integer,
  closed_at integer,
  closed_by text,
  closed_note any,
  primary key (workspace_id, environment, connection_id, row_id),
  -- A difference has the time at which it was found, and nothing else has.
  check ((opened_at is null) = (result = 'matched')),
  -- Who closed or corrected an entry is stored with the time.
  check ((closed_at is null) = (closed_by is null)),
  check ((corrected_at is null) = (corrected_by is null))
) strict, without rowid;
-- The entries of a payment, and payments that no report has.
create index settlement_entries_by_payment on settlement_entries (workspace_id, environment, payment_id)
  where payment_id is not null;
-- Lists of the entries without a payment.
create index settlement_entries_without_payment
  on settlement_entries (workspace_id, environment, connection_id, row_id) where payment_id is null;
-- Retention removes old entries without a payment.
create index settlement_entries_to_leave on settlement_entries (workspace_id, environment, occurred_at)
  where payment_id is null;
-- Retention removes differences that were still open when their payment was removed.
create index settlement_differences_closed on settlement_entries (workspace_id, environment, occurred_at)
  where payment_id is not null and closed_at is not null;
-- Lists of all differences across tenants.
create index settlement_differences on settlement_entries (opened_at, connection_id, row_id)
  where opened_at is not null;
-- Lists of the open ones, which the metrics count every few seconds: closed ones stay for years.
create index settlement_differences_open on settlement_entries (opened_at, connection_id, row_id)
  where opened_at is not null and closed_at is null;
-- The contents of a payout.
create index settlement_entries_by_payout
  on settlement_entries (workspace_id, environment, connection_id, payout_id, occurred_at, row_id)
  where payout_id is not null;
-- Whether a payout left, and came back.
create index settlement_payouts_by_name on settlement_entries (workspace_id, environment, connection_id, payout_id)
  where kind in ('payout', 'payout_failed');
-- Lists of payouts, newest first.
create index settlement_payouts on settlement_entries (workspace_id, environment, occurred_at, connection_id, row_id)
  where payment_id is null and kind = 'payout';

-- What routing in mode `auto` learned: an estimate, which may be lost.
create table success_rates (
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  connection_id any not null,
  -- Empty for the connection as a whole.
  segment any not null,
  -- The weights of outcomes at the time `at`: finite, and never negative.
  succeeded real not null check (succeeded >= 0 and succeeded < 9e999),
  failed real not null check (failed >= 0 and failed < 9e999),
  at integer not null,
  version integer not null check (version > 0),
  -- JSON: what the objective `value` remembers.
  memory text,
  primary key (workspace_id, environment, connection_id, segment)
) strict, without rowid;
-- Servers read what others learned since, and delete what is too old.
create index success_rates_by_time on success_rates (at);

-- Operators: the people who sign in to the console.
create table operators (
  id text not null primary key,
  login any not null,
  -- The login as it is compared: two operators never have the same.
  login_key any not null unique,
  display_name any not null,
  active integer not null check (active in (0, 1)),
  -- JSON: a list.
  grants text not null,
  password_hash text,
  version integer not null check (version > 0),
  created_at integer not null
) strict;

-- Sessions of operators, by the hash of the token.
create table operator_sessions (
  hash text not null primary key,
  operator_id text not null references operators,
  method text not null,
  signed_in_at integer not null,
  seen_at integer not null
) strict, without rowid;
-- Ending all sessions of an operator.
create index operator_sessions_by_operator on operator_sessions (operator_id);

-- Sign-in links, by the hash of the token. Each works once.
create table sign_in_links (
  hash text not null primary key,
  operator_id text not null references operators,
  created_at integer not null,
  expires_at integer not null
) strict, without rowid;
-- Deleting all links of an operator.
create index sign_in_links_by_operator on sign_in_links (operator_id);

-- Sign-in attempts, counted in a window that began at `since`.
create table sign_in_guesses (
  key text not null primary key,
  since integer not null,
  count integer not null check (count > 0)
) strict, without rowid;
-- Deleting the windows that have ended.
create index sign_in_guesses_by_time on sign_in_guesses (since);

-- Passkeys of operators.
create table passkeys (
  id any not null primary key,
  operator_id text not null references operators,
  name any not null,
  public_key text not null,
  -- The authenticator's count of its uses, which shows a copied one.
  counter integer not null check (counter >= 0),
  -- JSON: a list.
  transports text not null,
  created_at integer not null,
  used_at integer
) strict;
-- The passkeys of an operator.
create index passkeys_by_operator on passkeys (operator_id);

-- Challenges that a passkey signs, by their hash. Without an operator it is for a sign-in. Each works once.
create table passkey_challenges (
  hash text not null primary key,
  operator_id text references operators,
  expires_at integer not null
) strict, without rowid;
-- Deleting expired challenges.
create index passkey_challenges_by_time on passkey_challenges (expires_at);

-- The audit trail: what operators and commands changed. Each entry holds the hash of the one before, which shows an
-- entry that was changed on purpose.
create table audit_entries (
  -- From 1, without gaps.
  number integer not null primary key check (number > 0),
  at integer not null,
  actor any not null,
  action text not null,
  subject any not null,
  -- JSON, as it is hashed.
  details text not null,
  previous text not null,
  hash text not null
) strict;
-- Guard against changes by accident.
create trigger audit_entries_keep_update before update on audit_entries
begin
  select raise(abort, 'entries of the audit trail are only added');
end;
create trigger audit_entries_keep_delete before delete on audit_entries
begin
  select raise(abort, 'entries of the audit trail are only added');
end;

-- Losses of records: a restored backup, a file that was copied back. The newest one may be open.
create table record_losses (
  number integer not null primary key check (number > 0),
  -- Records that were acknowledged from this time on may be missing.
  since integer not null,
  reason text not null,
  declared_at integer not null,
  outcome text check (outcome in ('recovered', 'accepted')),
  ended_at integer,
  -- How a loss ended is stored with the time.
  check ((outcome is null) = (ended_at is null))
) strict;

-- The connections whose provider was asked for what a loss may miss.
create table recovered_connections (
  loss integer not null references record_losses (number),
  connection_id text not null,
  -- Its provider lists no refunds or no disputes: refunds wait for an operator.
  refunds_wait integer not null check (refunds_wait in (0, 1)),
  primary key (loss, connection_id)
) strict, without rowid;

-- Idempotency keys whose lost charges and refunds were found at a provider, by the tag that ends the ids of their calls.
-- The row is written before what was found is stored, so that the payment may be missing.
create table recovered_keys (
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  tag text not null,
  kind text not null check (kind in ('charge', 'refund')),
  payment_id text not null,
  primary key (workspace_id, environment, tag, kind, payment_id)
) strict, without rowid;

-- Leases of background work that one process does at a time, each with one row at most: the sweep of retention, the
-- proof of closed payments, and the reports that are fetched by schedule.
create table retention_lease (
  one integer not null primary key check (one = 1),
  holder text not null,
  until integer not null
) strict;
create table proof_lease (
  one integer not null primary key check (one = 1),
  holder text not null,
  until integer not null
) strict;
create table report_lease (
  one integer not null primary key check (one = 1),
  holder text not null,
  until integer not null
) strict;
