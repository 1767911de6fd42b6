-- The store in PostgreSQL.
--
-- Every key and index of what a workspace owns begins with its workspace and environment.
-- Text compares by its bytes (collate "C"), so that ids order as they do everywhere else.
-- Amounts are in minor units of their currency. Times (`_at`, `since`, `until`) are in epoch milliseconds.
-- JSON is text: what comes from outside may hold what PostgreSQL's own JSON refuses (see Rows.ts).
-- Columns that begin with `sealed` are encrypted with the installation's key. Hashes replace secrets that are only compared.
-- The checks repeat core's money rules: the database refuses a row that breaks one, regardless of the writer.
-- No check lists the states of a payment or of anything else: core's tables own them.
--
-- Some partial indexes have a condition that holds for every row, such as id <> ''. The queries that need the index
-- repeat the condition. Without it, PostgreSQL without statistics, in a new database, takes such an index to be as good as
-- the primary key, and looks for a payment by its id among all payments of its tenant.

--------------------------------------------------------------------------------------------------------------------
-- Payments
--------------------------------------------------------------------------------------------------------------------

-- Tenants, by a number that is a hash of workspace and environment (Keys.ts): the rows of payments, and what lies beside
-- each, begin with it. A commit of a tenant without its row writes nothing.
create table tenants (
  t bigint not null primary key,
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  unique (workspace_id, environment)
);

-- One row for each payment, with everything that was asked of providers for it, and with the idempotency key of its
-- create. Core reads and writes it as one book. Beside the texts, columns hold what the database guards and what is
-- searched for. No index holds a column that changes, so that a new version of a row stays in its page and no index gets
-- an entry for it: what changes and is searched for lies in `due`, `searches` and `reviews`.
create table payments (
  -- What stays comes first: the log of an update holds what follows the first byte that differs.
  t bigint not null,
  -- A UUIDv7: ids in order are payments by creation.
  id uuid not null,
  amount_minor bigint not null,
  created_at bigint not null,
  -- The idempotency key of the create: a hash of it, and when it was claimed. Null once the key is free, as all of a claim.
  claimed_at bigint,
  key uuid,
  currency text collate "C" not null,
  -- The merchant's own reference.
  reference text collate "C",
  -- A hash of the token of its hosted page.
  page text collate "C",
  -- JSON: what the create decided, which is written once (BookText.ts of storage-sql).
  details text collate "C" not null,
  -- JSON: the claim of the key, with the answer that a repeated request gets again; and the version of the claim.
  claim text collate "C",
  claim_version bigint,
  -- Grows with every change. A writer names the version that it read.
  version bigint not null,
  authorized_minor bigint not null,
  captured_minor bigint not null,
  refunded_minor bigint not null,
  refund_pending_minor bigint not null,
  -- Whether a request of it reached a provider.
  is_sent boolean not null,
  state text collate "C" not null,
  -- The connection that has the charge.
  connection_id text collate "C",
  -- JSON: what moves.
  book text collate "C" not null,
  primary key (t, id),
  -- One check: each takes as long as a lookup by a key, with every write. The provider holds at most the amount of the
  -- payment, captures at most what it holds, and gives back at most what it captured.
  check (
    authorized_minor between 0 and amount_minor and captured_minor between 0 and authorized_minor
    and refunded_minor >= 0 and refund_pending_minor >= 0 and refunded_minor + refund_pending_minor <= captured_minor
    and version > 0 and (key is null) = (claim is null)
  )
) with (fillfactor = 85);

-- Guards that a key belongs to one create.
create unique index payments_by_key on payments (t, key) where key is not null;
-- The background, which looks for expired keys across all tenants.
create index payments_by_claim on payments (claimed_at, t, key) where key is not null;
-- The count of the payments of a period.
create index payments_by_creation on payments (t, created_at) where created_at >= 0;
-- Searches for a merchant's reference. A reference may be longer than an index entry: the index holds its beginning.
create index payments_by_reference on payments (t, left(reference, 64), id) where reference is not null;
-- Searches for an amount.
create index payments_by_amount on payments (t, currency, amount_minor, id) where amount_minor >= 0;
-- The payment of a hosted page, whose visitor has nothing but the page's token.
create unique index payments_by_page on payments (page) where page is not null;

