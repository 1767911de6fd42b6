/** Reconciliation runs and settlement entries in SQLite. A batch is one transaction. */
import type { SQLInputValue } from "node:sqlite"
import type { ReconciliationRun, RunLease, Tenant } from "@pointsman/core"
import {
  type BalanceQuery,
  type Begun,
  type ComparisonHolder,
  type EntryQuery,
  longestLeaseMillis,
  type NamedInRows,
  type NamedPayment,
  type NameKind,
  type OpenDifferences,
  type RunHolder,
  type SettlementBatch,
  type Settlements,
  type UnreportedQuery
} from "@pointsman/core/ports"
import {
  differenceConditions,
  isOpenEntry,
  leaseData,
  mayLeaveEntry,
  nameOrder,
  namePlaces,
  readRunLease,
  selectBalance,
  takeRunLease,
  valuesOf
} from "@pointsman/storage-sql"
import { Option } from "effect"
import { type Database, read, snapshot, update } from "./Database.ts"
import { selectBookRows } from "./Ledger.ts"
import { make as makePayouts } from "./Payouts.ts"
import { bindTenant, bindText, insertInto, readText, rows } from "./Rows.ts"

const ofTenant = "workspace_id = ? and environment = ?"
const selectEntry = `select * from settlement_entries where ${ofTenant} and connection_id = ? and row_id = ?`

export const make = (db: Database): Settlements => ({
  begin: (run, lease) => update(db, "beginRun", () => begin(db, run, lease)),
  hold: (tenant, connectionId, lease) => update(db, "holdConnection", () => takeLease(db, tenant, connectionId, lease)),
  release: (tenant, connectionId, holder) => update(db, "releaseRun", () => release(db, tenant, connectionId, holder)),
  run: (tenant, id) =>
    read("run", () => {
      const row = db.prepare(`select * from reconciliation_runs where ${ofTenant} and id = ?`)
      return Option.map(Option.fromUndefinedOr(row.get(...bindTenant(tenant), bindText(id))), rows.readRun)
    }),
  runs: ({ before, connectionId, format, limit, tenant }) =>
    read("runs", () =>
      db
        .prepare(`select * from reconciliation_runs where ${tenant === undefined ? "true" : ofTenant}
          ${connectionId === undefined ? "" : "and connection_id = ?"}
          ${format === undefined ? "" : "and format = ?"} ${before === undefined ? "" : "and id < ?"}
          order by id desc limit ?`)
        .all(
          ...(tenant === undefined ? [] : bindTenant(tenant)),
          ...[connectionId, format, before].filter((one) => one !== undefined).map(bindText),
          limit
        )
        .map(rows.readRun)
    ),
  applyBatch: (batch) => update(db, "applyBatch", () => applyBatch(db, batch)),
  known: (tenant, connectionId, rowIds) =>
    read("knownRows", () => {
      const select = db.prepare(selectEntry)
      const owner = [...bindTenant(tenant), bindText(connectionId)]
      return rowIds.flatMap((rowId) => {
        const row = select.get(...owner, bindText(rowId))
        return row === undefined ? [] : [rows.readSettlement(row)]
      })
    }),
  booksNamed: (tenant, connectionId, names) =>
    read("booksNamed", () =>
      snapshot(db, () => {
        const named = selectNamed(db, tenant, connectionId, names)
        const books = [...new Set(named.map(({ paymentId }) => paymentId))].flatMap((id) => {
          const book = selectBookRows(db, tenant, id)
          return book === undefined ? [] : [rows.readBook(book)]
        })
        return { named, books }
      })
    ),
  entriesOf: (tenant, paymentIds) =>
    read("entriesOf", () => {
      const select = db.prepare(
        `select * from settlement_entries indexed by settlement_entries_by_payment
          where ${ofTenant} and payment_id = ? order by occurred_at, row_id`
      )
      const owner = bindTenant(tenant)
      return paymentIds
        .flatMap((id) => select.all(...owner, bindText(id)).map(rows.readSettlement))
        .sort((a, b) => a.occurredAt - b.occurredAt || (a.rowId < b.rowId ? -1 : 1))
    }),
  unreported: (query) => read("unreported", () => selectUnreported(db, query)),
  differences: (query) => read("differences", () => selectDifferences(db, query)),
  entries: ({ after, connectionId, limit, tenant }) =>
    read("entries", () =>
      db
        .prepare(
          `select * from settlement_entries where ${ofTenant} and connection_id = ? and row_id > ? order by row_id limit ?`
        )
        .all(...bindTenant(tenant), bindText(connectionId), bindText(after), limit)
        .map(rows.readSettlement)
    ),
  withoutPayment: (tenant, { after, limit }) =>
    read("entriesWithoutPayment", () =>
      db
        .prepare(selectWithoutPayment)
        .all(...bindTenant(tenant), bindText(after?.connectionId ?? ""), bindText(after?.rowId ?? ""), limit)
        .map(rows.readSettlement)
    ),
  close: (tenant, connectionId, closed) =>
    update(db, "closeEntry", () => closeEntry(db, tenant, connectionId, closed) === 1),
  ...makePayouts(db),
  balance: (query) => read("balance", () => balanceOf(db, query)),
  open: read("openDifferences", () => db.prepare(countOpen).all() as unknown as ReadonlyArray<OpenDifferences>),
  prune: (query) => update(db, "pruneEntries", () => prune(db, query))
})

