/** A server of HTTP in the test's own process, which plays a provider, a receiver or a collector until the test is over. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

export interface HttpHere {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly port: number
  /** Hangs up on every client. */
  readonly stop: () => Promise<void>
}

/** `answer` gets a request once its body is whole; where it fails, the connection is cut. On a free port unless one is named. */
export const serveHttp = async (
  answer: (request: IncomingMessage, response: ServerResponse, body: Buffer) => unknown,
  onPort = 0
): Promise<HttpHere> => {
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", async () => {
      try {
        await answer(request, response, Buffer.concat(chunks))
      } catch (cause) {
        response.destroy(cause as Error)
      }
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(onPort, "127.0.0.1", resolve)
  })
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(stop)
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, port, stop }
}

/** Answers with a document. */
export const sendJson = (response: ServerResponse, status: number, body: unknown, headers: object = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))
}