-- The payments that the background looks at next, with the connection whose provider it asks; '' for none.
create table due (
  t bigint not null,
  payment uuid not null,
  at bigint not null,
  connection text collate "C" not null,
  primary key (t, payment)
);

-- The background, which takes what is due by connection, across all tenants: a provider that hangs delays no other.
create index due_by_connection on due (connection, at);

-- The states of the payments that the background does not look at: lists of payments in one state are made of these and of
-- what is due. A payment is in one of the two tables.
create table searches (
  t bigint not null,
  state text collate "C" not null,
  payment uuid not null,
  primary key (t, state, payment)
);

-- The payments that operators have to review, and since when.
create table reviews (
  t bigint not null,
  payment uuid not null,
  since bigint not null,
  primary key (t, payment)
);

-- Operators, who list reviews across all tenants, oldest first.
create index reviews_by_time on reviews (since, payment);

-- The charge of a connection that a payment has, by a hash of the provider's reference and of the connection: the guard
-- against two payments with one charge. A row stays when its payment leaves the store, so that later messages about the
-- charge are recognized.
create table charges (
  t bigint not null,
  name uuid not null,
  payment uuid not null,
  primary key (t, name)
);

-- By what else messages and reports name a payment: our ids of its attempts, captures, voids and refunds, the provider's
-- ids of its refunds, and references of charges that moved no money; each as a hash. The payment's book says which it is.
create table names (
  t bigint not null,
  name uuid not null,
  payment uuid not null,
  primary key (t, name, payment)
);

-- One row for each name of a payment's metadata, which a search finds. A payment without metadata has none.
create table payment_metadata (
  t bigint not null,
  payment uuid not null,
  name text collate "C" not null,
  value text collate "C" not null,
  primary key (t, payment, name)
);

-- Searches for a value. It may be longer than an index entry: the index holds its beginning.
create index payment_metadata_by_value on payment_metadata (t, left(value, 64), payment) where name <> '';

-- Disputes of payments. `record` is JSON.
create table disputes (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  payment_id text collate "C" not null,
  id text collate "C" not null,
  status text collate "C" not null,
  -- When the background looks at the dispute next.
  check_at bigint,
  record text collate "C" not null,
  primary key (workspace_id, environment, payment_id, id)
);

-- A dispute by its id alone, which is unique in its tenant.
create unique index disputes_by_id on disputes (workspace_id, environment, id) where id <> '';
-- Lists of disputes in one status.
create index disputes_by_status on disputes (workspace_id, environment, status, id) where status <> '';
-- The background, across all tenants.
create index disputes_due on disputes (check_at, id) where check_at is not null;

-- The evidence of disputes. It takes megabytes, and a read of a dispute needs none of it.
create table dispute_evidence (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  payment_id text collate "C" not null,
  id text collate "C" not null,
  sealed text collate "C" not null,
  primary key (workspace_id, environment, payment_id, id)
);

-- Takes a statement back of which a part was written already.
create function came_between() returns integer language plpgsql as $$
  begin
    raise exception 'another write came between' using errcode = 'PM001';
  end $$;

--------------------------------------------------------------------------------------------------------------------
-- Events and their deliveries
--------------------------------------------------------------------------------------------------------------------

-- What happened to payments, in the order of its ids. The statement that writes an event writes its payment, too, so
-- that no foreign key has to check it: a removal would look for the rows along the whole tenant, because that check
-- cannot repeat the condition of the index.
create table events (
  t bigint not null,
  id uuid not null,
  payment uuid not null,
  created_at bigint not null,
  type text collate "C" not null,
  -- JSON, in its short form (ShortText.ts).
  data text collate "C" not null,
  primary key (t, id)
);

-- The timeline of a payment. A payment has few events, which are sorted once they are read.
create index events_of_payment on events (t, payment) where type <> '';
-- Lists of events of one type. Each payment has one event of its creation: a walk along all events finds a page of them.
create index events_by_later_type on events (t, type, id) where type <> 'payment.created';

