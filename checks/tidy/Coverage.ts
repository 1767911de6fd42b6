/** Pages that name a test for every requirement or threat: each test that they name must be there, and be run. */
import type { TextFile } from "./Files.ts"

/** Sections whose requirements are numbered, and how many there are. */
const numberedSections: Readonly<Record<string, number>> = {
  "Idempotency of creates": 7,
  "Idempotency of captures and voids": 4,
  "Idempotency and balance of refunds": 11,
  Authentication: 9,
  "Delivery of events": 5,
  Versioning: 7
}

/** The test is in the third column. */
const headers: ReadonlyArray<string> = ["| Where | Requirement | Test |", "| Threat | Guard | Test |"]
const notYet = /^not yet: \[[^\]]+\]\(#[^)]+\)$/u
const tests = /^`([^`]+)` ("[^"]+"(?:, "[^"]+")*)$/u
const notRun = /\b(?:describe|it|test)(?:\.\w+)*\.(?:skip|todo|only|fails)\b/u

interface Row {
  readonly line: number
  readonly section: string
  readonly where: string
  readonly test: string
}

/** The rows of all tables with one of these headers. A `|` inside of a cell is written `\|`. */
const rowsOf = (text: string): ReadonlyArray<Row> => {
  const rows: Array<Row> = []
  let section = ""
  let isInTable = false
  for (const [at, line] of text.split("\n").entries()) {
    if (line.startsWith("#")) section = line.replace(/^#+\s*/u, "")
    if (!line.startsWith("|")) isInTable = false
    else if (headers.includes(line)) isInTable = true
    else if (isInTable && !line.startsWith("|---")) {
      const [, where = "", , test = ""] = line.split(/(?<!\\)\|/u).map((cell) => cell.trim().replaceAll("\\|", "|"))
      rows.push({ line: at + 1, section, where, test })
    }
  }
  return rows
}

/** Whether a title, or the name of a case, begins so in the source: `${…}` and `%s` are kept as they are there. */
const begins = (source: string, title: string): boolean =>
  ['"', "'", "`"].some((quote) => source.includes(`${quote}${title}`))

export const coverageFaults = (
  { path, text }: TextFile,
  read: (path: string) => string | undefined,
  numbered: Readonly<Record<string, number>> = numberedSections
): ReadonlyArray<string> => {
  const rows = rowsOf(text)
  const ofTests = rows.flatMap(({ line, test }) =>
    test.split("<br>").flatMap((part) => {
      const at = `${path}:${line}`
      if (notYet.test(part)) return []
      const [, file, titles] = tests.exec(part) ?? []
      if (file === undefined || titles === undefined) return [`${at}: ${part || "an empty cell"} names no test`]
      const source = read(file)
      if (source === undefined) return [`${at}: ${file} does not exist`]
      if (notRun.test(source)) return [`${at}: ${file} has tests that are not run`]
      return titles
        .slice(1, -1)
        .split('", "')
        .filter((title) => !begins(source, title))
        .map((title) => `${at}: nothing in ${file} begins with "${title}"`)
    })
  )
  const ofNumbers = Object.entries(numbered).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, at) => String(at + 1))
      .filter((number) => !rows.some((row) => row.section === section && row.where === number))
      .map((number) => `${path}: ${section} has no row ${number}`)
  )
  return [...ofTests, ...ofNumbers]
}
