import { fileURLToPath } from "node:url"
import { assert, it } from "vitest"
import { tryConsole } from "../../express/test/support/ConsoleVisit.ts"
import { authorization, post, shopFolder, startShop } from "../../express/test/support/ShopProcess.ts"

it("the console shows a payment of the API after a link, and refunds it", async () => {
  const main = fileURLToPath(new URL("../src/serve.ts", import.meta.url))
  const server = await startShop(main, shopFolder())
  const order = { amount: 1999, currency: "EUR", country: "NL", reference: "1001" }
  const headers = { ...authorization, "idempotency-key": "order-1001" }
  assert.strictEqual((await post(`${server.url}/api/v1/payments`, order, headers)).status, 201)
  await tryConsole(server.link)
  assert.strictEqual((await fetch(`${server.url}/nothing`)).status, 404)
  assert.strictEqual(await server.stop(), 0)
})