-- The ids for new events: those that were drawn, or greater ones where the tenant has an event with a greater id. It
-- announces the smallest one to readers (EventIds.ts).
create function event_ids(tenant bigint, fresh uuid[]) returns uuid[]
  language plpgsql volatile as $$
  declare
    last uuid;
    digits text;
  begin
    perform pg_advisory_xact_lock_shared(
      ((tenant & 65535) << 48)
      | ('x' || lpad(substr(fresh[1]::text, 1, 8) || substr(fresh[1]::text, 10, 4), 16, '0'))::bit(64)::bigint
    );
    -- A statement of its own, which sees what was committed before it began.
    select e.id into last from events e where e.t = tenant order by e.id desc limit 1;
    if last is null or fresh[1] > last then
      return fresh;
    end if;
    -- Our clock is behind: the milliseconds after those of the last one, each with the rest of its own id.
    for n in 1 .. cardinality(fresh) loop
      digits := lpad(
        to_hex(('x' || lpad(substr(last::text, 1, 8) || substr(last::text, 10, 4), 16, '0'))::bit(64)::bigint + n), 12, '0'
      );
      fresh[n] := (substr(digits, 1, 8) || '-' || substr(digits, 9, 4) || substr(fresh[n]::text, 14))::uuid;
    end loop;
    return fresh;
  end $$;

-- Events that are sent to an endpoint. An endpoint is never deleted. It has no foreign key to it: every commit of a tenant
-- would lock that one row. Partitioned by the month in which it was written, which begins its id: retention drops a month
-- as a whole (Partitions.ts).
create table deliveries (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  id text collate "C" not null,
  endpoint_id text collate "C" not null,
  event_id text collate "C" not null,
  state text collate "C" not null,
  failures integer not null check (failures >= 0),
  attempts integer not null check (attempts >= 0),
  -- When it is sent next; null once it has ended.
  due_at bigint,
  -- Until when a server has it for sending.
  leased_until bigint,
  created_at bigint not null,
  primary key (workspace_id, environment, id)
) partition by range (id);

-- What is due at an endpoint, first come first.
create index deliveries_due on deliveries (endpoint_id, due_at, id) where due_at is not null;
-- How many requests an endpoint has under way.
create index deliveries_leased on deliveries (endpoint_id, leased_until) where leased_until is not null;
-- Lists of deliveries in one state.
create index deliveries_by_state on deliveries (workspace_id, environment, state, id) where state <> '';
-- Lists of deliveries of one endpoint.
create index deliveries_by_endpoint on deliveries (endpoint_id, state, id);
-- Deliveries of a payment, by its events.
create index deliveries_by_event on deliveries (workspace_id, environment, event_id) where event_id <> '';

-- What has no month yet. Without it, a delivery without a partition would fail the commit of its payment.
create table deliveries_default partition of deliveries default;

-- Requests to endpoints, each with its answer. Partitioned as the deliveries are.
create table delivery_attempts (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  delivery_id text collate "C" not null,
  number integer not null check (number > 0),
  sent_at bigint not null,
  ended_at bigint,
  -- The status of the HTTP response.
  status integer,
  failure text collate "C",
  primary key (workspace_id, environment, delivery_id, number)
) partition by range (delivery_id);

create table delivery_attempts_default partition of delivery_attempts default;

--------------------------------------------------------------------------------------------------------------------
-- Messages of providers
--------------------------------------------------------------------------------------------------------------------

-- What providers told about payments, each message once. A provider's id may be longer than an index entry, so the key
-- holds its hash.
create table messages (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  connection_id text collate "C" not null,
  event_id text collate "C" not null,
  event_hash text collate "C" not null,
  payment_id text collate "C",
  about text collate "C" not null,
  subject_id text collate "C" not null,
  dispute_id text collate "C",
  verdict text collate "C",
  -- What became of the message, and why.
  outcome text collate "C" not null,
  reason text collate "C",
  written_at bigint not null,
  received_at bigint not null,
  -- '' where message_bodies has it, and once it was removed.
  body text collate "C" not null,
  is_sealed boolean not null,
  primary key (workspace_id, environment, connection_id, event_hash)
);

