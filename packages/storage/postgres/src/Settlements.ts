/** Reconciliation runs and settlement entries in PostgreSQL. A batch is one transaction of a few statements. */
import type { Closing, ReconciliationRun, SettlementEntry, Tenant } from "@pointsman/core"
import {
  type BalanceQuery,
  type Begun,
  type ComparisonHolder,
  type EntryQuery,
  longestLeaseMillis,
  type OpenDifferences,
  type RunHolder,
  type SettlementBatch,
  type Settlements,
  type StorageError,
  type UnreportedQuery
} from "@pointsman/core/ports"
import {
  differenceConditions,
  isOpenEntry,
  leaseData,
  list,
  mayLeaveEntry,
  type Row,
  readRunLease,
  selectBalance,
  takeRunLease
} from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import { arrayLiteral } from "./CommitStatement.ts"
import { type Database, type Query, repeatable } from "./Database.ts"
import { bookColumnsOfTenant, bookRowsOf } from "./Ledger.ts"
import { selectNamed, texts } from "./NamedPayments.ts"
import { make as makePayouts } from "./Payouts.ts"
import { bindTenant, bindText, bindValue, readText, rowOf, rows, typeOf } from "./Rows.ts"

const ofTenant = "workspace_id = $1 and environment = $2"

/** `everywhere`: rows of all tenants, from all nodes where there are several. */
export type ReadEverywhere = (
  operation: string,
  sql: string,
  params: ReadonlyArray<string>
) => Effect.Effect<ReadonlyArray<Row>, StorageError>

export const make = (db: Database, everywhere: ReadEverywhere): Settlements => ({
  begin: (run, lease) => repeatable(db, "beginRun", (query) => begin(query, run, lease)),
  hold: (tenant, connectionId, lease) =>
    repeatable(db, "holdConnection", (query) => takeLease(query, tenant, connectionId, lease)),
  release: (tenant, connectionId, holder) =>
    Effect.asVoid(db.update("releaseRun", deleteLease, [...bindTenant(tenant), bindText(connectionId), holder])),
  run: (tenant, id) =>
    Effect.map(db.read("run", selectRun, [...bindTenant(tenant), bindText(id)]), ([row]) =>
      Option.map(Option.fromUndefinedOr(row), rows.readRun)
    ),
  runs: (query) => selectRuns(db, everywhere, query),
  applyBatch: (batch) =>
    Effect.tap(
      repeatable(db, "applyBatch", (query) => applyBatch(query, batch)),
      () => (isMeasured(batch) ? Effect.ignore(db.update("analyzeEntries", analyzeEntries)) : Effect.void)
    ),
  known: (tenant, connectionId, rowIds) =>
    Effect.map(
      db.read("knownRows", selectKnown, [...bindTenant(tenant), bindText(connectionId), texts(rowIds)]),
      (found) => found.map(rows.readSettlement)
    ),
  booksNamed: (tenant, connectionId, names) =>
    Effect.gen(function* () {
      const named = yield* selectNamed(db, tenant, connectionId, names)
      const ids = [...new Set(named.map(({ paymentId }) => paymentId))]
      const books = yield* ids.length === 0
        ? Effect.succeed([])
        : db.read("booksNamed", selectBooks, [...bindTenant(tenant), texts(ids)])
      return { named, books: books.map((row) => rows.readBook(bookRowsOf(row))) }
    }),
  entriesOf: (tenant, paymentIds) =>
    Effect.map(db.read("entriesOf", selectEntriesOf, [...bindTenant(tenant), texts(paymentIds)]), (found) =>
      found.map(rows.readSettlement)
    ),
  unreported: (query) => selectUnreported(db, query),
  differences: (query) => selectDifferences(db, everywhere, query),
  entries: ({ after, connectionId, limit, tenant }) =>
    Effect.map(
      db.read("entries", selectEntries, [
        ...bindTenant(tenant),
        bindText(connectionId),
        bindText(after),
        String(limit)
      ]),
      (found) => found.map(rows.readSettlement)
    ),
  withoutPayment: (tenant, { after, limit }) =>
    Effect.map(
      db.read("entriesWithoutPayment", selectWithoutPayment, [
        ...bindTenant(tenant),
        bindText(after?.connectionId ?? ""),
        bindText(after?.rowId ?? ""),
        String(limit)
      ]),
      (found) => found.map(rows.readSettlement)
    ),
  close: (tenant, connectionId, { closed, rowId }) =>
    Effect.map(
      repeatable(db, "closeEntry", (query) => query(closeEntries, closeParams(tenant, connectionId, closed, [rowId]))),
      (ended) => ended.length === 1
    ),
  ...makePayouts(db),
  balance: (query) => Effect.map(balanceOf(db, query), (found) => found.map(rows.readBalanceRow)),
  open: Effect.map(everywhere("openDifferences", countOpen, []), mergedCounts),
  prune: ({ before, limit, tenant }) =>
    Effect.gen(function* () {
      let gone = 0
      for (const statement of [deleteOld, deleteLeft]) {
        const params = [...bindTenant(tenant), String(before), String(limit - gone)]
        const [row] = yield* db.update("pruneEntries", statement, params)
        gone += Number(row?.["gone"])
      }
      return gone
    })
})