const prune = (db: Database, { before, limit, tenant }: Parameters<Settlements["prune"]>[0]): number =>
  [deleteOld, deleteLeft].reduce(
    (gone, statement) => gone + Number(db.prepare(statement).run(...bindTenant(tenant), before, limit - gone).changes),
    0
  )

const deleteLease = `delete from reconciliation_leases where ${ofTenant} and connection_id = ? and holder = ?`
const keepLease = `update reconciliation_leases set until = ? where ${ofTenant} and connection_id = ? and holder = ?`
const insertRun = `${insertInto("reconciliation_runs", Object.keys(rows.runColumns))} on conflict do nothing`
const bindRun = valuesOf(rows.runColumns)
const selectRunOfFile = `select * from reconciliation_runs indexed by reconciliation_runs_by_file
  where ${ofTenant} and connection_id = ? and sha256 = ? and format = ?`
const updateRun = `update reconciliation_runs set version = ?, data = ? where ${ofTenant} and id = ? and version = ?`

const insertEntry = `${insertInto("settlement_entries", Object.keys(rows.settlementColumns))} on conflict do nothing`
const bindEntry = valuesOf(rows.settlementColumns)
const updateEntry = `update settlement_entries set closed_at = ?, closed_by = ?, closed_note = ?
  where ${ofTenant} and connection_id = ? and row_id = ? and ${isOpenEntry}`

const correctEntry = `update settlement_entries set corrected_by = ?1, corrected_at = coalesce(corrected_at, ?2),
    closed_at = coalesce(closed_at, ?2), closed_by = coalesce(closed_by, 'row'), closed_note = coalesce(closed_note, ?1)
  where workspace_id = ?3 and environment = ?4 and connection_id = ?5 and row_id = ?6`
const confirmEntry = `update settlement_entries set generated_at = ?
  where ${ofTenant} and connection_id = ? and row_id = ? and generated_at < ?`
const selectWithoutPayment = `select * from settlement_entries indexed by settlement_entries_without_payment
  where ${ofTenant} and payment_id is null and (connection_id, row_id) > (?, ?) order by connection_id, row_id limit ?`

const countOpen = `select result, count(*) as count, min(opened_at) as oldestAt
  from settlement_entries indexed by settlement_differences_open where ${isOpenEntry} group by result order by result`

const deleteOld = `delete from settlement_entries where (workspace_id, environment, connection_id, row_id) in (
  select workspace_id, environment, connection_id, row_id from settlement_entries indexed by settlement_entries_to_leave
  where ${ofTenant} and payment_id is null and occurred_at < ? and ${mayLeaveEntry} limit ?)`

