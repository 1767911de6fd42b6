/** The console beside a parser of forms, and after it. */
import { assert, it, onTestFinished } from "vitest"
import { tryConsole } from "../../express/test/support/ConsoleVisit.ts"
import { shopFolder } from "../../express/test/support/ShopProcess.ts"
import { openPointsman, shop, signInLink } from "../src/Shop.ts"

it.each(["in a scope without parsers", "after the parser"])(
  "forms work with a parser of forms and the console %s",
  async (place) => {
    const pointsman = await openPointsman(shopFolder(), "YW4gZXhhbXBsZSBrZXksIGRvIG5vdCB1c2UgaXQhISE=")
    await pointsman.create({ amount: 450, currency: "EUR", country: "NL", reference: "1001" })
    const app = shop(pointsman)
    app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
      done(null, Object.fromEntries(new URLSearchParams(String(body))))
    )
    const path = place === "after the parser" ? "/team/desk" : "/desk"
    if (path === "/team/desk") {
      const { listener } = await pointsman.console({ mount: path })
      app.all(`${path}/*`, (request, reply) => {
        reply.hijack()
        // Fastify keeps what a parser read on its own request.
        listener(Object.assign(request.raw, { body: request.body }), reply.raw)
      })
    }
    onTestFinished(() => app.close())
    const url = await app.listen({ host: "127.0.0.1", port: 0 })
    await tryConsole(await signInLink(pointsman, "jo", `${url}${path}`))
    const { data } = await pointsman.payments()
    assert.strictEqual(data[0]?.refunded_amount, 100)
  }
)
