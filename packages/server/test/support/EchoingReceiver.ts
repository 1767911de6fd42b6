/** A merchant's receiver of webhooks that answers with what it was sent, and never with success. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

export interface EchoingReceiver {
  /** For a webhook endpoint. */
  readonly url: string
  /** Headers and body of each delivery. */
  readonly heard: ReadonlyArray<string>
}

/** `own`: what it adds to its answers of its own accord. */
export const startEchoingReceiver = async (own = ""): Promise<EchoingReceiver> => {
  const heard: Array<string> = []
  const server = createServer((request, response) => {
    let body = ""
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text
    })
    request.on("end", () => {
      const delivery = `${JSON.stringify(request.headers)} ${body}`
      heard.push(delivery)
      const signature = String(request.headers["x-service-signature"])
      response.writeHead(500, { "x-echo": signature, "x-own": own }).end(`${own} ${delivery}`)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, heard }
}
