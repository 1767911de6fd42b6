-- A file as the first schema and the code of its time wrote it: one payment that was captured. Never changed.
CREATE TABLE IF NOT EXISTS "pointsman_migrations" (
  migration_id integer PRIMARY KEY NOT NULL,
  created_at datetime NOT NULL DEFAULT current_timestamp,
  name VARCHAR(255) NOT NULL
);
INSERT INTO pointsman_migrations VALUES(1,'2026-01-01 00:00:00','payments_and_directory');
CREATE TABLE payments (
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
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
) strict, without rowid;
INSERT INTO payments VALUES('ws','sandbox','00000000-0000-7000-8000-000000000001',2,'Captured',1000,'EUR','DE','card','visa','cit','automatic','Lampe ''ß'' 💡',NULL,NULL,1000,1000,0,0,'first','ref-1','key-00000000-0000-7000-8000-000000000001',NULL,NULL,0,2,2);
CREATE TABLE attempts (
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
) strict, without rowid;
INSERT INTO attempts VALUES('ws','sandbox','00000000-0000-7000-8000-000000000001','att_00000000-0000-7000-8000-000000000002',1,'first',1000,'EUR',30000,0,2,'Captured','ref-1',NULL,NULL,NULL);
CREATE TABLE events (
  workspace_id text not null,
  environment text not null,
  id text not null,
  type text not null,
  payment_id text not null,
  created_at integer not null,
  data text not null,
  primary key (workspace_id, environment, id),
  foreign key (workspace_id, environment, payment_id) references payments
) strict, without rowid;
INSERT INTO events VALUES('ws','sandbox','evt_00000000-0000-7000-8000-000000000003','payment.created','00000000-0000-7000-8000-000000000001',0,'{"payment_id":"00000000-0000-7000-8000-000000000001"}');
INSERT INTO events VALUES('ws','sandbox','evt_00000000-0000-7000-8000-000000000004','payment.captured','00000000-0000-7000-8000-000000000001',2,'{"payment_id":"00000000-0000-7000-8000-000000000001"}');
CREATE TABLE claims (
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  key any not null,
  version integer not null check (version > 0),
  state text not null,
  fingerprint text not null,
  payment_id text not null,
  claimed_at integer not null,
  answered_at integer,
  answer text,
  primary key (workspace_id, environment, key)
) strict, without rowid;
INSERT INTO claims VALUES('ws','sandbox','key-00000000-0000-7000-8000-000000000001',2,'Answered','fp','00000000-0000-7000-8000-000000000001',0,2,'{"id":"00000000-0000-7000-8000-000000000001","tenant":{"workspaceId":"ws","environment":"sandbox"},"version":2,"state":"Captured","money":{"minorUnits":1000,"currency":"EUR"},"country":"DE","method":"card","cardBrand":"\ud83d \u0000 \" \\","initiator":"cit","captureMethod":"automatic","reference":"Lampe ''ß'' 💡","declineCategory":null,"declineReason":null,"authorizedMinor":1000,"capturedMinor":1000,"refundedMinor":0,"refundPendingMinor":0,"connectionId":"first","providerRef":"ref-1","idempotencyKey":"key-00000000-0000-7000-8000-000000000001","routing":null,"simulation":null,"createdAt":0,"updatedAt":2,"settledAt":2}');
CREATE TABLE workspaces (
  id text not null primary key,
  name any not null,
  country any,
  category any,
  suspended integer not null check (suspended in (0, 1)),
  partner text
) strict;
CREATE TABLE api_keys (
  hash text not null primary key,
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  scopes text,
  revoked_at integer,
  source text not null,
  created_at integer not null
) strict;
CREATE TABLE connections (
  id text not null primary key,
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
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
) strict;
CREATE TABLE routing (
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  settings text not null,
  primary key (workspace_id, environment)
) strict, without rowid;
CREATE TABLE webhook_endpoints (
  id text not null primary key,
  workspace_id text not null,
  environment text not null check (environment in ('sandbox', 'production')),
  url any not null,
  events text not null,
  sealed_secret any not null,
  active integer not null check (active in (0, 1))
) strict;
CREATE INDEX payments_by_state on payments (workspace_id, environment, state, id);
CREATE INDEX events_by_payment on events (workspace_id, environment, payment_id, id);
CREATE INDEX events_by_type on events (workspace_id, environment, type, id);