-- Retention, which empties old bodies of a tenant.
create index messages_with_body on messages (workspace_id, environment, received_at) where body <> '';
-- Operators, who list the newest messages of all tenants, of one outcome, or of one payment.
create index messages_by_time on messages (received_at) where received_at >= 0;
create index messages_by_outcome on messages (outcome, received_at);
create index messages_by_payment on messages (payment_id, received_at) where payment_id <> '';

-- The bodies of messages, partitioned by the month in which the message came: retention drops a month as a whole
-- (MessageBodies.ts).
create table message_bodies (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  received_at bigint not null,
  connection_id text collate "C" not null,
  event_hash text collate "C" not null,
  body text collate "C" not null,
  is_sealed boolean not null,
  primary key (workspace_id, environment, received_at, connection_id, event_hash)
) partition by range (received_at);

-- The rotation of the encryption key, which reads sealed bodies by pages.
create index message_bodies_sealed on message_bodies (workspace_id, environment, connection_id, event_hash)
  where is_sealed;

create table message_bodies_default partition of message_bodies default;

--------------------------------------------------------------------------------------------------------------------
-- Settlement: reports of providers, and how they differ from the payments
--------------------------------------------------------------------------------------------------------------------

-- Each report that was read, once. `data` is JSON.
create table reconciliation_runs (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  id text collate "C" not null,
  connection_id text collate "C" not null,
  format text collate "C" not null,
  sha256 text collate "C" not null,
  version bigint not null check (version > 0),
  data text collate "C" not null,
  primary key (workspace_id, environment, id)
);

-- Guards against reading one file twice.
create unique index reconciliation_runs_by_file
  on reconciliation_runs (workspace_id, environment, connection_id, sha256, format);

-- Which run reads reports of a connection. `data` is JSON.
create table reconciliation_leases (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  connection_id text collate "C" not null,
  holder text collate "C" not null,
  until bigint not null,
  data text collate "C" not null,
  primary key (workspace_id, environment, connection_id)
);

-- What is stored of the rows of reports: whether a row matches a payment, and the difference where it does not.
create table settlement_entries (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  connection_id text collate "C" not null,
  row_id text collate "C" not null,
  run_id text collate "C" not null,
  -- The row's place in its file.
  number integer not null check (number >= 0),
  -- When the provider generated the last report that has the row with these contents.
  generated_at bigint not null,
  kind text collate "C" not null,
  result text collate "C" not null,
  reason text collate "C" not null,
  payment_id text collate "C",
  -- Of a row without a payment: the one that it may be of, for people.
  suggested_payment_id text collate "C",
  refund_id text collate "C",
  dispute_id text collate "C",
  provider_ref text collate "C",
  -- JSON: all that the row names, to compare it again.
  names text collate "C",
  gross_minor bigint not null,
  currency text collate "C" not null,
  converted_minor bigint,
  converted_currency text collate "C",
  fee_minor bigint,
  fee_currency text collate "C",
  net_minor bigint,
  net_currency text collate "C",
  payout_id text collate "C",
  occurred_at bigint not null,
  settled_at bigint,
  recorded_at bigint not null,
  corrected_by text collate "C",
  corrected_at bigint,
  -- JSON: what the payment says instead.
  expected text collate "C",
  -- When the difference was found; when and by whom it was closed.
  opened_at bigint,
  closed_at bigint,
  closed_by text collate "C",
  closed_note text collate "C",
  primary key (workspace_id, environment, connection_id, row_id),
  -- Every row that does not match is a difference.
  check ((opened_at is null) = (result = 'matched')),
  check ((closed_at is null) = (closed_by is null)),
  check ((corrected_at is null) = (corrected_by is null))
);

-- The rows of a payment.
create index settlement_entries_by_payment on settlement_entries (workspace_id, environment, payment_id)
  where payment_id is not null;
-- Runs, which look again for the payment of rows that had none.
create index settlement_entries_without_payment on settlement_entries (workspace_id, environment, connection_id, row_id)
  where payment_id is null;
