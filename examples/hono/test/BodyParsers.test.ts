/** The console after a middleware that read the body. */
import { Hono } from "hono"
import { cloneRawRequest } from "hono/request"
import { assert, it, onTestFinished } from "vitest"
import { tryConsole } from "../../express/test/support/ConsoleVisit.ts"
import { shopFolder } from "../../express/test/support/ShopProcess.ts"
import { openPointsman, signInLink } from "../src/Shop.ts"

it("forms work when the console gets a clone from a middleware that read them", async () => {
  const pointsman = await openPointsman(shopFolder(), "YW4gZXhhbXBsZSBrZXksIGRvIG5vdCB1c2UgaXQhISE=")
  onTestFinished(() => pointsman.close())
  await pointsman.create({ amount: 450, currency: "EUR", country: "NL", reference: "1001" })
  const desk = await pointsman.console({ mount: "/desk" })
  const app = new Hono()
  app.use(async (context, next) => {
    if (context.req.method === "POST") await context.req.parseBody()
    await next()
  })
  app.all("/desk/*", async (context) => desk.handler(await cloneRawRequest(context.req)))
  const link = await signInLink(pointsman, "jo", "http://shop.example/desk")
  await tryConsole(link, async (url, init) => app.fetch(new Request(url, init)))
  const { data } = await pointsman.payments()
  assert.strictEqual(data[0]?.refunded_amount, 100)
})
