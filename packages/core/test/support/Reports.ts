/** Reports of a provider: rows of payments, and runs of them. */
import { type Payment, Pointsman, type ReportOrder, type SettlementEntry } from "@pointsman/core"
import type { ReportEntry, ReportRow } from "@pointsman/core/connector"
import { Settlements } from "@pointsman/core/ports"
import { Effect } from "effect"
import { tenant } from "./World.ts"

export const day = 24 * 60 * 60_000
/** After what the tests create, at 0. */
export const paidAt = 10 * day

export const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })

/** The row of a payout of a payment without fees, unless told otherwise. */
export const rowOf = (
  payment: Payment | undefined,
  { names, ...fields }: Partial<Omit<ReportRow, "names">> & { readonly names?: Partial<ReportRow["names"]> } = {}
): ReportRow => ({
  id: `row_${payment?.id}`,
  kind: "charge",
  gross: eur(payment?.money.minorUnits ?? 0),
  converted: null,
  fee: null,
  net: null,
  payoutId: "po_1",
  occurredAt: paidAt,
  settledAt: paidAt + day,
  ...fields,
  names: {
    attemptId: null,
    operationId: null,
    refundId: null,
    providerRef: payment?.providerRef ?? null,
    providerRefundId: null,
    disputeId: null,
    reference: null,
    ...names
  }
})

async function* chunksOf(
  entries: ReadonlyArray<ReportEntry>,
  size: number
): AsyncGenerator<ReadonlyArray<ReportEntry>> {
  for (let at = 0; at < entries.length; at += size) yield entries.slice(at, at + size)
}

export const orderOf = (
  rows: ReadonlyArray<ReportRow>,
  more: Partial<ReportOrder> & { readonly delayMillis?: number } = {}
): ReportOrder => {
  const { delayMillis = 2 * day, ...order } = more
  return {
    connectionId: "main",
    format: { name: "test", kinds: ["scripted"], delayMillis },
    fileName: "report.csv",
    sha256: `sha of ${JSON.stringify(rows.map(({ id }) => id))}`,
    entries: chunksOf(
      rows.map((row) => ({ _tag: "Row", row })),
      7
    ),
    ...order
  }
}

export const reconcile = (order: ReportOrder) =>
  Effect.flatMap(Pointsman, ({ reconciliation }) => reconciliation.run(order))

/** By row id. */
export const entriesOf = Effect.gen(function* () {
  const settlements = yield* Settlements
  return yield* settlements.entries({ tenant, connectionId: "main", after: "", limit: 10_000 })
})

/** What was found, by row id. */
export const foundIn = (entries: ReadonlyArray<SettlementEntry>) =>
  Object.fromEntries(entries.map(({ reason, result, rowId }) => [rowId, `${result} ${reason}`]))
