/** What the doctor found, for programs and for people. */
import { status, type Text, table } from "./Table.ts"

const verdicts = ["ok", "warning", "wrong"] as const
export type Verdict = (typeof verdicts)[number]

export interface CheckLine {
  readonly check: string
  readonly verdict: Verdict
  /** What is so and, unless it is good, what to do. No secret. */
  readonly says: string
}

export const line =
  (verdict: Verdict) =>
  (check: string, says: string): CheckLine => ({ check, verdict, says })
export const ok = line("ok")
export const warning = line("warning")
export const wrong = line("wrong")

/** As many lines of one check as can still be read. */
const linesAtMost = 20

/** What a check has to say of each of many; where that is nothing, that all is good. */
export const eachOr = (lines: ReadonlyArray<CheckLine>, good: CheckLine): ReadonlyArray<CheckLine> => {
  const [first] = lines
  if (first === undefined) return [good]
  const rest = lines.slice(linesAtMost)
  if (rest.length === 0) return lines
  const worst = rest.some(({ verdict }) => verdict === "wrong") ? wrong : warning
  return [...lines.slice(0, linesAtMost), worst(first.check, `and ${rest.length} more`)]
}

export const checkupDocument = (checks: ReadonlyArray<CheckLine>) => ({
  wrong: checks.filter(({ verdict }) => verdict === "wrong").length,
  warnings: checks.filter(({ verdict }) => verdict === "warning").length,
  checks
})

export const checkupText = (checks: ReadonlyArray<CheckLine>): Text =>
  table(
    ["RESULT", "CHECK", "DETAILS"],
    checks.map(({ check, says, verdict }) => [status(verdict), check, says])
  )
