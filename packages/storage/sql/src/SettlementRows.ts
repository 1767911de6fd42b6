/** How reconciliation runs and settlement entries lie in their tables. */
import type { Closing, ReconciliationRun, SettlementEntry, SignedMoney } from "@pointsman/core"
import type { BalanceRow, PayoutMoves, PayoutPart } from "@pointsman/core/ports"
import type { Columns, Parts, Row } from "./Columns.ts"

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
