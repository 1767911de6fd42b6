/** A console that a browser can reach, at a host name that may have passkeys. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import type { World } from "./World.ts"

const toRequest = async (request: IncomingMessage, url: string): Promise<Request> => {
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
  const body = await text(request)
  return new Request(`${url}${request.url}`, {
    method: request.method ?? "GET",
    headers,
    ...(body === "" ? {} : { body })
  })
}

export const listen = async (world: World) => {
  let url = ""
  const server = createServer(async (request, response) => {
    const answer = await world.handler(await toRequest(request, url))
    response.writeHead(answer.status, [...answer.headers].flat()).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve))
  url = `http://localhost:${(server.address() as AddressInfo).port}`
  return {
    url,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
