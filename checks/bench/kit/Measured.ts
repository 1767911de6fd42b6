/** What was measured last of each part, with the run that measured it: a file that later runs add to. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import type { Machine } from "./Machine.ts"
import type { Section } from "./Result.ts"

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
