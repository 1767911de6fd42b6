/** How reconciliation runs and settlement entries lie in their tables. */
import type { Closing, ReconciliationRun, SettlementEntry, SignedMoney } from "@pointsman/core"
import type { BalanceRow, EntryQuery, NameKind, PayoutMoves, PayoutPart } from "@pointsman/core/ports"
import { type Columns, type Parts, type Row, tenantKey } from "./Columns.ts"

export const settlementKey: ReadonlyArray<string> = [...tenantKey, "connection_id", "row_id"]
export const runKey: ReadonlyArray<string> = [...tenantKey, "id"]

const amountOf = (row: Row, name: string, currency = `${name}_currency`): SignedMoney | null =>
  row[`${name}_minor`] === null
    ? null
    : { minorUnits: row[`${name}_minor`] as number, currency: row[currency] as string }

export const makeSettlementRows = <V>(parts: Parts<V>) => {
  const { bindText, bindTextOrNull, readTenant, readText, readTextOrNull } = parts

  const settlementColumns: Columns<SettlementEntry, V> = {
    workspace_id: ({ tenant }) => bindText(tenant.workspaceId),
    environment: ({ tenant }) => tenant.environment,
    connection_id: ({ connectionId }) => bindText(connectionId),
    row_id: ({ rowId }) => bindText(rowId),
    run_id: ({ runId }) => runId,
    number: ({ number }) => number,
    generated_at: ({ generatedAt }) => generatedAt,
    kind: ({ kind }) => kind,
    result: ({ result }) => result,
    reason: ({ reason }) => reason,
    payment_id: ({ paymentId }) => bindTextOrNull(paymentId),
    suggested_payment_id: ({ suggestedPaymentId }) => bindTextOrNull(suggestedPaymentId),
    refund_id: ({ refundId }) => bindTextOrNull(refundId),
    dispute_id: ({ disputeId }) => bindTextOrNull(disputeId),
    provider_ref: ({ providerRef }) => bindTextOrNull(providerRef),
    // JSON escapes what a database's text does not hold.
    names: ({ names }) => (names === null ? null : JSON.stringify(names)),
    gross_minor: ({ gross }) => gross.minorUnits,
    currency: ({ gross }) => gross.currency,
    converted_minor: ({ converted }) => converted?.minorUnits ?? null,
    converted_currency: ({ converted }) => converted?.currency ?? null,
    fee_minor: ({ fee }) => fee?.minorUnits ?? null,
    fee_currency: ({ fee }) => fee?.currency ?? null,
    net_minor: ({ net }) => net?.minorUnits ?? null,
    net_currency: ({ net }) => net?.currency ?? null,
    payout_id: ({ payoutId }) => bindTextOrNull(payoutId),
    occurred_at: ({ occurredAt }) => occurredAt,
    settled_at: ({ settledAt }) => settledAt,
    recorded_at: ({ recordedAt }) => recordedAt,
    corrected_by: ({ corrected }) => (corrected === null ? null : bindText(corrected.by)),
    corrected_at: ({ corrected }) => corrected?.at ?? null,
    expected: ({ expected }) => bindTextOrNull(expected),
    opened_at: ({ openedAt }) => openedAt,
    closed_at: ({ closed }) => closed?.at ?? null,
    closed_by: ({ closed }) => closed?.by ?? null,
    closed_note: ({ closed }) => (closed === null ? null : bindText(closed.note))
  }

  const readSettlement = (row: Row): SettlementEntry => ({
    tenant: readTenant(row),
    connectionId: readText(row["connection_id"]),
    rowId: readText(row["row_id"]),
    runId: row["run_id"] as string,
    number: row["number"] as number,
    generatedAt: row["generated_at"] as number,
    result: row["result"] as SettlementEntry["result"],
    reason: row["reason"] as SettlementEntry["reason"],
    paymentId: readTextOrNull(row["payment_id"]),
    kind: row["kind"] as SettlementEntry["kind"],
    suggestedPaymentId: readTextOrNull(row["suggested_payment_id"]),
    refundId: readTextOrNull(row["refund_id"]),
    disputeId: readTextOrNull(row["dispute_id"]),
    providerRef: readTextOrNull(row["provider_ref"]),
    names: row["names"] === null ? null : (JSON.parse(row["names"] as string) as SettlementEntry["names"]),
    gross: { minorUnits: row["gross_minor"] as number, currency: row["currency"] as string },
    converted: amountOf(row, "converted"),
    fee: amountOf(row, "fee"),
    net: amountOf(row, "net"),
    payoutId: readTextOrNull(row["payout_id"]),
    occurredAt: row["occurred_at"] as number,
    settledAt: row["settled_at"] as number | null,
    recordedAt: row["recorded_at"] as number,
    expected: readTextOrNull(row["expected"]),
    openedAt: row["opened_at"] as number | null,
    corrected:
      row["corrected_at"] === null ? null : { by: readText(row["corrected_by"]), at: row["corrected_at"] as number },
    closed:
      row["closed_at"] === null
        ? null
        : {
            by: row["closed_by"] as Closing["by"],
            note: readText(row["closed_note"]),
            at: row["closed_at"] as number
          }
  })

  return { settlementColumns, readSettlement }
}

