import { once } from "node:events"
import { mkdirSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { consolePath, listenerOf, openPointsman, signInLink } from "./NodeServer.ts"

const folder = process.env["SHOP_FOLDER"] ?? ".shop"
mkdirSync(folder, { recursive: true, mode: 0o700 })
// A key that everybody can read is good for a first look alone: make one with `openssl rand -base64 32` and keep it.
const encryptionKey = process.env["SHOP_ENCRYPTION_KEY"] ?? "YW4gZXhhbXBsZSBrZXksIGRvIG5vdCB1c2UgaXQhISE="

const pointsman = await openPointsman(folder, encryptionKey, process.env["SHOP_API_KEY"])
const server = createServer(await listenerOf(pointsman)).listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1")
await once(server, "listening")
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
console.log(`The server listens on ${url}`)

const operator = process.env["SHOP_OPERATOR"]
if (operator !== undefined) {
  console.log(`${operator} signs in once at ${await signInLink(pointsman, operator, `${url}${consolePath}`)}`)
}

const stop = () => {
  server.close()
  // What is being paid is answered first.
  void pointsman.close().then(() => server.closeAllConnections())
}
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
