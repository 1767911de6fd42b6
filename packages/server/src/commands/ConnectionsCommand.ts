/** `pointsman connections`: the merchants' accounts at their providers, without what is secret of them. */
import { Directory } from "@pointsman/core/ports"
import { Console, Effect, Option } from "effect"
import { CommandFailure } from "./CommandFailure.ts"
import { argument, commandGroup } from "./CommandHelp.ts"
import { connectionDetails, connectionsText, connectionText, connectionView } from "./ConnectionView.ts"
import { databaseCommand } from "./DatabaseCommand.ts"
import { databaseSettings } from "./OpenDatabase.ts"
import { print } from "./Output.ts"
import { anyEnvironmentFlag, anyWorkspaceFlag, within } from "./Tenants.ts"
import { printable } from "./Words.ts"

const list = databaseCommand(
  {
    name: "list",
    short: "List the connections",
    long: "List the connections, active and inactive, by id.",
    examples: { "pointsman connections list --workspace acme --environment production": "One workspace" },
    flags: { workspace: anyWorkspaceFlag, environment: anyEnvironmentFlag }
  },
  function* ({ environment, workspace }, { json }) {
    const contents = yield* (yield* Directory).contents
    const isMeant = yield* Effect.fromResult(within(contents, workspace, environment))
    const connections = contents.connections.filter(isMeant).map(connectionView)
    yield* print(json, { data: connections }, connections.length === 0 ? "" : connectionsText(connections))
    if (!json && connections.length === 0) yield* Console.error("No connections found.")
  }
)

const show = databaseCommand(
  {
    name: "show",
    short: "Show one connection",
    long:
      "Show a connection: its limits and restrictions, its timeout, its circuit breaker, and its webhook " +
      "path for the provider. Credentials are never shown.",
    examples: { "pointsman connections show main": "One connection" },
    settings: [...databaseSettings, "providerTimeoutMillis"],
    flags: { connection: argument("connection", "The connection's id") }
  },
  function* ({ connection: id }, { json, settings: { providerTimeoutMillis } }) {
    const found = yield* (yield* Directory).connection(id)
    if (Option.isNone(found)) {
      return yield* new CommandFailure({ message: `Connection "${printable(id)}" not found.` })
    }
    const view = connectionDetails(found.value, providerTimeoutMillis)
    yield* print(json, { data: view }, connectionText(view))
  }
)

export const connectionsCommand = commandGroup(
  "connections",
  {
    short: "Show the accounts at providers",
    long: "Connections: the merchants' accounts at their providers."
  },
  [list, show]
)
