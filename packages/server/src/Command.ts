/** The `pointsman` command as the program of a process. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, Exit } from "effect"
import { commandLine } from "./CommandLine.ts"

/** Runs the command line of this process, and ends the process. */
export const run = (): void =>
  commandLine(process.env, process.argv.slice(2)).pipe(
    NodeRuntime.runMain({
      disableErrorReporting: true,
      teardown: (exit, end) => end(exitCode(exit))
    })
  )

/** A signal ends the server by interrupting it, once all is answered: that is a success. */
const exitCode = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return Number(process.exitCode ?? 0)
  const defect = Cause.squash(exit.cause)
  // The command line's own errors were told already, with the help that belongs to them.
  if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) {
    console.error(`Pointsman failed: ${defect instanceof Error ? defect.message : String(defect)}`)
  }
  return 1
}
