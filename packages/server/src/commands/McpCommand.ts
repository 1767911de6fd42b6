/** `pointsman mcp`: payments for a model, as one operator sees them. */
import { isIP } from "node:net"
import { Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { version } from "../Version.ts"
import { actorOf, byFlag } from "./Actor.ts"
import { CommandFailure } from "./CommandFailure.ts"
import { settingFlags, switchFlag, textsOf, withHelp } from "./CommandHelp.ts"
import { databaseSettings, onDatabase } from "./OpenDatabase.ts"

type Environment = Readonly<Record<string, string | undefined>>

const tokenVariable = "POINTSMAN_MCP_TOKEN"

/** RFC 6750, section 2.1: `b64token`. As long as 128 bits of hexadecimal digits. */
const token = /^[A-Za-z0-9._~+/-]{32,}=*$/u

const listOf = (flag: string, description: string) =>
  Flag.String(flag).pipe(Flag.withMetavar("a,b"), Flag.withDescription(description), Flag.optional)

const wordsOf = (list: Option.Option<string>): ReadonlyArray<string> =>
  Option.match(list, { onNone: () => [], onSome: (text) => text.split(",").map((word) => word.trim()) })

const readToken = (environment: Environment) => {
  const text = environment[tokenVariable]
  return text !== undefined && token.test(text)
    ? Effect.succeed(Redacted.make(text, { label: tokenVariable }))
    : new CommandFailure({
        message: `${tokenVariable}: expected with --port, 32 or more letters, digits or -._~+/: \`openssl rand -hex 32\`.`
      })
}

export const mcpCommand = (environment: Environment) =>
  Command.make(
    "mcp",
    {
      operator: Flag.String("operator").pipe(
        Flag.withMetavar("login"),
        Flag.withDescription("Operator of the console whose roles count, and whom the audit trail names")
      ),
      allowWrite: switchFlag(
        "allow-write",
        "Also offer to draft refunds, which another operator approves in the console"
      ),
      port: Flag.Int("port").pipe(
        Flag.withDescription(
          `Serve streamable HTTP on this port, with the bearer token in ${tokenVariable}; 0 picks a free port. ` +
            "Default: standard input and output"
        ),
        Flag.filter(
          (port) => port >= 0 && port <= 65_535,
          () => "a port number from 0 to 65535"
        ),
        Flag.optional
      ),
      host: Flag.String("host").pipe(
        Flag.withDescription("Address to listen on with --port"),
        Flag.filter(
          (host) => isIP(host) > 0,
          () => "an IP address"
        ),
        Flag.withDefault("127.0.0.1")
      ),
      allowHost: listOf("allow-host", "Comma-separated `Host` headers to accept besides those of this machine"),
      allowOrigin: listOf("allow-origin", "Comma-separated `Origin` headers to accept; default: no web page"),
      by: byFlag,
      ...settingFlags(databaseSettings)
    },
    Effect.fnUntraced(function* ({ allowHost, allowOrigin, allowWrite, by, host, operator, port, ...texts }) {
      const http = Option.isNone(port)
        ? undefined
        : {
            host,
            port: port.value,
            token: yield* readToken(environment),
            hosts: wordsOf(allowHost),
            origins: wordsOf(allowOrigin)
          }
      // The protocol, its schemas and the console are a third of the program: other commands begin without them.
      const { runMcp } = yield* Effect.promise(() => import("../mcp/Mcp.ts"))
      yield* onDatabase(textsOf(texts), () => runMcp({ login: operator, allowWrite }, actorOf(by), version, http))
    })
  ).pipe(
    withHelp({
      short: "Serve payments to a model (MCP)",
      long:
        "Run a Model Context Protocol server, by which a model finds and explains payments, reviews and disputes as one " +
        "operator. It only reads unless --allow-write is given, and reaches no provider.",
      examples: {
        "pointsman mcp --operator jo@example.com": "Started by Claude Desktop or Cursor",
        "pointsman mcp --operator jo@example.com --allow-write --port 3333": "Over HTTP on this machine"
      }
    })
  )
