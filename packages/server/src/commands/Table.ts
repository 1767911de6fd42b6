/** Text for people: aligned columns, and nothing in a cell that a terminal would obey. */
import { CliOutput } from "effect/cli"

/**
 * What providers and merchants wrote may hold anything, and a terminal obeys control characters: each becomes a `?`.
 */
export const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "?")

/** Columns as wide as their widest cell, two spaces apart. What is `null` is shown as a dash. */
export const table = (
  header: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string | number | null>>
): string => {
  const cells = [header, ...rows.map((row) => row.map((cell) => printable(cell === null ? "-" : String(cell))))]
  const widths = header.map((_, column) => Math.max(...cells.map((row) => CliOutput.displayWidth(row[column] ?? ""))))
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - CliOutput.displayWidth(cell)))
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** One fact a line, the names as wide as the widest. */
export const facts = (rows: ReadonlyArray<readonly [name: string, value: string | number | null]>): string => {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows
    .map(([name, value]) => `${name.padEnd(width)}  ${value === null ? "-" : printable(String(value))}`)
    .join("\n")
}
