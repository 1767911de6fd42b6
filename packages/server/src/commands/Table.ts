/**
 * Text for people: aligned columns that fit the terminal, and nothing in a cell that a terminal would obey.
 *
 * What people copy is printed whole: an id, an amount or a status is never shortened. Only columns that say so are.
 */
import { styleText } from "node:util"
import { CliOutput } from "effect/cli"
import { printable } from "./Words.ts"

/** What text is printed on. */
export interface Screen {
  /** Characters of a line; `Infinity` where the output is no terminal. */
  readonly columns: number
  readonly isColoured: boolean
}

/** A text that depends on where it is printed. */
export type Text = (screen: Screen) => string

type Cell = string | number | null | Status

/** A word that is coloured by its meaning, and a note behind it that is not. */
interface Status {
  readonly word: string
  readonly note: string
}

/** Of a payment, an attempt, a refund, a delivery or a check. */
export const status = (word: string | null, note = ""): Cell => (word === null ? null : { word, note })

/** A column that is shortened where the table is wider than the terminal: whole, its text is in another command. */
export const shortened = (name: string) => ({ name })

type Column = string | ReturnType<typeof shortened>

/** One under the other, an empty line between. */
export const paragraphs =
  (...texts: ReadonlyArray<string | Text>): Text =>
  (screen) =>
    texts.map((text) => (typeof text === "string" ? text : text(screen))).join("\n\n")

/**
 * Columns as wide as their widest cell, two spaces apart. What is `null` is shown as a dash. Where the terminal is too
 * narrow, columns are shortened if that is enough; otherwise each row is printed as facts.
 */
export const table =
  (columns: ReadonlyArray<Column>, rows: ReadonlyArray<ReadonlyArray<Cell>>): Text =>
  (screen) => {
    const names = columns.map((column) => (typeof column === "string" ? column : column.name))
    const cells = [names, ...rows.map((row) => row.map(plain))]
    const widest = names.map((_, column) => Math.max(...cells.map((row) => CliOutput.displayWidth(row[column] ?? ""))))
    const widths = fitted(
      widest,
      columns.map((column) => typeof column !== "string"),
      screen.columns
    )
    if (widths === undefined) {
      return rows.map((row) => facts(names.map((name, column) => [name, row[column] ?? null]))(screen)).join("\n\n")
    }
    return [names, ...rows]
      .map((row) =>
        row
          .map((cell, column) => {
            const text = cut(plain(cell), widths[column] ?? 0)
            return coloured(cell, text, screen) + " ".repeat((widths[column] ?? 0) - CliOutput.displayWidth(text))
          })
          .join("  ")
          .trimEnd()
      )
      .join("\n")
  }

/** One fact a line, the names as wide as the widest. */
export const facts =
  (rows: ReadonlyArray<readonly [name: string, value: Cell]>): Text =>
  (screen) => {
    const width = Math.max(...rows.map(([name]) => name.length))
    return rows.map(([name, value]) => `${name.padEnd(width)}  ${coloured(value, plain(value), screen)}`).join("\n")
  }

const plain = (cell: Cell): string =>
  cell === null ? "-" : printable(typeof cell === "object" ? cell.word + cell.note : String(cell))

const coloured = (cell: Cell, text: string, { isColoured }: Screen): string => {
  if (!isColoured || cell === null || typeof cell !== "object") return text
  const word = printable(cell.word)
  const colour = colours.get(cell.word.toLowerCase())
  return colour === undefined ? text : styleText(colour, word, { validateStream: false }) + text.slice(word.length)
}

type Colour = "green" | "yellow" | "red"

const meanings: Readonly<Record<Colour, ReadonlyArray<string>>> = {
  green: ["authorized", "captured", "complete", "confirmed", "delivered", "ok", "settled", "succeeded"],
  // The outcome is not known yet, or a person has to act.
  yellow: [
    ...["accepted", "checkout_opened", "conflicted", "due", "mismatched", "needs_customer", "pending"],
    ...["requires_action", "sending", "unanswered", "unknown", "warning"]
  ],
  red: ["chargeback", "declined", "failed", "given_up", "not_sent", "refused", "rejected", "reversed", "wrong"]
}

/** By the word in lower case. Other words are ends that are neither good nor bad. */
const colours: ReadonlyMap<string, Colour> = new Map(
  (["green", "yellow", "red"] as const).flatMap((colour) => meanings[colour].map((word) => [word, colour] as const))
)

const gap = 2

/** Shorter than this, a text says nothing. */
const shortest = 12

/** The widths of the columns, the widest of those that may be shortened first; `undefined` where they never fit. */
const fitted = (
  widest: ReadonlyArray<number>,
  mayShorten: ReadonlyArray<boolean>,
  columns: number
): ReadonlyArray<number> | undefined => {
  const widths = [...widest]
  let over = widths.reduce((sum, width) => sum + width, gap * (widths.length - 1)) - columns
  while (over > 0) {
    const longest = Math.max(...widths.filter((_, column) => mayShorten[column] === true))
    if (longest <= shortest) return undefined
    widths[widths.findIndex((width, column) => mayShorten[column] === true && width === longest)] = longest - 1
    over -= 1
  }
  return widths
}

const segmenter = new Intl.Segmenter()

/** At most so wide, in whole characters. */
const cut = (text: string, width: number): string => {
  if (CliOutput.displayWidth(text) <= width) return text
  let kept = ""
  for (const { segment } of segmenter.segment(text)) {
    if (CliOutput.displayWidth(kept + segment) > width - 1) break
    kept += segment
  }
  return `${kept}…`
}
