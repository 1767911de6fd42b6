/** The shop on Fastify. */
import fastify from "fastify"
import { checkOut, hear, home, openPointsman, thanks, url } from "./shop.ts"

const pointsman = await openPointsman()
const app = fastify({ keepAliveTimeout: 5_000 })

// A scope of its own, so that the shop's routes keep Fastify's parsers: Pointsman reads bodies itself, because
// providers sign the raw bytes.
app.register(async (api) => {
  api.removeAllContentTypeParsers()
  api.addContentTypeParser("*", (_request, _body, done) => done(null))
  for (const path of ["/api/v1/*", "/hosted/*"]) {
    api.all(path, (request, reply) => {
      // From here on the answer is Pointsman's.
      reply.hijack()
      pointsman.listener(request.raw, reply.raw)
    })
  }
})

// The events of Pointsman, signed over the raw bytes too; and the form of the shop's page, which is empty.
app.register(async (shop) => {
  shop.removeAllContentTypeParsers()
  shop.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body))
  shop.post<{ Body: Buffer }>("/webhooks", async (request, reply) =>
    reply.code(await hear({ body: request.body, headers: request.headers })).send()
  )
  shop.post<{ Querystring: { order: string } }>("/checkout", async (request, reply) =>
    reply.redirect(await checkOut(pointsman, request.query.order), 303)
  )
})

app.get("/", (_request, reply) => reply.type("text/html").send(home()))

app.get<{ Querystring: { payment_id: string } }>("/thanks", async (request, reply) =>
  reply.type("text/html").send(await thanks(pointsman, request.query.payment_id))
)

app.addHook("preClose", () => pointsman.close())
await app.listen({ host: url.hostname, port: Number(url.port) })
console.log(`The shop listens on ${url.origin}`)

// What is being paid is answered first.
const stop = () => void app.close()
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
