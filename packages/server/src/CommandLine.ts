/** The command line: every command of `pointsman`, and how one line of words is run. */
import { readFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Layer, Logger } from "effect"
import { CliOutput, Command } from "effect/cli"
import { configCommand } from "./commands/ConfigCommand.ts"
import { connectionsCommand } from "./commands/ConnectionsCommand.ts"
import { devCommand } from "./commands/DevCommand.ts"
import { doctorCommand } from "./commands/DoctorCommand.ts"
import { endWith } from "./commands/EndWith.ts"
import { initCommand } from "./commands/InitCommand.ts"
import { keysCommand } from "./commands/KeysCommand.ts"
import { listenCommand } from "./commands/ListenCommand.ts"
import { paymentsCommand } from "./commands/PaymentsCommand.ts"
import { routingCommand } from "./commands/RoutingCommand.ts"
import { serveCommand } from "./commands/ServeCommand.ts"
import { triggerCommand } from "./commands/TriggerCommand.ts"
import { unknownCommand } from "./commands/UnknownCommand.ts"
import { usageCommand } from "./commands/UsageCommand.ts"
import { webhooksCommand } from "./commands/WebhooksCommand.ts"
import { workspacesCommand } from "./commands/WorkspacesCommand.ts"
import { environmentProvider } from "./Settings.ts"

export type Environment = Readonly<Record<string, string | undefined>>

export const pointsmanCommand = (environment: Environment) =>
  Command.make("pointsman").pipe(
    Command.withDescription("Routes payments to your payment providers, and never moves money twice"),
    Command.withSubcommands([
      serveCommand(environment),
      initCommand,
      devCommand,
      triggerCommand,
      listenCommand,
      configCommand(environment),
      routingCommand(environment),
      workspacesCommand,
      keysCommand,
      connectionsCommand,
      paymentsCommand,
      unknownCommand,
      webhooksCommand,
      usageCommand,
      doctorCommand(environment)
    ])
  )

/** Runs one line. What is wrong with it, or with what it was to do, is told on standard error; it ends with 1 then. */
export const commandLine = (environment: Environment, words: ReadonlyArray<string>) =>
  Command.runWith(pointsmanCommand(environment), { version })(words).pipe(
    Effect.catchTags({ "pointsman/server/StartFailure": failed, "pointsman/server/CommandFailure": failed }),
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliOutput.layerPresenter(presenter),
        ConfigProvider.layer(environmentProvider(environment)),
        // Standard output is for what was asked for.
        Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
      )
    )
  )

const version = (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string })
  .version

/** Help that nobody asked for is no result either: a program that reads the standard output finds it empty. */
const presenter: CliOutput.Presenter = {
  present: Effect.fnUntraced(function* (told) {
    const presented = CliOutput.defaultPresenter.present(told)
    if (told._tag !== "InvalidInvocation") return yield* presented
    const output = yield* Console.Console
    yield* Effect.provideService(presented, Console.Console, { ...output, log: output.error })
  })
}

const failed = ({ message }: { readonly message: string }) => Effect.andThen(Console.error(message), endWith(1))
