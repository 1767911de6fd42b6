/**
 * The cells of one record of a report, by the names of their columns. What cannot be read is remembered, the first of it, so
 * that a format reads on as if all was well: a report has millions of rows, and most of them are good.
 */
import { type ReportEntry, type ReportRow, type SignedMoney, scaleOf } from "@pointsman/core/connector"
import { minorUnitsOf } from "./DecimalText.ts"
import type { Column, ReportFormat } from "./ReportFormat.ts"
import { timeOf } from "./ReportTime.ts"

const plain = (name: string): string => name.replace(/\s/gu, "").toLowerCase()

/** Where each column is: the first of its name. */
export const positionsOf = (
  header: ReadonlyArray<string>,
  columns: ReadonlyArray<Column>
): ReadonlyMap<string, number> | { readonly missing: string } => {
  const names = header.map(plain)
  const positions = new Map<string, number>()
  for (const { isRequired, name } of columns) {
    const at = names.indexOf(plain(name))
    if (at === -1 && isRequired) return { missing: name }
    if (at !== -1) positions.set(name, at)
  }
  return positions
}

const idAtMost = 255

export class Cells {
  readonly #positions: ReadonlyMap<string, number>
  readonly #header: ReadonlyArray<string>
  #record: ReadonlyArray<string> = []
  #fault: { readonly field: string; readonly reason: string } | undefined

  constructor(positions: ReadonlyMap<string, number>, header: ReadonlyArray<string>) {
    this.#positions = positions
    this.#header = header
  }

  /** The text of a cell, without spaces around it; empty where the report has no such column. */
  text(column: string): string {
    const at = this.#positions.get(column)
    const text = at === undefined ? undefined : this.#record[at]
    return text === undefined || text === "" ? "" : text.trim()
  }

  /** Whether the report has the column. */
  has(column: string): boolean {
    return this.#positions.has(column)
  }

  orNull(column: string): string | null {
    return this.text(column) || null
  }

  needed(column: string): string {
    const text = this.text(column)
    if (text === "") this.refuse(column, "expected a text, found an empty cell")
    return text
  }

  /** An ISO 4217 code in upper case; empty where it is none. */
  currency(column: string): string {
    const currency = this.text(column).toUpperCase()
    if (scaleOf(currency) !== undefined) return currency
    this.refuse(column, "expected a currency code of ISO 4217")
    return ""
  }

  /** An amount in minor units. `orZero`: an empty cell is no amount of money. */
  amount(column: string, currency: string, { orZero = false } = {}): number {
    const text = this.text(column)
    if (text === "" && orZero) return 0
    const scale = scaleOf(currency)
    const units = scale === undefined ? undefined : minorUnitsOf(text, scale)
    if (units !== undefined) return units
    this.refuse(column, `expected a decimal amount with no more decimals than ${currency || "its currency"} has`)
    return 0
  }

  /** Credit less debit, in minor units; `null` where both cells are empty. */
  balance(debit: string, credit: string, currency: string): number | null {
    if (this.text(debit) === "" && this.text(credit) === "") return null
    return this.amount(credit, currency, { orZero: true }) - this.amount(debit, currency, { orZero: true })
  }

  /** Epoch milliseconds. */
  time(column: string, zone?: string): number {
    const time = timeOf(this.text(column), zone)
    if (time !== undefined) return time
    this.refuse(column, "expected a date and time in a known time zone, such as 2026-01-31 12:00:00")
    return 0
  }

  timeOrNull(column: string, zone?: string): number | null {
    return this.text(column) === "" ? null : this.time(column, zone)
  }

  /** `reason`: what was expected. It shows nothing of the cell. */
  refuse(field: string, reason: string): void {
    this.#fault ??= { field, reason }
  }

  /** What `read` makes of a record, or the first thing that is wrong with it. `undefined`: the record moves no money. */
  entry(
    record: ReadonlyArray<string>,
    row: number,
    read: (cells: Cells) => ReportRow | undefined,
    netColumn: string
  ): ReportEntry | undefined {
    this.#record = record
    this.#fault = undefined
    this.#checkWidth()
    const found = this.#fault === undefined ? read(this) : undefined
    if (this.#fault === undefined && found !== undefined) this.#check(found, netColumn)
    // What is above assigns it through methods, which the compiler does not follow.
    const fault = this.#fault as { readonly field: string; readonly reason: string } | undefined
    if (fault !== undefined) return { _tag: "Unreadable", unreadable: { row, ...fault } }
    return found === undefined ? undefined : { _tag: "Row", row: found }
  }

  /** A report that was cut off ends inside a row, and an unquoted delimiter moves all cells behind it. */
  #checkWidth(): void {
    const width = this.#header.length
    if (this.#record.length < width) {
      this.refuse(
        this.#header[this.#record.length]?.trim() || `column ${this.#record.length + 1}`,
        "the row ends before it"
      )
    }
    if (this.#record.length > width && this.#record.slice(width).some((cell) => cell !== "")) {
      this.refuse(`column ${width + 1}`, "the row has more cells than the header has columns")
    }
  }

  #check({ converted, fee, gross, id, net }: ReportRow, netColumn: string): void {
    if (id.length === 0 || id.length > idAtMost) this.refuse("id", `expected 1 to ${idAtMost} characters`)
    if (fee === null || net === null) return
    const before = converted ?? gross
    const isOne = before.currency === fee.currency && fee.currency === net.currency
    if (!isOne) this.refuse(netColumn, "expected the amount, the fee and the net amount in one currency")
    else if (before.minorUnits - fee.minorUnits !== net.minorUnits) {
      this.refuse(netColumn, "expected the amount without the fee")
    }
  }
}

export const signed = (minorUnits: number, currency: string): SignedMoney => ({ minorUnits, currency })

/**
 * A format whose records all have the columns of the first. `start` makes what reads one report; what it remembers is the
 * report's alone. `net`: the column of the net amount, which an error about the sum names.
 */
export const openTable =
  (
    columns: ReadonlyArray<Column>,
    net: string,
    start: () => (cells: Cells) => ReportRow | undefined
  ): ReportFormat["open"] =>
  (header) => {
    const positions = positionsOf(header, columns)
    if ("missing" in positions) return positions
    const cells = new Cells(positions, header)
    const read = start()
    return (record, row) => cells.entry(record, row, read, net)
  }
