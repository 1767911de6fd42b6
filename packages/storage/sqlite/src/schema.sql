-- The store in one SQLite file, behind the tables that all databases share (schema.sql of storage-sql, whose header says what
-- holds here too). ANY holds text from outside, which is stored as a blob of UTF-16 where UTF-8 cannot hold it (a lone
-- surrogate, a NUL). Booleans are 0 or 1. Without statistics SQLite prefers a primary key over most indexes, so queries name
-- theirs (`indexed by`). SQLite changes a check only by writing the whole table again.

-- Tenants by a hash of workspace and environment (Rows.ts): the rows of payments, and what is beside each, begin with it. The
-- primary key guards that no two tenants share one.
create table tenants (
  t blob not null primary key check (length(t) = 8),
  workspace_id any not null,
  environment text not null check (environment in ('sandbox', 'production')),
  unique (workspace_id, environment)
) strict, without rowid;

-- Payments, each with everything that was asked of providers for it, and with the idempotency key of its create. Core reads
-- and writes this as one book. Beside the texts, columns hold what the database guards and what is searched for. The table
-- has row ids: a row fills much of a page, and rows that are written together share pages.
create table payments (
  t blob not null references tenants,
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
create index payments_by_reference on payments (t, reference, id) where reference is not null;
-- Lists of payments by amount, and the currencies that a tenant has.
create index payments_by_amount on payments (t, currency, amount_minor, id);
-- A hosted page finds its payment by its token alone. Guards that no two payments share a page.
create unique index payments_by_page on payments (page) where page is not null;
-- The background takes due payments connection by connection, so that a provider that hangs delays no other.
create index payments_due_by_connection on payments (check_connection, check_at) where check_at is not null;
-- The count of the payments of a period that reached a provider.
create index payments_sent on payments (t, created_at) where is_sent = 1;
-- The payments that operators have to review, oldest first: across all tenants, and of one.
create index payments_reviewed on payments (review_since, id) where review_since is not null;
create index payments_reviewed_of_tenant on payments (t, review_since, id) where review_since is not null;
-- The payments with a provider's page, whose address is sealed.
create index payments_with_checkout on payments (t, id) where instr(book, '"sealedUrl"') > 0;

-- The charge of a connection that a payment has, by a hash of the provider's reference and of the connection. The primary key
-- guards that no two payments have the same charge. A row stays when its payment leaves the store, so that later messages
-- about the charge are recognized.
create table charges (
  t blob not null,
  name blob not null check (length(name) = 16),
  payment blob not null check (length(payment) = 16),
  primary key (t, name)
) strict, without rowid;

-- By what else messages and reports name a payment: our ids of its attempts, captures, voids and refunds, the provider's
-- ids of its refunds, and references of charges that moved no money; each as a short hash. The payment's book says which it
-- is.
create table names (
  t blob not null,
  name blob not null check (length(name) = 8),
  payment blob not null check (length(payment) = 16),
  primary key (t, name, payment)
) strict, without rowid;

-- The metadata of payments, once more and pair by pair, for searches. Payments without metadata have no rows.
create table payment_metadata (
  t blob not null,
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
  t blob not null references tenants,
  -- Without its prefix.
  id blob not null check (length(id) = 16),
  -- 1 is 'payment.created'; EventRows.ts of storage-sql has the others.
  type integer not null,
  payment blob not null check (length(payment) = 16),
  created_at integer not null,
  -- JSON. See EventRows.ts of storage-sql.
  data text not null,
  primary key (t, id)
) strict, without rowid;
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
-- Operators list messages, newest first: those of all tenants, of one, of an outcome, or of a payment.
-- The last one also finds the messages that leave with their payment.
create index messages_by_time on messages (received_at);
create index messages_by_tenant on messages (workspace_id, environment, received_at);
-- Most messages come to be applied or confirmed: a walk along all messages soon finds a page of those.
create index messages_by_outcome on messages (outcome, received_at) where outcome <> 'applied' and outcome <> 'confirmed';
create index messages_by_tenant_outcome on messages (workspace_id, environment, outcome, received_at);
create index messages_by_payment on messages (payment_id, received_at) where payment_id is not null;
-- Retention empties bodies, oldest first.
create index messages_with_body on messages (workspace_id, environment, received_at) where body <> '';

-- Guard against changes of the audit trail by accident.
create trigger audit_entries_keep_update before update on audit_entries
begin
  select raise(abort, 'entries of the audit trail are only added');
end;
create trigger audit_entries_keep_delete before delete on audit_entries
begin
  select raise(abort, 'entries of the audit trail are only added');
end;
