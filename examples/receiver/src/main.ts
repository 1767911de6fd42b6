import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { openOrders } from "./Orders.ts"
import { receiver } from "./Receiver.ts"

const secrets = (process.env["WEBHOOK_SECRETS"] ?? "").split(",").filter((secret) => secret !== "")
if (secrets.length === 0) {
  console.error("WEBHOOK_SECRETS: expected the endpoint's secret, as the `webhooks` of the configuration name it.")
  process.exit(1)
}

const orders = openOrders(process.env["ORDERS_FILE"] ?? "orders.db")
const server = createServer(receiver(orders, secrets)).listen(Number(process.env["PORT"] ?? 4000), "127.0.0.1", () => {
  console.log(`The receiver listens on http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`)
})

const stop = () => {
  server.close(() => orders.close())
  server.closeIdleConnections()
}
process.once("SIGINT", stop)
process.once("SIGTERM", stop)