-- Retention of rows without a payment; the others leave with their payment.
create index settlement_entries_to_leave on settlement_entries (workspace_id, environment, occurred_at)
  where payment_id is null;
-- Retention of closed differences whose payment left while they were open.
create index settlement_differences_closed on settlement_entries (workspace_id, environment, occurred_at)
  where payment_id is not null and closed_at is not null;
-- Lists of differences, across all tenants.
create index settlement_differences on settlement_entries (opened_at, connection_id, row_id)
  where opened_at is not null;
-- Open differences: closed ones stay for years, and open ones are counted every few seconds.
create index settlement_differences_open on settlement_entries (opened_at, connection_id, row_id)
  where opened_at is not null and closed_at is null;
-- What one payout pays. Its name may be longer than an index entry.
create index settlement_entries_by_payout
  on settlement_entries (workspace_id, environment, connection_id, md5(payout_id), occurred_at, row_id)
  where payout_id is not null;
-- Whether a payout left, and came back.
create index settlement_payouts_by_name
  on settlement_entries (workspace_id, environment, connection_id, md5(payout_id))
  where kind in ('payout', 'payout_failed');
-- The payouts themselves.
create index settlement_payouts on settlement_entries (workspace_id, environment, occurred_at, connection_id, row_id)
  where payment_id is null and kind = 'payout';

--------------------------------------------------------------------------------------------------------------------
-- Routing
--------------------------------------------------------------------------------------------------------------------

-- How often charges of a segment succeed at a connection, with older ones weighing less. A segment names a card brand,
-- which may be longer than an index entry, so the key holds its hash.
create table success_rates (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  connection_id text collate "C" not null,
  segment text collate "C" not null,
  segment_hash text collate "C" not null,
  -- Weighted, so neither is an integer. The checks refuse NaN and infinity.
  succeeded double precision not null check (succeeded >= 0 and succeeded < 'infinity'),
  failed double precision not null check (failed >= 0 and failed < 'infinity'),
  -- JSON: the rates over other times.
  memory text collate "C",
  at bigint not null,
  version bigint not null check (version > 0),
  primary key (workspace_id, environment, connection_id, segment_hash)
);

-- What changed lately, across all tenants: each server reads it every few seconds.
create index success_rates_by_time on success_rates (at);

-- Writes rates whose version follows the stored one, and gives the stored rows of the others (SuccessRates.ts).
create function write_success_rates(rates jsonb) returns setof success_rates
  language plpgsql volatile as $$
  declare
    given record;
  begin
    for given in
      select r.*, md5(r.segment) as segment_hash from jsonb_to_recordset(rates) as r (workspace_id text,
        environment text, connection_id text, segment text, succeeded double precision, failed double precision,
        memory text, at bigint, version bigint)
      -- In one order, so that no two writers wait for each other.
      order by r.workspace_id collate "C", r.environment collate "C", r.connection_id collate "C", segment_hash
    loop
      -- The row is locked to the end, also where it is not changed.
      insert into success_rates as stored
        (workspace_id, environment, connection_id, segment, segment_hash, succeeded, failed, memory, at, version)
        values (given.workspace_id, given.environment, given.connection_id, given.segment, given.segment_hash,
          given.succeeded, given.failed, given.memory, given.at, given.version)
        on conflict (workspace_id, environment, connection_id, segment_hash) do update
        set succeeded = excluded.succeeded, failed = excluded.failed, memory = excluded.memory, at = excluded.at,
          version = excluded.version
        where stored.version = excluded.version - 1;
      if not found then
        return query select s.* from success_rates s where s.workspace_id = given.workspace_id
          and s.environment = given.environment and s.connection_id = given.connection_id
          and s.segment_hash = given.segment_hash;
      end if;
    end loop;
  end $$;

--------------------------------------------------------------------------------------------------------------------
-- The directory: workspaces and their settings. API keys, connections and endpoints are found by their ids across all
-- tenants.
--------------------------------------------------------------------------------------------------------------------

