/** Reconciliation runs and settlement entries. A batch is one transaction. */
import type { ReconciliationRun, SettlementEntry, Tenant } from "@pointsman/core"
import * as Ports from "@pointsman/core/ports"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { type Bound, type Row, valuesOf } from "./Columns.ts"
import { makePayouts } from "./Payouts.ts"
import { insertInto, placesOf, type Query, queryAll, readAll, readEach, readOne, repeatable, type Sql } from "./Sql.ts"

/** A difference that is open. */
const isOpenEntry = "opened_at is not null and closed_at is null"

/** An entry that leaves with its payment, or when its time is over. */
export const mayLeaveEntry = "(opened_at is null or closed_at is not null)"

/** Of an entry: it is about the charge of its payment, or says that it is missing. */
export const isAboutCharge = `corrected_at is null
    and case when number = 0 then closed_by is distinct from 'comparison' else kind = 'charge' end`

const ofTenant = "workspace_id = $1 and environment = $2"
const ofRow = `${ofTenant} and connection_id = $3`
const selectRun = `select * from reconciliation_runs where ${ofTenant} and id = $3`

/** What each database does by statements of its own. */
export interface SettlementForm<V> {
  readonly insertEntries: (query: Query<V>, entries: ReadonlyArray<SettlementEntry>) => Effect.Effect<unknown, SqlError>
  readonly booksNamed: Ports.Settlements["booksNamed"]
  readonly unreported: Ports.Settlements["unreported"]
  /** The rows of the payment of an entry `e`: a table with its condition. */
  readonly ofPayment: string
  /** Deletes entries `e` of a tenant that fulfil the condition, before `$3`, and `$4` at most; a row for each. */
  readonly deleteEntries: (condition: string, index: string) => string
}

export const makeSettlements = <V>(sql: Sql<V>, form: SettlementForm<V>): Ports.Settlements => {
  const { bindTenant, bindText, readRun } = sql.rows
  const deletes = [
    form.deleteEntries(`payment_id is null and ${mayLeaveEntry}`, "settlement_entries_to_leave"),
    form.deleteEntries(isLeft(form.ofPayment), "settlement_differences_closed")
  ]
  const writes = makeWrites(sql, form)
  return {
    begin: (run, lease) => repeatable(sql, "beginRun", (query) => writes.begin(query, run, lease)),
    hold: (tenant, connectionId, lease) =>
      repeatable(sql, "holdConnection", (query) => writes.takeLease(query, tenant, connectionId, lease)),
    release: (tenant, connectionId, holder) =>
      Effect.asVoid(
        sql.update("releaseRun", `delete from reconciliation_leases where ${ofRow} and holder = $4`, [
          ...bindTenant(tenant),
          bindText(connectionId),
          holder
        ])
      ),
    run: (tenant, id) => readOne(sql, "run", readRun, selectRun, [...bindTenant(tenant), bindText(id)]),
    runs: (query) => selectRuns(sql, query),
    applyBatch: (batch) => repeatable(sql, "applyBatch", (query) => writes.applyBatch(query, batch)),
    booksNamed: form.booksNamed,
    unreported: form.unreported,
    differences: (query) => selectDifferences(sql, query),
    close: (tenant, connectionId, closed) =>
      Effect.map(
        repeatable(sql, "closeEntry", (query) => writes.close(query, tenant, connectionId, [closed])),
        (ended) => ended === 1
      ),
    ...makeEntries(sql),
    ...makePayouts(sql),
    open: Effect.map(sql.read("openDifferences", countOpen(sql)), mergedCounts),
    prune: ({ before, limit, tenant }) =>
      Effect.gen(function* () {
        let gone = 0
        for (const text of deletes) {
          gone += (yield* sql.update("pruneEntries", text, [...bindTenant(tenant), before, limit - gone])).length
        }
        return gone
      })
  }
}

