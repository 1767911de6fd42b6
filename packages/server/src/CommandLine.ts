/** The command line: every command of `pointsman`, and how one line of words is run. */
import { readFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ConfigProvider, Console, Effect, Layer, Logger } from "effect"
import { CliOutput, Command } from "effect/cli"
import { ProcessEnvironment } from "./CollectAudit.ts"
import { auditCommand } from "./commands/AuditCommand.ts"
import { configCommand } from "./commands/ConfigCommand.ts"
import { connectionsCommand } from "./commands/ConnectionsCommand.ts"
import { devCommand } from "./commands/DevCommand.ts"
import { doctorCommand } from "./commands/DoctorCommand.ts"
import { endWith } from "./commands/EndWith.ts"
import { eraseCommand } from "./commands/EraseCommand.ts"
import { initCommand } from "./commands/InitCommand.ts"
import { keysCommand } from "./commands/KeysCommand.ts"
import { listenCommand } from "./commands/ListenCommand.ts"
import { merchantsCommand } from "./commands/MerchantsCommand.ts"
import { messagesCommand } from "./commands/MessagesCommand.ts"
import { paymentsCommand } from "./commands/PaymentsCommand.ts"
import { recoverCommand } from "./commands/RecoverCommand.ts"
import { routingCommand } from "./commands/RoutingCommand.ts"
import { serveCommand } from "./commands/ServeCommand.ts"
import { triggerCommand } from "./commands/TriggerCommand.ts"
import { unknownCommand } from "./commands/UnknownCommand.ts"
import { usageCommand } from "./commands/UsageCommand.ts"
import { webhooksCommand } from "./commands/WebhooksCommand.ts"
import { workspacesCommand } from "./commands/WorkspacesCommand.ts"
import * as LogText from "./LogText.ts"
import { environmentProvider } from "./Settings.ts"

export type Environment = Readonly<Record<string, string | undefined>>

export const pointsmanCommand = (environment: Environment) =>
  Command.make("pointsman").pipe(
    Command.withDescription("Routes payments to your payment providers and never moves money twice"),
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
      recoverCommand,
      messagesCommand,
      eraseCommand,
      webhooksCommand,
      usageCommand,
      auditCommand,
      merchantsCommand,
      doctorCommand(environment)
    ])
  )

/** Runs one command line. Errors go to standard error, and the exit code is then 1. */
export const commandLine = (environment: Environment, words: ReadonlyArray<string>) =>
  Command.runWith(pointsmanCommand(environment), { version })(words).pipe(
    Effect.catchTags({ "pointsman/server/StartFailure": failed, "pointsman/server/CommandFailure": failed }),
    Effect.provideService(ProcessEnvironment, environment),
    Effect.provide(
      Layer.mergeAll(
        NodeServices.layer,
        CliOutput.layerPresenter(presenter),
        ConfigProvider.layer(environmentProvider(environment)),
        // Standard output is for what was asked for.
        Logger.layer([LogText.logfmt])
      )
    )
  )

const version = (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string })
  .version

/** The error comes first, then the help. Both go to standard error: a program that reads the result finds it empty. */
const presenter: CliOutput.Presenter = {
  present: Effect.fnUntraced(function* (event) {
    if (event._tag !== "InvalidInvocation") return yield* CliOutput.defaultPresenter.present(event)
    const formatter = yield* CliOutput.Formatter
    yield* Console.error(formatter.formatErrors(event.errors).trim())
    yield* Console.error(`\n${formatter.formatHelpDoc(event.helpDoc)}`)
  })
}

const failed = ({ message }: { readonly message: string }) => Effect.andThen(Console.error(message), endWith(1))
