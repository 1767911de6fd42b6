-- The tables that are the same in every SQL database: what is not payments, events and messages. Schema.ts makes
-- each database's own text of them.
--
-- `tenant` stands for the columns workspace_id and environment: the key of what a tenant owns begins with them, and so does
-- every index that one tenant's reads use. An index of work that is looked for across all tenants begins with what that work
-- is sorted by. Some partial indexes have a condition that holds for every row, such as id <> '', which the queries that need
-- the index repeat: without statistics a planner may take the primary key for as good.
--
-- Types. `text` is what Pointsman writes itself, `any` is text from outside, which may be longer than an index entry: an
-- index of PostgreSQL holds its hash (md5). `integer` has 64 bits: amounts in minor units, and times in epoch milliseconds.
-- Columns named `sealed…` are encrypted with the key of the installation, and hashes replace secrets that are only compared.
-- A comment names the columns that hold JSON. `without rowid` is SQLite's: the primary key is the table; partitions are
-- PostgreSQL's.
--
-- A `version` counts the writes of a row from 1: a write names the version that it was decided on, and changes nothing where
-- another write came first. The checks repeat core's rules, and guard against other programs. States have no check: tables of
-- core list them.

-- Workspaces: the merchants of this installation, from its configuration or from a partner.
create table workspaces (
  id text not null primary key,
  name any not null,
  country any,
  category any,
  suspended boolean not null,
  -- JSON: how many merchants a partner may create (null for a workspace that is no partner), the branding of hosted pages, how
  -- long records are kept, and the amounts from which a second person approves what an operator states.
  partner text,
  brand text,
  -- 'provider' where sandbox pages lead to a provider's own test page.
  hosted_page text,
  retention text,
  four_eyes text,
  -- 'configuration' where a configuration file defines it.
  source text
);

-- API keys. A revoked key stays, so that no later write makes it valid again.
create table api_keys (
  hash text not null primary key,
  tenant,
  name any,
  -- JSON: lists of scopes, and of IP addresses and ranges. Null for all of them.
  scopes text,
  networks text,
  -- Who made it. A key of the configuration is revoked once the configuration no longer names it.
  source text not null,
  created_at integer not null,
  expires_at integer,
  revoked_at integer
);
-- Whether a partner's merchant has a production key.
create index api_keys_by_workspace on api_keys (tenant);

-- When each key was last used. Separate from the keys: a use must not wait for a configuration that is being applied, nor make
-- other servers read the directory again.
create table api_key_uses (
  hash text not null primary key,
  used_at integer not null
) without rowid;

-- Connections: a workspace's accounts at providers.
create table connections (
  id text not null primary key,
  tenant,
  name any not null,
  connector any not null,
  active boolean not null,
  -- Connections of priority 1 are tried before those of 2.
  priority integer not null,
  sealed_credentials any not null,
  sealed_webhook_secret any,
  sealed_previous_webhook_secret any,
  timeout_millis integer,
  -- JSON: what the connection supports, which payments it does not get, its circuit breaker, the fees of its provider, and how
  -- often reports are fetched.
  supports text not null,
  restrictions text not null,
  circuit_breaker text,
  fees text,
  reports text,
  -- JSON: the provider's account that the credentials opened first, and the one that they open now. The configuration does not
  -- write these, nor the time of a change.
  account text,
  current_account text,
  account_changed_at integer
);

-- The routing settings of each tenant, as JSON.
create table routing (
  tenant,
  settings text not null,
  primary key (tenant)
) without rowid;

-- Merchants' webhook endpoints. An endpoint that is no longer configured stays, inactive: deliveries refer to it.
create table webhook_endpoints (
  id text not null primary key,
  tenant,
  url any not null,
  -- The types of events that it gets, or '*'.
  events list not null,
  active boolean not null,
  sealed_secret any not null,
  -- The secret before it, while receivers change over; and as JSON the rotation by an operator.
  sealed_previous_secret any,
  rotation text
);
-- A commit looks up the active endpoints that its events are delivered to.
create index webhook_endpoints_by_tenant on webhook_endpoints (tenant, active);

-- The configurations that were applied. A server applies none that is older than the newest.
create table configurations (
  generation integer not null primary key check (generation > 0),
  hash text not null,
  applied_at integer not null
);

-- How often the directory was written. One row.
create table directory_version (
  version integer not null
);
insert into directory_version (version) values (0);

-- Secrets that the installation generated itself.
create table kept_secrets (
  name text not null primary key,
  sealed any not null
);

-- Partners' merchants, each with its workspace. They belong to no environment: a partner creates them with a production key.
create table merchants (
  partner_id text not null,
  id text not null,
  workspace_id text not null references workspaces,
  name any not null,
  email any not null,
  -- The normalized address.
  email_key any not null,
  country text not null,
  category any,
  invitation_hash text not null,
  created_at integer not null,
  primary key (partner_id, id)
) without rowid;
-- Guards that a partner invites an address only once.
create unique index merchants_by_email on merchants (partner_id, md5(email_key));