const makeEntries = <V>(sql: Sql<V>): Pick<Ports.Settlements, "known" | "entriesOf" | "entries"> => {
  const { bindTenant, bindText, readSettlement } = sql.rows
  const ofAll = `select * from ${sql.by("settlement_entries", "settlement_entries_by_payment")}
    where ${ofTenant} and payment_id = $3 and payment_id is not null`
  const withoutPayment = `${sql.by("settlement_entries", "settlement_entries_without_payment")} where payment_id is null`
  return {
    known: (tenant, connectionId, rowIds) => {
      const text = `select * from settlement_entries where ${ofRow} and row_id = $4`
      const owner = [...bindTenant(tenant), bindText(connectionId)]
      const items = rowIds.map((id) => [bindText(id)])
      return Effect.map(readEach(sql, "knownRows", text, owner, items), (found) => found.map(readSettlement))
    },
    entriesOf: (tenant, paymentIds) => {
      const items = paymentIds.map((id) => [bindText(id)])
      return Effect.map(readEach(sql, "entriesOf", ofAll, bindTenant(tenant), items), (found) =>
        found.map(readSettlement).sort((a, b) => a.occurredAt - b.occurredAt || (a.rowId < b.rowId ? -1 : 1))
      )
    },
    entries: ({ after, connectionId, isWithoutPayment = false, limit, tenant }) => {
      const those = isWithoutPayment ? withoutPayment : "settlement_entries where true"
      const text = `select * from ${those} and ${ofTenant} and (connection_id, row_id) > ($3, $4)
        ${connectionId === undefined ? "" : "and connection_id = $6"} order by connection_id, row_id limit $5`
      const last = [after?.connectionId ?? "", after?.rowId ?? ""].map(bindText)
      const values = [
        ...bindTenant(tenant),
        ...last,
        limit,
        ...(connectionId === undefined ? [] : [bindText(connectionId)])
      ]
      return readAll(sql, "entries", readSettlement, text, values)
    }
  }
}

/** Differences that were open when their payment left. */
const isLeft = (ofPayment: string): string =>
  `payment_id is not null and closed_at is not null and not exists (select 1 from ${ofPayment})`

