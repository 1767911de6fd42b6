/** The console behind a listening server, for a real browser. */
import { createServer, type IncomingMessage } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { type World, world } from "./World.ts"

export const listeningWorld = async (here: World = world()) => {
  const server = createServer(async (request, response) => {
    const answer = await here.handler(await toRequest(url, request))
    response.writeHead(answer.status, [...answer.headers].flat()).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    here,
    url,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await here.close()
    }
  }
}

const toRequest = async (url: string, request: IncomingMessage): Promise<Request> => {
  const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
  const body = await text(request)
  return new Request(`${url}${request.url}`, {
    method: request.method ?? "GET",
    headers,
    ...(body === "" ? {} : { body })
  })
}
