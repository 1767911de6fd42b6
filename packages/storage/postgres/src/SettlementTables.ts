/** The tables of reconciliation: runs, and what is stored of the rows of reports. */

const text = 'text collate "C"'
const tenant = `workspace_id ${text} not null,
    environment ${text} not null check (environment in ('sandbox', 'production'))`

export const settlementTables = [
  `create table reconciliation_runs (
    ${tenant},
    id ${text} not null,
    connection_id ${text} not null,
    format ${text} not null,
    sha256 ${text} not null,
    version bigint not null check (version > 0),
    data ${text} not null,
    primary key (workspace_id, environment, id)
  )`,
  `create unique index reconciliation_runs_by_file
    on reconciliation_runs (workspace_id, environment, connection_id, sha256, format)`,
  `create table settlement_entries (
    ${tenant},
    connection_id ${text} not null,
    row_id ${text} not null,
    run_id ${text} not null,
    number integer not null check (number >= 0),
    contents ${text} not null,
    kind ${text} not null,
    result ${text} not null,
    reason ${text} not null,
    payment_id ${text},
    refund_id ${text},
    dispute_id ${text},
    provider_ref ${text},
    gross_minor bigint not null,
    currency ${text} not null,
    converted_minor bigint,
    converted_currency ${text},
    fee_minor bigint,
    fee_currency ${text},
    net_minor bigint,
    net_currency ${text},
    payout_id ${text},
    occurred_at bigint not null,
    settled_at bigint,
    recorded_at bigint not null,
    corrected_by ${text},
    corrected_at bigint,
    expected ${text},
    opened_at bigint,
    closed_at bigint,
    closed_by ${text},
    closed_note ${text},
    primary key (workspace_id, environment, connection_id, row_id),
    check ((opened_at is null) = (result = 'matched')),
    check ((closed_at is null) = (closed_by is null)),
    check ((corrected_at is null) = (corrected_by is null))
  )`,
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
    on settlement_entries (opened_at, connection_id, row_id) where opened_at is not null and closed_at is null`
]

/** Which run reads reports of a connection; `data` is JSON. */
export const runLeases = [
  `create table reconciliation_leases (
    ${tenant},
    connection_id ${text} not null,
    holder ${text} not null,
    until bigint not null,
    data ${text} not null,
    primary key (workspace_id, environment, connection_id)
  )`
]