const makeWrites = <V>(sql: Sql<V>, form: SettlementForm<V>) => {
  const { bindTenant, bindText, readRun, readRunLease, runColumns } = sql.rows
  const insertRun = `${insertInto("reconciliation_runs", Object.keys(runColumns))} on conflict do nothing`
  const bindRun = valuesOf(runColumns)
  const ofFile = `select * from ${sql.by("reconciliation_runs", "reconciliation_runs_by_file")}
    where ${ofRow} and sha256 = $4 and format = $5`
  const keepLease = `update reconciliation_leases set until = $5 where ${ofRow} and holder = $4 returning 1 as one`
  const updateRun = `update reconciliation_runs set version = $3, data = $4
    where ${ofTenant} and id = $5 and version = $6 returning 1 as one`
  const ofEntry = "e.workspace_id = $1 and e.environment = $2 and e.connection_id = $3"
  const closeEach = sql.every(
    3,
    ["text", "bigint", "text", "text"],
    ([id, at, by, note], items) => `update settlement_entries as e set closed_at = ${at}, closed_by = ${by},
      closed_note = ${note} ${items} where ${ofEntry} and e.row_id = ${id} and ${isOpenEntry} returning 1 as one`
  )
  const correctEach = sql.every(
    3,
    ["text", "text", "bigint"],
    ([id, by, at], items) => `update settlement_entries as e set corrected_by = ${by},
      corrected_at = coalesce(e.corrected_at, ${at}), closed_at = coalesce(e.closed_at, ${at}),
      closed_by = coalesce(e.closed_by, 'row'), closed_note = coalesce(e.closed_note, ${by})
      ${items} where ${ofEntry} and e.row_id = ${id}`
  )
  const confirmEach = sql.every(
    3,
    ["text", "bigint"],
    ([id, at], items) => `update settlement_entries as e set generated_at = ${at}
      ${items} where ${ofEntry} and e.row_id = ${id} and e.generated_at < ${at}`
  )
  const ownerOf = (tenant: Tenant, connectionId: string) => [...bindTenant(tenant), bindText(connectionId)]

  const takeLease = (
    query: Query<V>,
    tenant: Tenant,
    connectionId: string,
    { fileName, holder, now, runId, until }: Ports.ComparisonHolder
  ) => {
    const values = [...ownerOf(tenant, connectionId), holder, until, runId, bindText(fileName), now]
    return Effect.map(query(takeRunLease, [...values, now + Ports.longestLeaseMillis]), ([row = {}]) =>
      readRunLease(row)
    )
  }

  const close = (query: Query<V>, tenant: Tenant, connectionId: string, closes: Ports.SettlementBatch["closes"]) => {
    const items = closes.map(({ closed: { at, by, note }, rowId }) => [bindText(rowId), at, by, bindText(note)])
    return Effect.map(queryAll(query, closeEach(ownerOf(tenant, connectionId), items)), (found) => found.flat().length)
  }

  /** Where two of one file begin, the second one waits for the lease, and then finds it taken. */
  const begin = Effect.fnUntraced(function* (query: Query<V>, run: ReconciliationRun, lease: Ports.RunHolder) {
    const owner = ownerOf(run.tenant, run.connectionId)
    const select = Effect.map(query(ofFile, [...owner, run.sha256, bindText(run.format)]), ([row]) =>
      row === undefined ? undefined : readRun(row)
    )
    const stored = yield* select
    if (stored?.state === "done") return { _tag: "Begun", run: stored } satisfies Ports.Begun
    const named = { runId: stored?.id ?? run.id, fileName: run.fileName }
    const held = yield* takeLease(query, run.tenant, run.connectionId, { ...lease, ...named })
    if (held.holder !== lease.holder) return { _tag: "Taken", by: held } satisfies Ports.Begun
    yield* query(insertRun, bindRun(run))
    return { _tag: "Begun", run: (yield* select) ?? run } satisfies Ports.Begun
  })

  /** `false` where the run has another version, or another holder reads the connection's reports. */
  const applyBatch = Effect.fnUntraced(function* (query: Query<V>, batch: Ports.SettlementBatch) {
    const { closes, confirmed = [], connectionId, corrections, entries, lease, run, tenant } = batch
    const owner = ownerOf(tenant, connectionId)
    const kept = yield* query(keepLease, [...owner, lease.holder, lease.until])
    if (kept.length === 0) return false
    if (run !== null) {
      const { after, expected } = run
      const moved = [...bindTenant(tenant), after.version, JSON.stringify(after), after.id, expected]
      if ((yield* query(updateRun, moved)).length === 0) return false
    }
    if (entries.length > 0) yield* form.insertEntries(query, entries)
    yield* close(query, tenant, connectionId, closes)
    const corrected = corrections.map(({ corrected: { at, by }, rowId }) => [bindText(rowId), bindText(by), at])
    yield* queryAll(query, correctEach(owner, corrected))
    const later = confirmed.map(({ generatedAt, rowId }) => [bindText(rowId), generatedAt])
    yield* queryAll(query, confirmEach(owner, later))
    return true
  })
  return { takeLease, close, begin, applyBatch }
}

/** Of one tenant the first values name it, which says where it is stored. */
const ofOwner = <V>({ rows: { bindTenant } }: Sql<V>, tenant: Tenant | undefined, values: Array<Bound<V>>) => {
  if (tenant === undefined) return []
  values.push(...bindTenant(tenant))
  return [ofTenant]
}

