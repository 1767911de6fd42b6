/** How reconciliation runs and settlement entries lie in their tables. */
import type { Closing, ReconciliationRun, SettlementEntry, SignedMoney } from "@pointsman/core"
import type { BalanceRow, PayoutMoves, PayoutPart } from "@pointsman/core/ports"
import type { Columns, Parts, Row } from "./Columns.ts"
import { json, plain, recordOf } from "./Fields.ts"

const amountOf = (row: Row, name: string): SignedMoney | null =>
  row[`${name}_minor`] === null
    ? null
    : { minorUnits: row[`${name}_minor`] as number, currency: row[`${name}_currency`] as string }

/** Beside the tenant, and what is several columns each. */
type Flat = Omit<SettlementEntry, "tenant" | "gross" | "converted" | "fee" | "net" | "corrected" | "closed">

export const makeSettlementRows = <V>({ bindText, readTenant, readText, text, textOrNull }: Parts<V>) => {
  const flat = recordOf<Flat, V>({
    connection_id: text,
    row_id: text,
    run_id: plain(),
    number: plain(),
    generated_at: plain(),
    kind: plain(),
    result: plain(),
    reason: plain(),
    payment_id: textOrNull,
    suggested_payment_id: textOrNull,
    refund_id: textOrNull,
    dispute_id: textOrNull,
    provider_ref: textOrNull,
    names: json(),
    payout_id: textOrNull,
    occurred_at: plain(),
    settled_at: plain(),
    recorded_at: plain(),
    expected: textOrNull,
    opened_at: plain()
  })
  const settlementColumns: Columns<SettlementEntry, V> = {
    workspace_id: ({ tenant }) => bindText(tenant.workspaceId),
    environment: ({ tenant }) => tenant.environment,
    ...flat.columns,
    gross_minor: ({ gross }) => gross.minorUnits,
    currency: ({ gross }) => gross.currency,
    converted_minor: ({ converted }) => converted?.minorUnits ?? null,
    converted_currency: ({ converted }) => converted?.currency ?? null,
    fee_minor: ({ fee }) => fee?.minorUnits ?? null,
    fee_currency: ({ fee }) => fee?.currency ?? null,
    net_minor: ({ net }) => net?.minorUnits ?? null,
    net_currency: ({ net }) => net?.currency ?? null,
    corrected_by: ({ corrected }) => (corrected === null ? null : bindText(corrected.by)),
    corrected_at: ({ corrected }) => corrected?.at ?? null,
    closed_at: ({ closed }) => closed?.at ?? null,
    closed_by: ({ closed }) => closed?.by ?? null,
    closed_note: ({ closed }) => (closed === null ? null : bindText(closed.note))
  }
  const closedOf = (row: Row): Closing => ({
    by: row["closed_by"] as Closing["by"],
    note: readText(row["closed_note"]),
    at: row["closed_at"] as number
  })
  const readSettlement = (row: Row): SettlementEntry => ({
    tenant: readTenant(row),
    ...flat.read(row),
    gross: { minorUnits: row["gross_minor"] as number, currency: row["currency"] as string },
    converted: amountOf(row, "converted"),
    fee: amountOf(row, "fee"),
    net: amountOf(row, "net"),
    corrected:
      row["corrected_at"] === null ? null : { by: readText(row["corrected_by"]), at: row["corrected_at"] as number },
    closed: row["closed_at"] === null ? null : closedOf(row)
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
