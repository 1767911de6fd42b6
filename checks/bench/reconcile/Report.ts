/** A report about the payments that `Fill.ts` writes, in the order of their numbers, with planted differences. */
import type { SettlementResult } from "@pointsman/core"
import type { ReportEntry, ReportRow } from "@pointsman/core/connector"
import { authorizedEvery, createdAtOf, everyMillis, paymentIdOf, providerRefOf } from "../kit/FilledIds.ts"

const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })
const gross = 1_000
const fee = 25
const hour = 60 * 60_000

/** Where a payout is, after so many payments. */
const payoutEvery = 2_000

/** What is planted at a payment, one after the other. */
const kinds = [
  "amount_differs",
  "missing_here",
  "missing_there",
  "status_differs",
  "duplicate",
  "same_row",
  "fee_differs",
  "net_differs"
] as const
type Planted = (typeof kinds)[number]

const plantedCount = 40

/** The payment of each planted difference: far from the first hour, which a first report says nothing about. */
const plantedAt = (rows: number): ReadonlyMap<number, Planted> => {
  const places = new Map<number, Planted>()
  const apart = Math.floor((rows * 0.9) / plantedCount)
  for (let index = 0; index < plantedCount; index++) {
    const kind = kinds[index % kinds.length] as Planted
    // Every tenth payment is authorized alone: of those a charge is a surprise.
    const near = Math.floor((rows * 0.05 + index * apart) / authorizedEvery) * authorizedEvery
    places.set(near + (kind === "status_differs" ? 0 : 1 + (index % (authorizedEvery - 1))), kind)
  }
  // The first hour of a first report is not looked at.
  if ([...places.keys()].some((number) => number * everyMillis < 2 * hour)) throw new Error("too few rows")
  return places
}

/** What has to be found, by row id. */
export const plantedIn = (rows: number): Readonly<Record<string, SettlementResult>> => {
  const found: Record<string, SettlementResult> = {}
  for (const [number, kind] of plantedAt(rows)) {
    if (kind === "missing_there") found[`missing:${paymentIdOf(number)}`] = "missing_there"
    else if (kind === "missing_here") found[`unknown_${number}`] = "missing_here"
    else if (kind === "duplicate") found[`second_${number}`] = "duplicate"
    else if (kind === "same_row") found[`same_${number}`] = "duplicate"
    else found[rowIdOf(number)] = kind === "net_differs" ? "fee_differs" : kind
  }
  return found
}

/** As the difference of a row that is in a report twice is named here: its number depends on what comes before it. */
export const foundId = (rowId: string): string => rowId.replace(/^row_(\d+)#.*$/u, "same_$1")

const rowIdOf = (number: number): string => `row_${number}`

const rowOf = (number: number, fields: Partial<ReportRow> = {}): ReportRow => ({
  id: rowIdOf(number),
  kind: "charge",
  names: {
    attemptId: null,
    operationId: null,
    refundId: null,
    providerRef: providerRefOf(number),
    providerRefundId: null,
    disputeId: null,
    reference: null
  },
  gross: eur(gross),
  converted: null,
  fee: eur(fee),
  net: eur(gross - fee),
  payoutId: `po_${Math.floor(number / payoutEvery)}`,
  occurredAt: createdAtOf(number),
  settledAt: createdAtOf(number) + 48 * hour,
  ...fields
})

const rowsOf = (number: number, planted: Planted | undefined): ReadonlyArray<ReportRow> => {
  switch (planted) {
    case undefined:
      return number % authorizedEvery === 0 ? [] : [rowOf(number)]
    case "amount_differs":
      return [rowOf(number, { gross: eur(900), net: eur(900 - fee) })]
    case "missing_there":
      return []
    case "missing_here": {
      const row = rowOf(number)
      const names = { ...row.names, providerRef: `unknown_${number}` }
      return [row, { ...row, id: `unknown_${number}`, names }]
    }
    case "status_differs":
      return [rowOf(number)]
    case "duplicate":
      return [rowOf(number), rowOf(number, { id: `second_${number}` })]
    case "same_row":
      return [rowOf(number), rowOf(number)]
    case "fee_differs":
      return [rowOf(number, { fee: eur(fee + 1) })]
    case "net_differs":
      return [rowOf(number, { net: eur(gross) })]
  }
}

const payout = (number: number): ReportRow =>
  rowOf(number, {
    id: `payout_${number}`,
    kind: "payout",
    names: { ...rowOf(number).names, providerRef: null },
    gross: eur(-payoutEvery * (gross - fee)),
    fee: null,
    net: null,
    settledAt: null
  })

/** Entries of a chunk. */
const chunk = 1_000

/** The whole report, a chunk at a time. `isAgain`: of another file, which has one more row. */
export async function* reportOf(rows: number, isAgain: boolean): AsyncGenerator<ReadonlyArray<ReportEntry>> {
  const planted = plantedAt(rows)
  let entries: Array<ReportEntry> = isAgain ? [{ _tag: "Row", row: payout(1) }] : []
  for (let number = 0; number < rows; number++) {
    const made = rowsOf(number, planted.get(number))
    for (const row of number % payoutEvery === payoutEvery - 1 ? [...made, payout(number)] : made) {
      entries.push({ _tag: "Row", row })
    }
    if (entries.length >= chunk) {
      yield entries
      entries = []
    }
  }
  if (entries.length > 0) yield entries
}
