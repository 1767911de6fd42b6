/** What lasts in the console of a plain Node server. */
import { once } from "node:events"
import { createServer } from "node:http"
import { it, onTestFinished } from "vitest"
import { shopWithPayments, tryStreams } from "../../express/test/support/ConsoleStreams.ts"
import { consolePath, listenerOf } from "../src/NodeServer.ts"

it("streams of the console arrive as they are made, and end with it", async () => {
  const pointsman = await shopWithPayments()
  const server = createServer(await listenerOf(pointsman)).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close(() => {}).closeAllConnections())
  await tryStreams({ pointsman, server, consolePath })
})
