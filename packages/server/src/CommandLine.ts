/** One line of words: the server's own, or a command of `pointsman`. */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import { ConfigProvider, Console, Effect, Layer, Logger } from "effect"
import { ProcessEnvironment } from "./CollectAudit.ts"
import { endWith } from "./commands/EndWith.ts"
import * as LogText from "./LogText.ts"
import { readServeLine, startServer } from "./ServeLine.ts"
import { environmentProvider } from "./Settings.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/** A server answers earlier, and needs less memory, without Effect's command line and the commands. */
const run = (environment: Environment, words: ReadonlyArray<string>) => {
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
  run(environment, words).pipe(
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