-- Deliveries: one for each event and each endpoint that wants it, written in the commit of the event. PostgreSQL partitions
-- them by the month in which they were written, which begins their ids (Partitions.ts), and has no foreign keys here: every
-- commit of a tenant would lock the row of an endpoint.
create table deliveries (
  tenant,
  id text not null,
  endpoint_id text not null references webhook_endpoints,
  event_id text not null,
  state text not null,
  -- Failed attempts of the schedule. An operator who redelivers starts the schedule again.
  failures int not null check (failures >= 0),
  -- All attempts that were started.
  attempts int not null check (attempts >= 0),
  -- When the next attempt is due; during an attempt, when that counts as lost. Null once the delivery has ended.
  due_at integer,
  -- When the lease of the sending process ends.
  leased_until integer,
  created_at integer not null,
  primary key (tenant, id)
) without rowid, partition by range (id);
-- The background takes due deliveries endpoint by endpoint, so that an endpoint that hangs delays no other.
create index deliveries_due on deliveries (endpoint_id, due_at, id) where due_at is not null;
-- The number of deliveries in flight to an endpoint.
create index deliveries_leased on deliveries (endpoint_id, leased_until) where leased_until is not null;
-- Lists of deliveries by state, and those that were given up and resume when their endpoint is active again.
create index deliveries_by_state on deliveries (tenant, state, id) where state <> '';
create index deliveries_by_endpoint on deliveries (endpoint_id, state, id);
-- The deliveries of a payment, found by its events.
create index deliveries_by_event on deliveries (tenant, event_id) where event_id <> '';

create table delivery_attempts (
  tenant,
  delivery_id text not null,
  number int not null check (number > 0),
  sent_at integer not null,
  -- Null while it is in flight, or its process died.
  ended_at integer,
  -- The status of the response, or else why there was none.
  status int,
  failure text,
  primary key (tenant, delivery_id, number),
  foreign key (tenant, delivery_id) references deliveries
) without rowid, partition by range (delivery_id);

create table disputes (
  tenant,
  payment_id text not null,
  id text not null,
  status text not null,
  -- When the background checks the dispute next.
  check_at integer,
  -- JSON: the dispute.
  record text not null,
  primary key (tenant, payment_id, id)
) without rowid;
-- One dispute by its id, which is unique in its tenant, and lists of all of a tenant.
create unique index disputes_by_id on disputes (tenant, id) where id <> '';
create index disputes_by_status on disputes (tenant, status, id) where status <> '';
-- The background looks for due disputes across all tenants.
create index disputes_due on disputes (check_at, id) where check_at is not null;

-- The evidence that disputes are answered with: megabytes, which no read of a dispute needs. Empty once it was removed.
create table dispute_evidence (
  tenant,
  payment_id text not null,
  id text not null,
  sealed text not null,
  primary key (tenant, payment_id, id)
);

-- Reconciliation runs: the reports of providers that were read, and how far.
create table reconciliation_runs (
  tenant,
  id text not null,
  connection_id any not null,
  format any not null,
  -- The hash of the file.
  sha256 text not null,
  version integer not null check (version > 0),
  -- JSON: the run.
  data text not null,
  primary key (tenant, id)
) without rowid;
-- Guards that a file is one run: a run that was killed resumes where it stopped.
create unique index reconciliation_runs_by_file on reconciliation_runs (tenant, connection_id, sha256, format);

-- The process that reads reports of a connection: one at a time.
create table reconciliation_leases (
  tenant,
  connection_id any not null,
  holder text not null,
  until integer not null,
  run_id text not null,
  file_name any not null,
  since integer not null,
  primary key (tenant, connection_id)
) without rowid;

-- Settlement entries: the rows of reports, and the captured payments that reports lack. A row whose result is not 'matched' is
-- a difference, which is open until it is closed.
create table settlement_entries (
  tenant,
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
  primary key (tenant, connection_id, row_id),
  -- A difference has the time at which it was found, and nothing else has.
  check ((opened_at is null) = (result = 'matched')),
  check ((closed_at is null) = (closed_by is null)),
  check ((corrected_at is null) = (corrected_by is null))
) without rowid;
-- The entries of a payment, and payments that no report has.
create index settlement_entries_by_payment on settlement_entries (tenant, payment_id) where payment_id is not null;
create index settlement_entries_without_payment on settlement_entries (tenant, connection_id, row_id)
  where payment_id is null;
-- Retention removes old entries without a payment; the others leave with their payment.
create index settlement_entries_to_leave on settlement_entries (tenant, occurred_at) where payment_id is null;
-- Retention removes differences that were still open when their payment was removed.
create index settlement_differences_closed on settlement_entries (tenant, occurred_at)
  where payment_id is not null and closed_at is not null;
-- Lists of all differences across tenants.
create index settlement_differences on settlement_entries (opened_at, connection_id, row_id)
  where opened_at is not null;
-- Lists of the open ones, which the metrics count every few seconds: closed ones stay for years.
create index settlement_differences_open on settlement_entries (opened_at, connection_id, row_id)
  where opened_at is not null and closed_at is null;
