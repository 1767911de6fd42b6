/** The command line: every command of `pointsman`, and how one line of words is run. */
import { readFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Layer, Logger } from "effect"
import { CliOutput, Command } from "effect/cli"
import { ProcessEnvironment } from "./CollectAudit.ts"
import { endWith } from "./commands/EndWith.ts"
import { withAllMissing } from "./commands/MissingWords.ts"
import { pointsman } from "./commands/PointsmanCommand.ts"
import { serveCommand } from "./commands/ServeCommand.ts"
import * as LogText from "./LogText.ts"
import { environmentProvider } from "./Settings.ts"

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * A server needs one command of twenty, and answers earlier without the others. The words for a shell's completion name
 * all of them.
 */
const run = (environment: Environment, words: ReadonlyArray<string>) =>
  words[0] === "serve" && !words.some((word) => word.startsWith("--completions"))
    ? Command.runWith(pointsman.pipe(Command.withSubcommands([serveCommand(environment)])), { version })(words)
    : Effect.flatMap(
        Effect.promise(() => import("./commands/AllCommands.ts")),
        ({ pointsmanCommand }) => Command.runWith(pointsmanCommand(environment), { version })(words)
      )

/** Runs one command line. Errors go to standard error, and the exit code is then 1. */
export const commandLine = (environment: Environment, words: ReadonlyArray<string>) =>
  run(environment, words).pipe(
    Effect.catchTags({ "pointsman/server/StartFailure": failed, "pointsman/server/CommandFailure": failed }),
    Effect.provideService(ProcessEnvironment, environment),
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliOutput.layerPresenter(presenter(words)),
        ConfigProvider.layer(environmentProvider(environment)),
        // Standard output is for what was asked for.
        Logger.layer([LogText.logfmt])
      )
    )
  )

const version = (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string })
  .version

/** The error comes first, then the help. Both go to standard error: a program that reads the result finds it empty. */
const presenter = (words: ReadonlyArray<string>): CliOutput.Presenter => ({
  present: Effect.fnUntraced(function* (event) {
    if (event._tag !== "InvalidInvocation") return yield* CliOutput.defaultPresenter.present(event)
    const formatter = yield* CliOutput.Formatter
    yield* Console.error(formatter.formatErrors(withAllMissing(event.errors, event.helpDoc, words)).trim())
    yield* Console.error(`\n${formatter.formatHelpDoc(event.helpDoc)}`)
  })
})

const failed = ({ message }: { readonly message: string }) => Effect.andThen(Console.error(message), endWith(1))
