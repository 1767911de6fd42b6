/** The `pointsman` command. */
import { readFileSync } from "node:fs"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Cause, ConfigProvider, Console, Effect, Exit, Layer, Logger } from "effect"
import { CliOutput, Command } from "effect/cli"
import { configCommand } from "./commands/ConfigCommand.ts"
import { connectionsCommand } from "./commands/ConnectionsCommand.ts"
import { doctorCommand } from "./commands/DoctorCommand.ts"
import { keysCommand } from "./commands/KeysCommand.ts"
import { paymentsCommand } from "./commands/PaymentsCommand.ts"
import { routingCommand } from "./commands/RoutingCommand.ts"
import { serveCommand } from "./commands/ServeCommand.ts"
import { unknownCommand } from "./commands/UnknownCommand.ts"
import { usageCommand } from "./commands/UsageCommand.ts"
import { webhooksCommand } from "./commands/WebhooksCommand.ts"
import { workspacesCommand } from "./commands/WorkspacesCommand.ts"
import { environmentProvider } from "./Settings.ts"

const pointsman = Command.make("pointsman").pipe(
  Command.withDescription("Routes payments to your payment providers, and never moves money twice"),
  Command.withSubcommands([
    serveCommand(process.env),
    configCommand(process.env),
    routingCommand(process.env),
    workspacesCommand,
    keysCommand,
    connectionsCommand,
    paymentsCommand,
    unknownCommand,
    webhooksCommand,
    usageCommand,
    doctorCommand(process.env)
  ])
)

const version = (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string })
  .version

/** Help that nobody asked for is no result either: a program that reads the standard output finds it empty. */
const presenter: CliOutput.Presenter = {
  present: Effect.fnUntraced(function* (told) {
    const presented = CliOutput.defaultPresenter.present(told)
    if (told._tag !== "InvalidInvocation") return yield* presented
    const console = yield* Console.Console
    yield* Effect.provideService(presented, Console.Console, { ...console, log: console.error })
  })
}

const failed = ({ message }: { readonly message: string }) =>
  Effect.andThen(
    Console.error(message),
    Effect.sync(() => {
      process.exitCode = 1
    })
  )

/** Runs the command line of this process, and ends the process. */
export const run = (): void =>
  Command.run(pointsman, { version }).pipe(
    Effect.catchTags({ "pointsman/server/StartFailure": failed, "pointsman/server/CommandFailure": failed }),
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliOutput.layerPresenter(presenter),
        ConfigProvider.layer(environmentProvider(process.env)),
        // Standard output is for what was asked for.
        Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
      )
    ),
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