/** Differences that were open when their payment left. */
const deleteLeft = `delete from settlement_entries where (workspace_id, environment, connection_id, row_id) in (
  select workspace_id, environment, connection_id, row_id from settlement_entries as e indexed by settlement_differences_closed
  where ${ofTenant} and payment_id is not null and closed_at is not null and occurred_at < ? and not exists (
    select 1 from payments as p
    where p.workspace_id = e.workspace_id and p.environment = e.environment and p.id = e.payment_id
  ) limit ?)`

const begin = (db: Database, run: ReconciliationRun, lease: RunHolder): Begun => {
  const owner = [...bindTenant(run.tenant), bindText(run.connectionId)]
  const ofFile = () => {
    const row = db.prepare(selectRunOfFile).get(...owner, run.sha256, bindText(run.format))
    return row === undefined ? undefined : rows.readRun(row)
  }
  const stored = ofFile()
  if (stored?.state === "done") return { _tag: "Begun", run: stored }
  const named = { runId: stored?.id ?? run.id, fileName: run.fileName }
  const held = takeLease(db, run.tenant, run.connectionId, { ...lease, ...named })
  if (held.holder !== lease.holder) return { _tag: "Taken", by: held }
  if (stored === undefined) db.prepare(insertRun).run(...bindRun(run))
  return { _tag: "Begun", run: stored ?? run }
}

const release = (db: Database, tenant: Tenant, connectionId: string, holder: string): void =>
  void db.prepare(deleteLease).run(...bindTenant(tenant), bindText(connectionId), holder)

const upsertLease = takeRunLease(
  (at) => `?${at}`,
  (data) => `(${data} ->> 'runId')`
)

const takeLease = (
  db: Database,
  tenant: Tenant,
  connectionId: string,
  { fileName, holder, now, runId, until }: ComparisonHolder
): RunLease => {
  const data = leaseData({ runId, fileName, since: now })
  const owner = [...bindTenant(tenant), bindText(connectionId)]
  return readRunLease(db.prepare(upsertLease).get(...owner, holder, until, data, now, now + longestLeaseMillis) ?? {})
}

/** Inside the transaction; `false` where the run has another version, or another holder reads the connection's reports. */
const applyBatch = (db: Database, batch: SettlementBatch): boolean => {
  const { closes, confirmed = [], connectionId, corrections, entries, lease, run, tenant } = batch
  const ofHolder = [...bindTenant(tenant), bindText(connectionId), lease.holder]
  const kept = db.prepare(keepLease).run(lease.until, ...ofHolder)
  if (kept.changes !== 1) return false
  if (run !== null && !moveRun(db, tenant, run)) return false
  const insert = db.prepare(insertEntry)
  for (const entry of entries) insert.run(...bindEntry(entry))
  for (const closed of closes) closeEntry(db, tenant, connectionId, closed)
  const correct = db.prepare(correctEntry)
  for (const { corrected, rowId } of corrections) {
    correct.run(bindText(corrected.by), corrected.at, ...bindTenant(tenant), bindText(connectionId), bindText(rowId))
  }
  const confirm = db.prepare(confirmEntry)
  for (const { generatedAt, rowId } of confirmed) {
    confirm.run(generatedAt, ...bindTenant(tenant), bindText(connectionId), bindText(rowId), generatedAt)
  }
  return true
}

const moveRun = (db: Database, tenant: Tenant, { after, expected }: NonNullable<SettlementBatch["run"]>): boolean => {
  const moved = db
    .prepare(updateRun)
    .run(after.version, JSON.stringify(after), ...bindTenant(tenant), after.id, expected)
  return moved.changes === 1
}

const closeEntry = (
  db: Database,
  tenant: Tenant,
  connectionId: string,
  { closed, rowId }: SettlementBatch["closes"][number]
): number =>
  Number(
    db
      .prepare(updateEntry)
      .run(closed.at, closed.by, bindText(closed.note), ...bindTenant(tenant), bindText(connectionId), bindText(rowId))
      .changes
  )

