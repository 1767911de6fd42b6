import { mkdirSync } from "node:fs"
import type { AddressInfo } from "node:net"
import { openPointsman, shop } from "./Shop.ts"

const folder = process.env["SHOP_FOLDER"] ?? ".shop"
mkdirSync(folder, { recursive: true, mode: 0o700 })
// A key that everybody can read is good for a first look alone: make one with `openssl rand -base64 32` and keep it.
const encryptionKey = process.env["SHOP_ENCRYPTION_KEY"] ?? "YW4gZXhhbXBsZSBrZXksIGRvIG5vdCB1c2UgaXQhISE="

const pointsman = await openPointsman(folder, encryptionKey, process.env["SHOP_API_KEY"])
const server = shop(pointsman).listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  console.log(`The shop listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})

const stop = () => {
  server.close()
  // What is being paid is answered first.
  void pointsman.close().then(() => server.closeAllConnections())
}
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
