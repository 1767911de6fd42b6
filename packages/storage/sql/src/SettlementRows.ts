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
  plain,
  type Row,
  readJson,
  recordOf
} from "./Columns.ts"

type Corrected = NonNullable<SettlementEntry["corrected"]>
type Closed = NonNullable<SettlementEntry["closed"]>

export const makeSettlementRows = <V>({ tenant, text, textOrNull }: Parts<V>) => {
  const amount = (name: string) => orNull(moneyIn(`${name}_minor`, `${name}_currency`))
  const entry = recordOf<SettlementEntry, V, "tenant" | "gross" | "converted" | "fee" | "net" | "corrected" | "closed">(
    {
      ...alike(text, "connection_id", "row_id"),
      ...alike(textOrNull, "payment_id", "suggested_payment_id", "refund_id", "dispute_id", "provider_ref"),
      ...alike(textOrNull, "payout_id", "expected"),
      ...alike(plain, "run_id", "number", "kind", "result", "reason"),
      ...alike(plain, "generated_at", "occurred_at", "settled_at", "recorded_at", "opened_at"),
      names: json
    },
    {
      tenant,
      gross: moneyIn("gross_minor", "currency"),
      converted: amount("converted"),
      fee: amount("fee"),
      net: amount("net"),
      corrected: orNull(
        partOf<Corrected, V>({ at: columnOf("corrected_at", plain), by: columnOf("corrected_by", text) })
      ),
      closed: orNull(
        partOf<Closed, V>({
          at: columnOf("closed_at", plain),
          by: columnOf("closed_by", plain),
          note: columnOf("closed_note", text)
        })
      )
    }
  )
  return { settlementColumns: entry.columns, readSettlement: entry.read }
}

const sums = {
  ...alike(computed, "rows", "charges_minor", "refunds_minor", "disputes_minor"),
  ...alike(computed, "fees_minor", "payouts_minor", "others_minor")
}

export const makeRunRows = <V>({ tenant, text }: Parts<V>) => {
  const run = recordOf<
    Pick<ReconciliationRun, "tenant" | "id" | "connectionId" | "format" | "sha256" | "version">,
    V,
    "tenant"
  >({ id: plain, connection_id: text, format: text, sha256: plain, version: plain }, { tenant })
  /** What is asked of a run is beside it; the run itself is JSON. */
  const runColumns: Columns<ReconciliationRun, V> = { ...run.columns, data: bindJson }
  return {
    runColumns,
    readRun: (row: Row): ReconciliationRun => readJson(row["data"]),
    readRunLease: recordOf<RunLease, V>({
      ...alike(plain, "holder", "run_id", "since"),
      file_name: text,
      until: computed
    }).read,
    readBalanceRow: recordOf<BalanceRow, V>({ connection_id: text, day: plain, currency: plain, ...sums }).read,
    readPayoutPart: recordOf<PayoutPart, V>({
      ...alike(computed, "first_at", "last_at", "settled_at"),
      currency: plain,
      ...sums
    }).read,
    readPayoutMoves: recordOf<PayoutMoves, V>({
      ...alike(text, "connection_id", "payout_id"),
      ...alike(computed, "left_minor", "returned_minor")
    }).read
  }
}
