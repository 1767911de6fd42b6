import { once } from "node:events"
import { mkdirSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { serve } from "@hono/node-server"
import { consolePath, openPointsman, shop, signInLink } from "./Shop.ts"

const folder = process.env["SHOP_FOLDER"] ?? ".shop"
mkdirSync(folder, { recursive: true, mode: 0o700 })
// A key that everybody can read is good for a first look alone: make one with `openssl rand -base64 32` and keep it.
const encryptionKey = process.env["SHOP_ENCRYPTION_KEY"] ?? "YW4gZXhhbXBsZSBrZXksIGRvIG5vdCB1c2UgaXQhISE="

const pointsman = await openPointsman(folder, encryptionKey, process.env["SHOP_API_KEY"])
const { fetch } = await shop(pointsman)
const server = serve({ fetch, hostname: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) })
await once(server, "listening")
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
console.log(`The shop listens on ${url}`)

const operator = process.env["SHOP_OPERATOR"]
if (operator !== undefined) {
  console.log(`${operator} signs in once at ${await signInLink(pointsman, operator, `${url}${consolePath}`)}`)
}

const stop = () => {
  server.close()
  // What is being paid is answered first.
  void pointsman.close().then(() => {
    if ("closeAllConnections" in server) server.closeAllConnections()
  })
}
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