create table workspaces (
  id text collate "C" not null primary key,
  name text collate "C" not null,
  country text collate "C",
  category text collate "C",
  suspended boolean not null,
  partner text collate "C",
  -- JSON: how hosted pages look, how long records are kept, and what needs a second operator.
  brand text collate "C",
  retention text collate "C",
  four_eyes text collate "C"
);

create table api_keys (
  hash text collate "C" not null primary key,
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  name text collate "C",
  -- JSON, both.
  scopes text collate "C",
  networks text collate "C",
  -- Who made it: the configuration file, a partner or an operator.
  source text collate "C" not null,
  created_at bigint not null,
  expires_at bigint,
  revoked_at bigint
);

-- Lists of the keys of a tenant.
create index api_keys_by_workspace on api_keys (workspace_id, environment);

-- When a key was used last. Separate from the keys: a use must not wait for a configuration that is being applied, nor
-- make other servers read the directory again.
create table api_key_uses (
  hash text collate "C" not null primary key,
  used_at bigint not null
);

-- Accounts at providers.
create table connections (
  id text collate "C" not null primary key,
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  name text collate "C" not null,
  connector text collate "C" not null,
  active boolean not null,
  priority bigint not null,
  sealed_credentials text collate "C" not null,
  sealed_webhook_secret text collate "C",
  sealed_previous_webhook_secret text collate "C",
  timeout_millis bigint,
  -- JSON, all of them.
  supports text collate "C" not null,
  restrictions text collate "C" not null,
  circuit_breaker text collate "C",
  fees text collate "C",
  reports text collate "C",
  -- JSON: whose account the credentials opened first, the one that they open now, and since when.
  account text collate "C",
  current_account text collate "C",
  account_changed_at bigint
);

-- How the payments of a tenant are routed. `settings` is JSON.
create table routing (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  settings text collate "C" not null,
  primary key (workspace_id, environment)
);

create table webhook_endpoints (
  id text collate "C" not null primary key,
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  url text collate "C" not null,
  -- The types that it gets, or '*'.
  events text[] collate "C" not null,
  sealed_secret text collate "C" not null,
  sealed_previous_secret text collate "C",
  -- JSON: the rotation of the secret that is under way.
  rotation text collate "C",
  active boolean not null
);

-- Commits, which write a delivery for each endpoint that wants the event.
create index webhook_endpoints_by_tenant on webhook_endpoints (workspace_id, environment, active);

-- How often the directory was written: a process with a copy of it sees that there is a newer version. One row.
create table directory_version (version bigint not null);
insert into directory_version (version) values (0);

-- Configuration files that were applied, in their order. The newest one counts.
create table configurations (
  generation bigint not null primary key check (generation > 0),
  hash text collate "C" not null,
  applied_at bigint not null
);

-- Merchants that a partner provisioned, each with its workspace. A partner provisions with a live key alone, so that its
-- merchants belong to no environment.
create table merchants (
  partner_id text collate "C" not null,
  id text collate "C" not null,
  workspace_id text collate "C" not null references workspaces,
  name text collate "C" not null,
  email text collate "C" not null,
  -- The address in the form in which two are compared.
  email_key text collate "C" not null,
  country text collate "C" not null,
  category text collate "C",
  invitation_hash text collate "C" not null,
  created_at bigint not null,
  primary key (partner_id, id)
);

-- Guards against two merchants of a partner with one address. It may be longer than an index entry.
create unique index merchants_by_email on merchants (partner_id, md5(email_key));

-- Secrets of the installation itself.
create table kept_secrets (
  name text collate "C" not null primary key,
  sealed text collate "C" not null
);

--------------------------------------------------------------------------------------------------------------------
-- Operators
--------------------------------------------------------------------------------------------------------------------

create table operators (
  id text collate "C" not null primary key,
  login text collate "C" not null,
  -- The login in the form in which two are compared.
  login_key text collate "C" not null unique,
  display_name text collate "C" not null,
  active boolean not null,
  -- JSON.
  grants text collate "C" not null,
  password_hash text collate "C",
  version bigint not null check (version > 0),
  created_at bigint not null
);

create table operator_sessions (
  hash text collate "C" not null primary key,
  operator_id text collate "C" not null references operators,
  method text collate "C" not null,
  signed_in_at bigint not null,
  seen_at bigint not null
);