/**
 * Without statistics every index that begins with the tenant looks as good as that of payments, and the plan that was made
 * while the table was empty would read all rows of the tenant for each payment. The server's own analysis comes a minute
 * later, which a first report does not wait for: so it is asked for after the first batch, and each time four times as many
 * are written. Only the columns by which a batch looks are read.
 */
const analyzeEntries = "analyze settlement_entries (workspace_id, environment, connection_id, row_id, payment_id)"
const isMeasured = ({ entries, run }: SettlementBatch): boolean =>
  entries.length > 0 && run !== null && measuredAfter.has(run.after.version)
/** By the versions of a run, the first of which begins it. */
const measuredAfter: ReadonlySet<number> = new Set(Array.from({ length: 12 }, (_, power) => 2 * 4 ** power))

const selectRun = `select * from reconciliation_runs where ${ofTenant} and id = $3`
const selectRunOfFile = `select * from reconciliation_runs
  where ${ofTenant} and connection_id = $3 and sha256 = $4 and format = $5`
const runColumns = Object.keys(rows.runColumns)
const insertRun = `insert into reconciliation_runs (${list(runColumns)})
  values (${list(runColumns.map((column, at) => `$${at + 1}::text::${typeOf(column)}`))}) on conflict do nothing`
// PostgreSQL reads no JSON in which a file name has a zero character; the id of the run is the first text in it.
const runIdOf = (data: string) => `split_part(${data}, '"', 4)`
const upsertLease = takeRunLease((at) => `$${at}${[5, 7, 8].includes(at) ? "::text::bigint" : ""}`, runIdOf)
const keepLease = `update reconciliation_leases set until = $5::text::bigint
  where ${ofTenant} and connection_id = $3 and holder = $4 returning 1 as one`
const deleteLease = `delete from reconciliation_leases where ${ofTenant} and connection_id = $3 and holder = $4`
const updateRun = `update reconciliation_runs set version = $3::text::bigint, data = $4
  where ${ofTenant} and id = $5 and version = $6::text::bigint returning 1 as one`

/**
 * Name by name: of a list, PostgreSQL would read all that the tenant has in a small table, and keep the plan when the table
 * has grown.
 */
const ofEach = (place: string, select: string) =>
  `from jsonb_array_elements_text(${place}::text::jsonb) as n (name) cross join lateral (${select} offset 0) as e`

const selectKnown = `select e.* ${ofEach(
  "$4",
  `select * from settlement_entries where ${ofTenant} and connection_id = $3 and row_id = n.name`
)}`
const selectEntriesOf = `select e.* ${ofEach(
  "$3",
  `select * from settlement_entries where ${ofTenant} and payment_id = n.name and payment_id is not null`
)} order by e.occurred_at, e.row_id`
const selectEntries = `select * from settlement_entries
  where ${ofTenant} and connection_id = $3 and row_id > $4 order by row_id limit $5::text::integer`
