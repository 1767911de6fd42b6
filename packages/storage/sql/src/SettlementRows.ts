/** How reconciliation runs and settlement entries lie in their tables. */
import type { ReconciliationRun, RunLease, SettlementEntry } from "@pointsman/core"
import type { BalanceRow, PayoutMoves, PayoutPart } from "@pointsman/core/ports"
import {
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
    },
    {
      tenant,
      gross: moneyIn("gross_minor", "currency"),
      converted: amount("converted"),
      fee: amount("fee"),
      net: amount("net"),
      corrected: orNull(
        partOf<Corrected, V>({ at: columnOf("corrected_at", plain()), by: columnOf("corrected_by", text) })
      ),
      closed: orNull(
        partOf<Closed, V>({
          at: columnOf("closed_at", plain()),
          by: columnOf("closed_by", plain()),
          note: columnOf("closed_note", text)
        })
      )
    }
  )
  return { settlementColumns: entry.columns, readSettlement: entry.read }
}

const sums = {
  rows: computed<number>(),
  charges_minor: computed<number>(),
  refunds_minor: computed<number>(),
  disputes_minor: computed<number>(),
  fees_minor: computed<number>(),
  payouts_minor: computed<number>(),
  others_minor: computed<number>()
}

export const makeRunRows = <V>({ tenant, text }: Parts<V>) => {
  const run = recordOf<
    Pick<ReconciliationRun, "tenant" | "id" | "connectionId" | "format" | "sha256" | "version">,
    V,
    "tenant"
  >({ id: plain(), connection_id: text, format: text, sha256: plain(), version: plain() }, { tenant })
  /** What is asked of a run is beside it; the run itself is JSON. */
  const runColumns: Columns<ReconciliationRun, V> = { ...run.columns, data: bindJson }
  return {
    runColumns,
    readRun: (row: Row): ReconciliationRun => readJson(row["data"]),
    readRunLease: recordOf<RunLease, V>({
      holder: plain(),
      run_id: plain(),
      file_name: text,
      since: plain(),
      until: computed()
    }).read,
    readBalanceRow: recordOf<BalanceRow, V>({ connection_id: text, day: plain(), currency: plain(), ...sums }).read,
    readPayoutPart: recordOf<PayoutPart, V>({
      currency: plain(),
      ...sums,
      first_at: computed(),
      last_at: computed(),
      settled_at: computed()
    }).read,
    readPayoutMoves: recordOf<PayoutMoves, V>({
      connection_id: text,
      payout_id: text,
      left_minor: computed(),
      returned_minor: computed()
    }).read
  }
}
