/** The tables of reconciliation: runs, and what is stored of the rows of reports. */

const environment = "environment text not null check (environment in ('sandbox', 'production'))"

export const settlementTables = [
  `create table reconciliation_runs (
    workspace_id text not null,
    ${environment},
    id text not null,
    connection_id any not null,
    format any not null,
    sha256 text not null,
    version integer not null check (version > 0),
    data text not null,
    primary key (workspace_id, environment, id)
  ) strict, without rowid`,
  `create unique index reconciliation_runs_by_file
    on reconciliation_runs (workspace_id, environment, connection_id, sha256, format)`,
  `create table settlement_entries (
    workspace_id text not null,
    ${environment},
    connection_id any not null,
    row_id any not null,
    run_id text not null,
    number integer not null check (number >= 0),
    contents text not null,
    kind text not null,
    result text not null,
    reason text not null,
    payment_id any,
    refund_id any,
    dispute_id any,
    provider_ref any,
    gross_minor integer not null,
    currency text not null,
    converted_minor integer,
    converted_currency text,
    fee_minor integer,
    fee_currency text,
    net_minor integer,
    net_currency text,
    payout_id any,
    occurred_at integer not null,
    settled_at integer,
    recorded_at integer not null,
    corrected_by any,
    corrected_at integer,
    expected any,
    opened_at integer,
    closed_at integer,
    closed_by text,
    closed_note any,
    primary key (workspace_id, environment, connection_id, row_id),
    check ((opened_at is null) = (result = 'matched')),
    check ((closed_at is null) = (closed_by is null)),
    check ((corrected_at is null) = (corrected_by is null))
  ) strict, without rowid`,
  `create index settlement_entries_by_payment
    on settlement_entries (workspace_id, environment, payment_id) where payment_id is not null`,
  `create index settlement_entries_without_payment
    on settlement_entries (workspace_id, environment, connection_id, row_id) where payment_id is null`,
  `create index settlement_entries_to_leave
    on settlement_entries (workspace_id, environment, occurred_at) where payment_id is null`,
  `create index settlement_differences
    on settlement_entries (opened_at, connection_id, row_id) where opened_at is not null`,
  // Closed ones stay for years, and open ones are counted every few seconds.
  `create index settlement_differences_open
    on settlement_entries (opened_at, connection_id, row_id) where opened_at is not null and closed_at is null`,
  `create index refunds_by_provider_refund
    on refunds (workspace_id, environment, provider_refund_id) where provider_refund_id is not null`
]

/** Which run reads reports of a connection; `data` is JSON. */
export const runLeases = [
  `create table reconciliation_leases (
    workspace_id text not null,
    ${environment},
    connection_id any not null,
    holder text not null,
    until integer not null,
    data text not null,
    primary key (workspace_id, environment, connection_id)
  ) strict, without rowid`,
  // Differences whose payment left while they were open.
  `create index settlement_differences_closed on settlement_entries (workspace_id, environment, occurred_at)
    where payment_id is not null and closed_at is not null`
]
