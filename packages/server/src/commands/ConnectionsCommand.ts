/** `pointsman connections`: the merchants' accounts at their providers, without what is secret of them. */
import { Directory } from "@pointsman/core/ports"
import { Console, Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import { CommandFailure } from "./CommandFailure.ts"
import { connectionDetails, connectionsText, connectionText, connectionView } from "./ConnectionView.ts"
import { databaseSettings, onDatabase } from "./OpenDatabase.ts"
import { jsonFlag, print } from "./Output.ts"
import { settingFlags, textsOf } from "./SettingFlags.ts"
import { anyEnvironmentFlag, anyWorkspaceFlag, within } from "./Tenants.ts"
import { printable } from "./Words.ts"

const list = Command.make(
  "list",
  {
    workspace: anyWorkspaceFlag,
    environment: anyEnvironmentFlag,
    json: jsonFlag,
    ...settingFlags(databaseSettings)
  },
  Effect.fnUntraced(function* ({ environment, json, workspace, ...settings }) {
    yield* onDatabase(
      textsOf(settings),
      Effect.fnUntraced(function* () {
        const contents = yield* (yield* Directory).contents
        const isMeant = yield* Effect.fromResult(within(contents, workspace, environment))
        const connections = contents.connections.filter(isMeant).map(connectionView)
        yield* print(json, { data: connections }, connections.length === 0 ? "" : connectionsText(connections))
        if (!json && connections.length === 0) yield* Console.error("No connections found.")
      })
    )
  })
).pipe(
  Command.withDescription("List the connections, active and inactive, by id."),
  Command.withShortDescription("List the connections"),
  Command.withExamples([
    { command: "pointsman connections list --workspace acme --environment production", description: "One workspace" }
  ])
)

const show = Command.make(
  "show",
  {
    connection: Argument.String("connection").pipe(Argument.withDescription("The connection's id")),
    json: jsonFlag,
    ...settingFlags([...databaseSettings, "providerTimeoutMillis"])
  },
  Effect.fnUntraced(function* ({ connection: id, json, ...texts }) {
    yield* onDatabase(
      textsOf(texts),
      Effect.fnUntraced(function* ({ providerTimeoutMillis }) {
        const found = yield* (yield* Directory).connection(id)
        if (Option.isNone(found)) {
          return yield* new CommandFailure({ message: `Connection "${printable(id)}" not found.` })
        }
        const view = connectionDetails(found.value, providerTimeoutMillis)
        yield* print(json, { data: view }, connectionText(view))
      })
    )
  })
).pipe(
  Command.withDescription(
    "Show a connection: its limits and restrictions, its timeout, its circuit breaker, and its webhook " +
      "path for the provider. Credentials are never shown."
  ),
  Command.withShortDescription("Show one connection"),
  Command.withExamples([{ command: "pointsman connections show main", description: "One connection" }])
)

export const connectionsCommand = Command.make("connections").pipe(
  Command.withDescription("Connections: the merchants' accounts at their providers."),
  Command.withShortDescription("Show the accounts at providers"),
  Command.withSubcommands([list, show])
)