const selectBooks = `select e.* ${ofEach("$3", `select ${bookColumnsOfTenant} from payments as p where ${ofTenant} and id = n.name`)}`

const selectWithoutPayment = `select * from settlement_entries where ${ofTenant} and payment_id is null
  and (connection_id, row_id) > ($3, $4) order by connection_id, row_id limit $5::text::integer`

const entryColumns = Object.keys(rows.settlementColumns)
/** An array for each column: to take one JSON document apart was two thirds of the statement's time. */
const insertEntries = `insert into settlement_entries (${list(entryColumns)})
  select * from unnest(${list(entryColumns.map((column, at) => `$${at + 1}::${typeOf(column)}[]`))})
  on conflict do nothing`

const closeEntries = `update settlement_entries set closed_at = $4::text::bigint, closed_by = $5, closed_note = $6
  where ${ofTenant} and connection_id = $3 and row_id = any(array(select jsonb_array_elements_text($7::text::jsonb)))
    and ${isOpenEntry} returning 1 as one`

const correctEntries = `update settlement_entries as e set corrected_by = r.corrected_by,
    corrected_at = coalesce(e.corrected_at, r.corrected_at), closed_at = coalesce(e.closed_at, r.corrected_at),
    closed_by = coalesce(e.closed_by, 'row'), closed_note = coalesce(e.closed_note, r.corrected_by)
  from jsonb_to_recordset($4::text::jsonb) as r (row_id text, corrected_by text, corrected_at bigint)
  where e.workspace_id = $1 and e.environment = $2 and e.connection_id = $3 and e.row_id = r.row_id`

const confirmEntries = `update settlement_entries as e set generated_at = r.generated_at
  from jsonb_to_recordset($4::text::jsonb) as r (row_id text, generated_at bigint)
  where e.workspace_id = $1 and e.environment = $2 and e.connection_id = $3 and e.row_id = r.row_id
    and e.generated_at < r.generated_at`

/** Of several entries that end alike. */
const closeParams = (
  tenant: Tenant,
  connectionId: string,
  { at, by, note }: Closing,
  rowIds: ReadonlyArray<string>
) => [...bindTenant(tenant), bindText(connectionId), String(at), by, bindText(note), texts(rowIds)]

/** Column by column, and in the order of their ids, so that no two batches wait for each other. */
const bindEntries = (entries: ReadonlyArray<SettlementEntry>): ReadonlyArray<string> => {
  const inOrder = entries.toSorted((a, b) => (a.rowId < b.rowId ? -1 : 1))
  return Object.values(rows.settlementColumns).map((take) =>
    arrayLiteral(inOrder.map((entry) => bindValue(take(entry))))
  )
}

/** Where two of one file begin, the second one waits for the lease, and then finds it taken. */
const begin = Effect.fnUntraced(function* (query: Query, run: ReconciliationRun, lease: RunHolder) {
  const owner = [...bindTenant(run.tenant), bindText(run.connectionId)]
  const ofFile = Effect.map(query(selectRunOfFile, [...owner, run.sha256, bindText(run.format)]), ([row]) =>
    row === undefined ? undefined : rows.readRun(row)
  )
  const stored = yield* ofFile
  if (stored?.state === "done") return { _tag: "Begun", run: stored } satisfies Begun
  const named = { runId: stored?.id ?? run.id, fileName: run.fileName }
  const held = yield* takeLease(query, run.tenant, run.connectionId, { ...lease, ...named })
  if (held.holder !== lease.holder) return { _tag: "Taken", by: held } satisfies Begun
  yield* query(insertRun, Object.values(rowOf(rows.runColumns, run)).map(String))
  return { _tag: "Begun", run: (yield* ofFile) ?? run } satisfies Begun
})

const takeLease = Effect.fnUntraced(function* (
  query: Query,
  tenant: Tenant,
  connectionId: string,
  { fileName, holder, now, runId, until }: ComparisonHolder
) {
  const data = leaseData({ runId, fileName, since: now })
  const times = [now, now + longestLeaseMillis].map(String)
  const owner = [...bindTenant(tenant), bindText(connectionId)]
  const [row] = yield* query(upsertLease, [...owner, holder, String(until), data, ...times])
  return readRunLease(row ?? {})
})

