/** The `pointsman` command as the program of a process: one line of words, which is the server's own or a command. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Cause, ConfigProvider, Console, Effect, Exit, Layer, Logger } from "effect"
import { ProcessEnvironment } from "./CollectAudit.ts"
import { endWith } from "./commands/CommandFailure.ts"
import * as LogText from "./LogText.ts"
import { readServeLine, startServer } from "./ServeLine.ts"
import { environmentProvider } from "./Settings.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** Runs the command line of this process, and ends the process. */
export const run = (): void =>
  commandLine(process.env, process.argv.slice(2)).pipe(
    NodeRuntime.runMain({
      disableErrorReporting: true,
      teardown: (exit, end) => end(exitCode(exit))
    })
  )

/** A server answers earlier, and needs less memory, without Effect's command line and the commands. */
const runWords = (environment: Environment, words: ReadonlyArray<string>) => {
  const flags = readServeLine(words)
  return flags === undefined
    ? Effect.flatMap(
        Effect.promise(() => import("./RunCommand.ts")),
        ({ runCommand }) => runCommand(environment, words)
      )
    : startServer(flags, environment)
}

/** Runs one command line. Errors go to standard error, and the exit code is then 1. */
export const commandLine = (environment: Environment, words: ReadonlyArray<string>) =>
  runWords(environment, words).pipe(
    Effect.catchTags({ "pointsman/server/StartFailure": failed, "pointsman/server/CommandFailure": failed }),
    Effect.provideService(ProcessEnvironment, environment),
    Effect.provide(
      Layer.mergeAll(
        NodeFileSystem.layer,
        NodePath.layer,
        ConfigProvider.layer(environmentProvider(environment)),
        // Standard output is for what was asked for.
        Logger.layer([process.stderr.isTTY ? LogText.text : LogText.logfmt])
      )
    )
  )

const failed = ({ message }: { readonly message: string }) => Effect.andThen(Console.error(message), endWith(1))

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
