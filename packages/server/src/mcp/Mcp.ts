/** What `pointsman mcp` runs on an open database. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import * as Desks from "@pointsman/console/internal"
import { Audit, AuditActor, AuditVia, auditDraft, Ids } from "@pointsman/core/ports"
import { RateLimit } from "@pointsman/http"
import { Console, Effect } from "effect"
import { CommandFailure } from "../commands/CommandFailure.ts"
import { printable } from "../commands/Words.ts"
import type { Agent } from "./CallTool.ts"
import { activeOperator } from "./Gate.ts"
import { type HttpOptions, mostMessageBytes, serveHttp } from "./Http.ts"
import { makeMcpServers } from "./McpServer.ts"

/** `startedBy`: who runs the command. `http`: over standard input and output where it is absent. */
export const runMcp = Effect.fnUntraced(
  function* (agent: Agent, startedBy: string, version: string, http: HttpOptions | undefined) {
    const operator = yield* Effect.mapError(
      activeOperator(agent.login),
      ({ error }) => new CommandFailure({ message: `--operator: ${error.message}` })
    )
    const transport = http === undefined ? "stdio" : "http"
    const details = { method: "mcp", started_by: startedBy, allow_write: agent.allowWrite, transport }
    const entry = yield* Effect.provideService(
      auditDraft("operator.signed_in", operator.id, details),
      AuditActor,
      operator.login
    )
    yield* (yield* Audit).append(entry)
    const makeServer = yield* makeMcpServers(agent, version)
    yield* Console.error(
      `MCP server for ${printable(operator.login)}: ${agent.allowWrite ? "reads, and drafts refunds" : "only reads"}.`
    )
    return yield* http === undefined ? serveStdio(makeServer) : serveHttp(makeServer, http)
  },
  Effect.provide([Desks.layer, RateLimit.layerOperators(), Ids.layer]),
  Effect.provideService(AuditVia, "mcp")
)

// Over standard input and output, until the client closes the input. Diagnostics go to standard error.

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle, "Shutdown". */
const serveStdio = (makeServer: () => Server) =>
  Effect.acquireUseRelease(
    Effect.promise(async () => {
      const server = makeServer()
      await server.connect(new StdioServerTransport(process.stdin, process.stdout, { maxBufferSize: mostMessageBytes }))
      return server
    }),
    (server) =>
      Effect.callback<void>((resume) => {
        const end = () => resume(Effect.void)
        // A longer message than the transport takes closes it.
        server.onclose = end
        process.stdin.once("end", end)
        return Effect.sync(() => void process.stdin.off("end", end))
      }),
    (server) => Effect.promise(() => server.close())
  )
