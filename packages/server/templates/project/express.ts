/** The shop on Express. */
import express from "express"
import { checkOut, hear, home, openPointsman, thanks, url } from "./shop.ts"

const pointsman = await openPointsman()
const app = express()

// Before express.json(): Pointsman reads bodies itself, because providers sign the raw bytes.
app.use(pointsman.listener)

app.get("/", (_request, response) => void response.send(home()))

app.post("/checkout", async (request, response) => {
  response.redirect(303, await checkOut(pointsman, String(request.query["order"])))
})

app.get("/thanks", async (request, response) => {
  response.send(await thanks(pointsman, String(request.query["payment_id"])))
})

// The events of Pointsman, signed over the raw bytes too.
app.post("/webhooks", express.raw({ type: () => true }), async (request, response) => {
  response.sendStatus(await hear({ body: request.body, headers: request.headers }))
})

const server = app.listen(Number(url.port), url.hostname, () => console.log(`The shop listens on ${url.origin}`))

const stop = () => {
  server.close()
  // What is being paid is answered first.
  void pointsman.close().then(() => server.closeAllConnections())
}
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
