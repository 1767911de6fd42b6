/** What lasts in the console behind Fastify. */
import { it, onTestFinished } from "vitest"
import { shopWithPayments, tryStreams } from "../../express/test/support/ConsoleStreams.ts"
import { consolePath, shop } from "../src/Shop.ts"

it("streams of the console arrive as made, and the application closes at once", async () => {
  const pointsman = await shopWithPayments()
  const app = shop(pointsman)
  onTestFinished(() => app.close())
  await app.listen({ host: "127.0.0.1", port: 0 })
  await tryStreams({ pointsman, server: app.server, consolePath, close: () => app.close() })
})
