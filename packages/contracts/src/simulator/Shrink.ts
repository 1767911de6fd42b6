/**
 * Makes a failing plan small: leaves steps and faults out, as many as can be, for as long as something is still wrong.
 * What is left is what a person has to understand, and the report of it.
 */
import type { PlanId } from "./Plan.ts"
import { type Simulated, type SimulateOptions, simulate } from "./Simulate.ts"

export interface Shrunk {
  /** The run of what is left; everything in it is needed. */
  readonly run: Simulated
  /** What is left: `simulate` with it runs the same again. */
  readonly only: ReadonlySet<PlanId>
  /** How many runs it took. */
  readonly runs: number
}

/** Enough for plans of the size that is drawn; one run takes some milliseconds. */
const runsAtMost = 600

/** `first` is the run that failed. */
export const shrink = async (options: SimulateOptions, first: Simulated): Promise<Shrunk> => {
  let best = first
  let runs = 0

  const isWrongWithout = async (ids: ReadonlySet<PlanId>): Promise<boolean> => {
    if (runs >= runsAtMost) return false
    runs += 1
    const only = new Set([...idsOf(best)].filter((id) => !ids.has(id)))
    const run = await simulate({ ...options, listen: undefined, only })
    if (run.wrong.length > 0) best = run
    return run.wrong.length > 0
  }

  /** Leaves out all of them, or each half by itself. */
  const leaveOut = async (ids: ReadonlyArray<PlanId>): Promise<void> => {
    if (ids.length === 0 || (await isWrongWithout(new Set(ids))) || ids.length === 1) return
    const half = Math.ceil(ids.length / 2)
    // What comes last mattered least.
    await leaveOut(ids.slice(half))
    await leaveOut(ids.slice(0, half))
  }

  // Once something is left out, something else may have become needless. Every round but the last leaves something out.
  for (let size = Number.POSITIVE_INFINITY; size > idsOf(best).size && runs < runsAtMost; ) {
    size = idsOf(best).size
    await leaveOut([...idsOf(best, "step")])
    await leaveOut([...idsOf(best, "fault")])
  }
  return { run: best, only: idsOf(best), runs }
}

const idsOf = ({ happened }: Simulated, kind?: "step" | "fault"): ReadonlySet<PlanId> =>
  new Set(happened.filter((planned) => kind === undefined || planned.kind === kind).map(({ id }) => id))

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