-- The same of one tenant.
create index settlement_differences_of_tenant on settlement_entries (tenant, opened_at, connection_id, row_id)
  where opened_at is not null;
create index settlement_differences_open_of_tenant on settlement_entries (tenant, opened_at, connection_id, row_id)
  where opened_at is not null and closed_at is null;
-- The contents of a payout.
create index settlement_entries_by_payout
  on settlement_entries (tenant, connection_id, md5(payout_id), occurred_at, row_id) where payout_id is not null;
-- Whether a payout left, and came back.
create index settlement_payouts_by_name on settlement_entries (tenant, connection_id, md5(payout_id))
  where kind in ('payout', 'payout_failed');
create index settlement_payouts on settlement_entries (tenant, occurred_at, connection_id, row_id)
  where payment_id is null and kind = 'payout';

-- How often charges of a segment succeed at a connection, with older ones weighing less: an estimate, which may be lost. A
-- segment names a card brand, which may be longer than an index entry, so the key holds its hash.
create table success_rates (
  tenant,
  connection_id any not null,
  -- Empty for the connection as a whole.
  segment any not null,
  segment_hash text not null,
  -- Weights at the time `at`. The checks refuse NaN and infinity.
  succeeded real not null check (succeeded >= 0 and succeeded <= 1.7976931348623157e308),
  failed real not null check (failed >= 0 and failed <= 1.7976931348623157e308),
  at integer not null,
  version integer not null check (version > 0),
  -- JSON: the rates over other times.
  memory text,
  primary key (tenant, connection_id, segment_hash)
) without rowid;
-- What changed lately, across all tenants: servers read it every few seconds, and delete what is too old.
create index success_rates_by_time on success_rates (at);

-- Operators: the people who sign in to the console.
create table operators (
  id text not null primary key,
  login any not null,
  -- The login as it is compared: two operators never have the same.
  login_key any not null unique,
  display_name any not null,
  active boolean not null,
  -- JSON: a list.
  grants text not null,
  password_hash text,
  -- Issuer and subject of the person who signs in by OpenID Connect.
  identity any,
  version integer not null check (version > 0),
  created_at integer not null
);

create table operator_sessions (
  hash text not null primary key,
  operator_id text not null references operators,
  method text not null,
  signed_in_at integer not null,
  seen_at integer not null
) without rowid;
create index operator_sessions_by_operator on operator_sessions (operator_id);

-- Sign-in links. Each works once.
create table sign_in_links (
  hash text not null primary key,
  operator_id text not null references operators,
  created_at integer not null,
  expires_at integer not null
) without rowid;
create index sign_in_links_by_operator on sign_in_links (operator_id);

-- Sign-in attempts for a login or from an address, counted in a window that began at `since`.
create table sign_in_guesses (
  key text not null primary key,
  since integer not null,
  count integer not null check (count > 0)
) without rowid;
create index sign_in_guesses_by_time on sign_in_guesses (since);

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
);
create index passkeys_by_operator on passkeys (operator_id);

-- Challenges that a passkey signs. Without an operator it is for a sign-in. Each works once.
create table passkey_challenges (
  hash text not null primary key,
  operator_id text references operators,
  expires_at integer not null
) without rowid;
create index passkey_challenges_by_time on passkey_challenges (expires_at);

-- The audit trail: what operators and commands changed. Each entry holds the hash of the one before, which shows an entry that
-- was changed on purpose; a trigger guards against an accident.
create table audit_entries (
  -- From 1, without gaps.
  number integer not null primary key check (number > 0),
  at integer not null,
  actor any not null,
  -- By which way in.
  via text not null,
  action text not null,
  subject any not null,
  -- JSON, as it is hashed.
  details text not null,
  previous text not null,
  hash text not null
);

-- Losses of records: a restored backup, a file that was copied back. The newest one may be open.
create table record_losses (
  number integer not null primary key check (number > 0),
  -- Records that were acknowledged from this time on may be missing.
  since integer not null,
  reason text not null,
  declared_at integer not null,
  outcome text check (outcome in ('recovered', 'accepted')),
  ended_at integer,
  check ((outcome is null) = (ended_at is null))
);

-- The connections whose provider was asked for what a loss may miss.
create table recovered_connections (
  loss integer not null references record_losses (number),
  connection_id text not null,
  -- Its provider lists no refunds or no disputes: refunds wait for an operator.
  refunds_wait boolean not null,
  primary key (loss, connection_id)
) without rowid;

-- Idempotency keys whose lost charges and refunds were found at a provider, by the tag that ends the ids of their calls. The
-- row is written before what was found is stored, so that the payment may be missing.
create table recovered_keys (
  tenant,
  tag text not null,
  kind text not null check (kind in ('charge', 'refund')),
  payment_id text not null,
  primary key (tenant, tag, kind, payment_id)
) without rowid;

-- Background work that one process does at a time: the sweep of retention, the proof of closed payments, and the reports that
-- are fetched by schedule.
create table leases (
  name text not null primary key,
  holder text not null,
  until integer not null
) without rowid;
