-- The store in PostgreSQL, behind the tables that all databases share (schema.sql of storage-sql, whose header holds
-- here too). Text compares by its bytes (collate "C"). JSON is text: it may hold what PostgreSQL's own JSON refuses
-- (Rows.ts).

-- Tenants, by a hash of workspace and environment (Rows.ts), which leads the rows of payments. A commit of a tenant
-- without its row writes nothing.
create table tenants (
  t bigint not null primary key,
  workspace_id text collate "C" not null,
  environment text collate "C" not null check (environment in ('sandbox', 'production')),
  unique (workspace_id, environment)
);

-- One row for each payment, with everything that was asked of providers for it, and with the idempotency key of its
-- create. No index holds a column that changes, so that a new version stays in its page: what changes and is searched
-- for is in `due`, `searches` and `reviews` (docs/decisions/0064).
create table payments (
  -- What stays comes first: the log of an update holds what follows the first byte that differs.
  t bigint not null,
  -- A UUIDv7: ids in order are payments by creation.
  id uuid not null,
  amount_minor bigint not null,
  created_at bigint not null,
  -- A hash of the idempotency key of the create, and when it was claimed. Null once the key is free, as all of a claim.
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
  -- One check: each takes as long as a lookup by a key, with every write.
  check (
    authorized_minor between 0 and amount_minor and captured_minor between 0 and authorized_minor
    and refunded_minor >= 0 and refund_pending_minor >= 0 and refunded_minor + refund_pending_minor <= captured_minor
    and version > 0 and (key is null) = (claim is null)
  )
) with (fillfactor = 85);

-- Guards that a key belongs to one create.
create unique index payments_by_key on payments (t, key) where key is not null;
-- The background, which looks for expired keys across all tenants.
create index payments_by_claim on payments (claimed_at) where key is not null;
-- The count of the payments of a period.
create index payments_by_creation on payments (t, created_at) where created_at >= 0;
-- Searches for a merchant's reference, by its beginning: it may be longer than an index entry.
create index payments_by_reference on payments (t, left(reference, 64), id) where reference is not null;
-- Searches for an amount.
create index payments_by_amount on payments (t, currency, amount_minor, id) where amount_minor >= 0;
-- The payment of a hosted page.
create unique index payments_by_page on payments (page) where page is not null;

-- The payments that the background looks at next, with the connection whose provider it asks; '' for none.
create table due (
  t bigint not null,
  payment uuid not null,
  at bigint not null,
  connection text collate "C" not null,
  -- Of the payment, so that a list of other states passes by its row.
  state text collate "C" not null,
  primary key (t, payment)
);

-- What is due by connection, across all tenants: a provider that hangs delays no other.
create index due_by_connection on due (connection, at);

-- The states of all other payments: a payment is in one of the two tables.
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

-- Lists of reviews, oldest first: across all tenants, and of one.
create index reviews_by_time on reviews (since, payment);
create index reviews_of_tenant on reviews (t, since, payment) where since >= 0;

-- The guard against two payments with one charge, by a hash of the provider's reference and of the connection. A row
-- outlives its payment, so that later messages about the charge are recognized.
create table charges (
  t bigint not null,
  name uuid not null,
  payment uuid not null,
  primary key (t, name)
);

-- By what else messages and reports name a payment: our ids of its attempts, captures, voids and refunds, the provider's
-- ids of its refunds, and references of charges that moved no money; each as a short hash. Writers name only what is
-- new, so that no key has to be looked up with each row.
create table names (
  t bigint not null,
  name bigint not null,
  payment uuid not null
);

-- A removal is replicated without a key, too.
alter table names replica identity full;
-- With the payment: many may have one reference, of which the oldest or the newest are read.
create index names_by_name on names (t, name, payment);
-- Payments with a page of a provider, by pages: the number is the hash of their name (Rows.ts).
create index names_of_checkouts on names (t, payment) where name = 2970636975708131056;

-- Searches for metadata. A payment without metadata has no row.
create table payment_metadata (
  t bigint not null,
  payment uuid not null,
  name text collate "C" not null,
  value text collate "C" not null,
  primary key (t, payment, name)
);

-- By the beginning of a value: it may be longer than an index entry.
create index payment_metadata_by_value on payment_metadata (t, left(value, 64), payment);

-- Takes a statement back of which a part was written already.
create function came_between() returns integer language plpgsql as $$
  begin
    raise exception 'another write came between' using errcode = 'PM001';
  end $$;

-- What happened to payments, in the order of its ids. No foreign key: the statement that writes an event writes its
-- payment, and a removal would check along the whole tenant.
create table events (
  t bigint not null,
  id uuid not null,
  payment uuid not null,
  created_at bigint not null,
  -- 1 is 'payment.created'; EventRows.ts of storage-sql has the others.
  type smallint not null,
  -- JSON, in its short form (EventRows.ts).
  data text collate "C" not null,
  primary key (t, id)
);

-- The timeline of a payment, sorted once it is read.
create index events_of_payment on events (t, payment) where type <> 0;
-- Lists of events of one type; each payment has one event of its creation, which a walk along all finds. The first five
-- bytes of an id are its time in quarters of a second: an entry names all events of it, which are sorted once they are
-- read.
create index events_by_later_type on events (t, type, substr(uuid_send(id), 1, 5)) where type <> 1;

-- The ids for new events: those that were drawn, or greater ones where the tenant has an event with a greater id. It
-- announces the smallest one to readers (Reads.ts).
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

-- What has no month yet: without it, a delivery would fail the commit of its payment.
create table deliveries_default partition of deliveries default;
create table delivery_attempts_default partition of delivery_attempts default;

-- What providers told about payments, each message once. An id may be longer than an index entry: the key has its hash.
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
-- Lists of the newest messages: of all tenants, of one tenant, of one outcome, or of one payment.
create index messages_by_time on messages (received_at) where received_at >= 0;
create index messages_by_tenant on messages (workspace_id, environment, received_at) where received_at >= 0;
-- A walk along all messages soon finds a page of those that were applied or confirmed, as most are.
create index messages_by_outcome on messages (outcome, received_at) where outcome <> 'applied' and outcome <> 'confirmed';
create index messages_by_tenant_outcome on messages (workspace_id, environment, outcome, received_at);
create index messages_by_payment on messages (payment_id, received_at) where payment_id <> '';

-- The bodies of messages, partitioned by the month in which the message came (Messages.ts).
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

-- Guards against a change of the audit trail by accident.
create function audit_entries_are_kept() returns trigger language plpgsql as $$
  begin
    raise exception 'entries of the audit trail are only added' using errcode = 'check_violation';
  end $$;

create trigger audit_entries_are_kept before update or delete or truncate on audit_entries
  for each statement execute function audit_entries_are_kept();

-- The histories of the database: each failover or restore begins one (Timeline.ts).
create table timelines (
  timeline text collate "C" not null primary key,
  noticed_at bigint not null
);
