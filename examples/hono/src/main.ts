import { mkdirSync } from "node:fs"
import { serve } from "@hono/node-server"
import { openPointsman, shop } from "./Shop.ts"

const folder = process.env["SHOP_FOLDER"] ?? ".shop"
mkdirSync(folder, { recursive: true, mode: 0o700 })
// A key that everybody can read is good for a first look alone: make one with `openssl rand -base64 32` and keep it.
const encryptionKey = process.env["SHOP_ENCRYPTION_KEY"] ?? "YW4gZXhhbXBsZSBrZXksIGRvIG5vdCB1c2UgaXQhISE="

const pointsman = await openPointsman(folder, encryptionKey, process.env["SHOP_API_KEY"])
const server = serve(
  { fetch: shop(pointsman).fetch, hostname: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) },
  ({ port }) => console.log(`The shop listens on http://127.0.0.1:${port}`)
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
