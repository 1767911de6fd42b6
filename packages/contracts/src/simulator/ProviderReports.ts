/**
 * The reports of the simulated provider: every row of its balance, in the end. Until then a report may be late, leave rows
 * out, repeat some, and state some wrongly: the right row follows under the same id, or a further row corrects it.
 */
import type { ReportRow } from "@pointsman/core/connector"
import { type Draw, drawFrom } from "./Draw.ts"
import type { BalanceRow, ProviderBalance } from "./ProviderBalance.ts"

/** One report of one connection. */
export interface ProviderReport {
  readonly connectionId: string
  /** When it is written, in epoch milliseconds: not before what is in it. */
  readonly at: number
  readonly rows: ReadonlyArray<ReportRow>
}

const hour = 60 * 60_000
const day = 24 * hour

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
  const endOfDay = (Math.floor(row.occurredAt / day) + 1) * day
  const at = endOfDay + (draw.chance(0.2) ? draw.below(4) * day : 0)
  const later = at + (1 + draw.below(3)) * day
  const way = draw.pick(["once", "once", "once", "twice", "replaced", "corrected"])
  switch (way) {
    case "once":
      return [{ at, row }]
    case "twice":
      return [
        { at, row },
        { at: later, row }
      ]
    case "replaced":
      return [
        { at, row: misstated(row) },
        { at: later, row }
      ]
    case "corrected":
      return row.kind === "charge" ? corrected(row, at, later) : [{ at, row }]
  }
}

/** With a fee that is not the final one. */
const misstated = (row: BalanceRow): BalanceRow => {
  const { fee, net } = row
  if (fee === null || net === null) return row
  return {
    ...row,
    fee: { ...fee, minorUnits: fee.minorUnits + 3 },
    net: { ...net, minorUnits: net.minorUnits - 3 }
  }
}

/** A charge that was stated too high, and a row that takes the rest back. */
const corrected = (row: BalanceRow, at: number, later: number): ReadonlyArray<Written> => {
  const by = (money: BalanceRow["gross"], minorUnits: number) => ({
    ...money,
    minorUnits: money.minorUnits + minorUnits
  })
  const excess = 7
  const base = row.converted ?? row.gross
  const high: BalanceRow = {
    ...row,
    gross: by(row.gross, excess),
    converted: row.converted && by(row.converted, excess),
    net: row.net && by(row.net, excess)
  }
  const back: BalanceRow = {
    ...row,
    id: `${row.id}_correction`,
    kind: "charge_failed",
    gross: { ...row.gross, minorUnits: -excess },
    converted: row.converted && { ...row.converted, minorUnits: -excess },
    fee: row.fee && { ...row.fee, minorUnits: 0 },
    net: { minorUnits: -excess, currency: base.currency }
  }
  return [
    { at, row: high },
    { at: later, row: back }
  ]
}

const reportRow = ({ connectionId: _, ...row }: BalanceRow): ReportRow => row