const moveRun = (query: Query, tenant: Tenant, { after, expected }: NonNullable<SettlementBatch["run"]>) =>
  Effect.map(
    query(updateRun, [...bindTenant(tenant), String(after.version), JSON.stringify(after), after.id, String(expected)]),
    (moved) => moved.length > 0
  )

const applyBatch = Effect.fnUntraced(function* (query: Query, batch: SettlementBatch) {
  const { closes, confirmed = [], connectionId, corrections, entries, lease, run, tenant } = batch
  const ofHolder = [...bindTenant(tenant), bindText(connectionId), lease.holder]
  const kept = yield* query(keepLease, [...ofHolder, String(lease.until)])
  if (kept.length === 0) return false
  if (run !== null && !(yield* moveRun(query, tenant, run))) return false
  if (entries.length > 0) yield* query(insertEntries, bindEntries(entries))
  for (const [first, ...others] of Map.groupBy(closes, ({ closed }) => JSON.stringify(closed)).values()) {
    if (first === undefined) continue
    const rowIds = [first, ...others].map(({ rowId }) => rowId)
    yield* query(closeEntries, closeParams(tenant, connectionId, first.closed, rowIds))
  }
  if (corrections.length > 0) {
    const corrected = corrections.map(({ corrected: { at, by }, rowId }) => ({
      row_id: bindText(rowId),
      corrected_by: bindText(by),
      corrected_at: at
    }))
    yield* query(correctEntries, [...bindTenant(tenant), bindText(connectionId), JSON.stringify(corrected)])
  }
  if (confirmed.length > 0) {
    const later = confirmed.map(({ generatedAt, rowId }) => ({ row_id: bindText(rowId), generated_at: generatedAt }))
    yield* query(confirmEntries, [...bindTenant(tenant), bindText(connectionId), JSON.stringify(later)])
  }
  return true
})

const looked = `select id from payments where ${ofTenant} and id > $3 order by id limit $4::text::integer`

const selectPaymentsWithout = `select * from payments where ${ofTenant} and id > $3 and id <= $4
  and connection_id = $5 and captured_minor > 0 and settled_at <= $6::text::bigint
  and settled_at >= case when capture_method = 'automatic' then $7::text::bigint else $8::text::bigint end
  and not exists (
    select 1 from settlement_entries as e where e.workspace_id = $1 and e.environment = $2
      and e.payment_id = payments.id and e.corrected_at is null
      and case when e.number = 0 then e.closed_by is distinct from 'comparison' else e.kind = 'charge' end
  ) order by id`

const selectUnreported = Effect.fnUntraced(function* (
  db: Database,
  { after, captureWithinMillis, connectionId, from, limit, tenant, until }: UnreportedQuery
) {
  const owner = bindTenant(tenant)
  const ids = yield* db.read("unreported", looked, [...owner, bindText(after), String(limit)])
  const last = ids.at(-1)?.["id"] as string | undefined
  if (last === undefined) return { payments: [], next: null }
  const times = [until, from, from - captureWithinMillis].map(String)
  const found = yield* db.read("unreported", selectPaymentsWithout, [
    ...owner,
    bindText(after),
    last,
    bindText(connectionId),
    ...times
  ])
  return { payments: found.map(rows.readPayment), next: ids.length < limit ? null : readText(last) }
})

/** Conditions with numbered parameters from `$1` on. */
const numbered = () => {
  let next = 0
  return () => `$${++next}`
}

const selectDifferences = (db: Database, everywhere: ReadEverywhere, query: EntryQuery) => {
  // First, because the first parameter names the node.
  const [isOpen, ofOne, ...others] = differenceConditions(rows, query)
  const bind = numbered()
  const conditions = [ofOne, isOpen, ...others].filter((one) => one !== undefined)
  const where = conditions.map(([condition]) => typed(condition, bind)).join(" and ")
  const sql = `select * from settlement_entries where ${where}
    order by opened_at, connection_id, row_id limit ${bind()}::text::integer`
  const params = [...conditions.flatMap(([, values]) => values.map(String)), String(query.limit)]
  const found =
    query.tenant === undefined ? everywhere("differences", sql, params) : db.read("differences", sql, params)
  return Effect.map(found, (some) =>
    some
      .map(rows.readSettlement)
      .sort((a, b) => (a.openedAt ?? 0) - (b.openedAt ?? 0) || byNames(a, b))
      .slice(0, query.limit)
  )
}

