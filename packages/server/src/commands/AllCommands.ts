/** Every command of `pointsman`. */
import { Command } from "effect/cli"
import { archiveCommand } from "./ArchiveCommand.ts"
import { auditCommand } from "./AuditCommand.ts"
import { booksCommand } from "./BooksCommand.ts"
import { configCommand } from "./ConfigCommand.ts"
import { connectionsCommand } from "./ConnectionsCommand.ts"
import { correctionsCommand } from "./CorrectionsCommand.ts"
import { doctorCommand } from "./DoctorCommand.ts"
import { eraseCommand } from "./EraseCommand.ts"
import { initCommand } from "./InitCommand.ts"
import { keysCommand } from "./KeysCommand.ts"
import { listenCommand } from "./ListenCommand.ts"
import { mcpCommand } from "./McpCommand.ts"
import { merchantsCommand } from "./MerchantsCommand.ts"
import { messagesCommand } from "./MessagesCommand.ts"
import { newConnectorCommand } from "./NewConnectorCommand.ts"
import { operatorsCommand } from "./OperatorsCommand.ts"
import { paymentsCommand } from "./PaymentsCommand.ts"
import { reconcileCommand } from "./ReconcileCommand.ts"
import { recoverCommand } from "./RecoverCommand.ts"
import { retentionCommand } from "./RetentionCommand.ts"
import { routingCommand } from "./RoutingCommand.ts"
import { devCommand, serveCommand } from "./ServeCommand.ts"
import { shardsCommand } from "./ShardsCommand.ts"
import { triggerCommand } from "./TriggerCommand.ts"
import { unknownCommand } from "./UnknownCommand.ts"
import { usageCommand } from "./UsageCommand.ts"
import { webhooksCommand } from "./WebhooksCommand.ts"
import { workspacesCommand } from "./WorkspacesCommand.ts"

/** Without the commands under it. */
const pointsman = Command.make("pointsman").pipe(
  Command.withDescription("Routes payments to your payment providers and never moves money twice")
)

export const pointsmanCommand = (environment: Readonly<Record<string, string | undefined>>) =>
  pointsman.pipe(
    Command.withSubcommands([
      serveCommand(environment),
      initCommand,
      newConnectorCommand,
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
      correctionsCommand,
      recoverCommand,
      reconcileCommand,
      messagesCommand,
      eraseCommand,
      retentionCommand(environment),
      shardsCommand,
      webhooksCommand,
      usageCommand,
      booksCommand,
      archiveCommand(environment),
      auditCommand,
      merchantsCommand,
      operatorsCommand,
      mcpCommand(environment),
      doctorCommand(environment)
    ])
  )
