/** The shop on Hono. */
import { serve } from "@hono/node-server"
import { Hono } from "hono"
import { checkOut, hear, home, openPointsman, thanks, url } from "./shop.ts"

const pointsman = await openPointsman()
const app = new Hono()

app.all("/api/v1/*", (context) => pointsman.handler(context.req.raw))
app.all("/hosted/*", (context) => pointsman.handler(context.req.raw))

app.get("/", (context) => context.html(home()))

app.post("/checkout", async (context) =>
  context.redirect(await checkOut(pointsman, context.req.query("order") ?? ""), 303)
)

app.get("/thanks", async (context) => context.html(await thanks(pointsman, context.req.query("payment_id") ?? "")))

// The events of Pointsman, signed over the raw bytes.
app.post("/webhooks", async (context) => {
  const body = new Uint8Array(await context.req.arrayBuffer())
  return new Response(null, { status: await hear({ body, headers: context.req.raw.headers }) })
})

const server = serve({ fetch: app.fetch, hostname: url.hostname, port: Number(url.port) }, () =>
  console.log(`The shop listens on ${url.origin}`)
)

const stop = () => {
  server.close()
  // What is being paid is answered first.
  void pointsman.close().then(() => {
    if ("closeAllConnections" in server) server.closeAllConnections()
  })
}
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