const readSums = (row: Row) => ({
  rows: Number(row["rows"]),
  chargesMinor: Number(row["charges_minor"]),
  refundsMinor: Number(row["refunds_minor"]),
  disputesMinor: Number(row["disputes_minor"]),
  feesMinor: Number(row["fees_minor"]),
  payoutsMinor: Number(row["payouts_minor"]),
  othersMinor: Number(row["others_minor"])
})

export const makeRunRows = <V>({ bindText, readText }: Parts<V>) => {
  /** What is asked of a run is beside it; the run itself is JSON. */
  const runColumns: Columns<ReconciliationRun, V> = {
    workspace_id: ({ tenant }) => bindText(tenant.workspaceId),
    environment: ({ tenant }) => tenant.environment,
    id: ({ id }) => id,
    connection_id: ({ connectionId }) => bindText(connectionId),
    format: ({ format }) => bindText(format),
    sha256: ({ sha256 }) => sha256,
    version: ({ version }) => version,
    data: (run) => JSON.stringify(run)
  }

  const readRun = (row: Row): ReconciliationRun => JSON.parse(row["data"] as string) as ReconciliationRun

  const readBalanceRow = (row: Row): BalanceRow => ({
    connectionId: readText(row["connection_id"]),
    day: row["day"] as number,
    currency: row["currency"] as string,
    ...readSums(row)
  })

  const readPayoutPart = (row: Row): PayoutPart => ({
    currency: row["currency"] as string,
    ...readSums(row),
    firstAt: Number(row["first_at"]),
    lastAt: Number(row["last_at"]),
    settledAt: row["settled_at"] === null ? null : Number(row["settled_at"])
  })

  const readPayoutMoves = (row: Row): PayoutMoves => ({
    connectionId: readText(row["connection_id"]),
    payoutId: readText(row["payout_id"]),
    leftMinor: Number(row["left_minor"]),
    returnedMinor: Number(row["returned_minor"])
  })

  return { runColumns, readRun, readBalanceRow, readPayoutPart, readPayoutMoves }
}

/** A difference that is open. */
export const isOpenEntry = "opened_at is not null and closed_at is null"

/** An entry that leaves with its payment, or when its time is over. */
export const mayLeaveEntry = "(opened_at is null or closed_at is not null)"

const dayMillis = 24 * 60 * 60 * 1_000
const kindSum = (name: string, kinds: string) => `sum(case when kind in (${kinds}) then moved else 0 end) as ${name}`

const sumsOfMoves = `count(*) as rows,
    ${kindSum("charges_minor", "'charge', 'charge_failed'")},
    ${kindSum("refunds_minor", "'refund', 'refund_failed'")},
    ${kindSum("disputes_minor", "'dispute', 'dispute_reversed'")},
    sum(cost) as fees_minor,
    ${kindSum("payouts_minor", "'payout', 'payout_failed'")},
    ${kindSum("others_minor", "'fee', 'adjustment'")}`

/** Of one entry. */
const move = `coalesce(net_currency, converted_currency, currency) as moved_currency,
      coalesce(converted_minor, gross_minor) as moved, coalesce(fee_minor, 0) as cost`

/** Of the versions of a row the newest one counts, and the same row at a second place of its report does not. */
const isCounted = "number > 0 and reason <> 'same_row' and corrected_at is null"

