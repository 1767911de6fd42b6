/**
 * Writes the measured part of docs/performance.md, and its chart, from the result of a run: `npm run bench:page`. With
 * `--check` it only says whether they are what it would write.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { chartOf } from "./kit/Chart.ts"
import { toldHardware, toldLoad } from "./kit/Machine.ts"
import { type MeasuredSection, readMeasured } from "./kit/Measured.ts"
import { isMet, type Row, toldGoal, toldRange, toldValue } from "./kit/Result.ts"

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const page = at("../../docs/performance.md")
const chart = at("../../docs/performance.svg")
const measured = readMeasured(at("./measured.json"))

const begin = "<!-- measured: written by `npm run bench:page` -->"
const end = "<!-- /measured -->"

const tableOf = ({ machine, note, rounds, rows, seconds, title }: MeasuredSection): string => {
  const cells = rows.map((row: Row) => {
    const met = isMet(row)
    const goal = met === undefined ? "" : `${toldGoal(row)}: ${met ? "met" : "**not met**"}`
    return `| ${row.what} | **${toldValue(row)}** (${toldRange(row)}) | ${goal} | ${row.beside} |`
  })
  const table = ["| | Median (all rounds) | Asked for | In absolute figures |", "|---|---|---|---|", ...cells]
  const run = `${note === "" ? "" : `${note} `}${rounds} rounds of ${seconds} s; ${toldLoad(machine)}.`
  return [`### ${title}`, ...(rows.length === 0 ? [] : [table.join("\n")]), run].join("\n\n")
}

/** Once for all sections that ran on it. */
const machines = (): string => [...new Set(measured.map(({ machine }) => `On ${toldHardware(machine)}.`))].join(" ")

const written = (text: string): string => {
  const [from, until] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || until < from) throw new Error(`docs/performance.md: expected ${begin} and then ${end}`)
  const told = [begin, machines(), ...measured.map(tableOf), ""].join("\n\n")
  return `${text.slice(0, from)}${told}${text.slice(until)}`
}

const pages = [
  [page, written(readFileSync(page, "utf8"))],
  [chart, chartOf(measured)]
] as const

if (process.argv.includes("--check")) {
  const read = (path: string) => {
    try {
      return readFileSync(path, "utf8")
    } catch {
      return ""
    }
  }
  const others = pages.filter(([path, text]) => read(path) !== text).map(([path]) => path)
  for (const path of others) console.error(`${path} is not what checks/bench/measured.json says: npm run bench:page`)
  process.exitCode = others.length === 0 ? 0 : 1
} else {
  for (const [path, text] of pages) writeFileSync(path, text)
}