-- All sessions of an operator, to list and to end them.
create index operator_sessions_by_operator on operator_sessions (operator_id);

create table sign_in_links (
  hash text collate "C" not null primary key,
  operator_id text collate "C" not null references operators,
  created_at bigint not null,
  expires_at bigint not null
);

-- The links of an operator: a new one replaces them.
create index sign_in_links_by_operator on sign_in_links (operator_id);

-- How often sign-in was tried for a login or from an address, which limits guessing.
create table sign_in_guesses (
  key text collate "C" not null primary key,
  since bigint not null,
  count integer not null check (count > 0)
);

-- The removal of old counts.
create index sign_in_guesses_by_time on sign_in_guesses (since);

create table passkeys (
  id text collate "C" not null primary key,
  operator_id text collate "C" not null references operators,
  name text collate "C" not null,
  public_key text collate "C" not null,
  counter bigint not null check (counter >= 0),
  -- JSON.
  transports text collate "C" not null,
  created_at bigint not null,
  used_at bigint
);

-- The passkeys of an operator.
create index passkeys_by_operator on passkeys (operator_id);

-- Challenges that a passkey has to sign, each good for one answer.
create table passkey_challenges (
  hash text collate "C" not null primary key,
  operator_id text collate "C" references operators,
  expires_at bigint not null
);

-- The removal of old challenges.
create index passkey_challenges_by_time on passkey_challenges (expires_at);

-- The audit trail. Each entry holds the hash of the one before it: the trigger refuses an accident, the hashes show a
-- purpose. `details` is JSON.
create table audit_entries (
  number bigint not null primary key check (number > 0),
  at bigint not null,
  actor text collate "C" not null,
  action text collate "C" not null,
  subject text collate "C" not null,
  details text collate "C" not null,
  previous text collate "C" not null,
  hash text collate "C" not null
);

create function audit_entries_are_kept() returns trigger language plpgsql as $$
  begin
    raise exception 'entries of the audit trail are only added' using errcode = 'check_violation';
  end $$;

create trigger audit_entries_are_kept before update or delete or truncate on audit_entries
  for each statement execute function audit_entries_are_kept();

--------------------------------------------------------------------------------------------------------------------
-- The installation: losses of records, and whose turn it is
--------------------------------------------------------------------------------------------------------------------

-- Times of which the database lacks records that were acknowledged, such as after a restored backup.
create table record_losses (
  number bigint not null primary key check (number > 0),
  since bigint not null,
  reason text collate "C" not null,
  declared_at bigint not null,
  outcome text collate "C" check (outcome in ('recovered', 'accepted')),
  ended_at bigint,
  check ((outcome is null) = (ended_at is null))
);

-- Connections whose providers were asked for what a loss lacks.
create table recovered_connections (
  loss bigint not null references record_losses (number),
  connection_id text collate "C" not null,
  -- Its provider lists no refunds or no disputes: refunds wait for an operator.
  refunds_wait boolean not null,
  primary key (loss, connection_id)
);

-- Idempotency keys whose lost charges and refunds were found at a provider, by the tag that ends the ids of their calls.
-- The row is written before what was found is stored, so that the payment may be missing.
create table recovered_keys (
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  tag text collate "C" not null,
  kind text collate "C" not null check (kind in ('charge', 'refund')),
  payment_id text collate "C" not null,
  primary key (workspace_id, environment, tag, kind, payment_id)
);

-- The histories of the database: each failover or restore begins one (Timeline.ts).
create table timelines (
  timeline text collate "C" not null primary key,
  noticed_at bigint not null
);

-- Which server removes what is old, looks closed payments up at their providers, and fetches reports: one row in each.
create table retention_lease (
  one integer not null primary key check (one = 1),
  holder text collate "C" not null,
  until bigint not null
);

create table proof_lease (
  one integer not null primary key check (one = 1),
  holder text collate "C" not null,
  until bigint not null
);

create table report_lease (
  one integer not null primary key check (one = 1),
  holder text collate "C" not null,
  until bigint not null
);
