/** What lasts in the console behind Hono. */
import { once } from "node:events"
import { createAdaptorServer } from "@hono/node-server"
import { it, onTestFinished } from "vitest"
import { shopWithPayments, tryStreams } from "../../express/test/support/ConsoleStreams.ts"
import { consolePath, shop } from "../src/Shop.ts"

it("streams of the console arrive as they are made, and end with it", async () => {
  const pointsman = await shopWithPayments()
  const { fetch } = await shop(pointsman)
  const server = createAdaptorServer({ fetch }).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  await tryStreams({ pointsman, server, consolePath })
})
