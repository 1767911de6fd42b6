import { mkdirSync } from "node:fs"
import { consolePath, openPointsman, shop, signInLink } from "./Shop.ts"

const folder = process.env["SHOP_FOLDER"] ?? ".shop"
mkdirSync(folder, { recursive: true, mode: 0o700 })
// A key that everybody can read is good for a first look alone: make one with `openssl rand -base64 32` and keep it.
const encryptionKey = process.env["SHOP_ENCRYPTION_KEY"] ?? "YW4gZXhhbXBsZSBrZXksIGRvIG5vdCB1c2UgaXQhISE="

const pointsman = await openPointsman(folder, encryptionKey, process.env["SHOP_API_KEY"])
const app = shop(pointsman)
const url = await app.listen({ host: "127.0.0.1", port: Number(process.env["PORT"] ?? 3000) })
console.log(`The shop listens on ${url}`)

const operator = process.env["SHOP_OPERATOR"]
if (operator !== undefined) {
  console.log(`${operator} signs in once at ${await signInLink(pointsman, operator, `${url}${consolePath}`)}`)
}

// What is being paid is answered first.
const stop = () => void app.close()
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
