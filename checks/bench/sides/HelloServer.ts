/** The least that answers a request: it says where it listens, and answers 201 to everything. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const server = createServer((request, response) => {
  request.resume()
  request.on("end", () => response.writeHead(201, { "content-type": "application/json" }).end("{}"))
})
server.listen(0, "127.0.0.1", () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