const byNames = (a: SettlementEntry, b: SettlementEntry): number => {
  const [one, other] = [a, b].map(({ connectionId, rowId }) => `${connectionId}\u0000${rowId}`)
  return (one as string) < (other as string) ? -1 : 1
}

/** Times are numbers. */
const typed = (condition: (bind: () => string) => string, bind: () => string): string => {
  const written = condition(bind)
  return written.includes("opened_at") ? written.replace(/(\$\d+)/u, "$1::text::bigint") : written
}

const selectRuns = (
  db: Database,
  everywhere: ReadEverywhere,
  { before, connectionId, format, limit, tenant }: Parameters<Settlements["runs"]>[0]
) => {
  const bind = numbered()
  const conditions = [
    tenant === undefined ? "true" : `workspace_id = ${bind()} and environment = ${bind()}`,
    connectionId === undefined ? "true" : `connection_id = ${bind()}`,
    format === undefined ? "true" : `format = ${bind()}`,
    before === undefined ? "true" : `id < ${bind()}`
  ]
  const sql = `select * from reconciliation_runs where ${conditions.join(" and ")}
    order by id desc limit ${bind()}::text::integer`
  const params = [
    ...(tenant === undefined ? [] : bindTenant(tenant)),
    ...[connectionId, format, before].filter((one) => one !== undefined).map(bindText),
    String(limit)
  ]
  return Effect.map(tenant === undefined ? everywhere("runs", sql, params) : db.read("runs", sql, params), (found) =>
    found
      .map(rows.readRun)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit)
  )
}

const balanceOf = (db: Database, { connectionId, from, tenant, until }: BalanceQuery) => {
  const times = "occurred_at >= $3::text::bigint and occurred_at < $4::text::bigint"
  const ofConnection = connectionId === undefined ? "" : "and connection_id = $5"
  return db.read("balance", selectBalance(`${ofTenant} and ${times} ${ofConnection}`), [
    ...bindTenant(tenant),
    String(from),
    String(until),
    ...(connectionId === undefined ? [] : [bindText(connectionId)])
  ])
}

const countOpen = `select result, count(*)::integer as count, min(opened_at) as oldest_at
  from settlement_entries where ${isOpenEntry} group by result`

/** Of several nodes, each has its own. */
const mergedCounts = (found: ReadonlyArray<Row>): ReadonlyArray<OpenDifferences> =>
  [...Map.groupBy(found, (row) => row["result"] as OpenDifferences["result"])]
    .map(([result, some]) => ({
      result,
      count: some.reduce((sum, row) => sum + (row["count"] as number), 0),
      oldestAt: Math.min(...some.map((row) => row["oldest_at"] as number))
    }))
    .sort((a, b) => (a.result < b.result ? -1 : 1))

/** Differences that were open when their payment left. */
const withoutPayment = `payment_id is not null and closed_at is not null and not exists (
      select 1 from payments as p where p.workspace_id = $1 and p.environment = $2 and p.id = e.payment_id
    )`

const deletesOld = (condition: string) => `with leaving as materialized (
    select connection_id, row_id from settlement_entries as e where ${ofTenant} and ${condition}
      and occurred_at < $3::text::bigint limit $4::text::integer for update skip locked
  ), gone as (
    delete from settlement_entries using leaving where ${ofTenant}
      and settlement_entries.connection_id = leaving.connection_id and settlement_entries.row_id = leaving.row_id
    returning 1 as one
  ) select count(*)::integer as gone from gone`

const deleteOld = deletesOld(`payment_id is null and ${mayLeaveEntry}`)
const deleteLeft = deletesOld(withoutPayment)