const nameIndexes: Readonly<Record<NameKind, string>> = {
  attemptIds: "indexed by attempts_by_id",
  operationIds: "indexed by operations_by_id",
  refundIds: "indexed by refunds_by_id",
  providerRefundIds: "indexed by refunds_by_provider_refund",
  providerRefs: ""
}

/** Two at most: more say no more. */
const selectNames = (kind: NameKind): string => {
  const [table, column] = namePlaces[kind]
  const isNamed = `${ofTenant} and connection_id = ? and ${column} = ?`
  if (kind === "providerRefs") {
    return `select payment_id from charge_references where ${isNamed}
      union select payment_id from named_references where ${isNamed} limit 2`
  }
  const most = kind === "providerRefundIds" ? 2 : 1
  return `select payment_id from ${table} ${nameIndexes[kind]} where ${isNamed} order by ${nameOrder(kind)} limit ${most}`
}

const selectNamed = (
  db: Database,
  tenant: Tenant,
  connectionId: string,
  names: NamedInRows
): ReadonlyArray<NamedPayment> => {
  const owner: ReadonlyArray<SQLInputValue> = [...bindTenant(tenant), bindText(connectionId)]
  return Object.entries(names).flatMap(([name, some]: [string, ReadonlyArray<string>]) => {
    const kind = name as NameKind
    if (some.length === 0) return []
    const select = db.prepare(selectNames(kind))
    return some.flatMap((one) => {
      const key = [...owner, bindText(one)]
      return select
        .all(...key, ...(kind === "providerRefs" ? key : []))
        .map((row) => ({ kind, name: one, paymentId: readText(row["payment_id"]) }))
    })
  })
}

const looked = `select id from payments where ${ofTenant} and id > ? order by id limit ?`

const selectPaymentsWithout = `select * from payments where ${ofTenant} and id > ? and id <= ?
  and connection_id = ? and captured_minor > 0 and settled_at <= ?
  and settled_at >= case when capture_method = 'automatic' then ? else ? end
  and not exists (
    select 1 from settlement_entries as e indexed by settlement_entries_by_payment
    where e.workspace_id = payments.workspace_id and e.environment = payments.environment
      and e.payment_id = payments.id and e.corrected_at is null
      and case when e.number = 0 then e.closed_by is not 'comparison' else e.kind = 'charge' end
  ) order by id`

const selectUnreported = (
  db: Database,
  { after, captureWithinMillis, connectionId, from, limit, tenant, until }: UnreportedQuery
) => {
  const owner = bindTenant(tenant)
  const ids = db.prepare(looked).all(...owner, bindText(after), limit)
  const last = ids.at(-1)?.["id"]
  if (last === undefined) return { payments: [], next: null }
  const payments = db
    .prepare(selectPaymentsWithout)
    .all(...owner, bindText(after), last, bindText(connectionId), until, from, from - captureWithinMillis)
    .map(rows.readPayment)
  return { payments, next: ids.length < limit ? null : readText(last) }
}

const selectDifferences = (db: Database, query: EntryQuery) => {
  const conditions = differenceConditions(rows, query)
  return db
    .prepare(`select * from settlement_entries
      indexed by ${query.differences === "open" ? "settlement_differences_open" : "settlement_differences"}
      where ${conditions.map(([condition]) => condition(() => "?")).join(" and ")}
      order by opened_at, connection_id, row_id limit ?`)
    .all(...conditions.flatMap(([, values]) => [...values]), query.limit)
    .map(rows.readSettlement)
}

const balanceOf = (db: Database, { connectionId, from, tenant, until }: BalanceQuery) => {
  const ofConnection = connectionId === undefined ? "" : "and connection_id = ?"
  return db
    .prepare(selectBalance(`${ofTenant} ${ofConnection} and occurred_at >= ? and occurred_at < ?`))
    .all(...bindTenant(tenant), ...(connectionId === undefined ? [] : [bindText(connectionId)]), from, until)
    .map(rows.readBalanceRow)
}
