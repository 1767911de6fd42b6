/** Takes Pointsman's webhooks at `POST /webhooks`. */
import type { IncomingMessage, RequestListener } from "node:http"
import { WebhookRefusedError, webhooks } from "@pointsman/node"
import type { Orders } from "./Orders.ts"

/** `secrets`: the endpoint's; while it is replaced, the new one and the old one. */
export const receiver =
  (orders: Orders, secrets: ReadonlyArray<string>): RequestListener =>
  async (request, response) => {
    if (request.method !== "POST" || request.url !== "/webhooks") return response.writeHead(404).end()
    try {
      const body = await rawBody(request)
      if (body === undefined) return response.writeHead(413).end()
      const { event } = await webhooks.verify({ body, headers: request.headers, secret: secrets })
      orders.receive(event)
      // Also where it came before: only then is it not sent again.
      response.writeHead(204).end()
    } catch (error) {
      // A 4xx is final and anything else is tried again, on the server's schedule. So 400 is for what nobody's
      // repetition makes good, and trouble of our own is 500.
      response.writeHead(error instanceof WebhookRefusedError ? 400 : 500).end()
      console.error(error instanceof Error ? error.message : error)
    }
  }

/** Events are a few kilobytes. */
const bytesAtMost = 256 * 1024

/** The bytes as they came: what a JSON parser makes of them cannot be verified. `undefined` where there are too many. */
const rawBody = async (request: IncomingMessage): Promise<Uint8Array | undefined> => {
  const chunks: Array<Uint8Array> = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    length += chunk.length
    if (length > bytesAtMost) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
