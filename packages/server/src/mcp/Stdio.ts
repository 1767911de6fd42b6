/** Over standard input and output, until the client closes the input. Diagnostics go to standard error. */
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js"
import { Effect } from "effect"
import { mostMessageBytes } from "./Http.ts"

/** https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle, "Shutdown". */
export const serveStdio = (makeServer: () => Server) =>
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