const selectDifferences = <V>(
  sql: Sql<V>,
  { after, connectionId, differences, limit, openedBefore, result, runId, tenant }: Ports.EntryQuery
) => {
  const { bindText, readSettlement } = sql.rows
  const values: Array<Bound<V>> = []
  const place = placesOf(values)
  const isOpen = differences === "open"
  const conditions = [
    ...ofOwner(sql, tenant, values),
    isOpen ? isOpenEntry : "opened_at is not null",
    ...(connectionId === undefined ? [] : [`connection_id = ${place(bindText(connectionId))}`]),
    ...(runId === undefined ? [] : [`run_id = ${place(runId)}`]),
    ...(result === undefined ? [] : [`result = ${place(result)}`]),
    ...(openedBefore === undefined ? [] : [`opened_at < ${place(openedBefore)}::bigint`]),
    ...(after === undefined
      ? []
      : [
          `(opened_at, connection_id, row_id) >
            (${place(after.openedAt)}::bigint, ${place(bindText(after.connectionId))}, ${place(bindText(after.rowId))})`
        ])
  ]
  const index = `settlement_differences${isOpen ? "_open" : ""}${tenant === undefined ? "" : "_of_tenant"}`
  const text = `select * from ${sql.by("settlement_entries", index)} where ${conditions.join(" and ")}
    order by opened_at, connection_id, row_id limit ${place(limit)}::integer`
  return Effect.map(sql.read("differences", text, values), (found) =>
    found
      .map(readSettlement)
      .sort((a, b) => (a.openedAt ?? 0) - (b.openedAt ?? 0) || byNames(a, b))
      .slice(0, limit)
  )
}

const byNames = (a: SettlementEntry, b: SettlementEntry): number => {
  const [one, other] = [a, b].map(({ connectionId, rowId }) => `${connectionId}\u0000${rowId}`)
  return (one as string) < (other as string) ? -1 : 1
}

const selectRuns = <V>(
  sql: Sql<V>,
  { before, connectionId, format, limit, tenant }: Parameters<Ports.Settlements["runs"]>[0]
) => {
  const { bindText, readRun } = sql.rows
  const values: Array<Bound<V>> = []
  const place = placesOf(values)
  const conditions = [
    "true",
    ...ofOwner(sql, tenant, values),
    ...(connectionId === undefined ? [] : [`connection_id = ${place(bindText(connectionId))}`]),
    ...(format === undefined ? [] : [`format = ${place(bindText(format))}`]),
    ...(before === undefined ? [] : [`id < ${place(bindText(before))}`])
  ]
  const text = `select * from reconciliation_runs where ${conditions.join(" and ")}
    order by id desc limit ${place(limit)}::integer`
  return Effect.map(sql.read("runs", text, values), (found) =>
    found
      .map(readRun)
      .sort((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit)
  )
}

const countOpen = <V>({ by }: Sql<V>) => `select result, count(*) as count, min(opened_at) as oldest_at from (
    select result, opened_at from ${by("settlement_entries", "settlement_differences_open")} where ${isOpenEntry}
    order by opened_at limit ${Ports.openCounted}
  ) as open group by result`

/** Of several nodes, each has its own. */
const mergedCounts = (found: ReadonlyArray<Row>): ReadonlyArray<Ports.OpenDifferences> =>
  [...Map.groupBy(found, (row) => row["result"] as Ports.OpenDifferences["result"])]
    .map(([result, some]) => ({
      result,
      count: some.reduce((sum, row) => sum + Number(row["count"]), 0),
      oldestAt: Math.min(...some.map((row) => row["oldest_at"] as number))
    }))
    .sort((a, b) => (a.result < b.result ? -1 : 1))

const leaseColumns = ["workspace_id", "environment", "connection_id", "holder", "until", "run_id", "file_name", "since"]
const isFree = `held.run_id = excluded.run_id or held.holder = excluded.holder
  or held.until <= excluded.since or held.until > $9::bigint`

/**
 * One statement takes the lease of a connection's reports, or says whose it is.
 *
 * It is free for the run that has it already: the same file, read again after its process died. Where that process is
 * alive, it writes no more.
 *
 * Parameters: the columns, where `since` is the time now, and the time after which no lease ends. Gives the lease as it is
 * afterwards.
 */
const takeRunLease = `${insertInto("reconciliation_leases as held", leaseColumns)}
  on conflict (workspace_id, environment, connection_id) do update set ${leaseColumns
    .slice(3)
    .map((column) => `${column} = case when ${isFree} then excluded.${column} else held.${column} end`)
    .join(", ")} returning *`
