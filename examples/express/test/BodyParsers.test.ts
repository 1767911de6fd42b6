/** The console before and after the body parsers of Express, by itself and inside of a router. */
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import express, { type Express } from "express"
import { it, onTestFinished } from "vitest"
import { openPointsman, signInLink } from "../src/Shop.ts"
import { tryConsole } from "./support/ConsoleVisit.ts"
import { shopFolder } from "./support/ShopProcess.ts"

type Listener = Awaited<ReturnType<Awaited<ReturnType<typeof openPointsman>>["console"]>>["listener"]

const apps: Readonly<Record<string, (listener: Listener) => Express>> = {
  "before the parsers": (listener) => express().use(listener).use(express.json()).use(express.urlencoded()),
  "after the parsers": (listener) =>
    express().use(express.json()).use(express.urlencoded()).use("/team/desk", listener),
  "after a parser of nested fields": (listener) =>
    express()
      .use(express.urlencoded({ extended: true }))
      .use(listener),
  "after parsers of text and bytes": (listener) =>
    express()
      .use(express.text({ type: "application/x-www-form-urlencoded" }))
      .use(express.raw())
      .use(listener),
  "in a router of a router": (listener) =>
    express().use("/team", express.Router().use("/desk", express.Router().use(express.urlencoded(), listener)))
}

for (const [place, appOf] of Object.entries(apps)) {
  it(`forms work in the console ${place}`, async () => {
    const pointsman = await openPointsman(shopFolder(), "YW4gZXhhbXBsZSBrZXksIGRvIG5vdCB1c2UgaXQhISE=")
    onTestFinished(() => pointsman.close())
    await pointsman.create({ amount: 450, currency: "EUR", country: "NL", reference: "1001" })
    const { listener } = await pointsman.console({
      mount: "/team/desk",
      sourceOf: (request: express.Request) => request.ip
    })
    const server = appOf(listener).listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close(() => {}).closeAllConnections())
    const { port } = server.address() as AddressInfo
    await tryConsole(await signInLink(pointsman, "jo", `http://127.0.0.1:${port}/team/desk`))
  })
}
