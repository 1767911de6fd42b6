/** What a measurement is asked and says, and the file of what was measured last of each part, which later runs add to. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Machine } from "./Machine.ts"
import type { Postgres } from "./Postgres.ts"
import type { Spread } from "./Rounds.ts"

/** Of every measurement. */
export interface Options {
  /** How long a side is measured within a round. */
  readonly seconds: number
  readonly rounds: number
  /** Only that everything runs: figures of it mean nothing. */
  readonly smoke: boolean
  /** The folder of the comparison with Medusa and hand-written floors; "" where there is none. */
  readonly peer: string
  readonly postgres: Postgres
  /** An empty folder, gone after the run. */
  readonly folder: string
  /** Shown to the person who waits. */
  readonly tell: (line: string) => void
}

export interface Row {
  /** Stays the same from run to run: the chart asks for it. */
  readonly id: string
  readonly what: string
  readonly value: Spread
  /** "times": a ratio of two sides. */
  readonly unit: "times" | "µs" | "ms" | "s" | "MB" | "bytes" | "per second"
  /** What is asked for. */
  readonly atLeast?: number
  readonly atMost?: number
  /** Absolute figures of the same rounds: medians. */
  readonly beside: string
}

/** A value without a range is of one run. */
export const row = (
  id: string,
  what: string,
  value: Spread | number,
  unit: Row["unit"],
  beside = "",
  goal: Pick<Row, "atLeast" | "atMost"> = {}
): Row => ({
  ...{ id, what, unit, beside, ...goal },
  value: typeof value === "number" ? { median: value, min: value, max: value } : value
})

export interface Section {
  readonly id: string
  readonly title: string
  readonly rows: ReadonlyArray<Row>
  /** What was left out, and why; what a reader has to know. */
  readonly note: string
}

export const isMet = ({ atLeast, atMost, value }: Row): boolean | undefined => {
  if (atLeast === undefined && atMost === undefined) return undefined
  return value.median >= (atLeast ?? Number.NEGATIVE_INFINITY) && value.median <= (atMost ?? Number.POSITIVE_INFINITY)
}

/** Three digits that count. */
export const short = (value: number): string => {
  if (!Number.isFinite(value)) return "none"
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toFixed(digits)
}

const symbol = { times: "×", µs: " µs", ms: " ms", s: " s", MB: " MB", bytes: " B", "per second": "/s" } as const

export const toldValue = ({ unit, value }: Row): string => `${short(value.median)}${symbol[unit]}`

export const toldRange = ({ value }: Row): string => `${short(value.min)}..${short(value.max)}`

export const toldGoal = ({ atLeast, atMost, unit }: Row): string => {
  if (atLeast !== undefined) return `at least ${atLeast}${symbol[unit]}`
  return atMost === undefined ? "" : `at most ${atMost}${symbol[unit]}`
}

export const toldSection = (section: Section): string => {
  const cells = section.rows.map((row) => {
    const met = isMet(row)
    const goal = met === undefined ? "" : `${toldGoal(row)}: ${met ? "met" : "NOT MET"}`
    return [row.what, toldValue(row), `(${toldRange(row)})`, goal, row.beside]
  })
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...cells.map((row) => row[column]?.length ?? 0)))
  const lines = cells.map((row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd()
  )
  return [`\n${section.title}`, ...lines, ...(section.note === "" ? [] : [`  ${section.note}`])].join("\n")
}

export type Measure = (options: Options) => Promise<Section>

/** With the run that measured it. */
export interface MeasuredSection extends Section {
  readonly rounds: number
  readonly seconds: number
  readonly machine: Machine
}

export const readMeasured = (path: string): ReadonlyArray<MeasuredSection> =>
  existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : []

/** Sections of the same id take the place of those that are there; `order` is that of the file. */
export const addMeasured = (
  path: string,
  added: ReadonlyArray<MeasuredSection>,
  order: ReadonlyArray<string>
): void => {
  const all = new Map([...readMeasured(path), ...added].map((section) => [section.id, section]))
  const sections = [...all.values()].toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id))
  writeFileSync(path, `${JSON.stringify(sections, null, 2)}\n`)
}
