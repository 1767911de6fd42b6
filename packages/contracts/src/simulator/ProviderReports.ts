/**
 * The reports of the simulated provider: every row of its balance, in the end. Until then a report may be late, leave rows
 * out and repeat some. A row comes again under its id once its fee is final, and once it is paid out; a fee that was wrong
 * may also be given back by a further row.
 */
import type { ReportRow } from "@pointsman/core/connector"
import { type Draw, drawFrom } from "./Draw.ts"
import { type BalanceRow, nothingNamed, type ProviderBalance } from "./ProviderBalance.ts"
import { day } from "./Time.ts"

/** One report of one connection. */
export interface ProviderReport {
  readonly connectionId: string
  /** When it is written, in epoch milliseconds: not before what is in it. */
  readonly at: number
  readonly rows: ReadonlyArray<ReportRow>
}

/** A row, and when it is in a report. */
interface Written {
  readonly at: number
  readonly row: BalanceRow
}

/** The stream of what reports do, beside those of a plan. */
const reportStream = -2

/** In the order in which they are written. The same seed gives the same reports. */
export const reportsOf = ({ rows }: ProviderBalance, seed: number): ReadonlyArray<ProviderReport> => {
  const draw = drawFrom(seed, reportStream)
  const written = rows.flatMap((row) => writtenOf(draw, row))
  const reports = Map.groupBy(written, ({ at, row }) => `${at} ${row.connectionId}`)
  return [...reports.values()]
    .map((ofOne): ProviderReport => {
      const [first] = ofOne as [Written]
      return { connectionId: first.row.connectionId, at: first.at, rows: ofOne.map(({ row }) => reportRow(row)) }
    })
    .sort((one, other) => one.at - other.at || (one.connectionId < other.connectionId ? -1 : 1))
}

/** Reports are written at the end of a day; some rows come days later. */
const writtenOf = (draw: Draw, row: BalanceRow): ReadonlyArray<Written> => {
  const at = endOfDay(row.occurredAt) + (draw.chance(0.2) ? draw.below(4) * day : 0)
  const later = at + (1 + draw.below(3)) * day
  const versions = versionsOf(draw.pick(["once", "once", "once", "twice", "replaced", "corrected"]), row, at, later)
  const { paidOut } = row
  if (paidOut === null) return versions
  const paidAt = endOfDay(paidOut.at)
  const paid = (one: Written): Written => {
    const isOfRow = one.row.id === row.id
    return isOfRow && one.at >= paidAt ? { ...one, row: { ...one.row, payoutId: paidOut.payoutId } } : one
  }
  const known = versions.map(paid)
  const last = versions.findLast((one) => one.row.id === row.id)
  // The payout comes after the last version of the row.
  return last === undefined || last.at >= paidAt ? known : [...known, paid({ ...last, at: paidAt })]
}

const endOfDay = (at: number): number => (Math.floor(at / day) + 1) * day

const versionsOf = (
  way: "once" | "twice" | "replaced" | "corrected",
  row: BalanceRow,
  at: number,
  later: number
): ReadonlyArray<Written> => {
  const once = { at, row }
  switch (way) {
    case "once":
      return [once]
    case "twice":
      return [once, { at: later, row }]
    case "replaced":
      return [
        { at, row: misstated(row) },
        { at: later, row }
      ]
    case "corrected":
      return correctedOf(row, at, later) ?? [once]
  }
}

/** Before its fee is final. */
const misstated = (row: BalanceRow): BalanceRow => withFee(row, 3)

const withFee = (row: BalanceRow, moreMinor: number): BalanceRow => {
  const { fee, net } = row
  if (fee === null || net === null) return row
  return {
    ...row,
    fee: { ...fee, minorUnits: fee.minorUnits + moreMinor },
    net: { ...net, minorUnits: net.minorUnits - moreMinor }
  }
}

/**
 * A fee that was too high stays in its row, and a further row of a fee gives it back. What was captured is right in every
 * row: a provider that states another amount contradicts itself.
 */
const correctedOf = (row: BalanceRow, at: number, later: number): ReadonlyArray<Written> | undefined => {
  const { fee, net } = row
  if (row.kind !== "charge" || fee === null || net === null) return undefined
  const excess = 7
  const back: BalanceRow = {
    ...row,
    id: `${row.id}_correction`,
    kind: "fee",
    names: nothingNamed,
    gross: { ...fee, minorUnits: excess },
    converted: null,
    fee: { ...fee, minorUnits: 0 },
    net: { ...net, minorUnits: excess }
  }
  return [
    { at, row: withFee(row, excess) },
    { at: later, row: back }
  ]
}

const reportRow = ({ connectionId: _, paidOut: __, ...row }: BalanceRow): ReportRow => row
