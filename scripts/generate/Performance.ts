/** The measured part of docs/performance.md, and its chart, from the result of the last run of each part. */
import { join } from "node:path"
import { chartOf } from "../../checks/bench/kit/Chart.ts"
import { toldHardware, toldLoad } from "../../checks/bench/kit/Machine.ts"
import {
  isMet,
  type MeasuredSection,
  type Row,
  readMeasured,
  toldGoal,
  toldRange,
  toldValue
} from "../../checks/bench/kit/Result.ts"
import { table } from "./Markdown.ts"

const measured = readMeasured(join(import.meta.dirname, "../../checks/bench/measured.json"))

const goalOf = (row: Row): string => {
  const met = isMet(row)
  return met === undefined ? "" : `${toldGoal(row)}: ${met ? "met" : "**not met**"}`
}

const sectionOf = ({ machine, note, rounds, rows, seconds, title }: MeasuredSection): string => {
  const head = ["", "Median (all rounds)", "Asked for", "In absolute figures"]
  const cells = rows.map((row) => [row.what, `**${toldValue(row)}** (${toldRange(row)})`, goalOf(row), row.beside])
  const run = `${note === "" ? "" : `${note} `}${rounds} rounds of ${seconds} s; ${toldLoad(machine)}.`
  return [`### ${title}`, ...(rows.length === 0 ? [] : [table(head, cells)]), run].join("\n\n")
}

/** The machine once for all sections that ran on it. */
export const measuredSections = (): string =>
  [
    [...new Set(measured.map(({ machine }) => `On ${toldHardware(machine)}.`))].join(" "),
    ...measured.map(sectionOf)
  ].join("\n\n")

export const measuredChart = (): string => chartOf(measured)