/** What one payout has, by currency. `table`: the table, with its index. `where`: the payout. */
export const selectPayoutParts = (table: string, where: string): string => `select moved_currency as currency,
    ${sumsOfMoves}, min(occurred_at) as first_at, max(occurred_at) as last_at, max(settled_at) as settled_at
  from (
    select kind, occurred_at, settled_at,
      ${move}
    from ${table} where ${where} and ${isCounted} order by occurred_at, row_id
  ) as moves
  group by moved_currency order by moved_currency`

/** What the rows of one payout itself moved, by currency. */
export const selectPayoutMoves = (table: string, where: string): string => `select connection_id, payout_id,
    ${kindSum("left_minor", "'payout'")}, ${kindSum("returned_minor", "'payout_failed'")}
  from (
    select connection_id, payout_id, kind, ${move}
    from ${table} where ${where} and kind in ('payout', 'payout_failed') and ${isCounted}
  ) as moves
  group by connection_id, payout_id, moved_currency`

/** Entries of one payout. `after`: the condition of a later page. */
export const selectPayoutEntries = (table: string, where: string, after: string, limit: string): string =>
  `select * from ${table} where ${where} and ${isCounted} and ${after} order by occurred_at, row_id limit ${limit}`

/** Entries of payouts themselves, which belong to no payment. `where`: the tenant and the times. */
export const selectPayouts = (table: string, where: string, limit: string): string =>
  `select * from ${table} where ${where} and payment_id is null and kind = 'payout' and ${isCounted}
    order by occurred_at desc, connection_id desc, row_id desc limit ${limit}`

/** What moved, by connection, day and currency. `where`: the tenant and the times. */
export const selectBalance = (where: string): string => `select connection_id, day, moved_currency as currency,
    ${sumsOfMoves}
  from (
    select connection_id, kind, occurred_at - occurred_at % ${dayMillis} as day,
      ${move}
    from settlement_entries where ${where} and ${isCounted}
  ) as moves
  group by connection_id, day, moved_currency order by connection_id, day, moved_currency`

/** Conditions of a list of differences, each with its values in order. */
export const differenceConditions = <V>(
  { bindTenant, bindText }: Pick<Parts<V>, "bindTenant" | "bindText">,
  { after, connectionId, differences, openedBefore, result, runId, tenant }: EntryQuery
): ReadonlyArray<readonly [condition: (bind: () => string) => string, values: ReadonlyArray<V | string | number>]> => [
  [() => (differences === "open" ? isOpenEntry : "opened_at is not null"), []],
  ...(tenant === undefined
    ? []
    : [[(bind: () => string) => `workspace_id = ${bind()} and environment = ${bind()}`, bindTenant(tenant)] as const]),
  ...(connectionId === undefined
    ? []
    : [[(bind: () => string) => `connection_id = ${bind()}`, [bindText(connectionId)]] as const]),
  ...(runId === undefined ? [] : [[(bind: () => string) => `run_id = ${bind()}`, [runId]] as const]),
  ...(result === undefined ? [] : [[(bind: () => string) => `result = ${bind()}`, [result]] as const]),
  ...(openedBefore === undefined ? [] : [[(bind: () => string) => `opened_at < ${bind()}`, [openedBefore]] as const]),
  ...(after === undefined
    ? []
    : [
        [
          (bind: () => string) => `(opened_at, connection_id, row_id) > (${bind()}, ${bind()}, ${bind()})`,
          [after.openedAt, bindText(after.connectionId), bindText(after.rowId)]
        ] as const
      ])
]

/**
 * The payment that is meant first: requests under one key derive one attempt id, and those that were given up were not
 * sent.
 */
export const nameOrder = (kind: NameKind): string =>
  `${kind === "attemptIds" ? "coalesce(outcome, '') = 'Abandoned', " : ""}payment_id desc`

/** Where the names of each kind are found: a table, and the column that holds the name. */
export const namePlaces: Readonly<Record<NameKind, readonly [table: string, column: string]>> = {
  attemptIds: ["attempts", "id"],
  operationIds: ["operations", "id"],
  refundIds: ["refunds", "id"],
  providerRefundIds: ["refunds", "provider_refund_id"],
  providerRefs: ["charge_references", "provider_ref"]
}
