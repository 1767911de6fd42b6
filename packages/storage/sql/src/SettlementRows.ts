/** How reconciliation runs and settlement entries lie in their tables. */
import type { ReconciliationRun, RunLease, SettlementEntry } from "@pointsman/core"
import type { BalanceRow, PayoutMoves, PayoutPart } from "@pointsman/core/ports"
import {
  alike,
  bindJson,
  type Columns,
  columnOf,
  computed,
  json,
  moneyIn,
  orNull,
  type Parts,
  partOf,
  type Row,
  readJson,
  recordOf
} from "./Columns.ts"

type Corrected = NonNullable<SettlementEntry["corrected"]>
type Closed = NonNullable<SettlementEntry["closed"]>

export const makeSettlementRows = <V>({ tenant, value }: Parts<V>) => {
  const amount = (name: string) => orNull(moneyIn(`${name}_minor`, `${name}_currency`))
  const prefixed = <A>(prefix: string, ...names: ReadonlyArray<keyof A & string>) =>
    orNull(
      partOf<A, V>(
        Object.fromEntries(names.map((name) => [name, columnOf<never, V>(`${prefix}_${name}`, value)])) as never
      )
    )
  const entry = recordOf<SettlementEntry, V, "tenant" | "gross" | "converted" | "fee" | "net" | "corrected" | "closed">(
    {
      ...alike(value, "connection_id", "row_id", "run_id", "number", "kind", "result", "reason", "provider_ref"),
      ...alike(value, "payment_id", "suggested_payment_id", "refund_id", "dispute_id", "payout_id", "expected"),
      ...alike(value, "generated_at", "occurred_at", "settled_at", "recorded_at", "opened_at"),
      names: json
    },
    {
      tenant,
      gross: moneyIn("gross_minor", "currency"),
      converted: amount("converted"),
      fee: amount("fee"),
      net: amount("net"),
      corrected: prefixed<Corrected>("corrected", "at", "by"),
      closed: prefixed<Closed>("closed", "at", "by", "note")
    }
  )
  return { settlementColumns: entry.columns, readSettlement: entry.read }
}

const sums = {
  ...alike(computed, "rows", "charges_minor", "refunds_minor", "disputes_minor"),
  ...alike(computed, "fees_minor", "payouts_minor", "others_minor")
}

export const makeRunRows = <V>({ tenant, value }: Parts<V>) => {
  const run = recordOf<
    Pick<ReconciliationRun, "tenant" | "id" | "connectionId" | "format" | "sha256" | "version">,
    V,
    "tenant"
  >(alike(value, "id", "connection_id", "format", "sha256", "version"), { tenant })
  /** What is asked of a run is beside it; the run itself is JSON. */
  const runColumns: Columns<ReconciliationRun, V> = { ...run.columns, data: bindJson }
  return {
    runColumns,
    readRun: (row: Row): ReconciliationRun => readJson(row["data"]),
    readRunLease: recordOf<RunLease, V>({
      ...alike(value, "holder", "run_id", "file_name", "since"),
      until: computed
    }).read,
    readBalanceRow: recordOf<BalanceRow, V>({ ...alike(value, "connection_id", "day", "currency"), ...sums }).read,
    readPayoutPart: recordOf<PayoutPart, V>({
      ...alike(computed, "first_at", "last_at", "settled_at"),
      currency: value,
      ...sums
    }).read,
    readPayoutMoves: recordOf<PayoutMoves, V>({
      ...alike(value, "connection_id", "payout_id"),
      ...alike(computed, "left_minor", "returned_minor")
    }).read
  }
}
