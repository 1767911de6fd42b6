/** A failure as people read it: what is wrong, what led there, and how to see it again. */
import type { Shrunk } from "./Shrink.ts"
import type { Simulated } from "./Simulate.ts"

export interface ReportOptions {
  /** Runs one seed again, as `npm run simulate -- --storage memory`. */
  readonly command: string
}

/** `first` as it failed, `shrunk` as it can be understood. */
export const report = (first: Simulated, shrunk: Shrunk, { command }: ReportOptions): string => {
  const { only, run, runs } = shrunk
  const steps = run.happened.filter(({ kind }) => kind === "step").length
  const replay = `${command} --seed ${first.seed}`
  const left = `${replay} --only ${[...only].join(",")}`
  return [
    `seed ${first.seed} is wrong:`,
    ...first.wrong.map((sentence) => `  ${sentence}`),
    "",
    `${counted(steps, "step")} and ${counted(run.happened.length - steps, "fault")} are enough (found in ${runs} runs):`,
    ...run.happened.map(
      ({ at, id, kind, what }) => `  ${seconds(at)}  ${id.padEnd(7)}  ${kind === "fault" ? "  ! " : ""}${what}`
    ),
    "",
    "with them:",
    ...run.wrong.map((sentence) => `  ${sentence}`),
    "",
    "see it again:",
    `  all of it      ${replay}`,
    `  what is left   ${left}`,
    `  line by line   ${left} --trace`
  ].join("\n")
}

const seconds = (millis: number): string => `${(millis / 1_000).toFixed(3).padStart(11)} s`

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`
